"""Watch what a process writes for lines that match, and say so, but never too often."""

from __future__ import annotations

import asyncio
import importlib
import re
import time
from collections.abc import Callable
from typing import Any

from hermes_tui.errors import ToolError
from hermes_tui.tools.plain_text import LiveText

PAUSE_S = 5.0
"""Between two notices about one process."""
MOST_NOTICES = 50
_LINE_CHARS = 300
_SHOWN_LINES = 5
_LONGEST_PATTERN = 300
_MOST_REPEATS = 3
_SLOW_S = 0.05

Say = Callable[[str], None]


class Watch:
    """One pattern and what of the output has matched it. Raises ToolError for a bad pattern.

    `say` of `start` gets a sentence with the lines that matched: the first at once, later ones
    together, one sentence in `pause_s` seconds.
    """

    def __init__(self, pattern: str, pause_s: float = PAUSE_S) -> None:
        self.pattern = pattern
        self.matched = 0
        self._expression = compiled(pattern)
        self._pause_s = pause_s
        self._text = LiveText()
        self._rest = ""
        self._new: list[str] = []
        self._more = 0
        self._notices = 0
        self._quiet_until = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._say: Say | None = None

    def start(self, say: Say) -> None:
        """Begin to tell."""
        self._say = say

    def feed(self, chunk: bytes) -> None:
        """Take in more output."""
        if self._say is None:
            return
        *lines, self._rest = (self._rest + self._text.feed(chunk)).split("\n")
        for line in lines:
            self._look(line)
        self._rest = self._rest[: 2 * _LINE_CHARS]

    def end(self) -> None:
        """No more comes: look at an unfinished line and tell what was held back."""
        if self._rest:
            self._look(self._rest)
        self._rest = ""
        self._tell()
        self.stop()

    def stop(self) -> None:
        """Tell nothing any more."""
        self._say = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self, line: str) -> None:
        if self._say is None:
            return
        began = time.thread_time()
        found = self._expression.search(line[:_LINE_CHARS])
        if time.thread_time() - began > _SLOW_S:
            self._give_up("the pattern takes too long")
        elif found:
            self._match(line)

    def _match(self, line: str) -> None:
        self.matched += 1
        if len(self._new) < _SHOWN_LINES:
            self._new.append(line.strip()[:_LINE_CHARS])
        else:
            self._more += 1
        wait = self._quiet_until - time.monotonic()
        if wait <= 0:
            self._tell()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(wait, self._tell)

    def _tell(self) -> None:
        self._timer = None
        if self._say is None or not self._new:
            return
        more = f"\n… and {self._more} more lines" if self._more else ""
        self._say("\n".join(self._new) + more)
        self._new, self._more = [], 0
        self._quiet_until = time.monotonic() + self._pause_s
        self._notices += 1
        if self._notices >= MOST_NOTICES:
            self._give_up(f"it has matched {self.matched:,} lines")

    def _give_up(self, why: str) -> None:
        if self._say is not None:
            self._say(f"[it is watched no longer: {why}]")
        self.stop()


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, which must be one that can't take for ever. Raises ToolError."""
    if not pattern.strip() or len(pattern) > _LONGEST_PATTERN:
        raise ToolError(f"a pattern to watch for has 1 to {_LONGEST_PATTERN} characters")
    try:
        made = re.compile(pattern)
        parser: Any = importlib.import_module("re._parser")
        repeats = _repeats(parser.parse(pattern))
    except (re.error, RecursionError, OverflowError) as error:
        raise ToolError(f"{pattern!r} is no regular expression: {error}") from error
    if repeats < 0 or repeats > _MOST_REPEATS:
        raise ToolError(
            f"{pattern!r} could take very long to match",
            "no repetition inside a repetition, and at most three of them",
        )
    return made


def _repeats(parsed: Any) -> int:
    """How many open repetitions there are; far below 0 when one lies inside another."""
    count = 0
    for kind, value in _items(parsed):
        inner = sum(_repeats(part) for part in _parts(value))
        if str(kind) not in ("MAX_REPEAT", "MIN_REPEAT"):
            count += inner
        elif value[0] == value[1] or value[1] == 1:
            count += inner * int(value[1])
        elif inner or _branches(value[2]):
            return -1_000
        else:
            count += 1
    return count


def _branches(parsed: Any) -> bool:
    """Whether there is a choice in it, which a repetition multiplies."""
    return any(
        str(kind) == "BRANCH" or any(_branches(part) for part in _parts(value))
        for kind, value in _items(parsed)
    )


def _items(parsed: Any) -> list[tuple[Any, Any]]:
    return list(parsed)


def _parts(value: Any) -> list[Any]:
    """The patterns inside an item of a parsed pattern."""
    kind: Any = importlib.import_module("re._parser").SubPattern
    if isinstance(value, kind):
        return [value]
    if isinstance(value, list | tuple):
        return [part for one in value for part in _parts(one)]  # pyright: ignore[reportUnknownVariableType]
    return []
