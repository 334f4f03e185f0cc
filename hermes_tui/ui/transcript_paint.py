"""One line of the transcript as a strip: margin, text, and what lies over it."""

from __future__ import annotations

import re
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from hermes_tui.ui.blocks import Block
from hermes_tui.ui.selection import key
from hermes_tui.ui.text import cells
from hermes_tui.ui.transcript_column import Column


class Over(NamedTuple):
    """What is drawn over the text: the block cursor, a selection, found text."""

    cursor: Block | None = None
    selection: Selection | None = None
    pattern: re.Pattern[str] | None = None


def paint(column: Column, line: int, margin: int, width: int, over: Over) -> tuple[Strip, int]:
    """The strip of a line of the column, `width` cells wide, and its y for selections."""
    row = column.row(line)
    look = column.sheet.look
    blank = look["text"]
    if row is None:
        return Strip([Segment(" " * width, blank)], width), 0
    if row.line < 0:
        return Strip([Segment(" " * width, blank)], width), key(row.block.place, 0)
    lines = column.lines(row.block)
    if row.line >= len(lines):
        return Strip([Segment(" " * width, blank)], width), key(row.block.place, row.line)
    left = row.block.left(row.line, column.sheet)
    segments = [*lines[row.line].strip]
    if over.pattern:
        segments = _marked(segments, over.pattern, look["find"])
    if margin:
        segments = [Segment(" " * margin, blank), *left.segments, *segments]
    else:
        segments = [*left.segments, *segments]
    y = key(row.block.place, row.line)
    if over.selection and (span := over.selection.get_span(y)):
        text = "".join(segment.text for segment in segments)
        end = len(text) if span[1] < 0 else span[1]
        segments = tint(segments, max(span[0], margin), end, look["selection"])
    used = sum(cells(segment.text) for segment in segments)
    if used < width:
        segments.append(Segment(" " * (width - used), blank))
    strip = Strip(segments, max(used, width))
    if used > width:
        strip = strip.crop(0, width)
    if row.block is over.cursor:
        strip = Strip([_backed(segment, look["cursor"]) for segment in strip], width)
    return strip, y


def tint(segments: list[Segment], start: int, end: int, style: Style) -> list[Segment]:
    """The segments with a style over the characters from start to end."""
    made: list[Segment] = []
    at = 0
    for segment in segments:
        text, own, _ = segment
        low, high = max(0, start - at), min(len(text), end - at)
        at += len(text)
        if low >= high:
            made.append(segment)
            continue
        made += [
            Segment(part, shade)
            for part, shade in (
                (text[:low], own),
                (text[low:high], own + style if own else style),
                (text[high:], own),
            )
            if part
        ]
    return made


def overlay(strip: Strip, text: str, style: Style, width: int) -> Strip:
    """A strip with a short text over its right end."""
    size = min(cells(text), width)
    at = max(0, width - size - 2)
    return Strip.join([strip.crop(0, at), Strip([Segment(text, style)]), strip.crop(at + size)])


def _backed(segment: Segment, style: Style) -> Segment:
    own = segment.style
    if own is None:
        return Segment(segment.text, style)
    return segment if own.bgcolor and not style.reverse else Segment(segment.text, own + style)


def _marked(segments: list[Segment], pattern: re.Pattern[str], style: Style) -> list[Segment]:
    text = "".join(segment.text for segment in segments)
    for match in pattern.finditer(text):
        if match.end() > match.start():
            segments = tint(segments, match.start(), match.end(), style)
    return segments
