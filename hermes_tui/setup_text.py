"""What every face says while it sets up a model: sizes, how long it takes, tasks to begin with."""

from __future__ import annotations

from collections import deque

from hermes_tui.events import FetchProgress
from hermes_tui.intents import ModelChoice

TASKS = (
    "Which files are in this folder?",
    "Run the command date and tell me which day it is.",
    "Make a file hello.txt that says: hello from hermes",
)
"""Things to try first, so small that the smallest model does them: a tool that reads, a command,
a change that asks."""

_OVER_S = 5.0


def megabytes(count: int) -> str:
    """`491 MB`, `0.2 MB`."""
    return f"{count / 1e6:,.0f} MB" if count >= 10_000_000 else f"{count / 1e6:,.1f} MB"


def duration(seconds: float) -> str:
    """`34 s`, `2 min 05 s`, `1 h 04 min`."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def name_of(choice: ModelChoice) -> str:
    """Who a choice is, in a few words."""
    return f"{choice.title} {choice.chosen.name}".strip()


class Pace:
    """How fast a fetch goes, by the bytes of the last five seconds."""

    def __init__(self) -> None:
        self.done = self.total = 0
        self._seen: deque[tuple[float, int]] = deque()

    def add(self, progress: FetchProgress, now: float) -> None:
        """So many bytes are there, at this time in seconds."""
        self.done, self.total = progress.done, progress.total
        if self._seen and self.done < self._seen[-1][1]:
            self._seen.clear()  # another source begins anew
        self._seen.append((now, self.done))
        while len(self._seen) > 2 and now - self._seen[0][0] > _OVER_S:
            self._seen.popleft()

    @property
    def speed(self) -> float:
        """Bytes a second; 0 as long as it is not known."""
        (before, had), (after, has) = self._seen[0], self._seen[-1]
        return (has - had) / (after - before) if after - before > 0.2 else 0.0

    def words(self) -> str:
        """`212 MB of 491 MB · 8.3 MB/s · 34 s left`."""
        if not self.total:
            return "connecting …"
        if self.done >= self.total:
            return f"{megabytes(self.total)} are here, checking them …"
        parts = [f"{megabytes(self.done)} of {megabytes(self.total)}"]
        if self.speed > 0:
            left = (self.total - self.done) / self.speed
            parts += [f"{self.speed / 1e6:,.1f} MB/s", f"{duration(left)} left"]
        return " · ".join(parts)
