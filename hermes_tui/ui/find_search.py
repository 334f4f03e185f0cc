"""Finding in the chat a bit at a time, newest first: the first hit is there at once, keys go on."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from hermes_tui.search.pattern import required_word
from hermes_tui.ui.blocks import Block

if TYPE_CHECKING:
    from hermes_tui.ui.transcript import Transcript

SLICE_S = 0.010
"""How long one slice may look."""
MOST = 10_000
"""Matches after which looking ends: nobody steps through more."""
_BREATH_S = 0.001


class Match(NamedTuple):
    """A text that was found: a part of a block's source."""

    block: Block
    start: int
    end: int


class Search:
    """Looks for a pattern in all blocks of a transcript, from the newest up.

    matches: newest first; done: nothing older is left to look at among the blocks there are.
    """

    def __init__(self, transcript: Transcript, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self.matches: list[Match] = []
        self.done = False
        self._word = required_word(pattern)
        self._fold = bool(pattern.flags & re.IGNORECASE)
        self._transcript = transcript
        self._last: Block | None = None

    @property
    def full(self) -> bool:
        """Whether there are more matches than are kept."""
        return len(self.matches) >= MOST

    async def run(self, told: Callable[[], None]) -> None:
        """Look at all blocks; `told` is called after each slice."""
        while not self.slice():
            told()
            await asyncio.sleep(_BREATH_S)
        told()

    def resume(self) -> None:
        """Older blocks have come in."""
        self.done = False

    def slice(self, seconds: float = SLICE_S) -> bool:
        """Look for so long; True when it is done."""
        until = time.thread_time() + seconds
        column = self._transcript.column
        index = len(column) - 1 if self._last is None else column.index(self._last) - 1
        while index >= 0 and not self.full:
            block = column.blocks[index]
            self._look_at(block)
            self._last = block
            index -= 1
            if index % 64 == 0 and time.thread_time() > until:
                return False
        self.done = True
        return True

    def _look_at(self, block: Block) -> None:
        if self._word and not self._may_match(block):
            return
        found = [
            Match(block, one.start(), one.end())
            for one in self.pattern.finditer(block.source)
            if one.end() > one.start()
        ]
        self.matches += reversed(found)

    def _may_match(self, block: Block) -> bool:
        """A quick look for the word that every match has."""
        texts, word, fold = block.raw(), self._word, self._fold
        for text in texts:
            if word in (text.casefold() if fold else text):
                return True
        return not texts
