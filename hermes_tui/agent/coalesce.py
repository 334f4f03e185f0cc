"""Join many small pieces of text into at most twenty a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

INTERVAL = 0.05


class Coalescer:
    """Collects pieces and hands them on joined, at once when it has been quiet.

    deliver: called with the joined text of each channel, on the event loop.
    """

    def __init__(self, deliver: Callable[[str, str], None], interval: float = INTERVAL) -> None:
        self._deliver = deliver
        self._interval = interval
        self._text: list[str] = []
        self._other: list[str] = []
        self._timer: asyncio.TimerHandle | None = None

    def add(self, text: str, other: str = "") -> None:
        """Take a piece (and one of a second channel, such as reasoning)."""
        if text:
            self._text.append(text)
        if other:
            self._other.append(other)
        if self._timer is None and (self._text or self._other):
            self._timer = asyncio.get_running_loop().call_later(self._interval, self.flush)

    def flush(self) -> None:
        """Hand on what is there now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._text or self._other:
            text, other = "".join(self._text), "".join(self._other)
            self._text, self._other = [], []
            self._deliver(text, other)

    def drop(self) -> None:
        """Forget what is there and stop the timer."""
        self._text, self._other = [], []
        self.flush()
