"""Meta's Graph API on 127.0.0.1, as far as a WhatsApp number needs it, by its description."""

from __future__ import annotations

import itertools
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from aiohttp import web

PHONE_ID = "106540352242922"
TOKEN = "EAAG" + "m0PX4ZCpsBA" * 4
KINDS = ("text", "interactive", "image", "audio", "video", "document")


class Graph:
    """What it was asked, and the failures it gives first: (HTTP status, code, headers)."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.read: list[str] = []
        self.fetched: list[str] = []
        self.files: dict[str, tuple[str, bytes]] = {}
        self.uploads: dict[str, tuple[str, bytes]] = {}
        self.failures: list[tuple[int, int, dict[str, str]]] = []
        self.url = self.elsewhere = ""
        self._ids = itertools.count(1)

    def _refused(self, request: web.Request) -> web.Response | None:
        if request.headers.get("Authorization") == f"Bearer {TOKEN}":
            return None
        return _error(401, 190, "Invalid OAuth access token")

    async def look(self, request: web.Request) -> web.Response:
        """GET of a number or of a file."""
        name = request.match_info["name"]
        if refused := self._refused(request):
            return refused
        if name == PHONE_ID:
            return _json({"id": PHONE_ID, "display_phone_number": "+1 555"})
        if name not in self.files:
            return _error(404, 100, "Object does not exist")
        return _json(
            {
                "id": name,
                "url": f"{self.elsewhere or self.url}/kept/{name}",
                "messaging_product": "whatsapp",
            }
        )

    async def kept(self, request: web.Request) -> web.Response:
        """GET of what a file holds."""
        if refused := self._refused(request):
            return refused
        name = request.match_info["name"]
        self.fetched.append(name)
        return web.Response(body=self.files[name][1])

    async def upload(self, request: web.Request) -> web.Response:
        """POST of a file."""
        if refused := self._refused(request):
            return refused
        form = await request.post()
        assert form["messaging_product"] == "whatsapp"
        file = form["file"]
        assert isinstance(file, web.FileField)
        number = f"up{next(self._ids)}"
        self.uploads[number] = (file.filename, file.file.read())
        return _json({"id": number})

    async def message(self, request: web.Request) -> web.Response:
        """POST of a message, or that one was read."""
        if refused := self._refused(request):
            return refused
        said: dict[str, Any] = msgspec.json.decode(await request.read())
        assert said["messaging_product"] == "whatsapp"
        if said.get("status") == "read":
            self.read.append(said["message_id"])
            return _json({"success": True})
        if self.failures:
            status, code, headers = self.failures.pop(0)
            return _error(status, code, "it failed", headers)
        assert said["type"] in KINDS
        assert said["to"].isdecimal()
        _check(said)
        number = f"wamid.out{next(self._ids)}"
        self.got.append({**said, "id": number})
        return _json({"messaging_product": "whatsapp", "messages": [{"id": number}]})


def _check(said: dict[str, Any]) -> None:
    """The limits Meta has."""
    if said["type"] == "text":
        assert 0 < len(said["text"]["body"]) <= 4096
    if said["type"] == "interactive":
        shown = said["interactive"]
        assert 0 < len(shown["body"]["text"]) <= 1024
        if shown["type"] == "button":
            buttons = [one["reply"] for one in shown["action"]["buttons"]]
            assert 1 <= len(buttons) <= 3
            assert all(len(one["title"]) <= 20 and len(one["id"]) <= 256 for one in buttons)
        else:
            rows = [row for part in shown["action"]["sections"] for row in part["rows"]]
            assert 1 <= len(rows) <= 10
            assert all(len(row["title"]) <= 24 and len(row["id"]) <= 200 for row in rows)


def _json(value: dict[str, Any]) -> web.Response:
    return web.json_response(body=msgspec.json.encode(value))


def _error(
    status: int, code: int, text: str, headers: dict[str, str] | None = None
) -> web.Response:
    value = {"error": {"message": text, "type": "OAuthException", "code": code}}
    body = msgspec.json.encode(value)
    return web.json_response(body=body, status=status, headers=headers)


@asynccontextmanager
async def graph_api() -> AsyncGenerator[Graph]:
    """A server that lives while the test runs."""
    graph = Graph()
    app = web.Application(client_max_size=1 << 28)
    app.router.add_get("/kept/{name}", graph.kept)
    app.router.add_get("/{name}", graph.look)
    app.router.add_post(f"/{PHONE_ID}/media", graph.upload)
    app.router.add_post(f"/{PHONE_ID}/messages", graph.message)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    graph.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield graph
    finally:
        await runner.cleanup()
