"""Lines of the transcript as strips: margin, text, and what lies over it."""

from __future__ import annotations

import re
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.color import BLACK, Color
from textual.filter import LineFilter
from textual.selection import Selection
from textual.strip import Strip

from hermes_tui.ui.blocks import Block, clock
from hermes_tui.ui.selection import key as selection_key
from hermes_tui.ui.text import cells
from hermes_tui.ui.text_lines import Line, Prefix, tint
from hermes_tui.ui.transcript_column import Column, Row


class Over(NamedTuple):
    """What is drawn over the text: the block cursor, a selection, found text. base: the widget's
    own style, under it all; filters, ground: what Textual wants done to colours last; stamps:
    when each block began, at the right end of its first line."""

    cursor: Block | None = None
    selection: Selection | None = None
    pattern: re.Pattern[str] | None = None
    base: Style = Style.null()
    filters: tuple[LineFilter, ...] = ()
    ground: Color = BLACK
    stamps: bool = False


class Canvas:
    """Draws lines of a column as strips; a line that moves on the screen is not drawn anew."""

    LIMIT = 1_000

    def __init__(self, column: Column) -> None:
        self.column = column
        self._kept: dict[tuple[int, int], tuple[Line, Prefix, Strip]] = {}
        self._key: object = None

    def strip(self, at: int, margin: int, width: int, over: Over) -> Strip:
        """The line `at` of the column, `width` cells wide, behind a margin."""
        key = (margin, width, over, self.column.sheet)
        if key != self._key or len(self._kept) > self.LIMIT:
            self._kept.clear()
            self._key = key
        row = self.column.row(at)
        line = self._line(row)
        if row is None or line is None:
            return self._finish(Strip([Segment(" " * width, over.base)], width), over)
        left = row.block.left(row.line, self.column.sheet)
        place = (row.block.place, row.line)
        kept = self._kept.get(place)
        if kept and kept[0] is line and kept[1] == left:
            return kept[2]
        strip = self._finish(self._draw(row, line, left, (margin, width), over), over)
        self._kept[place] = line, left, strip
        return strip

    def offset(self, at: int) -> int:
        """The y that the line `at` has in selections."""
        row = self.column.row(at)
        return selection_key(row.block.place, row.line) if row else 0

    def _line(self, row: Row | None) -> Line | None:
        if row is None or row.line < 0:
            return None
        lines = self.column.lines(row.block)
        return lines[row.line] if row.line < len(lines) else None

    def _draw(self, row: Row, line: Line, left: Prefix, size: tuple[int, int], over: Over) -> Strip:
        look, base = self.column.sheet.look, over.base
        margin, width = size
        segments = list(line.segments)
        if over.pattern:
            segments = _marked(segments, over.pattern, look["find"])
        edge = [Segment(" " * margin, base)] if margin else []
        segments = [*edge, *left.segments, *segments]
        span = over.selection and over.selection.get_span(selection_key(row.block.place, row.line))
        if span:
            end = sum(len(segment.text) for segment in segments) if span[1] < 0 else span[1]
            segments = tint(segments, max(span[0], margin), end, look["selection"])
        segments = [Segment(text, base + own if own else base) for text, own, _ in segments]
        used = sum([cells(segment.text) for segment in segments])
        if used < width:
            segments.append(Segment(" " * (width - used), base))
        if row.block is over.cursor:
            segments = [_backed(segment, base, look["cursor"]) for segment in segments]
        strip = Strip(segments, max(used, width))
        strip = strip.crop(0, width) if used > width else strip
        if over.stamps and row.line == 0 and row.block.ts:
            stamp = f" {clock(row.block.ts, seconds=True)}"
            end = min(width, margin + self.column.sheet.width)
            strip = overlay(strip, stamp, base + look["muted"], end + 2)
        return strip

    def _finish(self, strip: Strip, over: Over) -> Strip:
        for one in over.filters:
            strip = strip.apply_filter(one, over.ground)
        return strip


def overlay(strip: Strip, text: str, style: Style, width: int) -> Strip:
    """A strip with a short text over its right end."""
    size = min(cells(text), width)
    at = max(0, width - size - 2)
    return Strip.join([strip.crop(0, at), Strip([Segment(text, style)]), strip.crop(at + size)])


def _backed(segment: Segment, base: Style, style: Style) -> Segment:
    """A segment on the cursor's ground, unless it stands on a ground of its own."""
    own = segment.style or base
    plain = own.bgcolor == base.bgcolor or style.reverse
    return Segment(segment.text, own + style) if plain else segment


def _marked(segments: list[Segment], pattern: re.Pattern[str], style: Style) -> list[Segment]:
    text = "".join(segment.text for segment in segments)
    for match in pattern.finditer(text):
        if match.end() > match.start():
            segments = tint(segments, match.start(), match.end(), style)
    return segments
