"""The life of a learned skill, by what its uses led to: candidate, active, doubtful, archived.

A skill counts once it has worked for two tasks that are not one task said twice. Two failures or
corrections since then make it doubtful; one more, and it is archived: no longer offered, still
there. A new text begins anew as a candidate when the old one was in doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from hermes_tui.skills.words import words

State = Literal["candidate", "active", "doubtful", "archived"]
Outcome = Literal["", "ok", "failed", "corrected"]

_WORKED, _DOUBT, _OVER = 2, 2, 3
_SAME_TASK = 0.7


class Use(Struct, frozen=True, kw_only=True):
    """One use of a skill. task: what was asked for; outcome: empty until it is judged."""

    name: str
    version: int
    session: str
    turn: int
    ts: float
    task: str = ""
    outcome: Outcome = ""
    why: str = ""


def state_after(state: State, uses: Sequence[Use]) -> State:
    """The state of a skill in this state, by its uses since its text last changed."""
    judged = [use for use in uses if use.outcome]
    bad = _bad_at_the_end(judged)
    if state == "archived" or bad >= _OVER:
        return "archived"
    if bad >= _DOUBT:
        return "doubtful"
    if different_tasks([use for use in judged if use.outcome == "ok"]) >= _WORKED:
        return "active"
    return state if state != "doubtful" or bad else "candidate"


def state_after_edit(state: State) -> State:
    """The state of a skill whose text has changed."""
    return "active" if state == "active" else "candidate"


def different_tasks(uses: Sequence[Use]) -> int:
    """How many tasks the uses were for; the same request in other words is one."""
    seen: list[set[str]] = []
    for use in uses:
        said = set(words(use.task)) or {f"{use.session}:{use.turn}"}
        if not any(_same(said, one) for one in seen):
            seen.append(said)
    return len(seen)


def success(uses: Sequence[Use]) -> tuple[int, int]:
    """(uses that worked, uses that were judged)."""
    judged = [use for use in uses if use.outcome]
    return sum(use.outcome == "ok" for use in judged), len(judged)


def _bad_at_the_end(judged: Sequence[Use]) -> int:
    """Failures and corrections among the last uses; two that worked make up for those before."""
    bad = good = 0
    for use in judged:
        if use.outcome == "ok":
            good += 1
            bad = 0 if good >= _WORKED else bad
        else:
            bad, good = bad + 1, 0
    return bad


def _same(one: set[str], other: set[str]) -> bool:
    return len(one & other) / len(one | other) >= _SAME_TASK
