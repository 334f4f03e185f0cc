"""Selected text of the transcript as source: Markdown, the exact command, output as it was.

Textual's selection is two offsets. Their y is `key(place, line)`, which stays true when blocks
above change their height; their x counts characters of the line as it is on the screen.
"""

from __future__ import annotations

from typing import NamedTuple

from textual.geometry import Offset
from textual.selection import Selection

from hermes_tui.ui.blocks import Block
from hermes_tui.ui.text_lines import Line
from hermes_tui.ui.transcript_column import Column

_LINES = 1 << 24


def key(place: int, line: int) -> int:
    """The y of a line in selections; it grows down the transcript."""
    return place * _LINES + max(0, line)


class _Edge(NamedTuple):
    """One end of a selection: the block's index (at), the line in it, the character in that."""

    at: int
    line: int
    x: int


def extract(column: Column, selection: Selection, indent: int) -> str:
    """The source of what is selected. indent: characters of margin before each line."""
    if not column.blocks:
        return ""
    start = _edge(column, selection.start, indent)
    end = _edge(column, selection.end, indent)
    first = start.at if start else 0
    last = end.at if end else len(column.blocks) - 1
    parts: list[str] = []
    for index in range(first, last + 1):
        block = column.blocks[index]
        low = start if start and index == first else None
        high = end if end and index == last else None
        text = _part(column, block, low, high)
        if not text:
            continue
        if parts:
            close = block.kind == column.blocks[index - 1].kind and not column.gap(index)
            parts.append("\n" if close else "\n\n")
        parts.append(text)
    return "".join(parts)


def _edge(column: Column, offset: Offset | None, indent: int) -> _Edge | None:
    if offset is None:
        return None
    place, line = divmod(offset.y, _LINES)
    index = column.at_place(place)
    left = column.blocks[index].left(line, column.sheet).length + indent
    return _Edge(index, line, max(0, offset.x - left))


def _part(column: Column, block: Block, low: _Edge | None, high: _Edge | None) -> str:
    if low is None and high is None:
        return block.whole()
    lines = column.lines(block)
    if not lines:
        return ""
    last = len(lines) - 1
    low = low or _Edge(0, 0, 0)
    high = high or _Edge(0, last, len(lines[last].text))
    if low.line == high.line <= last:
        start, end = lines[low.line].cut(low.x, high.x)
        return block.source[start:end] if 0 <= start < end else ""
    start = _first(lines, low, min(high.line, last))
    end = _last(lines, high, low.line)
    if start < 0 or end < 0 or end <= start:
        return ""
    return block.source[start:end]


def _first(lines: list[Line], edge: _Edge, stop: int) -> int:
    x = edge.x
    for number in range(edge.line, stop + 1):
        found = lines[number].source(x, ends=False) if number < len(lines) else -1
        if found >= 0:
            return found
        x = 0
    return -1


def _last(lines: list[Line], edge: _Edge, stop: int) -> int:
    x = edge.x
    for number in range(min(edge.line, len(lines) - 1), stop - 1, -1):
        found = lines[number].source(x, ends=True)
        if found >= 0:
            return found
        x = len(lines[number - 1].text) if number else 0
    return -1
