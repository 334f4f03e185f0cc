"""The rows of what was looked back on, and the notes it left.

Every function is one piece of a transaction: give it to `Database.write` or `Database.read`.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from typing import Any, Literal

import apsw
import msgspec
from msgspec import Struct

Result = Literal["", "nothing", "proposed", "kept", "worse", "unusable", "failed", "budget"]
"""What came of a turn that held an occasion; empty while it was not asked about."""


class Row(Struct, frozen=True, kw_only=True):
    """A turn that was looked back on. went: ok, failed or corrected; steps: its calls that worked,
    as `tool: arguments`; occasion: why a model was to be asked, empty for nearly all;
    asked: model calls that took."""

    session: str
    turn: int
    ts: float
    task: str = ""
    calls: int = 0
    failed: int = 0
    went: str = ""
    occasion: str = ""
    result: Result = ""
    why: str = ""
    asked: int = 0
    steps: tuple[str, ...] = ()


class Note(Struct, frozen=True, kw_only=True):
    """Something that holds for a while. kind: `failure` of a tool under a condition, or a person's
    `correction` of a skill; about: the tool and what it was at, or the skill; source:
    `SESSION:TURN`; expires: Unix seconds."""

    id: int = 0
    kind: Literal["failure", "correction"]
    about: str
    text: str
    condition: str = ""
    source: str
    ts: float
    expires: float
    state: str = "open"
    why: str = ""


_ROW = "session, turn, ts, task, calls, failed, went, occasion, result, why, asked, steps"
_NOTE = "id, kind, about, text, condition, source, ts, expires, state, why"


def put_row(c: apsw.Connection, row: Row) -> None:
    """Keep what was seen of a turn; what was kept of it before stays."""
    steps = zlib.compress(msgspec.json.encode(row.steps), 6)
    values = (
        *(row.session, row.turn, row.ts, row.task, row.calls, row.failed, row.went),
        *(row.occasion, row.result, row.why, row.asked, steps),
    )
    c.execute(
        f"INSERT OR IGNORE INTO learning_turn ({_ROW}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", values
    )


def row_of(c: apsw.Connection, session: str, turn: int) -> Row | None:
    """What is kept of one turn."""
    sql = f"SELECT {_ROW} FROM learning_turn WHERE session = ? AND turn = ?"
    found = c.execute(sql, (session, turn)).fetchone()
    return _row(found) if found else None


def rows_since(c: apsw.Connection, since: float, limit: int = 1000) -> list[Row]:
    """The newest turns since a time, the oldest first."""
    sql = f"SELECT {_ROW} FROM learning_turn WHERE ts >= ? ORDER BY ts DESC, turn DESC LIMIT ?"
    return [_row(one) for one in c.execute(sql, (since, limit))][::-1]


def unasked(c: apsw.Connection, session: str, since: float) -> list[Row]:
    """Turns of a session with an occasion that nobody was asked about, the oldest first."""
    sql = (
        f"SELECT {_ROW} FROM learning_turn WHERE session = ? AND occasion != '' AND result = ''"
        " AND ts >= ? ORDER BY turn"
    )
    return [_row(one) for one in c.execute(sql, (session, since))]


def set_result(c: apsw.Connection, of: Row) -> None:
    """Note what came of a turn; `asked` is added to what it took before."""
    c.execute(
        "UPDATE learning_turn SET result = ?, why = ?, asked = asked + ?"
        " WHERE session = ? AND turn = ?",
        (of.result, of.why[:400], of.asked, of.session, of.turn),
    )


def set_went(c: apsw.Connection, session: str, turn: int, went: str) -> None:
    """Note how a turn went, as it turned out later."""
    c.execute(
        "UPDATE learning_turn SET went = ? WHERE session = ? AND turn = ?", (went, session, turn)
    )


def asked_since(c: apsw.Connection, since: float) -> int:
    """How many model calls were made since a time."""
    row: Any = c.execute(
        "SELECT total(asked) FROM learning_turn WHERE ts >= ?", (since,)
    ).fetchone()
    return int(row[0])


# --- replays and reviews -------------------------------------------------------------------------


class Replayed(Struct, frozen=True, kw_only=True):
    """A version of a skill that was tried on past uses. told: how it did, in words."""

    name: str
    n: int
    ts: float
    told: str
    worse: bool


def put_replay(c: apsw.Connection, one: Replayed) -> None:
    """Keep how a version did."""
    c.execute(
        "INSERT OR REPLACE INTO learning_replay (name, n, ts, told, worse) VALUES (?,?,?,?,?)",
        (one.name, one.n, one.ts, one.told, one.worse),
    )


def replays(c: apsw.Connection) -> list[Replayed]:
    """All versions that were tried, the oldest first."""
    rows = c.execute("SELECT name, n, ts, told, worse FROM learning_replay ORDER BY ts")
    return [
        Replayed(name=row[0], n=row[1], ts=row[2], told=row[3], worse=bool(row[4])) for row in rows
    ]


def put_review(c: apsw.Connection, ts: float, lines: Sequence[str]) -> None:
    """Keep what a review changed."""
    c.execute("INSERT OR REPLACE INTO learning_review VALUES (?, ?)", (ts, "\n".join(lines)))


def last_review(c: apsw.Connection) -> tuple[float, tuple[str, ...]]:
    """When the last review was, 0 for never, and what it changed."""
    row: Any = c.execute(
        "SELECT ts, lines FROM learning_review ORDER BY ts DESC LIMIT 1"
    ).fetchone()
    return (row[0], tuple(row[1].splitlines())) if row else (0.0, ())


# --- notes ---------------------------------------------------------------------------------------


def add_note(c: apsw.Connection, note: Note) -> None:
    """Keep a note; an open failure about the same thing makes way, a same correction stays."""
    if note.kind == "failure":
        close_notes(c, "failure", note.about, "it failed again", note.ts)
    same = "SELECT 1 FROM learning_note WHERE kind = ? AND about = ? AND text = ? AND source = ?"
    if c.execute(same, (note.kind, note.about, note.text, note.source)).fetchone():
        return
    c.execute(
        f"INSERT INTO learning_note ({_NOTE.removeprefix('id, ')}) VALUES (?,?,?,?,?,?,?,?,?)",
        (
            *(note.kind, note.about, note.text, note.condition, note.source, note.ts),
            *(note.expires, note.state, note.why),
        ),
    )


def open_notes(c: apsw.Connection, kind: str = "", about: str = "") -> list[Note]:
    """Notes that hold now, the oldest first."""
    sql = (
        f"SELECT {_NOTE} FROM learning_note WHERE state = 'open' AND expires > ?"
        " AND (? = '' OR kind = ?) AND (? = '' OR about = ?) ORDER BY id"
    )
    return [_note(one) for one in c.execute(sql, (time.time(), kind, kind, about, about))]


def open_corrections(c: apsw.Connection, skill: str) -> list[Note]:
    """What people said of a skill since the agent or a person changed its text last."""
    row: Any = c.execute(
        "SELECT coalesce(max(ts), 0) FROM skill_version"
        " WHERE name = ? AND by IN ('agent', 'person')",
        (skill,),
    ).fetchone()
    return [one for one in open_notes(c, "correction", skill) if one.ts > row[0]]


def close_notes(c: apsw.Connection, kind: str, about: str, why: str, before: float = 1e18) -> int:
    """End notes about a thing; how many."""
    c.execute(
        "UPDATE learning_note SET state = 'over', why = ? WHERE state = 'open' AND kind = ?"
        " AND about = ? AND ts <= ?",
        (why, kind, about, before),
    )
    return c.changes()


def expire_notes(c: apsw.Connection, now: float) -> int:
    """End notes whose time is over; how many."""
    c.execute(
        "UPDATE learning_note SET state = 'over', why = 'its time was over'"
        " WHERE state = 'open' AND expires <= ?",
        (now,),
    )
    return c.changes()


def _row(row: Sequence[Any]) -> Row:
    steps = msgspec.json.decode(zlib.decompress(row[11]), type=tuple[str, ...]) if row[11] else ()
    return Row(
        session=row[0],
        turn=row[1],
        ts=row[2],
        task=row[3],
        calls=row[4],
        failed=row[5],
        went=row[6],
        occasion=row[7],
        result=row[8],
        why=row[9],
        asked=row[10],
        steps=steps,
    )


def _note(row: Sequence[Any]) -> Note:
    return Note(
        id=row[0],
        kind=row[1],
        about=row[2],
        text=row[3],
        condition=row[4],
        source=row[5],
        ts=row[6],
        expires=row[7],
        state=row[8],
        why=row[9],
    )
