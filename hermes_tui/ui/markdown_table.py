"""Markdown tables fitted to the width: by cells, so that Han and emoji columns stay straight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.segment import Segment

from hermes_tui.ui.markdown_inline import Inline, Places, Source
from hermes_tui.ui.text import cells
from hermes_tui.ui.text_lines import Line, Piece, Run, bound, lay, prefix
from hermes_tui.ui.theme import Look

if TYPE_CHECKING:
    from markdown_it.token import Token

MIN_COLUMN = 4
_BETWEEN = " │ "


class _Row(NamedTuple):
    cells: list[list[Run]]
    line: int
    head: bool


def table(tokens: Sequence[Token], source: Source, width: int, look: Look) -> list[Line]:
    """The lines of a table; one too wide for its columns is shown as a list of its rows."""
    rows, sides = _rows(tokens, source, look)
    count = max((len(row.cells) for row in rows), default=0)
    natural = [max((_width(row.cells, i) for row in rows), default=0) for i in range(count)]
    room = width - len(_BETWEEN) * (count - 1)
    if not count or (room < count * MIN_COLUMN and sum(natural) > room):
        return _records(rows, source, width, look)
    widths = share(natural, room)
    lines: list[Line] = []
    rule = _rule(widths, look)
    wrapped = sum(natural) > room
    for number, row in enumerate(rows):
        if wrapped and number > 1:
            lines.append(Line(rule))
        lines += _draw(row, widths, sides, look, source)
        if row.head:
            lines.append(Line(rule))
    return lines


def share(natural: Sequence[int], room: int) -> list[int]:
    """Column widths in `room` cells: small columns whole, the large ones share the rest."""
    widths = [max(1, size) for size in natural]
    if sum(widths) <= room:
        return widths
    left, open_columns = room, sorted(range(len(widths)), key=lambda i: widths[i])
    while open_columns:
        fair = max(1, left // len(open_columns))
        index = open_columns.pop(0)
        widths[index] = min(widths[index], fair)
        left -= widths[index]
    return widths


def _rows(tokens: Sequence[Token], source: Source, look: Look) -> tuple[list[_Row], list[str]]:
    rows: list[_Row] = []
    sides: list[str] = []
    column = 0
    head = False
    for index, token in enumerate(tokens):
        if token.type == "tr_open":
            line = token.map[0] if token.map else 0
            head = not rows
            rows.append(_Row([], line, head))
            column = 0
        elif token.type in ("th_open", "td_open"):
            inline = tokens[index + 1]
            if head:
                sides.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
            runs, column = _cell(inline, source, rows[-1].line, column, look, head)
            rows[-1].cells.append(runs)
    return rows, sides


def _cell(
    inline: Token, source: Source, line: int, column: int, look: Look, head: bool
) -> tuple[list[Run], int]:
    text, _ = source.line(line)
    found = text.find(inline.content, column)
    places = Places(inline.content, source, line, max(0, column))
    style = look["table.head"] if head else look["text"]
    parts = Inline(inline.content, places, style, look).walk(inline.children or [])
    runs = [run for part in parts for run in part]
    return runs, found + len(inline.content) if found >= 0 else column


def _width(row: list[list[Run]], index: int) -> int:
    if index >= len(row):
        return 0
    return cells("".join(run.text for run in row[index]))


def _draw(row: _Row, widths: list[int], sides: list[str], look: Look, source: Source) -> list[Line]:
    columns = [
        lay(row.cells[i], size) if i < len(row.cells) and row.cells[i] else []
        for i, size in enumerate(widths)
    ]
    height = max((len(column) for column in columns), default=0) or 1
    lines = [_join(columns, number, widths, sides, look) for number in range(height)]
    bound(lines, source.start(row.line), source.stop(row.line + 1))
    return lines


def _join(
    columns: list[list[Line]], number: int, widths: list[int], sides: list[str], look: Look
) -> Line:
    segments: list[Segment] = []
    pieces: list[Piece] = []
    length = 0
    for index, size in enumerate(widths):
        line = columns[index][number] if number < len(columns[index]) else None
        spare = size - (cells(line.text) if line else 0)
        side = sides[index] if index < len(sides) else ""
        left = {"right": spare, "center": spare // 2}.get(side, 0)
        parts: list[Segment] = [Segment(" " * left, look["text"])] if left > 0 else []
        start = length + max(0, left)
        if line:
            parts += line.segments
            pieces += [piece._replace(at=piece.at + start) for piece in line.pieces]
        if spare - left > 0 and index < len(widths) - 1:
            parts.append(Segment(" " * (spare - left), look["text"]))
        if index < len(widths) - 1:
            parts.append(Segment(_BETWEEN, look["faint"]))
        segments += parts
        length += sum(len(part.text) for part in parts)
    return Line(segments, tuple(pieces))


def _rule(widths: list[int], look: Look) -> list[Segment]:
    return [Segment("─┼─".join("─" * size for size in widths), look["faint"])]


def _records(rows: list[_Row], source: Source, width: int, look: Look) -> list[Line]:
    """Each row as lines of `name: value`, for tables with more columns than fit."""
    names = ["".join(run.text for run in cell) for cell in rows[0].cells] if rows else []
    lines: list[Line] = []
    for row in rows[1:] or rows:
        if lines:
            lines.append(Line([Segment("─" * width, look["faint"])]))
        drawn: list[Line] = []
        for index, runs in enumerate(row.cells):
            name = names[index] if index < len(names) else ""
            label = Run(f"{name}: " if name else "", look["table.head"])
            drawn += lay([label, *runs], width, rest=prefix("", look["text"]))
        if drawn:
            bound(drawn, source.start(row.line), source.stop(row.line + 1))
        lines += drawn
    return lines
