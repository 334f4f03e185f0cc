"""The account of model calls: opened before a call, closed after it, summed by what is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import apsw
from msgspec import Struct

from hermes_tui.events import Usage
from hermes_tui.intents import SpendTotal


class Entry(Struct, frozen=True, kw_only=True):
    """A call as it begins. usage: what it is expected to take."""

    id: int
    ts: float
    session: str
    job: str
    task: str
    provider: str
    model: str
    usage: Usage


_SUMS = (
    "count(*), total(prompt), total(cached), total(completion), total(cost),"
    " count(*) - count(cost), total(guessed OR open)"
)
GROUPS = {
    "model": "model",
    "provider": "provider",
    "task": "task",
    "session": "session",
    "job": "job",
    "day": "date(ts, 'unixepoch', 'localtime')",
}
"""What sums can be told apart by."""


def newest(c: apsw.Connection) -> int:
    """The last number given to a call."""
    row = c.execute("SELECT max(id) FROM spend").fetchone()
    return int(row[0] or 0) if row else 0


def begin(entry: Entry) -> Callable[[apsw.Connection], None]:
    """Open the account of a call."""
    used = entry.usage

    def work(c: apsw.Connection) -> None:
        c.execute(
            "INSERT INTO spend (id, ts, session, job, task, provider, model, prompt, completion,"
            " cost, open) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)",
            (
                *(entry.id, entry.ts, entry.session, entry.job, entry.task),
                *(entry.provider, entry.model, used.prompt, used.completion, used.cost),
            ),
        )

    return work


def close(id_: int, usage: Usage, guessed: bool) -> Callable[[apsw.Connection], None]:
    """Close the account of a call with what it took; one that took nothing goes."""

    def work(c: apsw.Connection) -> None:
        if not (usage.prompt or usage.completion or usage.cost):
            c.execute("DELETE FROM spend WHERE id = ?", (id_,))
            return
        c.execute(
            "UPDATE spend SET prompt = ?, cached = ?, completion = ?, cost = ?, open = 0,"
            " guessed = ? WHERE id = ?",
            (usage.prompt, usage.cached, usage.completion, usage.cost, guessed, id_),
        )

    return work


def total(
    *, since: float = 0.0, session: str = "", job: str = ""
) -> Callable[[apsw.Connection], SpendTotal]:
    """The sum since a time, of one session or one job where that is named."""

    def work(c: apsw.Connection) -> SpendTotal:
        row = c.execute(
            f"SELECT {_SUMS} FROM spend{_where(session, job)}", _args(since, session, job)
        )
        return _total("", next(iter(row)))

    return work


def totals(
    by: str, *, since: float = 0.0, session: str = ""
) -> Callable[[apsw.Connection], list[SpendTotal]]:
    """Sums told apart by a key of `GROUPS`, the dearest first; days in their order."""
    column = GROUPS[by]
    order = "1" if by == "day" else "total(cost) DESC, total(prompt) DESC"

    def work(c: apsw.Connection) -> list[SpendTotal]:
        rows = c.execute(
            f"SELECT {column}, {_SUMS} FROM spend{_where(session, '')} GROUP BY 1 ORDER BY {order}",
            _args(since, session, ""),
        )
        return [_total(str(row[0]), row[1:]) for row in rows]

    return work


def _where(session: str, job: str) -> str:
    return " WHERE ts >= ?" + " AND session = ?" * bool(session) + " AND job = ?" * bool(job)


def _args(since: float, session: str, job: str) -> tuple[Any, ...]:
    return (since, *([session] if session else []), *([job] if job else []))


def _total(name: str, row: Any) -> SpendTotal:
    calls, prompt, cached, completion, cost, unpriced, guessed = row
    return SpendTotal(
        name=name,
        calls=calls,
        prompt=int(prompt),
        cached=int(cached),
        completion=int(completion),
        cost=cost,
        unpriced=unpriced,
        guessed=int(guessed),
    )


def sessions(since: float) -> Callable[[apsw.Connection], int]:
    """How many sessions had a call since a time."""

    def work(c: apsw.Connection) -> int:
        row = c.execute(
            "SELECT count(DISTINCT session) FROM spend WHERE ts >= ? AND session <> ''", (since,)
        ).fetchone()
        return int(row[0]) if row else 0

    return work
