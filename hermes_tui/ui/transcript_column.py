"""Blocks one below the other: heights estimated until drawn, exact after that. No widget.

A block's `place` never changes while it is here: appended ones count up, earlier ones down.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hermes_tui.ui.blocks import Block, Sheet, gap
from hermes_tui.ui.text_lines import Line
from hermes_tui.ui.transcript_heights import Heights

KEPT = 256
"""Blocks whose drawn lines are kept."""


TALL = 400
"""Lines above which a block is measured only when it is seen: it would hold up a key press."""


class Row(NamedTuple):
    """What lies at a line: a block and the number of its line, -1 in the gap above it."""

    block: Block
    line: int


class Spot(NamedTuple):
    """A line of a block, the gap above it included; it stays where it is when heights change."""

    at: int
    line: int


class Column:
    """All blocks of a transcript and how high each is on the sheet."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.blocks: list[Block] = []
        self.heights = Heights()
        self._gaps: list[int] = []
        self._exact = bytearray()
        self._first = 0
        self._drawn: OrderedDict[int, Block] = OrderedDict()

    def __len__(self) -> int:
        return len(self.blocks)

    @property
    def total(self) -> int:
        """Lines in all."""
        return self.heights.total

    def index(self, block: Block) -> int:
        """Where a block is, -1 if it is not here (any more)."""
        index = block.place + self._first
        return index if 0 <= index < len(self.blocks) and self.blocks[index] is block else -1

    def at_place(self, place: int) -> int:
        """The index of the block with a place, the nearest one if there is none."""
        return min(max(place + self._first, 0), max(0, len(self.blocks) - 1))

    # --- changing ---

    def append(self, block: Block) -> None:
        """Add a block at the end."""
        before = self.blocks[-1] if self.blocks else None
        block.place = len(self.blocks) - self._first
        space = gap(before, block, self.sheet.compact)
        self.blocks.append(block)
        self._gaps.append(space)
        self._exact.append(0)
        self.heights.append(space + block.size(self.sheet.width))

    def replace_head(self, count: int, blocks: Sequence[Block]) -> None:
        """Put blocks in the place of the first `count`."""
        for block in self.blocks[:count]:
            self._drawn.pop(block.place, None)
        rest = self.blocks[count:]
        first = self._first - count + len(blocks)
        for number, block in enumerate(blocks):
            block.place = number - first
        self._first = first
        self.blocks = [*blocks, *rest]
        before: Block | None = None
        gaps: list[int] = []
        for block in (*blocks, *rest[:1]):
            gaps.append(gap(before, block, self.sheet.compact))
            before = block
        kept = self._gaps[count + 1 :]
        width = self.sheet.width
        new = [space + block.size(width) for space, block in zip(gaps, blocks, strict=False)]
        old = list(self.heights.values[count:])
        if rest:
            old[0] += gaps[-1] - self._gaps[count]
        self._gaps = gaps + kept
        self._exact = bytearray(len(blocks)) + self._exact[count:]
        self.heights = Heights([*new, *old])

    def remove(self, index: int) -> None:
        """Take one block out; the places of those below it change."""
        self._drawn.pop(self.blocks[index].place, None)
        for block in self.blocks[index + 1 :]:
            kept = self._drawn.pop(block.place, None)
            block.place -= 1
            if kept:
                self._drawn[block.place] = block
        heights = list(self.heights.values)
        for row in (self.blocks, self._gaps, self._exact, heights):
            del row[index]
        self.heights = Heights(heights)
        if index < len(self.blocks):
            self._regap(index)

    def clear(self) -> None:
        """Take all blocks out."""
        self.blocks, self._gaps, self._exact = [], [], bytearray()
        self.heights, self._first = Heights(), 0
        self._drawn.clear()

    def resize(self, sheet: Sheet) -> None:
        """Go over to another sheet; heights are estimates again if its width is another one."""
        old, self.sheet = self.sheet, sheet
        for block in self._drawn.values():
            block.forget()
        self._drawn.clear()
        if (sheet.width, sheet.compact) == (old.width, old.compact):
            return
        width, compact = sheet.width, sheet.compact
        if compact != old.compact:
            before = [None, *self.blocks[:-1]]
            self._gaps = [gap(a, b, compact) for a, b in zip(before, self.blocks, strict=False)]
        self._exact = bytearray(len(self.blocks))
        sizes = zip(self._gaps, self.blocks, strict=True)
        self.heights = Heights([space + block.size(width) for space, block in sizes])

    def touch(self, block: Block) -> bool:
        """A block has changed: its height is to be measured again. False if it is not here."""
        index = self.index(block)
        if index < 0:
            return False
        self._exact[index] = 0
        self._regap(index)
        if index + 1 < len(self.blocks):
            self._regap(index + 1)
        return True

    def _regap(self, index: int) -> None:
        before = self.blocks[index - 1] if index else None
        space = gap(before, self.blocks[index], self.sheet.compact)
        if space != self._gaps[index]:
            self.heights.set(index, self.heights[index] + space - self._gaps[index])
            self._gaps[index] = space

    # --- measuring ---

    def measure(self, index: int) -> int:
        """The exact height of a block, its gap included."""
        if not self._exact[index]:
            size = len(self.lines(self.blocks[index])) + self._gaps[index]
            self.heights.set(index, size)
            self._exact[index] = 1
        return self.heights[index]

    def is_exact(self, index: int) -> bool:
        """Whether a block has been measured."""
        return bool(self._exact[index])

    def gap(self, index: int) -> int:
        """Blank lines above a block."""
        return self._gaps[index]

    def lines(self, block: Block) -> list[Line]:
        """A block's lines; those of the blocks asked for longest ago are dropped."""
        lines = block.lines(self.sheet)
        self._drawn[block.place] = block
        self._drawn.move_to_end(block.place)
        if len(self._drawn) > KEPT:
            self._drawn.popitem(last=False)[1].forget()
        return lines

    # --- places ---

    def top(self, spot: Spot) -> int:
        """The line of the whole column a spot is at."""
        return self.heights.before(spot.at) + spot.line if self.blocks else 0

    def spot(self, line: int) -> Spot:
        """The spot at a line of the whole column."""
        return Spot(*self.heights.find(max(0, line)))

    def row(self, line: int) -> Row | None:
        """What lies at a line of the whole column."""
        if not self.blocks or not 0 <= line < self.total:
            return None
        index, within = self.heights.find(line)
        return Row(self.blocks[index], max(-1, within - self._gaps[index]))

    def move(self, spot: Spot, by: int) -> Spot:
        """A spot so many lines further, every block on the way measured."""
        index, line = spot
        if not self.blocks:
            return spot
        line = min(line, max(0, self.measure(index) - 1)) + by
        while line < 0 and index > 0:
            index -= 1
            line += self.measure(index)
        while index < len(self.blocks) - 1 and line >= self.measure(index):
            line -= self.measure(index)
            index += 1
        return Spot(index, min(max(0, line), max(0, self.measure(index) - 1)))

    def fill(self, spot: Spot, height: int) -> None:
        """Measure the blocks of a view of `height` lines that begins at a spot."""
        left, index = height + spot.line, spot.at
        while index < len(self.blocks) and left > 0:
            left -= self.measure(index)
            index += 1

    def fill_end(self, height: int) -> None:
        """Measure the last blocks, as many as fill `height` lines."""
        index = len(self.blocks) - 1
        while index >= 0 and height > 0:
            height -= self.measure(index)
            index -= 1

    def source_at(self, spot: Spot) -> int:
        """What part of its block's source a spot shows, -1 if none."""
        if not self.blocks:
            return -1
        lines = self.lines(self.blocks[spot.at])
        number = spot.line - self._gaps[spot.at]
        return lines[number].start if 0 < number < len(lines) else -1

    def spot_of(self, index: int, source: int) -> Spot:
        """The spot that shows a part of a block's source."""
        best = self._gaps[index]
        for number, line in enumerate(self.lines(self.blocks[index])):
            if 0 <= line.start <= source:
                best = number + self._gaps[index]
            elif line.start > source:
                break
        return Spot(index, best)

    def unmeasured(self, index: int, reach: int) -> Iterator[int]:
        """Blocks without an exact height within `reach` of a block, nearest first; no tall ones."""
        for step in range(reach):
            for near in {index - step, index + step}:
                if not 0 <= near < len(self.blocks) or self._exact[near]:
                    continue
                if self.heights[near] <= TALL:
                    yield near
