"""Pictures in a frame: cells that stand for a line of one become the bytes that draw it.

Only for terminals that draw where the cursor is (iTerm2, sixel); kitty draws placeholders itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from hermes_tui.ui.pictures_terminal import MARKS, PLACEHOLDER


class Drawn(NamedTuple):
    """A picture: how wide it is in cells, and the sequence that draws each of its lines."""

    columns: int
    lines: Sequence[str]


Strips = Mapping[str, Drawn]
"""Pictures by the ink of their cells."""
_NUMBER = {mark: number for number, mark in enumerate(MARKS)}


class Inked(Protocol):
    """How a cell is drawn."""

    @property
    def front(self) -> str:
        """The colour of its text, as SGR parameters."""
        ...


class Shown(Protocol):
    """A cell."""

    @property
    def text(self) -> str:
        """What stands in it."""
        ...

    @property
    def ink(self) -> Inked:
        """How."""
        ...


class Place(NamedTuple):
    """A cell of a picture: whose, and which."""

    ink: str
    row: int
    column: int


def is_picture(text: str) -> bool:
    """Whether a cell's text stands for a part of a picture."""
    return text.startswith(PLACEHOLDER)


def placeholders(row: int, columns: int) -> str:
    """A line of a picture as text."""
    return "".join(f"{PLACEHOLDER}{MARKS[row]}{MARKS[column]}" for column in range(columns))


def place_of(cell: Shown) -> Place | None:
    """Which part of a picture a cell stands for, None for any other."""
    text = cell.text
    if len(text) != 3 or text[0] != PLACEHOLDER:
        return None
    return Place(cell.ink.front, _NUMBER.get(text[1], 0), _NUMBER.get(text[2], 0))


def stretch(cells: Sequence[Shown], at: int) -> int:
    """How many cells from `at` on are parts of the same line of a picture; 0 for none."""
    first = place_of(cells[at])
    if first is None:
        return 0
    count = 1
    while at + count < len(cells):
        wanted = first._replace(column=first.column + count)
        if place_of(cells[at + count]) != wanted:
            break
        count += 1
    return count


def drawn(cells: Sequence[Shown], at: int, count: int, strips: Strips) -> str:
    """The sequence that draws these cells; empty unless they are a whole line of a picture."""
    first = place_of(cells[at])
    found = strips.get(first.ink) if first is not None else None
    if first is None or found is None or first.row >= len(found.lines):
        return ""
    return found.lines[first.row] if (first.column, count) == (0, found.columns) else ""


def widened(runs: Sequence[tuple[int, int]], cells: Sequence[Shown]) -> list[tuple[int, int]]:
    """Runs of cells to be written, those that touch a line of a picture with all of it."""
    made: list[tuple[int, int]] = []
    for start, stop in runs:
        while start and _joined(cells, start):
            start -= 1
        while stop < len(cells) and _joined(cells, stop):
            stop += 1
        if made and start <= made[-1][1]:
            made[-1] = made[-1][0], max(stop, made[-1][1])
        else:
            made.append((start, stop))
    return made


def _joined(cells: Sequence[Shown], at: int) -> bool:
    """Whether a cell and the one before it are parts of the same line of a picture."""
    now, before = place_of(cells[at]), place_of(cells[at - 1])
    return now is not None and before == now._replace(column=now.column - 1)
