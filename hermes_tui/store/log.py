"""The log of events, session by session: append, read back, list, delete, import."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import apsw

from hermes_tui.codec import decode_event, encode_event
from hermes_tui.errors import NotFoundError
from hermes_tui.events import (
    InputReceived,
    MessageImported,
    RanAgain,
    Record,
    ReplyReceived,
    SessionStarted,
    ToolEnded,
    TurnEnded,
    TurnStarted,
)
from hermes_tui.intents import SessionInfo
from hermes_tui.store import message_index, spool
from hermes_tui.store.db import Database

_FIELDS = "key, id, title, cwd, model, mode, created, updated, messages, last, pinned, archived"
_PLAIN = SessionStarted()


class Log:
    """All sessions and their events. Every method is one transaction."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def create(self, info: SessionInfo, first: Sequence[Record]) -> int:
        """Store a new session with its first events; returns its key."""

        def work(c: apsw.Connection) -> int:
            started = next((r.event for r in first if isinstance(r.event, SessionStarted)), _PLAIN)
            c.execute(
                "INSERT INTO session (id, title, cwd, model, mode, created, updated,"
                " origin, person, chat, grouped) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(info.id, info.title, info.cwd, info.model, info.mode),
                    *(info.created, info.updated),
                    *(started.origin, started.person, started.chat, started.group),
                ),
            )
            key = c.last_insert_rowid()
            _append(c, key, first)
            return key

        return await self.db.write(work)

    def append(
        self, key: int, records: Sequence[Record], *, durable: bool = True
    ) -> asyncio.Future[None]:
        """Add events to a session; their numbers must follow its last one.

        The future is done once they are stored; they are, whether or not anybody waits for it.
        """
        return self.db.submit(
            lambda c: _append(c, key, records),
            durable=durable,
            spooled=lambda: spool.lines(records),
        )

    async def describe(self, key: int, info: SessionInfo) -> None:
        """Store a session's title, model, mode and folder where lists find them."""

        def work(c: apsw.Connection) -> None:
            c.execute(
                "UPDATE session SET title = ?, cwd = ?, model = ?, mode = ? WHERE key = ?",
                (info.title, info.cwd, info.model, info.mode, key),
            )

        await self.db.write(work, durable=False)

    async def place(
        self, session: str, pinned: bool | None, archived: bool | None
    ) -> tuple[bool, bool]:
        """Pin or archive a session, None: as it is; whether it is (pinned, archived) now."""

        def work(c: apsw.Connection) -> tuple[bool, bool]:
            row: Any = c.execute(
                "UPDATE session SET pinned = coalesce(?, pinned), archived = coalesce(?, archived)"
                " WHERE key = ? RETURNING pinned, archived",
                (pinned, archived, _key(c, session)),
            ).fetchone()
            return bool(row[0]), bool(row[1])

        return await self.db.write(work, durable=False)

    async def delete(self, session: str) -> None:
        """Delete a session, its events and its part of the index."""

        def work(c: apsw.Connection) -> None:
            key = _key(c, session)
            message_index.remove(c, key)
            c.execute("DELETE FROM session WHERE key = ?", (key,))

        await self.db.write(work)

    async def find(self, which: str) -> tuple[int, SessionInfo]:
        """(key, session) by id, by unique start of an id, or by title (the newest of that title).

        Raises NotFoundError.
        """

        def work(c: apsw.Connection) -> tuple[int, SessionInfo]:
            for test, value in (
                ("id = ?", which),
                ("title = ? COLLATE NOCASE", which),
                ("id GLOB ? || '*'", which if len(which) >= 4 else "-"),
                ("title LIKE '%' || ? || '%'", which if len(which) >= 3 else "\0"),
            ):
                row = c.execute(
                    f"SELECT {_FIELDS} FROM session WHERE {test} ORDER BY updated DESC LIMIT 1",
                    (value,),
                ).fetchone()
                if row is not None:
                    return _info(row)
            raise NotFoundError(f"no session {which!r}", "`hermes sessions list` shows them all")

        return await self.db.read(work)

    async def newest(self, cwd: str) -> str:
        """Id of the newest session a person began in a folder; empty when it has none.

        One that is archived is passed over.
        """

        def work(c: apsw.Connection) -> str:
            row: Any = c.execute(
                "SELECT id FROM session WHERE cwd = ? AND NOT archived"
                " AND origin NOT IN ('subagent', 'bg', 'cron')"
                " ORDER BY updated DESC, key DESC LIMIT 1",
                (cwd,),
            ).fetchone()
            return str(row[0]) if row else ""

        return await self.db.read(work)

    async def list(self, query: str = "", limit: int = 200) -> tuple[SessionInfo, ...]:
        """Sessions, newest first; query filters by a part of title or folder."""

        def work(c: apsw.Connection) -> tuple[SessionInfo, ...]:
            rows = c.execute(
                f"SELECT {_FIELDS} FROM session WHERE title LIKE '%' || ? || '%'"
                " OR cwd LIKE '%' || ? || '%' ORDER BY updated DESC, key DESC LIMIT ?",
                (query, query, limit),
            )
            return tuple(_info(row)[1] for row in rows)

        return await self.db.read(work)

    async def read(
        self, session: str, *, after: int = 0, before: int | None = None, limit: int = -1
    ) -> tuple[Record, ...]:
        """Events numbered above `after` and below `before`, the newest `limit`, oldest first."""

        def work(c: apsw.Connection) -> tuple[Record, ...]:
            rows = c.execute(
                "SELECT n, ts, kind, v, data FROM event WHERE session = ? AND n > ? AND n < ?"
                " ORDER BY n DESC LIMIT ?",
                (_key(c, session), after, before if before is not None else 1 << 62, limit),
            )
            records = [_record(session, row) for row in rows]
            return tuple(reversed(records))

        return await self.db.read(work)

    async def output(self, session: str, call_id: str) -> ToolEnded | RanAgain:
        """The newest result of a call; raises NotFoundError."""

        def work(c: apsw.Connection) -> ToolEnded | RanAgain:
            row: Any = c.execute(
                "SELECT kind, v, data FROM event WHERE session = ?"
                " AND kind IN ('tool_ended', 'ran_again')"
                " AND data ->> 'call_id' = ? ORDER BY n DESC LIMIT 1",
                (_key(c, session), call_id),
            ).fetchone()
            event = decode_event(row[0], row[1], row[2].encode()) if row else None
            if not isinstance(event, (ToolEnded, RanAgain)):
                raise NotFoundError(f"no result of call {call_id!r}")
            return event

        return await self.db.read(work)

    async def open_turns(self) -> tuple[str, ...]:
        """Sessions whose last turn has not ended."""

        def work(c: apsw.Connection) -> tuple[str, ...]:
            rows = c.execute("SELECT id FROM session WHERE open_turn ORDER BY key")
            return tuple(str(row[0]) for row in rows)

        return await self.db.read(work)

    async def typed(self, limit: int) -> tuple[str, ...]:
        """What was typed before, newest first, without repeats."""

        def work(c: apsw.Connection) -> tuple[str, ...]:
            rows = c.execute(
                "SELECT data ->> 'text' FROM event WHERE kind = 'input_received'"
                " AND coalesce(data ->> 'face', '') NOT IN ('subagent', 'cron')"
                " ORDER BY ts DESC LIMIT ?",
                (limit,),
            )
            return tuple(dict.fromkeys(str(row[0]) for row in rows if row[0]))

        return await self.db.read(work)

    async def set_prefix(self, key: int, digest: str, data: str) -> None:
        """Freeze the first part of a session's prompt."""

        def work(c: apsw.Connection) -> None:
            c.execute("INSERT OR IGNORE INTO prefix VALUES (?, ?)", (digest, data))
            c.execute("UPDATE session SET prefix = ? WHERE key = ?", (digest, key))

        await self.db.write(work, durable=False)

    async def share_prefix(self, key: int, other: int) -> None:
        """Give another session the frozen prefix of this one."""

        def work(c: apsw.Connection) -> None:
            c.execute(
                "UPDATE session SET prefix = (SELECT prefix FROM session WHERE key = ?)"
                " WHERE key = ?",
                (key, other),
            )

        await self.db.write(work, durable=False)

    async def prefix(self, key: int) -> str:
        """The frozen first part of a session's prompt, empty before its first turn."""

        def work(c: apsw.Connection) -> str:
            row: Any = c.execute(
                "SELECT data FROM prefix JOIN session ON digest = prefix WHERE key = ?", (key,)
            ).fetchone()
            return str(row[0]) if row else ""

        return await self.db.read(work)

    async def imported(self, session: str) -> frozenset[str]:
        """Ids of the messages that were imported into a session."""

        def work(c: apsw.Connection) -> frozenset[str]:
            rows = c.execute(
                "SELECT data ->> 'message_id' FROM event WHERE session ="
                " (SELECT key FROM session WHERE id = ?) AND kind = 'message_imported'",
                (session,),
            )
            return frozenset(str(row[0]) for row in rows)

        return await self.db.read(work)


def _append(c: apsw.Connection, key: int, records: Sequence[Record]) -> None:
    if not records:
        return
    said = 0
    turn: int | None = None
    for record in records:
        kind, version, data = encode_event(record.event)
        c.execute(
            "INSERT INTO event (session, n, ts, kind, v, data) VALUES (?, ?, ?, ?, ?, ?)",
            (key, record.n, record.ts, kind, version, data.decode()),
        )
        said += isinstance(record.event, (InputReceived, ReplyReceived, MessageImported))
        if isinstance(record.event, (TurnStarted, TurnEnded)):
            turn = isinstance(record.event, TurnStarted)
    message_index.add(c, key, records)
    c.execute(
        "UPDATE session SET last = ?, updated = max(updated, ?), messages = messages + ?,"
        " open_turn = coalesce(?, open_turn) WHERE key = ?",
        (records[-1].n, records[-1].ts, said, turn, key),
    )


def _key(c: apsw.Connection, session: str) -> int:
    row: Any = c.execute("SELECT key FROM session WHERE id = ?", (session,)).fetchone()
    if row is None:
        raise NotFoundError(f"no session {session!r}", "`hermes sessions list` shows them all")
    return int(row[0])


def _info(row: Any) -> tuple[int, SessionInfo]:
    key, id_, title, cwd, model, mode, created, updated, messages, last, pinned, archived = row
    return key, SessionInfo(
        id=id_,
        title=title,
        cwd=cwd,
        model=model,
        mode=mode,
        created=created,
        updated=updated,
        messages=messages,
        last=last,
        pinned=bool(pinned),
        archived=bool(archived),
    )


def _record(session: str, row: Any) -> Record:
    n, ts, kind, version, data = row
    event = decode_event(kind, version, data.encode())
    return Record(session=session, n=n, ts=ts, event=event)
