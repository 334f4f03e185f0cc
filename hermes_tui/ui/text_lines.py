"""Styled text laid out in lines, each knowing which part of its source it shows.

A `Run` is text in one style with its place in the source; `lay` wraps runs into `Line`s. Copying
a selection goes through `Line.source`: what is copied is the source, not the screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from hermes_tui.ui.text import cells, wrap


class Run(NamedTuple):
    """Text in one style. src, size: its part of the source, -1 for what is not in the source.

    With size equal to len(text) every character has its own place; otherwise they stand for the
    part as a whole. lead, tail: characters of markup before and after that belong to it.
    """

    text: str
    style: Style
    src: int = -1
    size: int = 0
    lead: int = 0
    tail: int = 0


class Piece(NamedTuple):
    """The part of a line from character `at` that shows the source from `src`; sizes as in Run."""

    at: int
    length: int
    src: int
    size: int
    lead: int
    tail: int


class Line:
    """One line on the screen. start, end: the source it shows, markup included; -1 for none."""

    __slots__ = ("end", "pieces", "segments", "start")

    def __init__(
        self,
        segments: Sequence[Segment],
        pieces: tuple[Piece, ...] = (),
        start: int = -1,
        end: int = -1,
    ) -> None:
        self.segments = segments
        self.pieces = pieces
        if pieces:
            first, last = pieces[0], pieces[-1]
            start = first.src - first.lead if start < 0 else start
            end = last.src + last.size + last.tail if end < 0 else end
        self.start = start
        self.end = max(start, end)

    @property
    def text(self) -> str:
        """What it reads as."""
        return "".join([segment.text for segment in self.segments])

    @property
    def strip(self) -> Strip:
        """It as a strip, for widgets."""
        return Strip(self.segments)

    def source(self, x: int, *, ends: bool) -> int:
        """The place in the source where a selection from or up to character `x` starts or ends.

        -1 when nothing of the source is on this side of `x`.
        """
        if not self.pieces:
            return (self.end if x > 0 else -1) if ends else (self.start if x <= 0 else -1)
        return self._end(x) if ends else self._start(x)

    def cut(self, start: int, end: int) -> tuple[int, int]:
        """The source of the characters from start to end, each -1 where there is none.

        Markup around a part that is not whole stays out: of `**bold**` half is `bo`. So does
        the mark of a list item whose words alone are meant.
        """
        low, high = self.source(start, ends=False), self.source(end, ends=True)
        if self.pieces and start == self.pieces[0].at > 0:
            low = self.pieces[0].src - self.pieces[0].lead
        for piece in self.pieces:
            stop = piece.at + piece.length
            if piece.at < start < stop == end and end < self._stop:
                return low, piece.src + piece.size
            if piece.at == start and start < end < stop and start > 0:
                return piece.src, high
        return low, high

    @property
    def _stop(self) -> int:
        return self.pieces[-1].at + self.pieces[-1].length

    def _start(self, x: int) -> int:
        if x <= self.pieces[0].at:
            return self.start
        for piece in self.pieces:
            if x == piece.at:
                return piece.src - piece.lead
            if x < piece.at + piece.length:
                return piece.src + (x - piece.at if piece.size == piece.length else 0)
            if x < piece.at:
                return piece.src
        return -1

    def _end(self, x: int) -> int:
        last = self.pieces[-1]
        if x >= last.at + last.length:
            return self.end
        for piece in reversed(self.pieces):
            if x == piece.at + piece.length:
                return piece.src + piece.size + piece.tail
            if x > piece.at:
                inside = x - piece.at if piece.size == piece.length else piece.size
                return piece.src + min(inside, piece.size)
        return -1


class Prefix(NamedTuple):
    """What stands left of a line: bullets, bars, indents. width in cells, length in characters."""

    segments: tuple[Segment, ...] = ()
    width: int = 0
    length: int = 0

    def __add__(self, other: object) -> Prefix:
        """Both, one after the other."""
        if not isinstance(other, Prefix):
            return NotImplemented
        return Prefix(
            self.segments + other.segments, self.width + other.width, self.length + other.length
        )


EMPTY = Prefix()


def prefix(text: str, style: Style) -> Prefix:
    """A prefix of one text in one style."""
    return Prefix((Segment(text, style),), cells(text), len(text)) if text else EMPTY


def lay(runs: Sequence[Run], width: int, first: Prefix = EMPTY, rest: Prefix = EMPTY) -> list[Line]:
    """Wrap the runs of one paragraph to `width` cells, prefixes included."""
    text = "".join([run.text for run in runs])
    lines: list[Line] = []
    before = first
    index = at = 0
    for start, end in wrap(text, max(1, width - first.width)):
        segments = list(before.segments)
        pieces: list[Piece] = []
        shift = before.length - start
        while index < len(runs):
            _show(runs[index], at, (start, end), shift, (segments, pieces))
            stop = at + len(runs[index].text)
            if stop > end:
                break
            index, at = index + 1, stop
        lines.append(Line(segments, tuple(pieces)))
        before = rest
    return lines


def _show(
    run: Run, at: int, span: tuple[int, int], shift: int, into: tuple[list[Segment], list[Piece]]
) -> None:
    """Add what of a run, which begins at `at` of its paragraph, lies in the span of a line."""
    low, high = max(span[0], at), min(span[1], at + len(run.text))
    if low >= high:
        return
    segments, pieces = into
    segments.append(Segment(run.text[low - at : high - at], run.style))
    if run.src >= 0:
        pieces.append(_piece(run, at, low, high, shift))


def _piece(run: Run, at: int, low: int, high: int, shift: int) -> Piece:
    lead = run.lead if low == at else 0
    tail = run.tail if high == at + len(run.text) else 0
    if run.size == len(run.text):
        return Piece(low + shift, high - low, run.src + low - at, high - low, lead, tail)
    return Piece(low + shift, high - low, run.src, run.size, lead, tail)


def bound(lines: Sequence[Line], start: int, end: int) -> None:
    """Say that the lines of a block show the source from start to end, markup included."""
    first, last = lines[0], lines[-1]
    first.start = start
    last.end = end
    first.end = max(first.end, start)
    last.start = last.start if last.start >= 0 else end


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


def plain(lines: Iterable[Line]) -> str:
    """What the lines read as, without styles and trailing spaces."""
    return "\n".join(line.text.rstrip() for line in lines)
