"""Replay: an edited skill is tried on past uses before its new text counts.

Nothing is run. A model that has only the skill's text and the task says which calls it would
make; they are held against the calls that worked then. The old and the new text get the same
tasks, so what is compared is the text alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

from hermes_tui.skills.words import words

Ask = Callable[[str, str], Awaitable[str]]
"""(system text, question) to answer."""
WORSE = 0.1
"""By how much the mean of all uses must fall for an edit to count as worse."""
_ENOUGH = 0.6
SYSTEM = (
    "You rehearse. Below are instructions and a task. List the tool calls you would make, in"
    " order, one a line, each as `tool: what exactly`, following the instructions to the letter."
    " No other text; nothing is carried out."
)


class Case(Struct, frozen=True, kw_only=True):
    """A past use that went well. steps: the calls that worked, as `tool: arguments`."""

    task: str
    steps: tuple[str, ...]


class Tried(Struct, frozen=True, kw_only=True):
    """How two texts did. old, new: mean share of what worked then, 0 to 1; broken: checks that
    the new text fails and the old one did not."""

    cases: int
    old: float = 0.0
    new: float = 0.0
    broken: tuple[str, ...] = ()

    @property
    def worse(self) -> bool:
        """Whether the new text should not take the old one's place."""
        return bool(self.broken) or (self.cases > 0 and self.new < self.old - WORSE)

    @property
    def told(self) -> str:
        """In words, for people."""
        parts: list[str] = []
        if self.cases:
            uses = "1 past use" if self.cases == 1 else f"{self.cases} past uses"
            parts.append(f"{uses}: {self.old:.0%} of what worked before, {self.new:.0%} now")
        parts += [f"fails the check {one!r}" for one in self.broken]
        verdict = "worse: " if self.worse else ""
        return verdict + ("; ".join(parts) or "no past use to try it on")


async def replay(
    old: str, new: str, cases: Sequence[Case], broken: Sequence[str], ask: Ask
) -> Tried:
    """Try two texts of a skill on past uses. broken: checks that the new one fails and the old
    one did not; then nothing more is tried. Raises what `ask` raises."""
    if broken:
        return Tried(cases=0, broken=tuple(broken))
    scores: list[tuple[float, float]] = []
    for case in cases:
        before = score(await ask(SYSTEM, _question(old, case)), case)
        after = score(await ask(SYSTEM, _question(new, case)), case)
        scores.append((before, after))
    if not scores:
        return Tried(cases=0)
    mean = [sum(one[at] for one in scores) / len(scores) for at in (0, 1)]
    return Tried(cases=len(scores), old=round(mean[0], 3), new=round(mean[1], 3))


def score(plan: str, case: Case) -> float:
    """How much of what worked a plan has, 0 to 1; calls beyond that cost a little."""
    planned = [_said(line) for line in plan.splitlines() if line.strip()]
    wanted = [_said(step) for step in case.steps]
    if not planned or not wanted:
        return 0.0
    left = list(planned)
    met = 0
    for one in wanted:
        best = max(left, key=lambda other: _alike(one, other), default=None)
        if best is not None and _alike(one, best) >= _ENOUGH:
            met += 1
            left.remove(best)
    return met / len(wanted) * min(1.0, len(wanted) / len(planned)) ** 0.25


def _said(step: str) -> list[str]:
    """The words of a call but those of its tool, which many calls have in common."""
    return words(step.partition(":")[2]) or words(step)


def _alike(wanted: list[str], planned: list[str]) -> float:
    """The share of a call's words that another has; the first, its program, counts twice."""
    if not wanted or not planned:
        return 0.0
    own = set(wanted)
    return (len(own & set(planned)) + (wanted[0] == planned[0])) / (len(own) + 1)


def _question(text: str, case: Case) -> str:
    return f"{text}\n\n# Task\n\n{case.task}"
