"""What a write did, as a sentence a person or a model can act on."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tui.intents.memory import Fact
from hermes_tui.memory.finding import short
from hermes_tui.memory.writing import Outcome


def of_outcome(outcome: Outcome) -> str:
    """What became of a new statement."""
    fact = outcome.fact
    said = f"{fact.id} «{short(fact.text)}»"
    match outcome.how:
        case "known":
            first = f"Already known: {said}."
        case "completed":
            first = f"Joined with what was known: {said}."
        case "replaced":
            old = ", ".join(f"{one.id} «{short(one.text)}»" for one in outcome.replaced)
            first = f"Remembered {said} in place of {old}."
        case "disputed":
            other = outcome.near[0]
            return (
                f"Kept as {said}, but it contradicts {other.id} «{short(other.text)}», which weighs"
                " more. Both are kept; ask the user, then settle it with remember(replaces=…)."
            )
        case "forgotten":
            return f"Kept as a candidate only, {said}: {fact.reason}."
        case _:
            first = f"Remembered {said}."
    if fact.state == "candidate":
        first = f"Kept as a candidate, {said}: {fact.reason or 'nobody confirmed it yet'}."
    if outcome.near:
        near = ", ".join(f"{one.id} «{short(one.text)}»" for one in outcome.near)
        first += f" It looks like {near}; replace or merge if they are one."
    return first


def of_undo(facts: Sequence[Fact]) -> str:
    """What is so again."""
    lines = [
        f"{fact.id} «{short(fact.text)}» is "
        + ("gone" if fact.state == "retired" else f"{fact.state} again")
        for fact in facts[:10]
    ]
    more = f"; and {len(facts) - 10} more" if len(facts) > 10 else ""
    return "Taken back: " + "; ".join(lines) + more + "."


def refused(text: str) -> str:
    """Why a statement about feelings or character was not kept."""
    return (
        f"Not kept: «{short(text)}» is about feelings or character, and the user has not switched"
        " that on (memory.character). Keep it only if they ask for it in so many words."
    )
