"""The rows of subagents: what was to be done, in which session, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import apsw
import msgspec
from msgspec import Struct

from hermes_tui.events.subagents import Aim, Ending

State = Literal["running"] | Ending


class Row(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One subagent. started, ended: Unix seconds, ended 0 while it runs.

    session: its own; call_id: the call that began it; limit_s, tokens: 0 for no limit; tools:
    all it may use, None for those of any session; depth: levels above it; waited: the call that
    began it waits for it and returns its report.
    """

    id: str
    parent: str
    session: str
    goal: str
    context: str = ""
    aim: Aim = "delegate"
    call_id: str = ""
    state: State = "running"
    started: float = 0.0
    ended: float = 0.0
    turn: int = 0
    cwd: str = ""
    env: dict[str, str] = {}
    attended: bool = True
    waited: bool = False
    mode: str = "ask"
    model: str = ""
    account: str = ""
    depth: int = 1
    tools: tuple[str, ...] | None = None
    rounds: int = 0
    limit_s: float = 0.0
    tokens: int = 0
    used: int = 0
    text: str = ""
    why: str = ""
    steps: int = 0
    untrusted: str = ""
    path: str = ""


def insert(rows: Sequence[Row]) -> Callable[[apsw.Connection], None]:
    """Store new rows."""

    def work(c: apsw.Connection) -> None:
        c.executemany("INSERT INTO subagent VALUES (?, ?, ?, ?, ?, ?, ?)", map(_values, rows))

    return work


def update(row: Row) -> Callable[[apsw.Connection], None]:
    """Store what became of one."""

    def work(c: apsw.Connection) -> None:
        c.execute("REPLACE INTO subagent VALUES (?, ?, ?, ?, ?, ?, ?)", _values(row))

    return work


def running(c: apsw.Connection) -> list[Row]:
    """Those that have not ended, the oldest first."""
    return _rows(c, "state = 'running' ORDER BY started, id")


def of_call(parent: str, call_id: str) -> Callable[[apsw.Connection], list[Row]]:
    """Those that one call began, in its order."""
    return lambda c: _rows(c, "parent = ? AND call_id = ? ORDER BY started, id", (parent, call_id))


def newest(limit: int, parent: str = "") -> Callable[[apsw.Connection], list[Row]]:
    """Those that run, then the ended ones, the newest first; of one session where it is named."""
    return lambda c: _rows(
        c,
        "(parent = ?1 OR ?1 = '') ORDER BY state != 'running', started DESC, id LIMIT ?2",
        (parent, limit),
    )


def _values(row: Row) -> tuple[Any, ...]:
    data = msgspec.json.encode(row).decode()
    return (row.id, row.parent, row.session, row.call_id, row.state, row.started, data)


def _rows(c: apsw.Connection, where: str, values: tuple[Any, ...] = ()) -> list[Row]:
    found = c.execute(f"SELECT data FROM subagent WHERE {where}", values)
    return [msgspec.json.decode(str(data), type=Row) for (data,) in found]
