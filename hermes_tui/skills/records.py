"""The rows about skills in the store: versions, proposals, uses, and whether a skill counts.

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

from hermes_tui.skills import beside
from hermes_tui.skills.library import digest_of
from hermes_tui.skills.life import Outcome, State, Use, state_after
from hermes_tui.skills.merge import lost

By = Literal["person", "agent", "update", "outside", "undo"]
Answer = Literal["open", "accepted", "partly", "rejected", "replaced"]


class Mark(Struct, frozen=True, kw_only=True):
    """What is noted of a skill as a whole. accepted: digest of the text the person let in;
    expires: Unix seconds from which it no longer counts, 0: never."""

    name: str
    state: State | Literal[""] = ""
    enabled: bool = True
    accepted: str = ""
    since: float = 0.0
    expires: float = 0.0


class Version(Struct, frozen=True, kw_only=True):
    """A text a skill had. source: `SESSION:TURN` it came from; lost: share of what was said before
    that it no longer says; restores: the number of the version it brought back, 0 for none."""

    name: str
    n: int
    ts: float
    by: By
    reason: str = ""
    source: str = ""
    digest: str = ""
    text: str = ""
    lost: float = 0.0
    restores: int = 0


class Proposal(Struct, frozen=True, kw_only=True):
    """A text the agent proposes. kind: `new` skill or `edit`; base: digest of the text it was
    made from; replay: what trying it on past uses showed, in words."""

    id: int
    name: str
    kind: Literal["new", "edit"]
    ts: float
    reason: str
    text: str
    source: str = ""
    base: str = ""
    state: Answer = "open"
    replay: str = ""
    note: str = ""


class Draft(Struct, frozen=True, kw_only=True):
    """A text about to become a version of a skill. files: those beside it, None when nobody
    looked: then they are what they were."""

    name: str
    text: str
    by: By
    reason: str = ""
    source: str = ""
    restores: int = 0
    files: dict[str, bytes] | None = None


# --- marks ---------------------------------------------------------------------------------------


def marks(c: apsw.Connection) -> dict[str, Mark]:
    """All marks by name."""
    rows = c.execute("SELECT name, state, enabled, accepted, since, expires FROM skill")
    return {row[0]: _mark(row) for row in rows}


def mark(c: apsw.Connection, name: str) -> Mark:
    """The mark of one skill; a plain one when nothing is noted."""
    sql = "SELECT name, state, enabled, accepted, since, expires FROM skill WHERE name = ?"
    row = c.execute(sql, (name,)).fetchone()
    return _mark(row) if row else Mark(name=name)


def set_mark(c: apsw.Connection, new: Mark) -> None:
    """Note something of a skill, in place of what was noted."""
    since = new.since or time.time()
    row = (new.name, new.state, new.enabled, new.accepted, since, new.expires)
    c.execute("INSERT OR REPLACE INTO skill VALUES (?, ?, ?, ?, ?, ?)", row)


def _mark(row: Sequence[Any]) -> Mark:
    return Mark(
        name=row[0],
        state=row[1],
        enabled=bool(row[2]),
        accepted=row[3],
        since=row[4],
        expires=row[5],
    )


# --- versions ------------------------------------------------------------------------------------

_VERSION = "name, n, ts, by, reason, source, digest, text, lost, restores"


def add_version(c: apsw.Connection, draft: Draft) -> Version | None:
    """Keep a text, and the files beside it, as the newest version; None when it is that already."""
    last = newest(c, draft.name)
    digest = digest_of(draft.text)
    reason = draft.reason
    if last is not None and last.digest == digest:
        moved = _moved(c, last, draft)
        if not moved:
            return None
        reason = f"{reason}: {', '.join(moved)}"
    version = Version(
        name=draft.name,
        n=last.n + 1 if last else 1,
        ts=time.time(),
        by=draft.by,
        reason=reason,
        source=draft.source,
        digest=digest,
        text=draft.text,
        lost=round(lost(last.text, draft.text), 3) if last else 0.0,
        restores=draft.restores,
    )
    values = (
        *(version.name, version.n, version.ts, version.by, version.reason, version.source),
        *(digest, _packed(version.text), version.lost, version.restores),
    )
    c.execute(f"INSERT INTO skill_version ({_VERSION}) VALUES (?,?,?,?,?,?,?,?,?,?)", values)
    if draft.files is not None:
        beside.keep(c, version.name, version.n, draft.files)
    elif last is not None:
        beside.copy(c, version.name, last.n, version.n)
    return version


def _moved(c: apsw.Connection, last: Version, draft: Draft) -> list[str]:
    """The files beside a text that are no longer as they were; seen first, they are noted."""
    if draft.files is None:
        return []
    before = beside.kept(c, last.name, last.n)
    if before is None:
        beside.keep(c, last.name, last.n, draft.files)
        return []
    return beside.changed(before, beside.digests(draft.files))


def versions(c: apsw.Connection, name: str) -> list[Version]:
    """All versions of a skill, the newest first."""
    sql = f"SELECT {_VERSION} FROM skill_version WHERE name = ? ORDER BY n DESC"
    return [_version(row) for row in c.execute(sql, (name,))]


def newest(c: apsw.Connection, name: str) -> Version | None:
    """The newest version of a skill."""
    sql = f"SELECT {_VERSION} FROM skill_version WHERE name = ? ORDER BY n DESC LIMIT 1"
    row = c.execute(sql, (name,)).fetchone()
    return _version(row) if row else None


def newest_files(c: apsw.Connection, name: str) -> dict[str, str]:
    """Digests by path of the files beside a skill's newest version, as far as they are known."""
    last = newest(c, name)
    return (beside.kept(c, name, last.n) or {}) if last is not None else {}


def newest_digests(c: apsw.Connection) -> dict[str, tuple[int, str]]:
    """(number, digest) of the newest version of every skill that has any."""
    sql = "SELECT name, max(n), digest FROM skill_version GROUP BY name"
    return {row[0]: (row[1], row[2]) for row in c.execute(sql)}


def before(history: Sequence[Version]) -> Version | None:
    """What undo brings back: the text before the newest that is not an undo itself."""
    if not history:
        return None
    now = history[0].restores or history[0].n
    older = [one for one in history if one.n < now and not one.restores]
    return older[0] if older else None


def _version(row: Sequence[Any]) -> Version:
    return Version(
        name=row[0],
        n=row[1],
        ts=row[2],
        by=row[3],
        reason=row[4],
        source=row[5],
        digest=row[6],
        text=_unpacked(row[7]),
        lost=row[8],
        restores=row[9],
    )


# --- proposals -----------------------------------------------------------------------------------

_PROPOSAL = "id, name, kind, ts, reason, source, base, text, state, replay, note"


def add_proposal(c: apsw.Connection, new: Proposal) -> Proposal:
    """Keep a proposal; an open one for the same skill makes way."""
    c.execute(
        "UPDATE skill_proposal SET state = 'replaced', answered = ? WHERE name = ?"
        " AND state = 'open'",
        (new.ts, new.name),
    )
    values = (new.name, new.kind, new.ts, new.reason, new.source, new.base)
    c.execute(
        "INSERT INTO skill_proposal (name, kind, ts, reason, source, base, text, replay)"
        " VALUES (?,?,?,?,?,?,?,?)",
        (*values, _packed(new.text), new.replay),
    )
    return proposal(c, c.last_insert_rowid()) or new


def proposal(c: apsw.Connection, number: int) -> Proposal | None:
    """One proposal by its number."""
    row = c.execute(f"SELECT {_PROPOSAL} FROM skill_proposal WHERE id = ?", (number,)).fetchone()
    return _proposal(row) if row else None


def open_proposals(c: apsw.Connection) -> list[Proposal]:
    """All that wait for an answer, the oldest first."""
    sql = f"SELECT {_PROPOSAL} FROM skill_proposal WHERE state = 'open' ORDER BY id"
    return [_proposal(row) for row in c.execute(sql)]


def proposals(c: apsw.Connection, name: str) -> list[Proposal]:
    """All that were made for one skill, the newest first."""
    sql = f"SELECT {_PROPOSAL} FROM skill_proposal WHERE name = ? ORDER BY id DESC"
    return [_proposal(row) for row in c.execute(sql, (name,))]


def answer_proposal(c: apsw.Connection, number: int, state: Answer, note: str = "") -> None:
    """Close a proposal."""
    c.execute(
        "UPDATE skill_proposal SET state = ?, note = ?, answered = ? WHERE id = ?",
        (state, note, time.time(), number),
    )


def set_replay(c: apsw.Connection, number: int, replay: str) -> None:
    """Note what trying a proposal on past uses showed."""
    c.execute("UPDATE skill_proposal SET replay = ? WHERE id = ?", (replay, number))


def _proposal(row: Sequence[Any]) -> Proposal:
    return Proposal(
        id=row[0],
        name=row[1],
        kind=row[2],
        ts=row[3],
        reason=row[4],
        source=row[5],
        base=row[6],
        text=_unpacked(row[7]),
        state=row[8],
        replay=row[9],
        note=row[10],
    )


# --- uses ----------------------------------------------------------------------------------------

_USE = "name, version, session, turn, ts, task, outcome, why"


def add_use(c: apsw.Connection, use: Use) -> None:
    """Note that a skill was read for a turn; once a turn."""
    values = (use.name, use.version, use.session, use.turn, use.ts, use.task)
    c.execute(
        "INSERT OR IGNORE INTO skill_use (name, version, session, turn, ts, task)"
        " VALUES (?,?,?,?,?,?)",
        values,
    )


def uses(c: apsw.Connection, name: str = "") -> list[Use]:
    """The uses of one skill, or of all, the oldest first."""
    where, values = ("WHERE name = ?", (name,)) if name else ("", ())
    rows = c.execute(f"SELECT {_USE} FROM skill_use {where} ORDER BY id", values)
    return [_use(row) for row in rows]


def judge(
    c: apsw.Connection, session: str, turn: int, outcome: Outcome, why: str = ""
) -> list[tuple[str, State, State]]:
    """Note how a turn's skills did; returns (name, state before, state now) of those it moved.

    A later judgement takes the place of an earlier one: what seemed well may be corrected.
    """
    names = [
        row[0]
        for row in c.execute(
            "SELECT name FROM skill_use WHERE session = ? AND turn = ?", (session, turn)
        )
    ]
    c.execute(
        "UPDATE skill_use SET outcome = ?, why = ? WHERE session = ? AND turn = ?",
        (outcome, why, session, turn),
    )
    moved: list[tuple[str, State, State]] = []
    for name in names:
        now = mark(c, name)
        if not now.state:
            continue
        after = state_after(now.state, uses_since_edit(c, name))
        if after != now.state:
            set_mark(c, _with_state(now, after))
            moved.append((name, now.state, after))
    return moved


def uses_since_edit(c: apsw.Connection, name: str) -> list[Use]:
    """The uses of a skill's newest version."""
    last = newest(c, name)
    return [use for use in uses(c, name) if last is None or use.version >= last.n]


def _with_state(old: Mark, state: State) -> Mark:
    return msgspec.structs.replace(old, state=state, since=time.time())


def _use(row: Sequence[Any]) -> Use:
    return Use(
        name=row[0],
        version=row[1],
        session=row[2],
        turn=row[3],
        ts=row[4],
        task=row[5],
        outcome=row[6],
        why=row[7],
    )


def _packed(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 6)


def _unpacked(data: bytes) -> str:
    return zlib.decompress(data).decode("utf-8", "surrogatepass")
