"""The search index of messages: what enters it, what leaves it, and how its rows are numbered.

A session gets message ids in blocks of 64, so neighbours have neighbouring ids while all ids stay
dense: the index keeps differences, and a small one is two bytes shorter. The index's own row
number adds what kind of message it is: three bits that ranking reads without a look-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import apsw

from hermes_tui.codec import decode_event
from hermes_tui.events import (
    Event,
    InputEdited,
    InputReceived,
    MessageImported,
    Record,
    ReplyReceived,
    ShellRan,
    ToolEnded,
)
from hermes_tui.store.message_text import indexed

PLACE_BITS = 6
BLOCK = 1 << PLACE_BITS
KIND_BITS = 3
USER, ASSISTANT, TOOL, OTHER = range(4)
ASKS = 4
"""Added to a kind: the message ends with a question mark."""

_ROLES = {"user": USER, "assistant": ASSISTANT, "tool": TOOL}
_KINDS = (
    "('input_received', 'input_edited', 'reply_received', 'message_imported', 'tool_ended',"
    " 'shell_ran')"
)
Said = tuple[int, float, Event]
"""Number, time and event of something in a session."""


def searchable(event: Event) -> tuple[str, int]:
    """An event's text for the index, empty for none, and what kind of message it is."""
    match event:
        case InputReceived():
            return event.text, USER if event.typed else OTHER
        case ReplyReceived():
            return event.text, ASSISTANT
        case MessageImported():
            return event.text, _ROLES.get(event.role, OTHER)
        case ToolEnded():
            return event.for_model, TOOL
        case ShellRan():
            return f"{event.command}\n{event.output}", TOOL
        case _:
            return "", OTHER


def add(c: apsw.Connection, key: int, records: Iterable[Record]) -> None:
    """Index what was said in a session; left alone while its older part is still waiting."""
    said = [(one.n, one.ts, one.event) for one in records if _counts(one.event)]
    if said and not _pending(c, key):
        _insert(c, key, said)


def remove(c: apsw.Connection, key: int) -> None:
    """Take a session out of the index."""
    blocks: list[Any] = list(c.execute("SELECT block FROM recall_block WHERE session = ?", (key,)))
    for (block,) in blocks:
        first, end = block << PLACE_BITS, (block + 1) << PLACE_BITS
        c.execute("DELETE FROM recall_message WHERE id >= ? AND id < ?", (first, end))
        c.execute("DELETE FROM recall_vector WHERE id >= ? AND id < ?", (first, end))
        c.execute(
            "DELETE FROM recall_index WHERE rowid >= ? AND rowid < ?",
            (first << KIND_BITS, end << KIND_BITS),
        )
    c.execute("DELETE FROM recall_block WHERE session = ?", (key,))


def waiting(c: apsw.Connection) -> int:
    """How many sessions are not in the index yet."""
    row: Any = c.execute("SELECT count(*) FROM recall_pending").fetchone()
    return int(row[0])


def index_some(c: apsw.Connection, limit: int) -> int:
    """Index at most `limit` messages of the newest session that waits; sessions still waiting."""
    row: Any = c.execute(
        "SELECT session, upto FROM recall_pending JOIN session ON key = session"
        " ORDER BY updated DESC LIMIT 1"
    ).fetchone()
    if row is None:
        return 0
    key, upto = row
    said = list(_older(c, key, upto, limit))
    _insert(c, key, [one for one in said if _counts(one[2])])
    if len(said) < limit:
        c.execute("DELETE FROM recall_pending WHERE session = ?", (key,))
    else:
        c.execute("UPDATE recall_pending SET upto = ? WHERE session = ?", (said[-1][0], key))
    return waiting(c)


def _older(c: apsw.Connection, key: int, upto: int, limit: int) -> Iterator[Said]:
    rows: Any = c.execute(
        "SELECT n, ts, kind, v, data FROM event WHERE session = ? AND n > ?"
        f" AND kind IN {_KINDS} ORDER BY n LIMIT ?",
        (key, upto, limit),
    )
    for n, ts, kind, version, data in rows:
        yield n, ts, decode_event(kind, version, data.encode())


def _pending(c: apsw.Connection, key: int) -> bool:
    return (
        c.execute("SELECT 1 FROM recall_pending WHERE session = ?", (key,)).fetchone() is not None
    )


def _counts(event: Event) -> bool:
    """Whether an event puts anything into the index, or changes what is in it."""
    return isinstance(event, InputEdited) or bool(searchable(event)[0])


def _insert(c: apsw.Connection, key: int, said: list[Said]) -> None:
    fresh = [one for one in said if not isinstance(one[2], InputEdited)]
    for id_, (n, ts, event) in zip(_ids(c, key), fresh, strict=False):
        text, kind = searchable(event)
        c.execute("INSERT INTO recall_message VALUES (?, ?, ?, ?)", (id_, n, ts, kind))
        _put(c, id_, kind, text)
    for n, _, event in said:
        if isinstance(event, InputEdited):
            _reword(c, key, n, event)


def _put(c: apsw.Connection, id_: int, kind: int, text: str) -> None:
    kind += ASKS * text.rstrip().endswith(("?", "？"))
    c.execute(
        "INSERT INTO recall_index (rowid, text) VALUES (?, ?)",
        (id_ << KIND_BITS | kind, indexed(text)),
    )


def _reword(c: apsw.Connection, key: int, n: int, edited: InputEdited) -> None:
    """An input that waited was edited: it is found by its last wording, and by no other."""
    row: Any = c.execute(
        "SELECT n FROM event WHERE session = ? AND n < ? AND kind = 'input_received'"
        " AND data ->> 'input_id' = ? ORDER BY n DESC LIMIT 1",
        (key, n, edited.input_id),
    ).fetchone()
    first = int(row[0]) if row else 0
    row = c.execute(
        "SELECT m.id, m.kind FROM recall_block b JOIN recall_message m"
        f" ON m.id >= b.block << {PLACE_BITS} AND m.id < (b.block + 1) << {PLACE_BITS}"
        " WHERE b.session = ? AND m.n = ?",
        (key, first),
    ).fetchone()
    if row is None:
        return
    id_, kind = row
    c.execute("INSERT OR REPLACE INTO recall_edit VALUES (?, ?, ?)", (key, first, n))
    c.execute("DELETE FROM recall_vector WHERE id = ?", (id_,))
    c.execute(
        "DELETE FROM recall_index WHERE rowid >= ? AND rowid < ?",
        (id_ << KIND_BITS, (id_ + 1) << KIND_BITS),
    )
    _put(c, id_, kind, edited.text)


def _ids(c: apsw.Connection, key: int) -> Iterator[int]:
    """The next free ids of a session, without end; blocks are taken as they are needed."""
    row: Any = c.execute("SELECT max(block) FROM recall_block WHERE session = ?", (key,)).fetchone()
    last: int | None = None
    if row[0] is not None:
        end = (int(row[0]) + 1) << PLACE_BITS
        row = c.execute("SELECT max(id) FROM recall_message WHERE id < ?", (end,)).fetchone()
        last = row[0]
    while True:
        if last is None or last % BLOCK == BLOCK - 1:
            row = c.execute(
                "INSERT INTO recall_block (session) VALUES (?) RETURNING block", (key,)
            ).fetchone()
            last = (int(row[0]) << PLACE_BITS) - 1
        last += 1
        yield last
