"""Learning: what was learned from the work, and going through it."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from hermes_tui.intents.base import Intent


class LearnedSkill(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A skill that was learned, or a change to one. source: `SESSION:TURN` it came from; calls:
    (tool calls the task took when it was learned from it, mean with the skill), 0 unknown."""

    name: str
    state: str = ""
    reason: str = ""
    source: str = ""
    since: float = 0.0
    version: int = 0
    uses: int = 0
    worked: int = 0
    corrected: int = 0
    failed: int = 0
    calls: tuple[float, float] = (0.0, 0.0)
    accepted: int = 0
    rejected: int = 0
    replay: str = ""


class LearningNote(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something noted for a while. kind: `failure` or `correction`; condition: when it holds."""

    kind: str
    about: str
    text: str
    source: str
    expires: float
    condition: str = ""


class LookedAt(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A turn that held something, and what came of it."""

    session: str
    turn: int
    ts: float
    task: str
    occasion: str
    result: str
    why: str = ""
    asked: int = 0


class LearningReport(Struct, frozen=True, kw_only=True):
    """All that was learned. turns: looked at in the time reported on; asked: model calls that
    took; left: calls left today; reviewed: when all was gone through last, 0 for never."""

    on: bool
    skills: tuple[LearnedSkill, ...] = ()
    proposals: int = 0
    notes: tuple[LearningNote, ...] = ()
    turns: int = 0
    looked: tuple[LookedAt, ...] = ()
    asked: int = 0
    left: int = 0
    reviewed: float = 0.0
    review: tuple[str, ...] = ()


class ShowLearning(Intent[LearningReport], frozen=True, kw_only=True):
    """What was learned, from where, how often it was used and whether it helped."""

    reply: ClassVar[Any] = LearningReport
    days: float = 30.0


class Reviewed(Struct, frozen=True, kw_only=True):
    """What going through everything changed, a line each."""

    lines: tuple[str, ...] = ()


class ReviewLearning(Intent[Reviewed], frozen=True, kw_only=True):
    """Go through all that was learned now."""

    reply: ClassVar[Any] = Reviewed
