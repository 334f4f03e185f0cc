"""What came in from chats: kept before the platform hears that it was, worked on once.

A row waits until it has become an input of a session. Pieces that become one input share a
`batch`, which is stored first: after a crash exactly the same pieces make the same input.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

import apsw
from msgspec import Struct

from hermes_tui.store.db import Database

_FIELDS = "id, platform, target, data, received, batch, rank"


class Incoming(Struct, frozen=True, kw_only=True):
    """A message that waits. target: its chat or thread; data: JSON of it; rank: 0 for the owner's.

    batch: number of the message it goes together with, 0 for none so far.
    """

    id: int
    platform: str
    target: str
    data: str
    received: float
    batch: int
    rank: int


class Inbox:
    """The rows of what came in; each message is taken once, however often it comes."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def take(
        self, platform: str, chat: str, message: str, data: str, *, target: str = "", rank: int = 1
    ) -> int | None:
        """Keep a message before it is acknowledged; its number, or None when it is known."""
        row = (platform, chat, message, "waiting", time.time(), data, target or chat, rank)
        return await self._db.write(partial(_take, row))

    async def waiting(self) -> tuple[tuple[int, str], ...]:
        """(number, data) of messages that nobody has worked on, in order."""
        return await self._db.read(_unread)

    async def targets(self) -> tuple[tuple[str, int], ...]:
        """(chat, rank) of all chats with waiting messages: the owner's first, then by age."""
        return await self._db.read(_targets)

    async def of(self, target: str, limit: int = 50) -> tuple[Incoming, ...]:
        """The oldest waiting messages of a chat, in order."""
        return await self._db.read(partial(_of, target, limit))

    async def together(self, rows: Sequence[Incoming]) -> None:
        """Fix that these messages are one input."""
        query = "UPDATE inbox SET batch = ? WHERE id = ?"
        await self._db.write(partial(_many, query, [(rows[0].id, row.id) for row in rows]))

    async def done(self, *numbers: int) -> None:
        """Note that messages have become an input, or were answered."""
        query = "UPDATE inbox SET state = 'done' WHERE id = ?"
        await self._db.write(partial(_many, query, [(number,) for number in numbers]))

    async def since(self, platform: str, chat: str, ts: float) -> int:
        """How many messages came from a chat since a Unix time."""
        query = "SELECT count(*) FROM inbox WHERE platform = ? AND chat = ? AND received > ?"
        found = await self._db.read(lambda c: c.execute(query, (platform, chat, ts)).get)
        return int(found or 0)

    async def forget(self, before: float) -> None:
        """Let go of what was worked on before a Unix time."""
        query = "DELETE FROM inbox WHERE state = 'done' AND received < ?"
        await self._db.write(partial(_many, query, [(before,)]))


def _take(row: tuple[str, str, str, str, float, str, str, int], c: apsw.Connection) -> int | None:
    c.execute(
        "INSERT OR IGNORE INTO inbox"
        " (platform, chat, message, state, received, data, target, rank)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        row,
    )
    return c.last_insert_rowid() if c.changes() else None


def _unread(c: apsw.Connection) -> tuple[tuple[int, str], ...]:
    found = c.execute("SELECT id, data FROM inbox WHERE state = 'waiting' ORDER BY id")
    return tuple((int(row[0]), str(row[1])) for row in found)


def _targets(c: apsw.Connection) -> tuple[tuple[str, int], ...]:
    found = c.execute(
        "SELECT target, min(rank) FROM inbox WHERE state = 'waiting'"
        " GROUP BY target ORDER BY min(rank), min(id)"
    )
    return tuple((str(row[0]), int(row[1])) for row in found)


def _of(target: str, limit: int, c: apsw.Connection) -> tuple[Incoming, ...]:
    found = c.execute(
        f"SELECT {_FIELDS} FROM inbox WHERE state = 'waiting' AND target = ? ORDER BY id LIMIT ?",
        (target, limit),
    )
    return tuple(
        Incoming(**dict(zip(Incoming.__struct_fields__, row, strict=True)))  # type: ignore[arg-type]
        for row in found
    )


def _many(query: str, rows: list[tuple[float | int, ...]], c: apsw.Connection) -> None:
    c.executemany(query, rows)
