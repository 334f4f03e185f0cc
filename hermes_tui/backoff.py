"""How long to wait before a link that was cut is tried again: doubling, jittered, bounded."""

from __future__ import annotations

import random


class Backoff:
    """Waits of one link. `again` gives the next one, `worked` starts over.

    first_s, longest_s: the shortest and the longest wait, in seconds.
    """

    def __init__(self, first_s: float = 0.5, longest_s: float = 60.0) -> None:
        self._first = first_s
        self._longest = longest_s
        self.failures = 0

    def again(self) -> float:
        """Seconds to wait now, between half and the whole of twice the last."""
        self.failures += 1
        step = min(self._first * 2.0 ** min(self.failures - 1, 16), self._longest)
        return step * random.uniform(0.5, 1.0)

    def worked(self) -> None:
        """The link holds: the next failure is the first one again."""
        self.failures = 0
