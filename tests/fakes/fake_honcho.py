"""A Honcho server as its v3 routes are, on loopback: enough for the real SDK to talk to.

    async with FakeHoncho() as honcho:
        ...                  # honcho.url; honcho.asked; honcho.messages, honcho.conclusions

fail: answer every request with this status. hang: never answer.
"""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import suppress
from typing import Any

NOW = "2026-11-30T12:00:00Z"


class FakeHoncho:
    """The server."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[tuple[str, str, Any]] = []
        self.messages: dict[str, list[dict[str, Any]]] = {}
        self.conclusions: list[dict[str, Any]] = []
        self.cards: dict[str, list[str]] = {}
        self.answer = ""
        self.representation = ""
        self.fail = 0
        self.hang = False
        self.keys: set[str] = set()
        self._server: asyncio.Server | None = None
        self._lines: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> FakeHoncho:
        self._server = await asyncio.start_server(self._line, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._lines:
            task.cancel()
        await asyncio.gather(*self._lines, return_exceptions=True)

    def paths(self, end: str) -> list[Any]:
        """Bodies of the requests whose path ends so."""
        return [body for _, path, body in self.asked if path.endswith(end)]

    async def _line(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._lines.add(task)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                await self._one(reader, writer)
        writer.close()
        self._lines.discard(task)

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        method, target, _ = head.split("\r\n")[0].split(" ", 2)
        length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
        body = await reader.readexactly(int(length[1])) if length else b""
        if key := re.search(r"authorization: Bearer (\S+)", head, re.IGNORECASE):
            self.keys.add(key[1])
        path, _, query = target.partition("?")
        said = json.loads(body) if body else query
        self.asked.append((method, path, said))
        if self.hang:
            await asyncio.Event().wait()
        status, answer = (self.fail, {"detail": "no"}) if self.fail else self._route(path, said)
        data = json.dumps(answer).encode()
        writer.write(
            f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n"
            f"content-length: {len(data)}\r\n\r\n".encode()
            + data
        )
        await writer.drain()

    def _route(self, path: str, said: Any) -> tuple[int, Any]:
        parts = path.strip("/").split("/")
        if parts[:2] != ["v3", "workspaces"]:
            return 404, {"detail": "no such route"}
        rest = parts[3:]
        workspace = parts[2] if len(parts) > 2 else said["id"]
        about = {"workspace_id": workspace, "created_at": NOW}
        match rest:
            case []:
                return 200, {"id": workspace, "created_at": NOW}
            case ["peers"]:
                return 200, {"id": said["id"], **about}
            case ["sessions"]:
                return 200, {"id": said["id"], "is_active": True, **about}
            case ["sessions", session, "messages"]:
                return 200, self._store(session, said["messages"], about)
            case ["peers", peer, "card"]:
                return 200, {"peer_card": self.cards.get(peer)}
            case ["peers", _, "representation"]:
                return 200, {"representation": self.representation}
            case ["peers", _, "chat"]:
                read = [m for some in self.messages.values() for m in some][:1]
                names = ("id", "session_id", "peer_id", "created_at")
                evidence = {"messages": [{name: m[name] for name in names} for m in read]}
                return 200, {"content": self.answer or None, "evidence": evidence}
            case ["conclusions"]:
                made = [
                    {"id": f"c{n}", "created_at": NOW, **one}
                    for n, one in enumerate(said["conclusions"], len(self.conclusions))
                ]
                self.conclusions += made
                return 200, made
            case _:
                return 404, {"detail": "no such route"}

    def _store(self, session: str, many: list[dict[str, Any]], about: dict[str, Any]) -> Any:
        kept = self.messages.setdefault(session, [])
        made = [
            {
                **about,
                "id": f"{session}-{n}",
                "content": one["content"],
                "peer_id": one["peer_id"],
                "session_id": session,
                "metadata": one.get("metadata") or {},
                "token_count": 1,
            }
            for n, one in enumerate(many, len(kept))
        ]
        kept += made
        return made
