"""Finding statements: the one that is meant, and those that fit what is asked."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import apsw
import msgspec

from hermes_tui.errors import NotFoundError
from hermes_tui.intents.memory import CARD, Fact, Kind
from hermes_tui.memory import alike, rows
from hermes_tui.memory.place import Place, visible
from hermes_tui.memory.words import asked, fold, terms

_LOOKED_AT = 200
ALL_STATES = (*rows.LIVE, "replaced", "retired")
_HINT = "`hermes memory list` shows them with their ids"
_WEIGHT: dict[Kind, float] = {
    "instruction": 3.0,
    "about": 2.0,
    "preference": 1.6,
    "expertise": 1.2,
    "relation": 1.2,
    "project": 1.0,
    "pattern": 1.0,
    "fact": 0.8,
}


def one(c: apsw.Connection, which: str, live: bool = False, place: Place | None = None) -> Fact:
    """The statement that is meant by an id or by its words. Raises NotFoundError.

    live: only one that is not replaced or retired; place: none but those that are for it.
    """
    key = rows.key_of(which) if fold(which.strip()).startswith("m") else 0
    found = rows.get(c, key) if key else None
    if found is not None and (place is None or visible(found, place)):
        if live and found.state not in rows.LIVE:
            raise NotFoundError(f"{found.id} is {found.state} already", "`hermes memory undo`")
        return found
    facts = [fact for fact, _ in rows.matching(c, terms(which), 50)]
    if place is not None:
        facts = [fact for fact in facts if visible(fact, place)]
    exact = [fact for fact in facts if fold(fact.text) == fold(which.strip())]
    alike_ = [fact for fact in facts if alike.relation(which, fact.text) == "same"]
    parts = [fact for fact in facts if fold(which.strip()) in fold(fact.text)]
    for group in (exact, alike_, parts):
        if len(group) == 1:
            return group[0]
        if group:
            names = "; ".join(f"{fact.id} {short(fact.text)}" for fact in group[:5])
            raise NotFoundError(f"{which!r} could be several: {names}", "give the id")
    near = "; ".join(f"{fact.id} {short(fact.text)}" for fact in facts[:3])
    raise NotFoundError(f"no statement is {which!r}", f"near it: {near}" if near else _HINT)


def typed(c: apsw.Connection, query: str, card: bool, states: Sequence[str]) -> list[Fact]:
    """Statements that hold the words of a query as it is being typed, best first."""
    words = terms(query)
    found = {fact.id: fact for fact, _ in rows.matching(c, words, _LOOKED_AT, typed=True)}
    if len(query.strip()) >= 2:
        for fact in rows.containing(c, query.strip(), _LOOKED_AT):
            found.setdefault(fact.id, fact)
    if (key := rows.key_of(query)) and (named := rows.get(c, key)) is not None:
        found.setdefault(named.id, named)
    kept = [f for f in found.values() if f.state in states and (not card or f.kind in CARD)]
    return sorted(kept, key=lambda fact: -_coverage(words, fact))


def fitting(
    c: apsw.Connection, text: str, place: Place, card: bool = False
) -> list[tuple[Fact, float]]:
    """(statement, fit 0 to 1) of those that may be used here and fit a text, best first."""
    words = asked(text)
    found = rows.matching(c, words, _LOOKED_AT)
    rare = _rarity(words, [fact for fact, _ in found])
    total = sum(rare.values()) or 1.0
    scored: list[tuple[Fact, float]] = []
    for fact, _ in found:
        if (
            fact.state == "candidate"
            or not visible(fact, place)
            or (card and fact.kind not in CARD)
        ):
            continue
        held = set(terms(f"{fact.text} {fact.topic}"))
        fit = sum(weight for word, weight in rare.items() if word in held) / total
        fit *= 1.15 if fact.scope in ("folder", "chat") else 1.0
        fit *= 0.7 if fact.state == "disputed" else 1.0
        scored.append((fact, min(fit, 1.0)))
    scored.sort(key=lambda pair: (-pair[1], -pair[0].changed))
    return scored


def standing(fact: Fact, now: float, fade_days: float) -> float:
    """How much a statement deserves a place in every prompt: by kind, fading while unused."""
    if fact.pinned:
        return 100.0
    weight = _WEIGHT[fact.kind] * (1.5 if fact.scope in ("folder", "chat") else 1.0)
    if fact.kind == "instruction":
        return weight
    idle = max(now - max(fact.changed, fact.used), 0.0) / 86_400
    return weight * 0.5 ** (idle / fade_days) * (1 + 0.1 * min(fact.uses, 10))


def faded(fact: Fact, fade_days: float) -> bool:
    """Whether a statement of the card has been of no use for so long that it is left out."""
    idle = (time.time() - max(fact.changed, fact.used)) / 86_400
    plain = not fact.pinned and fact.kind not in ("instruction", "about")
    return plain and idle > 4 * fade_days


def titled(c: apsw.Connection, facts: Sequence[Fact]) -> list[Fact]:
    """The statements with the titles of the sessions they come from."""
    names = {source.session for fact in facts for source in fact.sources if source.session}
    titles: dict[str, str] = {}
    for name in names:
        row = c.execute("SELECT title FROM session WHERE id = ?", (name,)).fetchone()
        titles[name] = str(row[0]) if row else ""
    return [
        msgspec.structs.replace(
            fact,
            sources=tuple(
                msgspec.structs.replace(source, title=titles.get(source.session, ""))
                for source in fact.sources
            ),
        )
        for fact in facts
    ]


def short(text: str, most: int = 60) -> str:
    """A statement on one line, cut."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _coverage(words: Sequence[str], fact: Fact) -> float:
    held = terms(f"{fact.text} {fact.topic}")
    whole = sum(word in held for word in words)
    begun = sum(any(one.startswith(word) for one in held) for word in words)
    return whole + 0.5 * begun + 0.01 * fact.uses + (0.2 if fact.state == "current" else 0)


def _rarity(words: Sequence[str], facts: Sequence[Fact]) -> dict[str, float]:
    """How much each word tells statements apart; one that none holds counts as a rare one."""
    held = [set(terms(f"{fact.text} {fact.topic}")) for fact in facts]
    count = len(held) or 1
    found = {word: sum(word in one for one in held) for word in dict.fromkeys(words)}
    return {word: math.log(1 + count / (n or 1)) + 0.3 for word, n in found.items()}
