"""A Bot API server on 127.0.0.1, by Telegram's public description: it checks and keeps messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

import msgspec

TOKEN = "12345" + ":" + "AA" + "x" * 33


class BotApi:
    """What it was sent, and the failures it gives first: (HTTP status, body)."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.failures: list[tuple[int, dict[str, Any]]] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                length = 0
                while (header := await reader.readline()).strip():
                    name, _, value = header.decode().partition(":")
                    length = int(value) if name.lower() == "content-length" else length
                body = await reader.readexactly(length)
                status, answer = self._answer(line.decode().split()[1], body.decode())
                data = msgspec.json.encode(answer)
                head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n"
                writer.write(f"{head}content-length: {len(data)}\r\n\r\n".encode() + data)
                await writer.drain()
        finally:
            writer.close()

    def _answer(self, path: str, body: str) -> tuple[int, dict[str, Any]]:
        if path != f"/bot{TOKEN}/sendMessage":
            return 404, {"ok": False, "error_code": 404, "description": "Not Found"}
        if self.failures:
            return self.failures.pop(0)
        fields = {name: values[0] for name, values in parse_qs(body).items()}
        if not 0 < len(fields["text"].encode("utf-16-le")) // 2 <= 4096:
            return 400, {"ok": False, "error_code": 400, "description": "Bad Request: too long"}
        fields["entities"] = msgspec.json.decode(fields.get("entities", "[]"))
        self.got.append(fields)
        chat = {"id": int(fields["chat_id"]), "type": "private"}
        sent = {"message_id": 100 + len(self.got), "date": 1, "chat": chat, "text": fields["text"]}
        return 200, {"ok": True, "result": sent}


@asynccontextmanager
async def bot_api() -> AsyncGenerator[BotApi]:
    """A server that lives while the test runs."""
    api = BotApi()
    server = await asyncio.start_server(api.serve, "127.0.0.1", 0)
    api.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/bot"
    try:
        yield api
    finally:
        server.close()


def refusal(status: int, text: str, **parameters: Any) -> tuple[int, dict[str, Any]]:
    """An answer that says no."""
    said = {"ok": False, "error_code": status, "description": text}
    return status, {**said, "parameters": parameters} if parameters else said
