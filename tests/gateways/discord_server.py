"""Discord's REST API and gateway on 127.0.0.1, as far as a bot needs them, by their description."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
import zlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

from aiohttp import WSMsgType, web

TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4" + ".Gabcde." + "x" * 38
ME: dict[str, Any] = {
    "id": "900000000000000001",
    "username": "hermes",
    "discriminator": "0",
    "avatar": None,
    "bot": True,
    "global_name": None,
}
GUILD, CHANNEL, THREAD, DM = (f"80000000000000000{n}" for n in range(1, 5))
EPOCH = 1420070400000
KEPT = 100


class DiscordServer:
    """What it was sent, what it tells, the failures it gives first: (status, code, headers)."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.edited: list[dict[str, Any]] = []
        self.typed: list[str] = []
        self.fetched: list[str] = []
        self.files: dict[str, bytes] = {}
        self.uploads: dict[str, tuple[str, bytes]] = {}
        self.commands: list[dict[str, Any]] = []
        self.answered: list[str] = []
        self.failures: list[tuple[int, int, dict[str, str]]] = []
        self.deleted: set[str] = set()
        self.history: dict[str, list[dict[str, Any]]] = {}
        self.url = self.gateway = ""
        self._numbers = itertools.count()
        self._nonces: dict[str, dict[str, Any]] = {}
        self._lines: set[Line] = set()
        self._happened: list[dict[str, Any]] = []

    def number(self) -> str:
        """A snowflake: later ones are larger."""
        stamp = int(time.time() * 1000) - EPOCH
        return str((stamp << 22) + next(self._numbers))

    def tell(self, kind: str, data: dict[str, Any]) -> None:
        """Something happens: a line that is lost hears of it when it is taken up again."""
        event = {"op": 0, "t": kind, "s": len(self._happened) + 1, "d": data}
        self._happened.append(event)
        for line in self._lines:
            line.out.put_nowait(event)

    def begin(self, line: Line) -> None:
        """A bot is there: told who it is, and where."""
        ready: dict[str, Any] = {
            "v": 10,
            "user": ME,
            "guilds": [],
            "session_id": "s",
            "resume_gateway_url": self.gateway,
            "application": {"id": ME["id"], "flags": 0},
        }
        self._lines = {line}
        self.tell("READY", ready)
        self.tell("GUILD_CREATE", guild())

    def resume(self, line: Line, sequence: int) -> None:
        """A line that was lost goes on after the last thing it heard."""
        for event in self._happened[sequence:]:
            line.out.put_nowait(event)
        self._lines = {line}
        self.tell("RESUMED", {})

    def say(self, message: dict[str, Any]) -> None:
        """A message is said, and kept in its channel."""
        self.history.setdefault(message["channel_id"], []).append(message)
        self.tell("MESSAGE_CREATE", message)

    async def drop_lines(self) -> None:
        """Every connection is lost."""
        for line in list(self._lines):
            await line.drop()

    # --- REST ----------------------------------------------------------------------------

    @web.middleware
    async def known(self, request: web.Request, handler: Any) -> web.StreamResponse:
        """Only the bot may ask; files and the gateway are open."""
        open_ = request.path.startswith(("/files/", "/line"))
        if not open_ and request.headers.get("Authorization") != f"Bot {TOKEN}":
            return _error(401, 0, "401: Unauthorized")
        return await handler(request)

    async def me(self, request: web.Request) -> web.Response:
        """GET /users/@me."""
        return _json(ME)

    async def application(self, request: web.Request) -> web.Response:
        """GET /oauth2/applications/@me."""
        about: dict[str, Any] = {
            "id": ME["id"],
            "name": "hermes",
            "icon": None,
            "description": "",
            "bot_public": False,
            "bot_require_code_grant": False,
            "verify_key": "x",
            "owner": {**ME, "id": "1", "bot": False},
            "team": None,
            "flags": 0,
            "integration_types_config": {},
        }
        return _json(about)

    async def direct(self, request: web.Request) -> web.Response:
        """POST that a direct chat is wanted."""
        said = await request.json()
        who = {**ME, "id": said["recipient_id"], "bot": False}
        return _json({"id": DM, "type": 1, "recipients": [who]})

    async def where(self, request: web.Request) -> web.Response:
        """GET /gateway."""
        return _json({"url": self.gateway})

    async def post(self, request: web.Request) -> web.Response:
        """POST a message."""
        channel = request.match_info["channel"]
        file = None
        if request.content_type == "multipart/form-data":
            form = await request.post()
            said: dict[str, Any] = json.loads(str(form["payload_json"]))
            field = form["files[0]"]
            assert isinstance(field, web.FileField)
            file = (field.filename, field.file.read())
        else:
            said = await request.json()
        if self.failures:
            status, code, headers = self.failures.pop(0)
            return _error(status, code, "it failed", headers)
        assert len(said.get("content", "")) <= 2000
        assert said.get("content") or file or said.get("components")
        assert len(said["nonce"]) <= 25
        if said.get("enforce_nonce") and said["nonce"] in self._nonces:
            return _json(self._nonces[said["nonce"]])
        for row in said.get("components", []):
            assert row["type"] == 1
            assert 1 <= len(row["components"]) <= 5
            assert all(len(one["custom_id"]) <= 100 for one in row["components"])
        number = self.number()
        made = {**said, "id": number, "channel_id": channel}
        self.got.append(made)
        if file is not None:
            self.uploads[number] = file
        shown = message(number, channel, ME, said.get("content", ""))
        self._nonces[said["nonce"]] = shown
        self.history.setdefault(channel, []).append(shown)
        return _json(shown)

    async def patch(self, request: web.Request) -> web.Response:
        """PATCH a message."""
        number = request.match_info["message"]
        if number in self.deleted:
            return _error(404, 10008, "Unknown Message")
        said = await request.json()
        self.edited.append({**said, "id": number})
        return _json(message(number, DM, ME, said["content"]))

    async def typing(self, request: web.Request) -> web.Response:
        """POST that somebody is typing."""
        self.typed.append(request.match_info["channel"])
        return web.Response(status=204)

    async def said(self, request: web.Request) -> web.Response:
        """GET messages after one, the newest first."""
        channel = request.match_info["channel"]
        after = int(request.query.get("after", "0"))
        limit = int(request.query.get("limit", "50"))
        found = [one for one in self.history.get(channel, []) if int(one["id"]) > after]
        return _json(list(reversed(found[:limit])))

    async def listed(self, request: web.Request) -> web.Response:
        """PUT the commands."""
        self.commands = await request.json()
        for one in self.commands:
            assert 1 <= len(one["description"]) <= 100
        return _json(self.commands)

    async def answer(self, request: web.Request) -> web.Response:
        """POST that an interaction was heard."""
        self.answered.append(request.match_info["number"])
        return web.Response(status=204)

    async def file(self, request: web.Request) -> web.Response:
        """GET a file."""
        name = request.match_info["name"]
        self.fetched.append(name)
        return web.Response(body=self.files[name])

    # --- the gateway ---------------------------------------------------------------------

    async def line(self, request: web.Request) -> web.WebSocketResponse:
        """A connection."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        line = Line(socket, request.query.get("compress", ""))
        try:
            await line.run(self)
        finally:
            self._lines.discard(line)
        return socket


class Line:
    """One bot's connection."""

    def __init__(self, socket: web.WebSocketResponse, compress: str) -> None:
        assert compress == "zlib-stream"
        self.out: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._socket = socket
        self._zlib = zlib.compressobj()

    async def drop(self) -> None:
        """The line is lost."""
        await self._socket.close(code=4000)

    async def run(self, server: DiscordServer) -> None:
        """Hello, who are you, and what happens."""
        self.out.put_nowait({"op": 10, "t": None, "s": None, "d": {"heartbeat_interval": 41250}})
        writing = asyncio.create_task(self._write())
        try:
            async for frame in self._socket:
                if frame.type is not WSMsgType.TEXT:
                    break
                said = json.loads(frame.data)
                if said["op"] == 1:
                    self.out.put_nowait({"op": 11, "t": None, "s": None, "d": None})
                elif said["op"] in (2, 6) and said["d"]["token"] != TOKEN:
                    await self._socket.close(code=4004)
                    break
                elif said["op"] == 2:
                    server.begin(self)
                elif said["op"] == 6:
                    server.resume(self, said["d"]["seq"])
        finally:
            writing.cancel()

    async def _write(self) -> None:
        while True:
            data = json.dumps(await self.out.get()).encode()
            with suppress(ConnectionError):
                await self._socket.send_bytes(self._packed(data))

    def _packed(self, data: bytes) -> bytes:
        return self._zlib.compress(data) + self._zlib.flush(zlib.Z_SYNC_FLUSH)


def guild() -> dict[str, Any]:
    """A server with a channel and a thread in it."""
    when = "2024-01-01T00:00:00+00:00"
    channel: dict[str, Any] = {
        "id": CHANNEL,
        "type": 0,
        "name": "general",
        "position": 0,
        "permission_overwrites": [],
        "parent_id": None,
        "nsfw": False,
    }
    about = {"archived": False, "auto_archive_duration": 60, "archive_timestamp": when}
    thread = {
        "id": THREAD,
        "type": 11,
        "guild_id": GUILD,
        "parent_id": CHANNEL,
        "owner_id": ME["id"],
        "name": "a thread",
        "message_count": 1,
        "member_count": 1,
        "thread_metadata": {**about, "locked": False},
    }
    role = {
        "id": GUILD,
        "name": "@everyone",
        "color": 0,
        "hoist": False,
        "position": 0,
        "permissions": "0",
        "managed": False,
        "mentionable": False,
        "flags": 0,
    }
    return {
        "id": GUILD,
        "name": "a server",
        "icon": None,
        "owner_id": "1",
        "region": "x",
        "features": [],
        "emojis": [],
        "stickers": [],
        "roles": [role],
        "channels": [channel],
        "threads": [thread],
        "members": [],
        "presences": [],
        "voice_states": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
        "member_count": 2,
        "large": False,
        "verification_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw_level": 0,
        "premium_tier": 0,
        "system_channel_flags": 0,
        "preferred_locale": "en-US",
        "afk_timeout": 60,
        "joined_at": when,
    }


def message(
    number: str, channel: str, author: dict[str, Any], text: str, **more: Any
) -> dict[str, Any]:
    """A message as Discord describes it."""
    at = ((int(number) >> 22) + EPOCH) / 1000
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at))
    return {
        "id": number,
        "channel_id": channel,
        "author": author,
        "content": text,
        "timestamp": f"{stamp}.000000+00:00",
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [],
        "mention_roles": [],
        "attachments": [],
        "embeds": [],
        "pinned": False,
        "type": 0,
        "flags": 0,
        **more,
    }


def _json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """JSON as Discord says it: the library takes no other."""
    kind = {"Content-Type": "application/json", **(headers or {})}
    return web.Response(body=json.dumps(value).encode(), status=status, headers=kind)


def _error(
    status: int, code: int, text: str, headers: dict[str, str] | None = None
) -> web.Response:
    return _json({"message": text, "code": code}, status=status, headers=headers)


@asynccontextmanager
async def discord_server() -> AsyncGenerator[DiscordServer]:
    """A server that lives while the test runs."""
    server = DiscordServer()
    app = web.Application(client_max_size=1 << 28, middlewares=[server.known])
    add = app.router
    add.add_get("/users/@me", server.me)
    add.add_get("/oauth2/applications/@me", server.application)
    add.add_get("/gateway", server.where)
    add.add_post("/users/@me/channels", server.direct)
    add.add_post("/channels/{channel}/messages", server.post)
    add.add_get("/channels/{channel}/messages", server.said)
    add.add_patch("/channels/{channel}/messages/{message}", server.patch)
    add.add_post("/channels/{channel}/typing", server.typing)
    add.add_put("/applications/{app}/commands", server.listed)
    add.add_post("/interactions/{number}/{token}/callback", server.answer)
    add.add_get("/files/{name}", server.file)
    add.add_get("/line/", server.line)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    server.url = f"http://127.0.0.1:{port}"
    server.gateway = f"ws://127.0.0.1:{port}/line/"
    try:
        yield server
    finally:
        await server.drop_lines()
        await runner.cleanup()
