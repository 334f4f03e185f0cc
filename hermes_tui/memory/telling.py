"""What a running session has not been told yet: what changed since, and what matters just now.

The first part of a session's prompt never changes; what is learned later goes in beside the
next input, once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import apsw
import msgspec
from msgspec import Struct

from hermes_tui.intents.memory import Fact
from hermes_tui.memory import finding, rows
from hermes_tui.memory.choosing import FITS, Chosen, line, size
from hermes_tui.memory.place import Place, visible
from hermes_tui.memory.words import asked

NEWS_HEAD = "[Memory has changed since this talk began:"
RECALL_HEAD = "[From memory, as it may matter here:"
_MOST_RECALLED = 6


class Talk(Struct, frozen=True, kw_only=True):
    """A session as it stands. turns: those that are part of the conversation, for turns that were
    taken back were never told anything.
    """

    session: str
    turns: frozenset[int] = frozenset()


class Told(Struct, frozen=True, kw_only=True):
    """A note beside an input. upto: the newest change it knows of, after: the one before."""

    text: str = ""
    chosen: tuple[Chosen, ...] = ()
    upto: int = 0
    after: int = 0


def told(c: apsw.Connection, talk: Talk, said: str, place: Place, budget: int) -> Told:
    """The note for a session's next input; empty when there is nothing to say."""
    newest = rows.newest_change(c)
    shown, after = _shown(c, talk), _upto(c, talk)
    news: list[tuple[str, Chosen | None]] = []
    if newest > after:
        news = _news(c, talk.session, after, place, shown)
    lines, chosen, room = _fill(news, NEWS_HEAD, budget)
    named = shown | {one.fact.id for one in chosen}
    recalled = _recalled(c, said, place, named)
    more, also, _ = _fill([(line(one.fact), one) for one in recalled], RECALL_HEAD, room)
    return Told(text="\n".join(lines + more), chosen=(*chosen, *also), upto=newest, after=after)


def note_use(c: apsw.Connection, session: str, turn: int, chosen: Sequence[Chosen]) -> None:
    """Keep that statements were put before a model; what fits counts as a use."""
    now = time.time()
    for one in chosen:
        key = rows.key_of(one.fact.id)
        if c.execute("SELECT 1 FROM fact WHERE key = ?", (key,)).fetchone() is None:
            continue
        c.execute(
            "INSERT INTO fact_use (fact, session, turn, ts, why) VALUES (?, ?, ?, ?, ?)",
            (key, session, turn, now, one.why),
        )
        if one.fits:
            c.execute("UPDATE fact SET used = ?, uses = uses + 1 WHERE key = ?", (now, key))


def note_upto(c: apsw.Connection, session: str, turn: int, change: int) -> None:
    """Keep up to which change a session has been told."""
    c.execute("INSERT OR REPLACE INTO fact_told VALUES (?, ?, ?)", (session, turn, change))


def copy(c: apsw.Connection, session: str, other: str) -> None:
    """A session went on as a copy: what it was told, the copy was told."""
    c.execute(
        "INSERT OR IGNORE INTO fact_told SELECT ?, turn, change FROM fact_told WHERE session = ?",
        (other, session),
    )
    c.execute(
        "INSERT INTO fact_use (fact, session, turn, ts, why)"
        " SELECT fact, ?, turn, ts, why FROM fact_use WHERE session = ?",
        (other, session),
    )


def forget_session(c: apsw.Connection, session: str) -> None:
    """A session was deleted."""
    c.execute("DELETE FROM fact_told WHERE session = ?", (session,))
    c.execute("DELETE FROM fact_use WHERE session = ?", (session,))


def _fill(
    lines: Sequence[tuple[str, Chosen | None]], head: str, budget: int
) -> tuple[list[str], list[Chosen], int]:
    """Lines under a head as far as they fit; (text lines, what they show, bytes left)."""
    room = budget - size(head) - 1
    taken: list[str] = []
    chosen: list[Chosen] = []
    for text, one in lines:
        if size(text) > room:
            continue
        room -= size(text)
        taken.append(text)
        chosen += [one] if one else []
    if not taken:
        return [], [], budget
    if len(taken) < len(lines) and head == NEWS_HEAD:
        taken.append(f"- and {len(lines) - len(taken)} more; ask_user_model finds them")
    taken[-1] += "]"
    return [head, *taken], chosen, room


def _news(
    c: apsw.Connection, session: str, after: int, place: Place, shown: set[str]
) -> list[tuple[str, Chosen | None]]:
    changed: Any = c.execute(
        "SELECT fact, min(id), max(id) FROM fact_change WHERE id > ? AND session <> ?"
        " GROUP BY fact ORDER BY max(id) DESC LIMIT 500",
        (after, session),
    )
    corrections: list[tuple[str, Chosen | None]] = []
    additions: list[tuple[str, Chosen | None]] = []
    for key, first, _ in list(changed):
        was, now = _before(c, first), rows.get(c, key)
        name = f"m{key}"
        holds = now is not None and now.state in ("current", "disputed") and visible(now, place)
        if not holds and name in shown:
            corrections.append((_over(now, name), None))
        if now is not None and holds and not _says_the_same(was, now):
            instead = now.other and now.other in shown
            text = line(now) + (f" (in place of {now.other})" if instead else "")
            why = "it was learned since the session began"
            into = corrections if name in shown or instead else additions
            into.append((text, Chosen(fact=now, why=why)))
    return corrections + additions


def _before(c: apsw.Connection, change: int) -> Fact | None:
    row: Any = c.execute("SELECT before FROM fact_change WHERE id = ?", (change,)).fetchone()
    return msgspec.json.decode(row[0], type=Fact) if row and row[0] else None


def _over(now: Fact | None, name: str) -> str:
    if now is not None and now.state == "replaced" and now.other:
        return f"- {name} no longer holds: {now.other} took its place"
    return f"- {name} no longer holds; don't use it"


def _says_the_same(was: Fact | None, now: Fact) -> bool:
    """Whether nothing changed that a model would care for."""
    if was is None or was.state not in ("current", "disputed"):
        return False
    return (was.text, was.scope, was.place) == (now.text, now.scope, now.place)


def _recalled(c: apsw.Connection, said: str, place: Place, named: set[str]) -> list[Chosen]:
    """Statements that fit what was said and that this session has not seen."""
    if not asked(said):
        return []
    why = f"it fits «{finding.short(said, 40)}»"
    found = [
        Chosen(fact=fact, why=why, fits=True)
        for fact, fit in finding.fitting(c, said, place)
        if fit >= FITS and fact.id not in named
    ]
    return found[:_MOST_RECALLED]


def _shown(c: apsw.Connection, talk: Talk) -> set[str]:
    found: Any = c.execute(
        "SELECT DISTINCT fact, turn FROM fact_use WHERE session = ?", (talk.session,)
    )
    return {f"m{fact}" for fact, turn in found if not turn or turn in talk.turns}


def _upto(c: apsw.Connection, talk: Talk) -> int:
    found: Any = c.execute("SELECT turn, change FROM fact_told WHERE session = ?", (talk.session,))
    known = [int(change) for turn, change in found if not turn or turn in talk.turns]
    return max(known, default=0)
