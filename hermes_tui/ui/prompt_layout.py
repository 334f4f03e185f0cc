"""Where the rows of an edited text begin and in which cell its caret stands; pure, no widget."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from hermes_tui.ui.text import cells, graphemes, safe, wrap

TAB = 4
_SPECIAL = re.compile("[\t\ud800-\udfff]")
_NO_BREAK = "\u00a0"


class Row(NamedTuple):
    """One row of the screen: what it shows of the text, from start to end (no newline)."""

    start: int
    end: int


class Part(NamedTuple):
    """What is drawn for one position of the text: a cluster, a tab, or an atom's label."""

    at: int
    end: int
    shown: str
    width: int
    atom: bool = False


class PromptLayout:
    """Rows of a text for one width. label: what stands for an atom's character."""

    def __init__(self, label: Callable[[str], str]) -> None:
        self._label = label
        self._starts: dict[str, tuple[int, ...]] = {}
        self._of: tuple[str, int] | None = None
        self._rows: list[Row] = [Row(0, 0)]
        self._raw = ""

    def update(self, raw: str, width: int) -> None:
        """Lay the text out; cheap for the lines that have not changed."""
        if self._of == (raw, width):
            return
        if self._of is None or self._of[1] != width or len(self._starts) > 50_000:
            self._starts.clear()
        self._of, self._raw = (raw, width), raw
        rows: list[Row] = []
        at = 0
        for line in raw.split("\n"):
            starts = self._starts.get(line)
            if starts is None:
                starts = self._starts[line] = self._wrap(line, width)
            edges = (*starts, len(line))
            rows += [Row(at + a, at + b) for a, b in pairwise(edges)]
            at += len(line) + 1
        self._rows = rows

    @property
    def rows(self) -> list[Row]:
        """All rows, at least one."""
        return self._rows

    def row_of(self, at: int) -> int:
        """The row a position is on."""
        return max(0, bisect_right(self._rows, at, key=lambda row: row.start) - 1)

    def column_of(self, at: int) -> int:
        """The cell of a position within its row."""
        row = self._rows[self.row_of(at)]
        return sum(part.width for part in self.parts(Row(row.start, at)))

    def at(self, row: int, column: int) -> int:
        """The position in a row that is nearest to a cell, never behind the row's last."""
        row = max(0, min(row, len(self._rows) - 1))
        found = self._rows[row]
        last = row + 1 == len(self._rows) or self._rows[row + 1].start > found.end
        at, used = found.start, 0
        for part in self.parts(found):
            if used + (part.width + 1) // 2 > column or (not last and part.end >= found.end):
                return part.at
            used += part.width
            at = part.end
        return at

    def parts(self, row: Row) -> Iterator[Part]:
        """What is drawn for a row, from left to right."""
        at = row.start
        for piece in _pieces(self._raw[row.start : row.end]):
            if piece == "\t":
                yield Part(at, at + 1, " " * TAB, TAB)
                at += 1
            elif _SPECIAL.match(piece):
                label = self._label(piece)
                yield Part(at, at + 1, label, cells(label), True)
                at += 1
            else:
                for cluster in graphemes(piece):
                    shown = safe(cluster)
                    yield Part(at, at + len(cluster), shown, cells(shown))
                    at += len(cluster)

    def _wrap(self, line: str, width: int) -> tuple[int, ...]:
        if not _SPECIAL.search(line):
            return tuple(start for start, _ in wrap(safe(line), width))
        shown: list[str] = []
        where: list[int] = []
        for at, piece in enumerate(line):
            text = piece
            if piece == "\t":
                text = " " * TAB
            elif _SPECIAL.match(piece):
                text = self._label(piece).replace(" ", _NO_BREAK)
            shown.append(text)
            where += [at] * len(text)
        starts = (where[start] for start, _ in wrap(safe("".join(shown)), width))
        return tuple(dict.fromkeys(starts))


def _pieces(text: str) -> Iterator[str]:
    at = 0
    for found in _SPECIAL.finditer(text):
        if found.start() > at:
            yield text[at : found.start()]
        yield found[0]
        at = found.end()
    if at < len(text):
        yield text[at:]
