"""A diff as lines of the screen, one column or two; a line is drawn when it is looked at."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, overload

from rich.segment import Segment
from rich.style import Style

from hermes_tui.ui import code
from hermes_tui.ui.diff_model import FileDiff, Hunk, Row
from hermes_tui.ui.diff_words import Span, changed, partners
from hermes_tui.ui.text import break_lines, cells, clip, safe
from hermes_tui.ui.text_lines import Line, Piece, tint
from hermes_tui.ui.theme import Look

SPLIT_FROM = 120
"""Cells from which a diff is shown side by side unless the person wants it otherwise."""
_CHUNK = 200
"""Rows that are coloured at once: a hunk of thousands of rows must not hold up a key."""
_BETWEEN = " │ "
_SIGNS = {"add": "+", "del": "-", "same": " ", "note": " "}


class Page(NamedTuple):
    """What a diff is drawn on. split: old and new side by side; headers: name the files;
    base: where the diff begins in the source."""

    width: int
    look: Look
    split: bool = False
    headers: bool = True
    base: int = 0


class _Spot(NamedTuple):
    """What a line of the screen shows: a file (hunk -1, left: its number), a hunk's header
    (left and right -1), or a part of a row, in two columns of two rows."""

    hunk: int
    left: int = -1
    right: int = -1
    part: int = 0


class DiffLines(Sequence[Line]):
    """All lines of a diff. folded: numbers of the hunks of which only the header is shown."""

    def __init__(
        self, files: Sequence[FileDiff], page: Page, folded: Collection[int] = frozenset()
    ) -> None:
        self.page = page
        self.files = files
        self.hunks: list[Hunk] = [hunk for one in files for hunk in one.hunks]
        self.folded = folded
        last = max((hunk.span[1] for hunk in self.hunks), default=0)
        self._digits = max(2, len(str(last)))
        half = (page.width - cells(_BETWEEN)) // 2 if page.split else page.width
        self._column = max(self._gutter + 1, half)
        self._colors: dict[tuple[int, bool, int], dict[int, list[tuple[str, Style]]]] = {}
        self._partners: dict[int, dict[int, int]] = {}
        self._drawn: dict[int, Line] = {}
        self._spots: list[_Spot] = []
        self._starts: list[int] = []
        self._languages: list[str] = []
        self._lay_out()

    def __len__(self) -> int:
        """How many lines."""
        return len(self._spots)

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> list[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | list[Line]:
        """The line drawn, or some of them."""
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = index if index >= 0 else index + len(self)
        if at not in self._drawn:
            self._drawn[at] = self._draw(self._spots[at])
        return self._drawn[at]

    def start_of(self, hunk: int) -> int:
        """The line of a hunk's header."""
        return self._starts[hunk]

    def hunk_at(self, line: int) -> int:
        """The hunk that a line belongs to, -1 above the first."""
        if not 0 <= line < len(self._spots):
            return -1
        spot = self._spots[line]
        if spot.hunk >= 0:
            return spot.hunk
        before = [number for number, start in enumerate(self._starts) if start <= line]
        return before[-1] if before else -1

    # --- what is where -----------------------------------------------------------------------

    @property
    def _gutter(self) -> int:
        return self._digits + 3

    def _lay_out(self) -> None:
        number = 0
        for at, one in enumerate(self.files):
            if self.page.headers:
                self._spots.append(_Spot(-1, at))
            for hunk in one.hunks:
                self._languages.append(code.language_of_path(one.name))
                self._starts.append(len(self._spots))
                if hunk.about or hunk.span[1]:
                    self._spots.append(_Spot(number))
                if number not in self.folded:
                    self._rows(number, hunk)
                number += 1

    def _rows(self, number: int, hunk: Hunk) -> None:
        pairs = _pairs(hunk.rows) if self.page.split else [(n, -1) for n in range(len(hunk.rows))]
        room = self._column - self._gutter
        for left, right in pairs:
            tall = max(_tall(hunk.rows[n].text, room) if n >= 0 else 1 for n in (left, right))
            self._spots += [_Spot(number, left, right, part) for part in range(tall)]

    # --- drawing -----------------------------------------------------------------------------

    def _draw(self, spot: _Spot) -> Line:
        if spot.hunk < 0:
            return self._file_line(self.files[spot.left])
        if spot.left < 0 and spot.right < 0:
            return self._header(spot.hunk)
        if not self.page.split:
            segments, pieces = self._side(spot.hunk, spot.left, spot.part, self._column)
            return Line(segments, pieces)
        left, pieces = self._side(spot.hunk, spot.left, spot.part, self._column)
        shift = sum(len(one.text) for one in left) + len(_BETWEEN)
        room = self.page.width - self._column - cells(_BETWEEN)
        right, more = self._side(spot.hunk, spot.right, spot.part, room, right=True)
        between = Segment(_BETWEEN, self.page.look["faint"])
        moved = tuple(piece._replace(at=piece.at + shift) for piece in more)
        same = spot.left == spot.right
        return Line([*left, between, *right], pieces if same else (*pieces, *moved))

    def _file_line(self, one: FileDiff) -> Line:
        look = self.page.look
        come, go = sum(h.added for h in one.hunks), sum(h.removed for h in one.hunks)
        word = "" if one.old and one.new else "  new" if one.new else "  deleted"
        moved = one.old and one.new and _bare(one.old) != _bare(one.new)
        name = f"{_bare(one.old)} → {_bare(one.new)}" if moved else _bare(one.name)
        counts = f"  +{come:,} -{go:,}{word}"
        counts = clip(counts, self.page.width)
        shown = clip(safe(name), self.page.width - cells(counts))
        at = self.page.base + one.at
        return Line([Segment(shown, look["strong"]), Segment(counts, look["muted"])], (), at, at)

    def _header(self, number: int) -> Line:
        hunk, look = self.hunks[number], self.page.look
        first, last = hunk.span
        mark = "▸" if number in self.folded else "▾"
        lines = f"line {first}" if first == last else f"lines {first}-{last}"
        text = f"{mark} {lines}  +{hunk.added} -{hunk.removed}"
        about = f"  {safe(hunk.about)}" if hunk.about else ""
        click = Style.from_meta({"act": ("hunk", number)})
        at = self.page.base + hunk.at
        shown = clip(text + about, self.page.width)
        return Line([Segment(shown, look["diff.hunk"] + click)], (), at, at)

    def _side(
        self, number: int, index: int, part: int, width: int, right: bool = False
    ) -> tuple[list[Segment], tuple[Piece, ...]]:
        """One column's share of a line, `width` cells wide."""
        look = self.page.look
        if index < 0:
            return [Segment(" " * width, look["text"])], ()
        row = self.hunks[number].rows[index]
        ground = look[f"diff.{row.kind}.line"] if row.kind in ("add", "del") else Style.null()
        shown, places = code.spread_tabs(row.text)
        spans = list(break_lines(shown, width - self._gutter)) if shown else [(0, 0)]
        gutter = self._margin(row, part, right)
        if part >= len(spans):
            return [Segment(" " * width, look["text"] + ground)], ()
        start, end = spans[part]
        body = code.cut(self._parts(number, index, row, shown), start, end)
        if row.kind in ("add", "del"):
            for low, high in self._words(number, index):
                word = look[f"diff.{row.kind}.word"]
                body = tint(body, max(0, low - start), min(high, end) - start, word)
        made = [Segment(one.text, ground + one.style if one.style else ground) for one in body]
        made = [Segment(gutter[0].text, gutter[0].style), *gutter[1:], *made]
        used = self._gutter + cells(shown[start:end])
        if used < width:
            made.append(Segment(" " * (width - used), look["text"] + ground))
        return made, _pieces(places, (start, end), self._gutter, self.page.base + row.at)

    def _margin(self, row: Row, part: int, right: bool) -> list[Segment]:
        look = self.page.look
        number = (row.new if right or row.kind != "del" else row.old) or ""
        if self.page.split and not right:
            number = row.old or ""
        sign = _SIGNS[row.kind]
        if part:
            number, sign = "", " "
        tone = look[f"diff.{row.kind}"] if row.kind in ("add", "del") else look["muted"]
        ground = look[f"diff.{row.kind}.line"] if row.kind in ("add", "del") else Style.null()
        return [
            Segment(f"{number:>{self._digits}} ", look["muted"] + ground),
            Segment(f"{sign} ", tone + ground),
        ]

    def _words(self, number: int, index: int) -> list[Span]:
        rows = self.hunks[number].rows
        if number not in self._partners:
            self._partners[number] = partners(rows)
        other = self._partners[number].get(index)
        if other is None:
            return []
        old, new = (index, other) if rows[index].kind == "del" else (other, index)
        texts = [code.spread_tabs(rows[n].text)[0] for n in (old, new)]
        gone, come = changed(*texts)
        return gone if index == old else come

    # --- colours -----------------------------------------------------------------------------

    def _parts(self, number: int, index: int, row: Row, shown: str) -> list[tuple[str, Style]]:
        look = self.page.look
        if row.kind == "note":
            return [(shown, look["muted"])]
        old = row.kind == "del"
        chunk = (number, old, index // _CHUNK)
        if chunk not in self._colors:
            self._colors[chunk] = self._color(*chunk)
        parts = self._colors[chunk].get(index)
        if parts is None:
            return [(shown, look["text"])]
        return code.spread(parts) if "\t" in row.text else parts

    def _color(self, number: int, old: bool, chunk: int) -> dict[int, list[tuple[str, Style]]]:
        rows = self.hunks[number].rows
        hidden = "add" if old else "del"
        within = range(chunk * _CHUNK, min(len(rows), (chunk + 1) * _CHUNK))
        wanted = [n for n in within if rows[n].kind not in (hidden, "note")]
        text = "\n".join(rows[n].text for n in wanted)
        colors = code.highlight(text, self._languages[number], self.page.look, "diff.")
        return dict(zip(wanted, colors or (), strict=False))


def _bare(name: str) -> str:
    """A file's name without the `a/` or `b/` that git puts before it."""
    return name[2:] if name.startswith(("a/", "b/")) else name


def _pairs(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """Rows that stand beside each other; -1 where one side has none."""
    made: list[tuple[int, int]] = []
    at = 0
    while at < len(rows):
        if rows[at].kind not in ("add", "del"):
            made.append((at, at))
            at += 1
            continue
        gone: list[int] = []
        come: list[int] = []
        while at < len(rows) and rows[at].kind in ("add", "del"):
            (gone if rows[at].kind == "del" else come).append(at)
            at += 1
        for n in range(max(len(gone), len(come))):
            left = gone[n] if n < len(gone) else -1
            made.append((left, come[n] if n < len(come) else -1))
    return made


def _tall(text: str, room: int) -> int:
    """How many lines a row takes."""
    room = max(1, room)
    if "\t" in text:
        text = code.spread_tabs(text)[0]
    if len(text) <= room // 2:
        return 1
    if text.isascii() and len(text) <= room:
        return 1
    return max(1, sum(1 for _ in break_lines(text, room)))


def _pieces(places: Sequence[int], span: Span, shift: int, src: int) -> tuple[Piece, ...]:
    start, end = span
    if start >= end:
        return ()
    if isinstance(places, range):
        return (Piece(shift, end - start, src + start, end - start, 0, 0),)
    return tuple(
        Piece(shift + at - start, 1, src + places[at], 1, 0, 0)
        for at in range(start, end)
        if at == start or places[at] != places[at - 1]
    )
