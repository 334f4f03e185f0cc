"""What models took and cost: sums by what they are told apart by, caps, how the keys are."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import Struct

from hermes_tui.intents.base import Intent

SpendBy = Literal["model", "provider", "task", "session", "job", "day"]


class SpendTotal(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A sum over model calls. unpriced: how many of them have no known price, so that `cost`
    (US dollars) is too low; guessed: how many whose tokens the provider did not tell.

    name: what it is of: a model, a day as YYYY-MM-DD, …
    """

    name: str = ""
    calls: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    cost: float = 0.0
    unpriced: int = 0
    guessed: int = 0

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.prompt + self.completion


class SpendCap(Struct, frozen=True, kw_only=True):
    """A cap that is set: its setting, what was used of it, how much it allows."""

    name: str
    used: float
    cap: float


class KeyState(Struct, frozen=True, kw_only=True):
    """How the keys of one provider are. until: Unix time the next is ready again, 0 for none."""

    whose: str
    ready: int
    keys: int
    until: float = 0.0


class SpendReport(Struct, frozen=True, kw_only=True):
    """What was asked for, with the sum of all of it.

    sessions: how many had a call in that time.
    """

    total: SpendTotal
    groups: dict[str, tuple[SpendTotal, ...]] = {}
    caps: tuple[SpendCap, ...] = ()
    keys: tuple[KeyState, ...] = ()
    sessions: int = 0


class ShowSpend(Intent[SpendReport], frozen=True, kw_only=True):
    """What was spent since a time (Unix, seconds), in one session where it is named."""

    reply: ClassVar[Any] = SpendReport
    by: tuple[SpendBy, ...] = ("model",)
    since: float = 0.0
    session: str = ""
