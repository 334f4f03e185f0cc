"""An embedding server on loopback: hashed trigrams of words, so that like texts have like numbers.

    async with Embedder() as embedder:
        ...                  # embedder.url ends in /v1; embedder.asked: the texts of each request

same: words that mean the same, each with the one it counts as. fail: answer with this status.
hang: never answer.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from contextlib import suppress

SIZE = 256


class Embedder:
    """The server."""

    def __init__(self, same: dict[str, str] | None = None) -> None:
        self.same = same or {}
        self.url = ""
        self.asked: list[list[str]] = []
        self.keys: set[str] = set()
        self.fail = 0
        self.hang = False
        self._server: asyncio.Server | None = None
        self._lines: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Embedder:
        self._server = await asyncio.start_server(self._line, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._lines:
            task.cancel()
        await asyncio.gather(*self._lines, return_exceptions=True)

    def vector(self, text: str) -> list[float]:
        """Counts of hashed trigrams."""
        found = [0.0] * SIZE
        for word in text.lower().split():
            bare = word.strip(".,;:!?\"'()")
            padded = f" {self.same.get(bare, bare)} "
            for at in range(len(padded) - 2):
                found[zlib.crc32(padded[at : at + 3].encode()) % SIZE] += 1
        return found

    async def _line(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._lines.add(task)
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                size = int(head.partition("content-length: ")[2].partition("\r")[0])
                body = json.loads(await reader.readexactly(size))
                self.keys.add(head.partition("authorization: bearer ")[2].partition("\r")[0])
                self.asked.append(body["input"])
                if self.hang:
                    await asyncio.Event().wait()
                writer.write(self._answer(body["input"]))
                await writer.drain()
        writer.close()

    def _answer(self, texts: list[str]) -> bytes:
        if self.fail:
            return f"HTTP/1.1 {self.fail} No\r\nContent-Length: 0\r\n\r\n".encode()
        data = [{"index": n, "embedding": self.vector(one)} for n, one in enumerate(texts)]
        body = json.dumps({"object": "list", "data": data[::-1]}).encode()
        return f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
