"""What goes out to chats, kept until it arrived: nothing is lost, and nothing is said twice.

A row is there before anything is sent, and is marked as being sent before the platform hears of
it. When a core dies in between, the next one sends it again under the same key and marks the
doubt: a platform that knows keys shows it once, any other at least once.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from functools import partial

import apsw
import msgspec
from msgspec import Struct

from hermes_tui.errors import HermesError
from hermes_tui.store.db import Database

DAY_S = 86_400.0
MOST_WAITING = 1_000
"""Texts that may wait for one chat; more are refused, so that a flood ends at its source."""
JOIN_OVER = 5
"""With more than so many waiting for a chat, several go as one message."""
JOIN_CHARS = 3_000
_OPEN = "state IN ('waiting', 'sending')"
_FIELDS = (
    "id, key, platform, target, text, state, attempts, parts, doubt, due, made, expires, proof,"
    " error, kind, data, edits"
)


class OutboxFullError(HermesError):
    """Too much waits for one chat."""


class Outgoing(Struct, frozen=True, kw_only=True):
    """A text on its way. target: `platform:chat` or `platform:chat:thread`.

    state: `waiting`, `sending`, `sent`, `failed` or `expired`. parts: messages of it that have
    gone. doubt: it may have arrived before. proof: the platform's number of the last message.
    due, made, expires: Unix seconds. kind: `text`, `ask` (data: JSON of its buttons), `file`
    (data: JSON of path and name). edits: the message that this one replaces.
    """

    id: int
    key: str
    platform: str
    target: str
    text: str
    state: str
    attempts: int
    parts: int
    doubt: bool
    due: float
    made: float
    expires: float
    proof: str
    error: str
    kind: str = "text"
    data: str = ""
    edits: str = ""


class Fresh(Struct, frozen=True, kw_only=True):
    """A text to be put. key: the same twice is one text; rank: 0 for the owner's."""

    key: str
    target: str
    text: str
    kind: str = "text"
    data: str = ""
    rank: int = 1


class Counts(Struct, frozen=True, kw_only=True):
    """How a platform's texts are: waiting now; failed, or perhaps shown twice, in the last day.

    last_out: when the last one went, in Unix seconds.
    """

    waiting: int = 0
    failed: int = 0
    doubtful: int = 0
    last_out: float = 0.0


class Outbox:
    """The rows of what goes out."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def put(self, target: str, text: str, *, key: str = "", age_s: float = DAY_S) -> int:
        """Keep a text for a chat and return its number; the same key twice is one text.

        age_s: after so long it is not sent any more. Raises HermesError, OutboxFullError.
        """
        platform, colon, chat = target.partition(":")
        if not (platform and colon and chat):
            raise HermesError(f"{target!r} names no chat", "such as telegram:12345")
        if not text.strip():
            raise HermesError("there is nothing to send")
        fresh = Fresh(key=key or uuid.uuid4().hex, target=target, text=text)
        return await self._db.write(partial(_put_new, fresh, age_s))

    async def put_all(self, rows: Sequence[Fresh], chat: str, told: int) -> None:
        """Keep what one chat is to hear of its session, and in the same breath that it was kept.

        chat: its key in `chats`; told: the event up to which everything has been put. Texts of
        the agent are never refused for want of room.
        """
        await self._db.write(partial(_put_all, tuple(rows), chat, told))

    async def draft(self, row: Fresh) -> int | None:
        """Keep that a reply begins to be shown while it is written; None when it is known."""
        return await self._db.write(partial(_draft, row))

    async def drafted(self, number: int, proof: str) -> None:
        """Note the message that shows a draft."""
        query = "UPDATE outbox SET edits = ? WHERE id = ? AND state = 'draft'"
        await self._db.write(partial(_run, query, [(proof, number)]))

    async def close_drafts(self, target: str) -> None:
        """Leave as they are what a chat was shown of replies that will never be whole."""
        query = (
            "UPDATE outbox SET state = 'sent', proof = edits WHERE target = ? AND state = 'draft'"
        )
        await self._db.write(partial(_run, query, [(target,)]))

    async def waiting(self, target: str) -> int:
        """How many texts wait for a chat."""
        query = f"SELECT count(*) FROM outbox WHERE target = ? AND {_OPEN}"
        return int(await self._db.read(lambda c: c.execute(query, (target,)).get) or 0)

    async def counts(self) -> dict[str, Counts]:
        """By platform: how many texts are in which state."""
        return await self._db.read(_counts)

    async def claim(self, target: str, now: float) -> tuple[Outgoing, ...]:
        """Take what is next for a chat and mark it as being sent; several when many wait.

        Nothing while an earlier text is on its way or waits for its time: the order stays.
        """
        return await self._db.write(partial(_claim, target, now))

    async def targets(self, platform: str, now: float) -> tuple[str, ...]:
        """Chats of a platform for which something is due, the one that waited longest first."""
        return await self._db.read(partial(_targets, platform, now))

    async def next_due(self, platform: str) -> float | None:
        """When the next waiting text of a platform is due, in Unix seconds."""
        query = "SELECT min(due) FROM outbox WHERE state = 'waiting' AND platform = ?"
        return await self._db.read(lambda c: c.execute(query, (platform,)).get)

    async def progressed(self, number: int, parts: int, proof: str) -> None:
        """Note that so many messages of a text have gone."""
        query = "UPDATE outbox SET parts = ?, proof = ? WHERE id = ?"
        await self._db.write(partial(_run, query, [(parts, proof, number)]))

    async def sent(self, rows: tuple[Outgoing, ...], proof: str) -> None:
        """Note that texts have arrived."""
        query = "UPDATE outbox SET state = 'sent', proof = ?, error = '', due = ? WHERE id = ?"
        now = time.time()
        await self._db.write(partial(_run, query, [(proof, now, row.id) for row in rows]))

    async def failed(
        self,
        rows: tuple[Outgoing, ...],
        error: str,
        again_at: float | None = None,
        doubt: bool = False,
    ) -> None:
        """Note that texts have not arrived; again_at: when to try again, None for never.

        doubt: they may have arrived all the same.
        """
        state, due = ("failed", 0.0) if again_at is None else ("waiting", again_at)
        query = (
            "UPDATE outbox SET state = ?, due = ?, error = ?, doubt = max(doubt, ?) WHERE id = ?"
        )
        values: list[tuple[object, ...]] = [(state, due, error, int(doubt), row.id) for row in rows]
        await self._db.write(partial(_run, query, values))

    async def recover(self) -> int:
        """Take up what an earlier core was sending when it died; how many texts are in doubt."""
        return await self._db.write(_recover)

    async def row(self, number: int) -> Outgoing | None:
        """One text as it stands."""
        found = await self._db.read(partial(_rows, "id = ?", (number,)))
        return found[0] if found else None

    async def number(self, key: str) -> int | None:
        """The number of the text with a key."""
        query = "SELECT id FROM outbox WHERE key = ?"
        return await self._db.read(lambda c: c.execute(query, (key,)).get)

    async def list(self, limit: int = 50) -> tuple[Outgoing, ...]:
        """The newest texts, the newest first."""
        return await self._db.read(partial(_rows, "1 ORDER BY id DESC LIMIT ?", (limit,)))


def _run(query: str, rows: list[tuple[object, ...]], c: apsw.Connection) -> None:
    c.executemany(query, rows)  # type: ignore[arg-type]


def _put_new(row: Fresh, age_s: float, c: apsw.Connection) -> int:
    known = c.execute("SELECT id FROM outbox WHERE key = ?", (row.key,)).get
    if known is not None:
        return int(known)
    query = f"SELECT count(*) FROM outbox WHERE target = ? AND {_OPEN}"
    count = c.execute(query, (row.target,)).get
    if int(count) >= MOST_WAITING:
        raise OutboxFullError(
            f"{count} messages wait for {row.target}", "`hermes gateway status` says why"
        )
    _insert(row, "waiting", age_s, c)
    return c.last_insert_rowid()


def _put_all(rows: tuple[Fresh, ...], chat: str, told: int, c: apsw.Connection) -> None:
    for row in rows:
        # A draft of it becomes the text itself, in the message that showed the draft.
        c.execute(
            "UPDATE outbox SET text = ?, kind = ?, data = ?, state = 'waiting', doubt = edits = ''"
            " WHERE key = ? AND state = 'draft'",
            (row.text, row.kind, row.data, row.key),
        )
        if not c.changes():
            _insert(row, "waiting", DAY_S, c)
    c.execute("UPDATE chats SET told = max(told, ?) WHERE key = ?", (told, chat))


def _draft(row: Fresh, c: apsw.Connection) -> int | None:
    _insert(row, "draft", DAY_S, c)
    return c.last_insert_rowid() if c.changes() else None


def _insert(row: Fresh, state: str, age_s: float, c: apsw.Connection) -> None:
    now = time.time()
    c.execute(
        "INSERT OR IGNORE INTO outbox"
        " (key, platform, target, text, state, due, made, expires, kind, data, rank)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.key,
            row.target.partition(":")[0],
            row.target,
            row.text,
            state,
            now,
            now,
            now + age_s,
            row.kind,
            row.data,
            row.rank,
        ),
    )


def _counts(c: apsw.Connection) -> dict[str, Counts]:
    found = c.execute(
        "SELECT platform, sum(state IN ('waiting', 'sending')),"
        " sum(state = 'failed' AND made > ?1), sum(doubt AND made > ?1),"
        " coalesce(max(CASE state WHEN 'sent' THEN due END), 0)"
        " FROM outbox GROUP BY platform",
        (time.time() - DAY_S,),
    )
    return {
        str(name): Counts(waiting=waiting, failed=failed, doubtful=doubtful, last_out=last)
        for name, waiting, failed, doubtful, last in found
    }


def _claim(target: str, now: float, c: apsw.Connection) -> tuple[Outgoing, ...]:
    c.execute(
        "UPDATE outbox SET state = 'expired', error = 'it waited too long'"
        " WHERE target = ? AND state = 'waiting' AND expires <= ?",
        (target, now),
    )
    rows = _rows(f"target = ? AND {_OPEN} ORDER BY id LIMIT 100", (target,), c)
    if not rows or rows[0].state == "sending" or rows[0].due > now:
        return ()
    taken = rows[:1]
    if len(rows) > JOIN_OVER and not rows[0].attempts:
        taken = _joined(rows)
    for row in taken:
        c.execute(
            "UPDATE outbox SET state = 'sending', attempts = attempts + 1 WHERE id = ?", (row.id,)
        )
    return tuple(taken)


def _joined(rows: tuple[Outgoing, ...]) -> tuple[Outgoing, ...]:
    """The first rows that fit into one message together."""
    room = JOIN_CHARS
    for count, row in enumerate(rows):
        room -= len(row.text) + 2
        if row.kind != "text" or row.edits:
            return rows[: max(count, 1)]
        if count and (room < 0 or row.attempts):
            return rows[:count]
    return rows


def _targets(platform: str, now: float, c: apsw.Connection) -> tuple[str, ...]:
    found = c.execute(
        "SELECT target FROM outbox WHERE state IN ('waiting', 'sending') AND platform = ?"
        " GROUP BY target HAVING min(CASE state WHEN 'waiting' THEN due END) <= ?"
        " ORDER BY min(rank), min(id)",
        (platform, now),
    )
    return tuple(str(row[0]) for row in found)


def _recover(c: apsw.Connection) -> int:
    c.execute("UPDATE outbox SET due = 0 WHERE state = 'waiting'")  # a start is a new try
    c.execute("UPDATE outbox SET state = 'waiting', doubt = 1, due = 0 WHERE state = 'sending'")
    return c.changes()


def _rows(where: str, values: tuple[object, ...], c: apsw.Connection) -> tuple[Outgoing, ...]:
    found = c.execute(f"SELECT {_FIELDS} FROM outbox WHERE {where}", values)  # type: ignore[arg-type]
    names = Outgoing.__struct_fields__
    return tuple(
        msgspec.convert(dict(zip(names, row, strict=True)), Outgoing, strict=False) for row in found
    )
