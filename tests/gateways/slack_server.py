"""Slack's Web API and Socket Mode on 127.0.0.1, as far as an app needs them."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

from aiohttp import WSMsgType, web

TOKEN = "xoxb-" + "1234567890-abcdefghij" * 2
APP_TOKEN = "xapp-" + "1-A0123-9876543210-" * 2
ME = "U0HERMES00"
DM, CHANNEL = "D0DIRECT00", "C0GENERAL0"
_AGAIN_S = 0.3
"""An envelope that is not acknowledged comes again after so long (Slack: three seconds)."""


class SlackServer:
    """What it was sent and what it tells, and the failures it gives first: (error, headers)."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.edited: list[dict[str, Any]] = []
        self.fetched: list[str] = []
        self.files: dict[str, bytes] = {}
        self.uploads: dict[str, tuple[str, bytes]] = {}
        self.acknowledged: set[str] = set()
        self.answers: dict[str, dict[str, Any]] = {}
        self.failures: list[tuple[str, dict[str, str]]] = []
        self.deleted: set[str] = set()
        self.history: dict[str, list[dict[str, Any]]] = {}
        self.url = ""
        self._stamps = itertools.count(int(time.time() * 1_000_000))
        self._ids = itertools.count(1)
        self._waiting: dict[str, dict[str, Any]] = {}
        self._lines: set[web.WebSocketResponse] = set()

    def stamp(self) -> str:
        """A time nothing else has, as Slack writes it."""
        number = next(self._stamps)
        return f"{number // 1_000_000}.{number % 1_000_000:06d}"

    async def tell(self, kind: str, payload: dict[str, Any], number: str = "") -> str:
        """An envelope, until it is acknowledged."""
        number = number or f"env{next(self._ids)}"
        self._waiting[number] = {"envelope_id": number, "type": kind, "payload": payload}
        for line in list(self._lines):
            await self._deliver(line, number)
        return number

    async def say(self, event: dict[str, Any]) -> str:
        """A message is said, and kept in its channel."""
        kept = self.history.setdefault(event["channel"], [])
        kept.append({key: value for key, value in event.items() if key != "channel"})
        return await self.tell("events_api", {"type": "event_callback", "event": event})

    async def _deliver(self, line: web.WebSocketResponse, number: str) -> None:
        envelope = self._waiting.get(number)
        if envelope is not None and not line.closed:
            with suppress(ConnectionError):
                await line.send_str(json.dumps(envelope))

    async def drop_lines(self) -> None:
        """Every connection is lost."""
        for line in list(self._lines):
            await line.close()

    # --- Socket Mode ---------------------------------------------------------------------

    async def line(self, request: web.Request) -> web.WebSocketResponse:
        """A connection."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._lines.add(socket)
        hello: dict[str, Any] = {
            "type": "hello",
            "num_connections": len(self._lines),
            "connection_info": {},
        }
        await socket.send_str(json.dumps(hello))
        again = asyncio.create_task(self._again(socket))
        try:
            async for frame in socket:
                if frame.type is not WSMsgType.TEXT:
                    break
                said = json.loads(frame.data)
                number = said["envelope_id"]
                self.acknowledged.add(number)
                self.answers[number] = said
                self._waiting.pop(number, None)
        finally:
            again.cancel()
            self._lines.discard(socket)
        return socket

    async def _again(self, socket: web.WebSocketResponse) -> None:
        while True:
            for number in list(self._waiting):
                await self._deliver(socket, number)
            await asyncio.sleep(_AGAIN_S)

    # --- the Web API ---------------------------------------------------------------------

    async def call(self, request: web.Request) -> web.Response:
        """POST or GET of a method."""
        method = request.match_info["method"].replace(".", "_")
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        wanted = APP_TOKEN if method == "apps_connections_open" else TOKEN
        if token != wanted:
            return web.json_response({"ok": False, "error": "invalid_auth"})
        asked: dict[str, Any] = dict(request.query)
        if request.content_type == "application/json":
            asked |= await request.json()
        elif request.can_read_body:
            asked |= dict(await request.post())
        if method == "chat_postMessage" and self.failures:
            error, headers = self.failures.pop(0)
            status = 429 if error == "ratelimited" else 200
            if error == "busy":
                return web.Response(status=503, text="busy")
            value = {"ok": False, "error": error}
            return web.json_response(value, status=status, headers=headers)
        done: dict[str, Any] = getattr(self, method)(asked)
        return web.json_response({"ok": "error" not in done, **done})

    def auth_test(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Who the token is."""
        return {"user_id": ME, "user": "hermes", "team_id": "T1", "bot_id": "B1"}

    def apps_connections_open(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Where to connect to."""
        return {"url": f"{self.url.replace('http', 'ws', 1)}/line"}

    def conversations_open(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The direct chat with somebody."""
        return {"channel": {"id": DM}}

    def conversations_history(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Messages of a channel, the newest first; no answers in threads."""
        found = [
            one
            for one in self.history.get(asked["channel"], [])
            if float(one["ts"]) > float(asked.get("oldest", 0))
            and one.get("thread_ts", one["ts"]) == one["ts"]
        ]
        return {"messages": list(reversed(found)), "response_metadata": {"next_cursor": ""}}

    def conversations_replies(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Messages of a thread."""
        found = [
            one
            for one in self.history.get(asked["channel"], [])
            if asked["ts"] in (one["ts"], one.get("thread_ts"))
            and float(one["ts"]) > float(asked.get("oldest", 0))
        ]
        return {"messages": found}

    def chat_postMessage(self, asked: dict[str, Any]) -> dict[str, Any]:
        """A message."""
        assert asked["text"]
        assert len(asked["text"]) <= 40_000
        for block in asked.get("blocks", []):
            if block["type"] == "section":
                assert len(block["text"]["text"]) <= 3000
            else:
                assert len(block["elements"]) <= 25
                assert all(len(one["value"]) <= 2000 for one in block["elements"])
        stamp = self.stamp()
        self.got.append({**asked, "ts": stamp})
        own = {"type": "message", "user": ME, "bot_id": "B1", "text": asked["text"], "ts": stamp}
        self.history.setdefault(asked["channel"], []).append(own)
        return {"ts": stamp, "channel": asked["channel"]}

    def chat_update(self, asked: dict[str, Any]) -> dict[str, Any]:
        """A message reads otherwise."""
        if asked["ts"] in self.deleted:
            return {"error": "message_not_found"}
        self.edited.append(asked)
        return {"ts": asked["ts"], "channel": asked["channel"]}

    def files_getUploadURLExternal(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Where a file is to be put."""
        number = f"F{next(self._ids)}"
        self.uploads[number] = (asked["filename"], b"")
        return {"file_id": number, "upload_url": f"{self.url}/upload/{number}"}

    def files_completeUploadExternal(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The files are there: they become a message."""
        files = asked["files"]
        files = json.loads(files) if isinstance(files, str) else files
        comment = asked.get("initial_comment") or ""
        for one in files:
            said = {"channel": asked["channel_id"], "text": comment, "ts": self.stamp()}
            self.got.append({**said, "file": one["id"], "thread_ts": asked.get("thread_ts")})
        return {"files": [{"id": one["id"], "title": one.get("title")} for one in files]}

    async def upload(self, request: web.Request) -> web.Response:
        """POST of a file's content."""
        number = request.match_info["number"]
        self.uploads[number] = (self.uploads[number][0], await request.read())
        return web.Response(text="OK")

    async def file(self, request: web.Request) -> web.Response:
        """GET of a file, for the bot alone."""
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return web.Response(status=403)
        name = request.match_info["name"]
        self.fetched.append(name)
        return web.Response(body=self.files[name])


@asynccontextmanager
async def slack_server() -> AsyncGenerator[SlackServer]:
    """A server that lives while the test runs."""
    server = SlackServer()
    app = web.Application(client_max_size=1 << 28)
    app.router.add_get("/line", server.line)
    app.router.add_get("/files/{name}", server.file)
    app.router.add_post("/upload/{number}", server.upload)
    app.router.add_route("*", "/api/{method}", server.call)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield server
    finally:
        await server.drop_lines()
        await runner.cleanup()
