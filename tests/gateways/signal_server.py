"""signal-cli's HTTP daemon on 127.0.0.1, by its manual: JSON-RPC, events with ids, a check."""

from __future__ import annotations

import asyncio
import base64
import itertools
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
from aiohttp import web

ACCOUNT = "+4915112345678"
KEPT = 1000
"""Events it gives again."""


class SignalCli:
    """What it was asked, and the failures it gives first: (code, text, results)."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.edited: list[dict[str, Any]] = []
        self.typed: list[dict[str, Any]] = []
        self.fetched: list[str] = []
        self.files: dict[str, bytes] = {}
        self.failures: list[tuple[int, str, list[dict[str, Any]]]] = []
        self.deleted: set[int] = set()
        self.url = ""
        self._stamps = itertools.count(int(time.time() * 1000))
        self._ids = itertools.count(1)
        self._events: list[tuple[str, bytes]] = []
        self._lines: set[asyncio.Queue[tuple[str, bytes] | None]] = set()

    def stamp(self) -> int:
        """A time nothing else has."""
        return next(self._stamps)

    def tell(self, envelope: dict[str, Any], number: str = "") -> str:
        """Something comes in; the number of its event."""
        number = number or str(next(self._ids))
        event = msgspec.json.encode({"envelope": envelope, "account": ACCOUNT})
        self._events = [*self._events, (number, event)][-KEPT:]
        for line in self._lines:
            line.put_nowait((number, event))
        return number

    def drop_lines(self) -> None:
        """Every connection is lost."""
        for line in self._lines:
            line.put_nowait(None)

    # --- HTTP ----------------------------------------------------------------------------

    async def events(self, request: web.Request) -> web.StreamResponse:
        """GET /api/v1/events."""
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        line: asyncio.Queue[tuple[str, bytes] | None] = asyncio.Queue()
        last = request.headers.get("Last-Event-ID")
        if last is not None:
            numbers = [number for number, _ in self._events]
            after = numbers.index(last) + 1 if last in numbers else 0
            for one in self._events[after:]:
                line.put_nowait(one)
        self._lines.add(line)
        await answer.write(b":\n")
        try:
            while (one := await line.get()) is not None:
                number, data = one
                head = f"id:{number}\nevent:receive\ndata:".encode()
                await answer.write(head + data + b"\n\n")
        finally:
            self._lines.discard(line)
        return answer

    async def rpc(self, request: web.Request) -> web.Response:
        """POST /api/v1/rpc."""
        asked: dict[str, Any] = msgspec.json.decode(await request.read())
        method: str = asked["method"]
        params: dict[str, Any] = asked.get("params") or {}
        assert asked["jsonrpc"] == "2.0"
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": asked["id"]}
        if method != "listAccounts" and params.get("account") != ACCOUNT:
            reply["error"] = {"code": -1, "message": "Specified account does not exist"}
        elif method == "send" and self.failures:
            code, text, results = self.failures.pop(0)
            response = {"timestamp": self.stamp(), "results": results}
            data = {"response": response} if results else None
            reply["error"] = {"code": code, "message": text, "data": data}
        else:
            try:
                reply["result"] = getattr(self, f"_{method}")(params)
            except LookupError as error:
                reply["error"] = {"code": -1, "message": str(error), "data": None}
        return web.json_response(body=msgspec.json.encode(reply))

    def _listAccounts(self, params: dict[str, Any]) -> Any:
        return [{"number": ACCOUNT}]

    def _send(self, params: dict[str, Any]) -> Any:
        assert params.get("groupId") or params["recipient"]
        text = params.get("message", "")
        for style in params.get("textStyle", []):
            start, length, name = style.split(":")
            assert name in ("BOLD", "ITALIC", "STRIKETHROUGH", "MONOSPACE", "SPOILER")
            assert int(start) + int(length) <= len(text.encode("utf-16-le")) // 2
        stamp = self.stamp()
        if "editTimestamp" in params:
            old = params["editTimestamp"]
            if old in self.deleted or old not in [one["timestamp"] for one in self.got]:
                raise LookupError("the message to be edited is not known")
            self.edited.append({**params, "timestamp": stamp})
        else:
            self.got.append({**params, "timestamp": stamp})
        return {"timestamp": stamp, "results": [{"type": "SUCCESS"}]}

    def _sendTyping(self, params: dict[str, Any]) -> Any:
        self.typed.append(params)
        return {"timestamp": self.stamp(), "results": []}

    def _getAttachment(self, params: dict[str, Any]) -> Any:
        assert params.get("groupId") or isinstance(params["recipient"], str)
        self.fetched.append(params["id"])
        return {"data": base64.b64encode(self.files[params["id"]]).decode()}


@asynccontextmanager
async def signal_cli() -> AsyncGenerator[SignalCli]:
    """A daemon that lives while the test runs."""
    daemon = SignalCli()
    app = web.Application(client_max_size=1 << 28)
    app.router.add_get("/api/v1/events", daemon.events)
    app.router.add_post("/api/v1/rpc", daemon.rpc)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    daemon.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield daemon
    finally:
        daemon.drop_lines()
        with suppress(TimeoutError):
            await asyncio.wait_for(runner.cleanup(), 2)
