"""Chats and the sessions in them, what buttons stand for, and how far each gateway had come."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from functools import partial

import apsw
from msgspec import Struct

from hermes_tui.store.db import Database

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Signs that nobody takes for another."""
CODE_CHARS = 8
_FIELDS = "key, target, session, person, grouped, told, last_in, last_out, parked"


def code() -> str:
    """Eight signs that cannot be guessed: 40 bits, for what lives an hour and counts its tries."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_CHARS))


class Chat(Struct, frozen=True, kw_only=True):
    """A chat with a session in it.

    key: the chat or thread, in a group with the person behind `|`. target: where answers go.
    person: who talks, empty for the owner. told: the last event of the session that was put into
    the outbox. last_in, last_out: Unix seconds. parked: why nothing is sent there any more.
    """

    key: str
    target: str
    session: str
    person: str = ""
    grouped: bool = False
    told: int = 0
    last_in: float = 0.0
    last_out: float = 0.0
    parked: str = ""


class Nonce(Struct, frozen=True, kw_only=True):
    """What one button or code stands for: a choice about a question of a session, once."""

    nonce: str
    target: str
    session: str
    ask: str
    choice: str


class Chats:
    """The rows of chats."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def all(self) -> tuple[Chat, ...]:
        """All chats, the one that was last heard of first."""
        return await self._db.read(partial(_chats, "1 ORDER BY last_in DESC", ()))

    async def get(self, key: str) -> Chat | None:
        """One chat."""
        found = await self._db.read(partial(_chats, "key = ?", (key,)))
        return found[0] if found else None

    async def of_target(self, target: str) -> Chat | None:
        """The chat with a target; in a group the one that was heard of last."""
        # Keys begin with the target of their own chat: the table is searched, not read.
        where = "key >= ? AND key < ? AND target = ? ORDER BY last_in DESC LIMIT 1"
        values = (target, f"{target}\U0010ffff", target)
        found = await self._db.read(partial(_chats, where, values))
        return found[0] if found else None

    async def put(self, chat: Chat) -> None:
        """Put a session into a chat."""
        await self._db.write(partial(_put, chat))

    async def remove(self, key: str) -> None:
        """Take the session out of a chat; the session stays."""
        await self._run("DELETE FROM chats WHERE key = ?", (key,))

    async def forget(self, platform: str, before: float) -> None:
        """Take the sessions out of chats of a platform that were quiet since a Unix time."""
        query = "DELETE FROM chats WHERE key >= ? AND key < ? AND last_in < ?"
        await self._run(query, (f"{platform}:", f"{platform};", before))

    async def heard(self, key: str, ts: float) -> None:
        """Something came from a chat; it may be written to again."""
        query = "UPDATE chats SET last_in = max(last_in, ?), parked = '' WHERE key = ?"
        await self._run(query, (ts, key))

    async def park(self, target: str, why: str) -> None:
        """Send nothing to a chat until something comes from it."""
        await self._run("UPDATE chats SET parked = ? WHERE target = ?", (why, target))

    # --- what buttons stand for ----------------------------------------------------------------

    async def offer(self, nonces: Sequence[Nonce], expires: float) -> None:
        """Keep what buttons stand for until a Unix time; known ones stay as they are."""
        await self._db.write(partial(_offer, tuple(nonces), expires))

    async def use(self, nonce: str, target: str) -> Nonce | None:
        """Use a button up; None when it is unknown, used, over, or of another chat."""
        return await self._db.write(partial(_use, nonce, target))

    async def look(self, nonce: str, target: str) -> Nonce | None:
        """What a button stands for, without using it."""
        return await self._db.read(partial(_valid, nonce, target))

    async def used(self, session: str, ask: str) -> None:
        """The question is answered: its buttons stand for nothing."""
        query = "UPDATE nonces SET used = ? WHERE session = ? AND ask = ? AND used = 0"
        await self._run(query, (time.time(), session, ask))

    # --- how far each gateway had come ---------------------------------------------------------

    async def mark(self, platform: str, name: str) -> str:
        """How far a gateway had come; empty at first."""
        query = "SELECT value FROM marks WHERE platform = ? AND name = ?"
        return str(await self._db.read(lambda c: c.execute(query, (platform, name)).get) or "")

    async def keep_mark(self, platform: str, name: str, value: str) -> None:
        """Keep how far a gateway has come."""
        query = "INSERT OR REPLACE INTO marks (platform, name, value) VALUES (?, ?, ?)"
        await self._run(query, (platform, name, value))

    async def _run(self, query: str, values: tuple[str | float, ...]) -> None:
        await self._db.write(lambda c: c.execute(query, values).get)


def _chats(where: str, values: tuple[str, ...], c: apsw.Connection) -> tuple[Chat, ...]:
    rows = c.execute(f"SELECT {_FIELDS} FROM chats WHERE {where}", values)
    return tuple(
        Chat(
            key=str(row[0]),
            target=str(row[1]),
            session=str(row[2]),
            person=str(row[3]),
            grouped=bool(row[4]),
            told=int(row[5] or 0),
            last_in=float(row[6] or 0),
            last_out=float(row[7] or 0),
            parked=str(row[8]),
        )
        for row in rows
    )


def _put(chat: Chat, c: apsw.Connection) -> None:
    marks = ", ".join("?" * len(Chat.__struct_fields__))
    values = (getattr(chat, name) for name in Chat.__struct_fields__)
    c.execute(f"INSERT OR REPLACE INTO chats ({_FIELDS}) VALUES ({marks})", tuple(values))


def _offer(nonces: tuple[Nonce, ...], expires: float, c: apsw.Connection) -> None:
    c.executemany(
        "INSERT OR IGNORE INTO nonces (nonce, target, session, ask, choice, expires)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [(one.nonce, one.target, one.session, one.ask, one.choice, expires) for one in nonces],
    )
    c.execute("DELETE FROM nonces WHERE expires < ?", (time.time() - 86_400,))


def _valid(nonce: str, target: str, c: apsw.Connection) -> Nonce | None:
    row = c.execute(
        "SELECT nonce, target, session, ask, choice FROM nonces"
        " WHERE nonce = ? AND target = ? AND used = 0 AND expires > ?",
        (nonce, target, time.time()),
    ).fetchone()
    if row is None:
        return None
    return Nonce(**dict(zip(Nonce.__struct_fields__, map(str, row), strict=True)))


def _use(nonce: str, target: str, c: apsw.Connection) -> Nonce | None:
    found = _valid(nonce, target, c)
    if found is not None:
        c.execute("UPDATE nonces SET used = ? WHERE nonce = ?", (time.time(), nonce))
    return found
