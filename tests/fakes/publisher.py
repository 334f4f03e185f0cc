"""A publisher of model files on loopback, and a table in which its file is the only one."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from hermes_tui.home import Home
from hermes_tui.models import weights

ANSWERS = ("ready", "hello there")
DATA = json.dumps(ANSWERS).encode() + b" " * 200_000
"""A model file as the stand-in for llama.cpp reads it."""


class Publisher:
    """Serves one file over HTTP with ranges; after `hold_at` bytes it waits to be let go on."""

    def __init__(self) -> None:
        self.hold_at = len(DATA)
        self.go_on = asyncio.Event()
        self.starts: list[int] = []
        self.url = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        asked = re.search(r"range: bytes=(\d+)-", head)
        start = int(asked[1]) if asked else 0
        self.starts.append(start)
        body = DATA[start:]
        status = "206 x" if start else "200 x"
        writer.write(f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\n\r\n".encode())
        writer.write(body[: self.hold_at])
        await writer.drain()
        if self.hold_at < len(body):
            await self.go_on.wait()
            writer.write(body[self.hold_at :])
        writer.close()

    async def half_way(self, home: Home) -> None:
        """Wait until as much has come as is let through."""
        part = home.models / "tiny.gguf.part"
        deadline = time.monotonic() + 5
        while not part.exists() or part.stat().st_size < self.hold_at:
            assert time.monotonic() < deadline, "it did not come"
            await asyncio.sleep(0.01)


@asynccontextmanager
async def publishing(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Publisher]:
    """A publisher that has the only model there is to fetch."""
    served = Publisher()
    async with await asyncio.start_server(served.answer, "127.0.0.1", 0) as listening:
        served.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/tiny.gguf"
        tiny = weights.Weights(
            name="tiny",
            title="Tiny, 0.2 MB",
            file="tiny.gguf",
            size=len(DATA),
            sha256=hashlib.sha256(DATA).hexdigest(),
            urls=(served.url,),
        )
        table = {"tiny": tiny}
        monkeypatch.setattr(weights, "WEIGHTS", table)
        monkeypatch.setattr("hermes_tui.models.fetch.WEIGHTS", table)
        yield served
        served.go_on.set()
