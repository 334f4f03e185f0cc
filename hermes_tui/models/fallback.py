"""Another model when the first can't answer: which one, for which failures, for how long."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from msgspec import Struct

from hermes_tui.errors import ModelError
from hermes_tui.models.base import Delta, Model, Request

KINDS = ("rate", "billing", "auth", "overloaded", "network", "malformed", "missing", "refused")
USUAL = frozenset({"rate", "billing", "auth", "overloaded", "network", "malformed", "missing"})
PASSING = frozenset({"rate", "overloaded", "network", "malformed"})
"""Failures that trying again often helps against: the next model has its turn at the second."""
PATIENCE_S = 5.0
"""A provider that asks for a longer wait is not waited for while another model can answer."""
AWAY_S = 120.0
"""How long the first model is left alone once another one answers for it."""


class Rule(Struct, frozen=True, kw_only=True):
    """One step of the chain: a model, and the failures it answers for."""

    name: str
    kinds: frozenset[str] = USUAL


def rule(text: str) -> Rule:
    """A rule as it is written: `MODEL`, or `MODEL on KIND,KIND`. Raises ModelError."""
    name, on, words = text.strip().partition(" on ")
    kinds = frozenset(word.strip() for word in words.split(",") if word.strip())
    strange = sorted(kinds - set(KINDS))
    if strange or not name.strip() or (on and not kinds) or name.endswith(" on"):
        what = f"{strange[0]!r} is no kind of failure" if strange else f"{text!r} is no rule"
        hint = f"model.fallback takes `MODEL` or `MODEL on KIND,KIND`; kinds: {', '.join(KINDS)}"
        raise ModelError(what, hint, "missing")
    return Rule(name=name.strip(), kinds=kinds or USUAL)


class Standing:
    """What a chain remembers between requests, shared by all that use the same one."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.away_until: dict[int, float] = {}
        self.failed: dict[int, int] = {}


class Fallback:
    """A chain of models that answers as one; its name is that of the one that answers."""

    repairs_calls = True

    def __init__(
        self, models: Sequence[Model], rules: Sequence[Rule], standing: Standing | None = None
    ) -> None:
        self._models = tuple(models)
        self._rules = tuple(rules)
        self._standing = standing or Standing()
        self._now = self._first()
        self.repairs_calls = all(one.repairs_calls for one in models)

    @property
    def name(self) -> str:
        """As the provider calls the one that answers."""
        return self._models[self._now].name

    @property
    def window(self) -> int:
        """Context size in tokens of the one that answers."""
        return self._models[self._now].window

    def __getattr__(self, name: str) -> Any:
        """What else the first model has, such as whether it sees."""
        return getattr(self._models[0], name)

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Send the request to the first model that may answer; on failure, by rule, to the next."""
        standing = self._standing
        place = self._first()
        while True:
            self._now = place
            begun = False
            try:
                async for delta in self._models[place].stream(request):
                    begun = True
                    yield delta
            except ModelError as error:
                standing.failed[place] = standing.failed.get(place, 0) + 1
                following = None if begun else self._next(place, error)
                if following is None:
                    raise
                standing.away_until[place] = standing.clock() + AWAY_S
                told = f"{self._models[place].name}: {error.message}"
                yield Delta(note=f"{self._models[following].name} answers instead of {told}")
                place = following
                continue
            standing.failed[place] = 0
            return

    async def close(self) -> None:
        """Close all of them."""
        for one in self._models:
            await one.close()

    def _first(self) -> int:
        now = self._standing.clock()
        away = self._standing.away_until
        return next((n for n in range(len(self._models)) if away.get(n, 0.0) <= now), 0)

    def _next(self, place: int, error: ModelError) -> int | None:
        waits = error.retry_after is not None and error.retry_after > PATIENCE_S
        once = self._standing.failed[place] < 2
        if error.kind in PASSING and once and not waits:
            return None
        for number, one in enumerate(self._rules, start=1):
            if number > place and error.kind in one.kinds:
                return number
        return None
