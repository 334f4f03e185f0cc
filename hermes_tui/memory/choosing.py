"""Which statements a prompt gets: within a budget of bytes, by standing, place and relevance."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

import apsw
from msgspec import Struct

from hermes_tui.intents.memory import CARD, Fact, Source
from hermes_tui.memory import finding, rows
from hermes_tui.memory.place import Place, visible

FITS = 0.45
"""From this share of a text's telling words on, a statement is taken to be about it."""
_MOST = 300
_LINE = 320
CARD_HEAD = (
    "The user, as noted earlier (what they say now counts more; put a wrong line right with"
    " remember):"
)
FACTS_HEAD = "Notes from earlier work (they may be out of date; check what matters):"


class Chosen(Struct, frozen=True, kw_only=True):
    """A statement for a prompt, and why. fits: chosen because of what was said."""

    fact: Fact
    why: str
    fits: bool = False


def choose(
    c: apsw.Connection, said: str, place: Place, budget: int, fade_days: float
) -> list[Chosen]:
    """What a session's first prompt gets: what always holds, what fits, what is used most."""
    pool: dict[str, Chosen] = {}
    for fact, fit in finding.fitting(c, said, place) if said else ():
        if fit >= FITS:
            why = f"it fits «{finding.short(said, 40)}»"
            pool[fact.id] = Chosen(fact=fact, why=why, fits=True)
    now = time.time()
    others = [fact for fact in _standing(c) if visible(fact, place) and fact.id not in pool]
    others = [fact for fact in others if not finding.faded(fact, fade_days)]
    others.sort(key=lambda fact: (-finding.standing(fact, now, fade_days), -fact.changed, fact.id))
    first = [one for one in others if one.pinned or one.kind == "instruction"]
    rest = [one for one in others if one not in first]
    order = [
        *(Chosen(fact=one, why=_why(one)) for one in first),
        *pool.values(),
        *(Chosen(fact=one, why=_why(one)) for one in rest),
    ]
    return _within(order, budget)


def text_of(chosen: Sequence[Chosen], kept: int) -> tuple[tuple[str, str], ...]:
    """(part, text) of the prompt's frozen part; nothing when nothing is known.

    kept: how many statements there are in all.
    """
    card = [one.fact for one in chosen if one.fact.kind in CARD]
    facts = [one.fact for one in chosen if one.fact.kind not in CARD]
    parts: list[tuple[str, str]] = []
    if card:
        parts.append(("user card", "\n".join([CARD_HEAD, *map(line, card)])))
    if facts:
        parts.append(("memory", "\n".join([FACTS_HEAD, *map(line, facts)])))
    left = kept - len(chosen)
    if parts and left > 0:
        name, text = parts[-1]
        more = f"({left} more are kept; ask_user_model finds them.)"
        parts[-1] = (name, f"{text}\n{more}")
    return tuple(parts)


def line(fact: Fact) -> str:
    """A statement as a prompt has it: one line with its id; quoted when it came from outside."""
    text = " ".join(fact.text.split())
    text = text if len(text) <= _LINE else text[: _LINE - 1] + "…"
    if fact.taint:
        text = f"«{text}» (read in what came from outside, not confirmed)"
    if fact.state == "disputed":
        text += f" (disputed: {fact.other} says otherwise)"
    return f"- {text} [{fact.id}]"


def size(text: str) -> int:
    """Bytes of a line with its end."""
    return len(text.encode("utf-8", "replace")) + 1


def origin(source: Source) -> str:
    """Where a statement came from, in words: who, when, in which session."""
    who = {
        "user": "you said so",
        "agent": "concluded",
        "tool": "read in a tool's output",
        "import": "imported",
        "provider": "from the memory provider",
    }[source.who]
    day = time.strftime("%d %b %Y", time.localtime(source.ts)).lstrip("0") if source.ts else ""
    where = source.title or source.session
    return who + (f" in «{where}»" if where else "") + (f", {day}" if day else "")


def _standing(c: apsw.Connection) -> list[Fact]:
    states = ("current", "disputed")
    always = rows.listed(c, states, _MOST, "f.pinned OR f.kind = 'instruction'")
    card = rows.listed(c, states, _MOST, "f.kind <> 'fact' AND f.kind <> 'instruction'")
    facts = rows.listed(c, states, _MOST, "f.kind = 'fact'")
    return list({fact.id: fact for fact in (*always, *card, *facts)}.values())


def _why(fact: Fact) -> str:
    if fact.pinned:
        return "you pinned it"
    if fact.kind == "instruction":
        return "a standing instruction"
    if fact.scope in ("folder", "chat"):
        return f"it is kept for this {fact.scope}"
    return "on your card" if fact.kind in CARD else "among the newest notes"


def _within(order: Iterable[Chosen], budget: int) -> list[Chosen]:
    """As many as fit; heads and the closing line are part of the budget."""
    room = budget - size(CARD_HEAD) - size(FACTS_HEAD) - 60
    taken: list[Chosen] = []
    for one in order:
        need = size(line(one.fact))
        if need <= room:
            room -= need
            taken.append(one)
    return taken
