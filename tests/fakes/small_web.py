"""A web of a few sites on loopback, for tools that open it through the gate."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from hermes_tui.config import WebConfig
from hermes_tui.security.secrets import Redactor
from hermes_tui.tools.web import Web


@dataclass(frozen=True)
class Asked:
    """A request that came in."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return {name: many[0] for name, many in parse_qs(urlsplit(self.target).query).items()}


@dataclass(frozen=True)
class Page:
    """An answer."""

    body: bytes = b""
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: tuple[str, ...] = ()


Answer = Callable[[Asked], Page]


@dataclass
class SmallWeb:
    """A server whose pages are looked up by path; `site` is its address under a public name."""

    pages: dict[str, Page | Answer] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    port: int = 0

    async def __aenter__(self) -> SmallWeb:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    @property
    def site(self) -> str:
        return f"http://site.example:{self.port}"

    def web(
        self,
        keys: Mapping[str, str] | None = None,
        secrets: Mapping[str, str] | None = None,
        **config: object,
    ) -> Web:
        """The tools' web; every name leads to this server, which is allowed by hand."""
        local = tuple(f"{name}:{self.port}" for name in ("site.example", "other.example"))
        settings = WebConfig(local=local, timeout_s=5, **config)  # pyright: ignore[reportArgumentType]
        redactor = Redactor(dict(secrets or {}))
        return Web(lambda: settings, lambda: keys or {}, lambda: redactor, lambda _: ["127.0.0.1"])

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        fields = {k.lower(): v.strip() for k, _, v in (one.partition(":") for one in lines)}
        method, target, _ = first.split(" ")
        body = await reader.readexactly(int(fields.get("content-length", "0")))
        asked = Asked(method, target, fields, body)
        self.asked.append(asked)
        page = self.pages.get(asked.path, Page(b"nothing here", "text/plain", 404))
        answer = page if isinstance(page, Page) else page(asked)
        lines = [
            f"HTTP/1.1 {answer.status} X",
            f"Content-Type: {answer.kind}",
            f"Content-Length: {len(answer.body)}",
            "Connection: close",
            *answer.headers,
        ]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        writer.write(b"" if method == "HEAD" else answer.body)
        await writer.drain()
        writer.close()
