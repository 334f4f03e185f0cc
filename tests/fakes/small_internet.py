"""An internet of a few hosts on loopback: public names and addresses, local servers behind."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hermes_tui.backends.egress import Ways

PUBLIC = "93.184.215.14"


class SmallInternet:
    """`pages` by (host, path); every name of `names` has an address, and all lead here."""

    def __init__(self) -> None:
        self.names: dict[str, list[str]] = {}
        self.pages: dict[tuple[str, str], bytes] = {}
        self.asked: list[str] = []
        self.requests: list[tuple[str, str, str, bytes]] = []
        self.dialled: list[tuple[str, int]] = []
        self.ports: dict[int, int] = {}
        self.ways = Ways(resolve=self._resolve, dial=self._dial)

    def put(self, host: str, path: str, body: bytes) -> None:
        self.names[host] = [PUBLIC]
        self.pages[host, path] = body

    def put_folder(self, host: str, path: str, folder: Path) -> None:
        for file in folder.rglob("*"):
            if file.is_file():
                self.put(host, f"{path}/{file.relative_to(folder)}", file.read_bytes())

    async def _resolve(self, name: str, port: int) -> list[str]:
        self.asked.append(name)
        if name not in self.names:
            raise OSError(-2, "Name or service not known")
        return self.names[name]

    async def _dial(
        self, address: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        self.dialled.append((address, port))
        if address != PUBLIC or port not in self.ports:
            raise ConnectionRefusedError(111, "Connection refused")
        return await asyncio.open_connection("127.0.0.1", self.ports[port])

    async def visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, OSError):
            while await self._answer(reader, writer):
                continue
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        fields = {k.lower(): v.strip() for k, _, v in (one.partition(":") for one in lines)}
        method, path, _ = first.split(" ")
        body = await reader.readexactly(int(fields.get("content-length", "0")))
        host = fields.get("host", "").partition(":")[0]
        self.requests.append((method, host, path, body))
        page = self.pages.get((host, path.partition("?")[0]))
        status = "404 Not Found" if page is None else "200 OK"
        kind = "text/html" if path.endswith("/") else "application/octet-stream"
        text = b"" if page is None else page
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(text)}\r\n"
        writer.write(head.encode() + b"\r\n" + (b"" if method == "HEAD" else text))
        await writer.drain()
        return fields.get("connection", "").lower() != "close"

    @contextlib.asynccontextmanager
    async def served(self, certificate: tuple[Path, Path] | None) -> AsyncIterator[SmallInternet]:
        plain = await asyncio.start_server(self.visit, "127.0.0.1", 0)
        self.ports[80] = plain.sockets[0].getsockname()[1]
        servers = [plain]
        if certificate is not None:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(*certificate)
            secure = await asyncio.start_server(self.visit, "127.0.0.1", 0, ssl=context)
            self.ports[443] = secure.sockets[0].getsockname()[1]
            servers.append(secure)
        try:
            yield self
        finally:
            for server in servers:
                server.close()


def certificate(folder: Path, *names: str) -> tuple[Path, Path]:
    """(certificate, key) that stand for these names; skips where openssl is missing."""
    made = folder / "cert.pem", folder / "key.pem"
    command = [
        *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
        *("-nodes", "-days", "2", "-subj", "/CN=small", "-keyout", made[1], "-out", made[0]),
        *("-addext", "subjectAltName=" + ",".join(f"DNS:{one}" for one in names)),
    ]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    return made
