"""Which messages a search may see at all: by filters typed, and by who asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import apsw
from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.search.dates import Span
from hermes_tui.search.query import Filters
from hermes_tui.search.reading import Where
from hermes_tui.store.message_index import ASSISTANT, OTHER, PLACE_BITS, TOOL, USER

_KINDS = {"user": USER, "assistant": ASSISTANT, "tool": TOOL, "other": OTHER}
_EVERYWHERE = ("sessions", "all", "everywhere")
_IN = "b.session IN (SELECT key FROM session WHERE "
_HERE = ("here", "this", "current")
_Part = tuple[str, tuple[Any, ...]]
"""A condition and its values."""


class Asker(Struct, frozen=True, kw_only=True):
    """Who asks, and where: what one person or group said is found for nobody else.

    person: empty for the owner of this home; chat: id of a chat elsewhere; group: others read
    along. session: the one the question comes from, for `in:here`.
    """

    person: str = ""
    chat: str = ""
    group: bool = False
    session: str = ""


def asker_of(c: apsw.Connection, session: str) -> Asker:
    """Who asks when the question comes from a session."""
    row: Any = c.execute(
        "SELECT person, chat, grouped FROM session WHERE id = ?", (session,)
    ).fetchone()
    person, chat, grouped = row or ("", "", 0)
    return Asker(person=person, chat=chat, group=bool(grouped), session=session)


def where(c: apsw.Connection, filters: Filters, asker: Asker | None, session: str = "") -> Where:
    """What may be found. asker None: whoever sits at this machine, who may see everything."""
    parts = [*_scope(c, asker), *_places(filters, session), *_others(filters)]
    made = Where(
        sql=" AND ".join(sql for sql, _ in parts),
        values=tuple(value for _, values in parts for value in values),
    )
    tests = [(sql[len(_IN) : -1], values) for sql, values in parts if sql.startswith(_IN)]
    if filters.after is not None:
        tests.append(("updated >= ?", (filters.after,)))
    if filters.before is not None:
        tests.append(("created < ?", (filters.before,)))
    return _bounded(c, made, tests)


def within(c: apsw.Connection, spans: tuple[Span, ...], base: Where) -> Where:
    """The same, but only from these times."""
    sql = " OR ".join("(m.ts >= ? AND m.ts < ?)" for _ in spans)
    values = tuple(at for span in spans for at in (span.start, span.end))
    made = Where(sql=f"({sql})" + f" AND {base.sql}" * bool(base.sql), values=values + base.values)
    then = " OR ".join("(updated >= ? AND created < ?)" for _ in spans)
    return _bounded(c, made, [(f"({then})", values)])


def _bounded(c: apsw.Connection, made: Where, tests: list[_Part]) -> Where:
    """With the first and last message id of the sessions that pass all tests."""
    if not tests:
        return made
    sql = " AND ".join(f"({test})" for test, _ in tests)
    row: Any = c.execute(
        "SELECT min(block), max(block) FROM recall_block"
        f" WHERE session IN (SELECT key FROM session WHERE {sql})",
        tuple(value for _, values in tests for value in values),
    ).fetchone()
    if row[0] is None:
        return replace(made, sql="0", values=())
    return replace(made, first=row[0] << PLACE_BITS, last=((row[1] + 1) << PLACE_BITS) - 1)


def _in_sessions(test: str) -> str:
    return f"{_IN}{test})"


def _scope(c: apsw.Connection, asker: Asker | None) -> Iterator[_Part]:
    if asker is None:
        return
    if asker.group:
        yield _in_sessions("grouped AND chat = ?"), (asker.chat,)
        return
    other = "SELECT 1 FROM session WHERE person <> ? OR grouped LIMIT 1"
    if c.execute(other, (asker.person,)).fetchone() is not None:
        yield _in_sessions("person = ? AND NOT grouped"), (asker.person,)


def _places(filters: Filters, session: str) -> Iterator[_Part]:
    for place in filters.places:
        if place.lower() in _EVERYWHERE:
            continue
        if place.lower() in _HERE and session:
            yield _in_sessions("id = ?"), (session,)
            continue
        yield (
            _in_sessions(
                "id = ? OR id GLOB ? || '*' OR title LIKE '%' || ? || '%'"
                " OR cwd LIKE '%' || ? || '%'"
            ),
            (place,) * 4,
        )


def _others(filters: Filters) -> Iterator[_Part]:
    roles = {*filters.roles, *(one.lower() for one in filters.origins if one.lower() in _KINDS)}
    if roles:
        kinds = ", ".join(str(_KINDS[role]) for role in sorted(roles))
        yield f"m.kind IN ({kinds})", ()
    for origin in filters.origins:
        if origin.lower() not in _KINDS:
            test = "origin LIKE ? || '%' OR person = ? OR chat = ? OR chat LIKE ? || ':%'"
            yield _in_sessions(test), (origin,) * 4
    if filters.after is not None:
        yield "m.ts >= ?", (filters.after,)
    if filters.before is not None:
        yield "m.ts < ?", (filters.before,)
