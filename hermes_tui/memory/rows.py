"""Statements as rows: read, written with words and sources, every change kept to go back to."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import apsw
import msgspec

from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.intents.memory import Fact, FactChange, Source
from hermes_tui.memory.words import terms

SOURCES = 20
"""Sources kept of one statement: the first and the newest of them."""
_COLUMNS = (
    *("text", "kind", "topic", "scope", "place", "person", "state", "taint", "reason", "pinned"),
    *("other", "made", "changed", "used", "uses"),
)
_FIELDS = "f.key, " + ", ".join(f"f.{name}" for name in _COLUMNS)
LIVE = ("current", "candidate", "disputed")


def key_of(fact_id: str) -> int:
    """The row of an id such as `m12`; 0 when it is no id."""
    number = fact_id.strip().lower().removeprefix("m")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 16 else 0


def get(c: apsw.Connection, key: int) -> Fact | None:
    """A statement by its row."""
    row = c.execute(f"SELECT {_FIELDS} FROM fact f WHERE f.key = ?", (key,)).fetchone()
    return _with_sources(c, [_fact(row)])[0] if row else None


def need(c: apsw.Connection, key: int) -> Fact:
    """A statement by its row. Raises NotFoundError."""
    found = get(c, key)
    if found is None:
        raise NotFoundError(f"there is no statement m{key}", "`hermes memory list` shows them")
    return found


def listed(
    c: apsw.Connection, states: Sequence[str], limit: int = -1, where: str = "1"
) -> list[Fact]:
    """Statements in some states, the one changed last first. where: a condition of our own."""
    marks = ",".join("?" * len(states))
    rows = c.execute(
        f"SELECT {_FIELDS} FROM fact f WHERE f.state IN ({marks}) AND ({where})"
        " ORDER BY f.changed DESC, f.key DESC LIMIT ?",
        (*states, limit),
    )
    return _with_sources(c, [_fact(row) for row in rows])


def matching(
    c: apsw.Connection, words: Sequence[str], limit: int, typed: bool = False
) -> list[tuple[Fact, float]]:
    """(statement, score) of those that hold any of the words, best first, higher is better.

    typed: words may go on, as while a query is being typed.
    """
    if not words:
        return []
    star = "*" if typed else ""
    quoted = ('"' + word.replace('"', '""') + '"' + star for word in words[:40])
    rows = list(
        c.execute(
            f"SELECT {_FIELDS}, bm25(fact_index) FROM fact_index JOIN fact f"
            " ON f.key = fact_index.rowid WHERE fact_index MATCH ?"
            " ORDER BY bm25(fact_index), f.changed DESC LIMIT ?",
            (" OR ".join(quoted), limit),
        )
    )
    facts = _with_sources(c, [_fact(row) for row in rows])
    scores = [-float(row[16]) for row in rows]  # type: ignore[arg-type]
    return list(zip(facts, scores, strict=True))


def containing(c: apsw.Connection, part: str, limit: int) -> list[Fact]:
    """Statements, old ones too, with a text in them as it stands, the one changed last first."""
    bare = part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    rows = c.execute(
        f"SELECT {_FIELDS} FROM fact f WHERE f.text LIKE '%' || ? || '%' ESCAPE '\\'"
        " ORDER BY f.changed DESC, f.key DESC LIMIT ?",
        (bare, limit),
    )
    return _with_sources(c, [_fact(row) for row in rows])


def newest_change(c: apsw.Connection) -> int:
    """The number of the newest change, 0 for none."""
    row: Any = c.execute("SELECT max(id) FROM fact_change").fetchone()
    return int(row[0] or 0)


class Write:
    """One write: all its changes share a batch, and are taken back together.

    session: where the model knows of it already; empty when a person did it beside the talk.
    """

    def __init__(self, c: apsw.Connection, op: str, who: str, session: str = "") -> None:
        self.c, self.op, self.who, self.session = c, op, who, session
        row: Any = c.execute("SELECT coalesce(max(batch), 0) + 1 FROM fact_change").fetchone()
        self.batch = int(row[0])
        self.now = time.time()

    def put(self, fact: Fact) -> Fact:
        """Store a statement, new (with an empty id) or changed; as it is now."""
        before = get(self.c, key_of(fact.id)) if fact.id else None
        made = msgspec.structs.replace(
            fact, changed=self.now, made=fact.made or self.now, sources=_fewer(fact.sources)
        )
        key = store(self.c, made)
        made = msgspec.structs.replace(made, id=f"m{key}")
        self._note(key, before, made)
        return made

    def _note(self, key: int, before: Fact | None, after: Fact | None) -> None:
        self.c.execute(
            "INSERT INTO fact_change (batch, ts, op, who, session, fact, before, after)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self.batch,
                self.now,
                self.op,
                self.who,
                self.session,
                key,
                _json(before),
                _json(after),
            ),
        )

    def undo(self, batch: int) -> list[Fact]:
        """Take a batch back, or the last one that is not taken back; as things are now.

        A statement that is gone again is given as a retired one. Raises HermesError.
        """
        changes = _changes_of(self.c, batch)
        restored: list[Fact] = []
        for number, key, before, after in reversed(changes):
            now = get(self.c, key)
            if not _same(now, _fact_of(after)):
                raise HermesError(
                    f"m{key} was changed again since", "take the later change back first"
                )
            old = _fact_of(before)
            if old is None:
                _remove(self.c, key)
            else:
                store(self.c, old)
            self._note(key, now, old)
            self.c.execute("UPDATE fact_change SET undone = 1 WHERE id = ?", (number,))
            if old is not None:
                restored.append(old)
            elif now is not None:
                restored.append(msgspec.structs.replace(now, state="retired"))
        return restored


def store(c: apsw.Connection, fact: Fact) -> int:
    """Write a statement with its sources and words as it is; its row."""
    values = (
        *(fact.text, fact.kind, fact.topic, fact.scope, fact.place, fact.person, fact.state),
        *(fact.taint, fact.reason, fact.pinned, key_of(fact.other) or None),
        *(fact.made, fact.changed, fact.used, fact.uses),
    )
    key = key_of(fact.id)
    c.execute(
        f"INSERT INTO fact (key, {', '.join(_COLUMNS)}) VALUES (?{', ?' * len(values)})"
        f" ON CONFLICT (key) DO UPDATE SET {', '.join(f'{n} = excluded.{n}' for n in _COLUMNS)}",
        (key or None, *values),
    )
    key = key or c.last_insert_rowid()
    c.execute("DELETE FROM fact_source WHERE fact = ?", (key,))
    c.executemany(
        "INSERT INTO fact_source VALUES (?, ?, ?, ?, ?, ?)",
        [(key, at, s.who, s.session, s.message, s.ts) for at, s in enumerate(fact.sources)],
    )
    c.execute("DELETE FROM fact_index WHERE rowid = ?", (key,))
    if fact.state in LIVE:
        _index(c, key, fact.text, fact.topic)
    return key


def fill_index(c: apsw.Connection) -> None:
    """Fill the empty index from the statements, after it was damaged."""
    marks = ", ".join("?" * len(LIVE))
    rows: list[Any] = list(
        c.execute(f"SELECT key, text, topic FROM fact WHERE state IN ({marks})", tuple(LIVE))
    )
    for key, text, topic in rows:
        _index(c, key, text, topic)
    c.execute("INSERT INTO fact_index (fact_index, rank) VALUES ('secure-delete', 1)")


def _index(c: apsw.Connection, key: int, text: str, topic: str) -> None:
    words = " ".join(terms(f"{text} {topic}"))
    c.execute("INSERT INTO fact_index (rowid, words) VALUES (?, ?)", (key, words))


def erase(c: apsw.Connection, key: int) -> None:
    """Remove every byte of a statement, its history included."""
    c.pragma("secure_delete", 1)
    _remove(c, key)
    c.execute("DELETE FROM fact_change WHERE fact = ?", (key,))
    c.execute("UPDATE fact SET other = NULL, reason = '' WHERE other = ?", (key,))
    c.execute("INSERT INTO fact_index (fact_index) VALUES ('optimize')")
    c.pragma("secure_delete", 0)


def changes(c: apsw.Connection, key: int) -> tuple[FactChange, ...]:
    """What happened to a statement, oldest first."""
    rows = c.execute(
        "SELECT batch, op, who, ts, before, after, undone FROM fact_change WHERE fact = ?"
        " ORDER BY id",
        (key,),
    )
    return tuple(_change(row) for row in rows)


def _change(row: Any) -> FactChange:
    batch, op, who, ts, before, after, undone = row
    old, new = _fact_of(before), _fact_of(after)
    return FactChange(
        batch=batch,
        op=op,
        who=who,
        ts=ts,
        before=old.text if old else "",
        after=new.text if new else "",
        state=new.state if new else "gone",
        undone=bool(undone),
    )


def _changes_of(c: apsw.Connection, batch: int) -> list[tuple[int, int, str, str]]:
    if not batch:
        row: Any = c.execute(
            "SELECT max(batch) FROM fact_change WHERE NOT undone AND op <> 'undo'"
        ).fetchone()
        batch = int(row[0] or 0)
    found: Any = c.execute(
        "SELECT id, fact, before, after FROM fact_change WHERE batch = ? AND NOT undone"
        " ORDER BY id",
        (batch,),
    )
    rows = [tuple(row) for row in found]
    if not rows:
        raise NotFoundError("there is no change left to take back")
    return rows


def _remove(c: apsw.Connection, key: int) -> None:
    c.execute("DELETE FROM fact_index WHERE rowid = ?", (key,))
    c.execute("DELETE FROM fact_use WHERE fact = ?", (key,))
    c.execute("DELETE FROM fact WHERE key = ?", (key,))


def _same(one: Fact | None, other: Fact | None) -> bool:
    """Equal but for what counts itself: uses."""
    if one is None or other is None:
        return one is other
    return msgspec.structs.replace(one, used=0, uses=0) == msgspec.structs.replace(
        other, used=0, uses=0
    )


def _json(fact: Fact | None) -> str:
    return msgspec.json.encode(fact).decode() if fact else ""


def _fact_of(text: str) -> Fact | None:
    return msgspec.json.decode(text, type=Fact) if text else None


def _fewer(sources: Iterable[Source]) -> tuple[Source, ...]:
    kept = tuple(msgspec.structs.replace(one, title="") for one in dict.fromkeys(sources))
    return kept if len(kept) <= SOURCES else (kept[0], *kept[1 - SOURCES :])


def _with_sources(c: apsw.Connection, facts: list[Fact]) -> list[Fact]:
    by_key: dict[int, list[Source]] = {key_of(fact.id): [] for fact in facts}
    keys = list(by_key)
    for at in range(0, len(keys), 500):
        part = keys[at : at + 500]
        found: Any = c.execute(
            "SELECT fact, who, session, message, ts FROM fact_source"
            f" WHERE fact IN ({','.join('?' * len(part))}) ORDER BY fact, at",
            part,
        )
        for key, who, session, message, ts in found:
            by_key[key].append(Source(who=who, session=session, message=message, ts=ts))
    return [msgspec.structs.replace(fact, sources=tuple(by_key[key_of(fact.id)])) for fact in facts]


def _fact(row: Any) -> Fact:
    key, text, kind, topic, scope, place, person, state, taint, reason, pinned, other, *times = row[
        :16
    ]
    made, changed, used, uses = times
    return Fact(
        id=f"m{key}",
        text=text,
        kind=kind,
        topic=topic,
        scope=scope,
        place=place,
        person=person,
        state=state,
        taint=taint,
        reason=reason,
        pinned=bool(pinned),
        other=f"m{other}" if other else "",
        made=made,
        changed=changed,
        used=used,
        uses=uses,
    )
