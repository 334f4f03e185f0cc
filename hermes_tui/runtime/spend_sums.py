"""What was used of each cap, kept beside the store so that a call need not add up a day."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec import Struct

from hermes_tui.events import Usage
from hermes_tui.intents import SpendTotal

_MOST = 2000
"""Sums kept; beyond that all are read from the store again."""


class Sum(Struct):
    """Dollars and tokens."""

    cost: float = 0.0
    tokens: int = 0


class Sums:
    """Sums by what they are of. Each is read from the store once, then follows the calls."""

    def __init__(self) -> None:
        self._sums: dict[str, Sum] = {}
        self._open: dict[int, tuple[tuple[str, ...], Usage]] = {}
        self._changes = 0

    async def of(self, what: str, read: Callable[[], Awaitable[SpendTotal]]) -> Sum:
        """The sum of something; `read` adds it up in the store, calls under way included."""
        while what not in self._sums:
            before = self._changes
            total = await read()
            if before == self._changes:  # otherwise it may be of before the change
                if len(self._sums) >= _MOST:
                    self._sums.clear()
                self._sums[what] = Sum(cost=total.cost, tokens=total.tokens)
        return self._sums[what]

    def opened(self, account: int, whats: tuple[str, ...], likely: Usage) -> None:
        """A call has begun, on account of these, and is expected to take so much."""
        self._open[account] = (whats, likely)
        self._add(whats, likely, 1)

    def closed(self, account: int, used: Usage) -> None:
        """A call is over and took so much."""
        whats, likely = self._open.pop(account, ((), Usage()))
        self._add(whats, likely, -1)
        self._add(whats, used, 1)

    def _add(self, whats: tuple[str, ...], usage: Usage, sign: int) -> None:
        self._changes += 1
        for one in (self._sums[what] for what in whats if what in self._sums):
            one.cost += sign * (usage.cost or 0.0)
            one.tokens += sign * (usage.prompt + usage.completion)
