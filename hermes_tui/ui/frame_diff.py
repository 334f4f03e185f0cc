"""What a frame changes on the terminal, and nothing else: for slow lines and calm screens.

Textual sends every line of what may have changed. This keeps what the terminal shows, cell by
cell, and sends the cells that differ; lines that only moved are scrolled there, and columns of
lines where the terminal can do that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from textual import on
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App, ReturnType
from textual.strip import Strip

from hermes_tui.ui import frame_pictures, margins
from hermes_tui.ui.frame_pictures import Drawn, is_picture
from hermes_tui.ui.margins import MarginsTold

if TYPE_CHECKING:
    from rich.color import ColorSystem
    from rich.console import Console, RenderableType
    from textual.screen import Screen

_NEAR = 5
"""Equal cells between two changes that are written anew: a move costs more."""
_ERASED = 12
"""Blanks from which erasing them costs less than writing them."""
_SCROLLED = 4
"""Lines a part must have to be scrolled instead of written."""


class Ink(NamedTuple):
    """How a cell is drawn: SGR attributes, a digit each, colours as SGR parameters, the link."""

    attributes: str = ""
    front: str = ""
    back: str = ""
    link: str = ""


class Cell(NamedTuple):
    """One cell; the right half of a wide character has no text."""

    text: str
    ink: Ink


class Piece(NamedTuple):
    """A strip and where it goes."""

    x: int
    y: int
    strip: Strip


Row = list[Cell | None]


class Memory:
    """What the terminal shows; None where that is not known.

    erases: the terminal fills what is erased with the background in use, as most do; margins: it
    can scroll a column of lines; pictures: those that are drawn where the cursor is, by the ink
    of the cells that stand for them.
    """

    def __init__(self, erases: bool = True) -> None:
        self.erases = erases
        self.margins = False
        self.pictures: dict[str, Drawn] = {}
        self._rows: list[Row] = []
        self._seen: list[dict[int, Strip]] = []
        self._size = (0, 0)
        self._ink: Ink | None = None

    def forget(self) -> None:
        """Something else has written to the terminal: the next frame writes everything."""
        self._rows, self._seen, self._size, self._ink = [], [], (0, 0), None

    def lessen(self, update: CompositorUpdate, console: Console, size: tuple[int, int]) -> str:
        """The bytes that bring the terminal from what it shows to a frame. size: columns, rows.

        The cursor is left anywhere.
        """
        if size != self._size:
            self.forget()
            self._size = size
            self._rows = [[None] * size[0] for _ in range(size[1])]
            self._seen = [{} for _ in range(size[1])]
        pieces = [one for one in _pieces(update) if 0 <= one.y < size[1] and one.x < size[0]]
        system = console._color_system
        out: list[str] = []
        self._scroll(pieces, out)
        for piece in pieces:
            self._write(piece, system, out)
        return "".join(out)

    # --- scrolling ---------------------------------------------------------------------------

    def _scroll(self, pieces: Sequence[Piece], out: list[str]) -> None:
        """Move what only stands higher now: whole lines, or a column where margins can be set."""
        lines: dict[tuple[int, int], list[Piece]] = {}
        for one in pieces:
            length = one.strip.cell_length
            wide = length >= self._size[0] - 2
            if wide or self.margins:
                lines.setdefault((0, self._size[0]) if wide else (one.x, length), []).append(one)
        for (x, length), part in lines.items():
            if len(part) < _SCROLLED or any(b.y != a.y + 1 for a, b in pairwise(part)):
                continue
            if by := self._shift(part):
                self._move_up(part, (x, min(x + length, self._size[0])), by, out)

    def _move_up(
        self, part: Sequence[Piece], columns: tuple[int, int], by: int, out: list[str]
    ) -> None:
        top, bottom, (left, right) = part[0].y, part[-1].y, columns
        whole = columns == (0, self._size[0])
        if whole:
            feeds = "\n" * by
            out.append(f"\x1b[{top + 1};{bottom + 1}r\x1b[{bottom + 1};1H{feeds}\x1b[r")
        else:
            out.append(margins.scroll((top + 1, bottom + 1), (left + 1, right), by))
        for y in range(top, bottom + 1):
            below = self._rows[y + by] if y + by <= bottom else [None] * self._size[0]
            self._rows[y][left:right] = below[left:right]
            kept = {x: one for x, one in self._seen[y].items() if not _touches(x, one, columns)}
            coming = self._seen[y + by] if y + by <= bottom else {}
            moved = {x: one for x, one in coming.items() if _within(x, one, columns)}
            self._seen[y] = kept | moved
        self._doubt_pictures(range(top, bottom + 1))

    def _doubt_pictures(self, lines: range) -> None:
        """Not every terminal moves pictures along with the text they lie on."""
        for y in lines if self.pictures else ():
            if any(cell is not None and is_picture(cell.text) for cell in self._rows[y]):
                self._rows[y] = [None] * self._size[0]
                self._seen[y].clear()

    def _shift(self, wide: Sequence[Piece]) -> int:
        """By how many lines most of the strips have moved up, 0 for none."""
        for by in range(1, len(wide) // 2 + 1):
            moved = [self._is(one, one.y + by) for one in wide[: len(wide) - by]]
            still = [self._is(one, one.y) for one in wide]
            if sum(moved) > len(wide) // 2 and sum(moved) > sum(still):
                return by
        return 0

    def _is(self, piece: Piece, y: int) -> bool:
        """Whether a line shows a strip now."""
        seen = self._seen[y].get(piece.x)
        return seen is piece.strip or (seen is not None and seen == piece.strip)

    # --- writing -----------------------------------------------------------------------------

    def _write(self, piece: Piece, system: ColorSystem | None, out: list[str]) -> None:
        seen = self._seen[piece.y]
        if seen.get(piece.x) is piece.strip:
            return
        room = self._size[0] - piece.x
        cells = _cells(piece.strip, system)[:room]
        end = piece.x + len(cells)
        for x in [x for x, one in seen.items() if x < end and x + one.cell_length > piece.x]:
            del seen[x]
        seen[piece.x] = piece.strip
        row = self._rows[piece.y]
        exact = len(cells) == min(room, piece.strip.cell_length)
        runs = _runs(row[piece.x : end], cells) if exact else [(0, len(cells))]
        if self.pictures:
            runs = frame_pictures.widened(runs, cells)
        for start, stop in runs:
            out.append(f"\x1b[{piece.y + 1};{piece.x + start + 1}H")
            self._draw(cells[start:stop], out)
        row[piece.x : end] = cells
        if not exact or any(cell.text and not cell.text.isascii() for cell in cells):
            self._doubt(row, piece.x, cells)
        if not exact:
            row[piece.x :] = [None] * len(row[piece.x :])
            seen.clear()

    @staticmethod
    def _doubt(row: Row, x: int, cells: Sequence[Cell]) -> None:
        """Cells of joined characters may take other cells on other terminals: written anew."""
        if any(len(cell.text) > 1 and not is_picture(cell.text) for cell in cells):
            row[x : x + len(cells)] = [None] * len(cells)

    def _draw(self, cells: Sequence[Cell], out: list[str]) -> None:
        link = ""
        at = 0
        while at < len(cells):
            cell = cells[at]
            part = frame_pictures.stretch(cells, at) if self.pictures else 0
            if part:
                self._draw_picture(cells, (at, part), out)
                at += part
                continue
            if cell.ink.link != link:
                link = cell.ink.link
                out.append(f"\x1b]8;;{link}\x1b\\")
            if cell.ink != self._ink:
                self._change(cell, out)
            blank = _blanks(cells, at) if self.erases and cell.text == " " else 0
            if blank < _ERASED:
                out.append(cell.text)
                at += 1
                continue
            at += blank
            out.append(f"\x1b[{blank}X" + (f"\x1b[{blank}C" if at < len(cells) else ""))
        if link:
            out.append("\x1b]8;;\x1b\\")

    def _draw_picture(self, cells: Sequence[Cell], part: tuple[int, int], out: list[str]) -> None:
        """A line of a picture; blanks where something lies over a part of it."""
        at, count = part
        self._change(Cell(" ", Ink("", "", cells[at].ink.back)), out)
        erase = f"\x1b[{count}X" if self.erases else " " * count + f"\x1b[{count}D"
        drawn = frame_pictures.drawn(cells, at, count, self.pictures)
        out.append(f"{erase}\x1b7{drawn}\x1b8" if drawn else erase)
        if at + count < len(cells):
            out.append(f"\x1b[{count}C")

    def _change(self, cell: Cell, out: list[str]) -> None:
        """Go over to a cell's ink; a blank needs no more than its background."""
        wanted, now = cell.ink, self._ink
        if cell.text == " " and now is not None and not wanted.attributes and not wanted.link:
            kept = "".join(code for code in now.attributes if code not in _SEEN_ON_BLANKS)
            wanted = Ink(kept, now.front, wanted.back, "")
        out.append(_sgr(now, wanted))
        self._ink = wanted


def _touches(x: int, strip: Strip, columns: tuple[int, int]) -> bool:
    return x < columns[1] and x + strip.cell_length > columns[0]


def _within(x: int, strip: Strip, columns: tuple[int, int]) -> bool:
    return columns[0] <= x and x + strip.cell_length <= columns[1]


def _blanks(cells: Sequence[Cell], at: int) -> int:
    """How many blank cells of one plain ink follow each other."""
    ink = cells[at].ink
    if ink.attributes or ink.link:
        return 0
    end = at
    while end < len(cells) and cells[end].text == " " and cells[end].ink.back == ink.back:
        if cells[end].ink.attributes or cells[end].ink.link:
            break
        end += 1
    return end - at


def _pieces(update: CompositorUpdate) -> Iterator[Piece]:
    if isinstance(update, LayoutUpdate):
        for y, line in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in line:
                yield Piece(x, y, strip)
                x += strip.cell_length
    elif isinstance(update, ChopsUpdate):
        for y, low, high in update.spans:
            yield from _chopped(update, y, low, high)


def _chopped(update: ChopsUpdate, y: int, low: int, high: int) -> Iterator[Piece]:
    for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
        if strip is not None and x <= high and end > low:
            yield Piece(x, y, strip if end <= high else strip.crop(0, min(end, high) - x))


def _cells(strip: Strip, system: ColorSystem | None) -> list[Cell]:
    """A strip cell by cell; fewer than its length where characters join to others."""
    cells: list[Cell] = []
    for text, style, control in strip:
        if control:
            continue
        ink = ink_of(style, system) if style else Ink()
        if text.isascii():
            blank = Cell(" ", _blank(ink))
            cells += [blank if char == " " else Cell(char, ink) for char in text]
            continue
        for char in text:
            width = cell_len(char)
            if width == 0 and cells:
                cells[-1] = Cell(cells[-1].text + char, cells[-1].ink)
            elif width:
                tone = _blank(ink) if char == " " else ink
                cells += [Cell(char, tone), Cell("", tone)][:width]
    return cells


def _blank(ink: Ink) -> Ink:
    """What of an ink is seen on a blank: its background, unless a line goes through it."""
    if ink.link or _SEEN_ON_BLANKS & set(ink.attributes):
        return ink
    return Ink("", "", ink.back)


def _runs(old: Row, new: Sequence[Cell]) -> list[tuple[int, int]]:
    """The parts that differ, those near each other as one, never half a wide character."""
    runs: list[tuple[int, int]] = []
    for at, (before, now) in enumerate(zip(old, new, strict=False)):
        if before == now:
            continue
        if runs and at - runs[-1][1] <= _NEAR:
            runs[-1] = runs[-1][0], at + 1
        else:
            runs.append((at, at + 1))
    whole: list[tuple[int, int]] = []
    for low, high in runs:
        start = low - 1 if low and not new[low].text else low
        stop = high + 1 if high < len(new) and not new[high].text else high
        whole.append((start, stop))
    return whole


@lru_cache(4096)
def ink_of(style: Style, system: ColorSystem | None) -> Ink:
    """A style as the terminal is told it."""
    if system is None:
        return Ink()
    front = back = ""
    if style.color is not None:
        front = ";".join(style.color.downgrade(system).get_ansi_codes())
    if style.bgcolor is not None:
        back = ";".join(style.bgcolor.downgrade(system).get_ansi_codes(False))
    return Ink(_attributes(style), front, back, style.link or "")


_CODES = (
    ("bold", "1"),
    ("dim", "2"),
    ("italic", "3"),
    ("underline", "4"),
    ("blink", "5"),
    ("reverse", "7"),
    ("strike", "9"),
)


_OFF = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "9": "29"}
_SHARED = {"1", "2"}
"""Bold and dim are switched off together."""
_SEEN_ON_BLANKS = frozenset("479")


def _attributes(style: Style) -> str:
    return "".join(code for name, code in _CODES if getattr(style, name))


def _sgr(old: Ink | None, new: Ink) -> str:
    """The sequence that changes from one ink to another, the shortest there is."""
    if old is None or (old.front and not new.front) or (old.back and not new.back):
        return _whole(new)
    was, now = set(old.attributes), set(new.attributes)
    if was - now & _SHARED and _SHARED & now:
        return _whole(new)
    parts = sorted({_OFF[code] for code in was - now}) + sorted(now - was)
    parts += [b for a, b in ((old.front, new.front), (old.back, new.back)) if a != b]
    return f"\x1b[{';'.join(parts)}m" if parts else ""


def _whole(ink: Ink) -> str:
    parts = [part for part in (*ink.attributes, ink.front, ink.back) if part]
    return f"\x1b[{';'.join(['', *parts])}m"


def fills_erased(env: Mapping[str, str]) -> bool:
    """Whether a terminal fills what is erased with the background in use (`bce`)."""
    name = env.get("TERM", "")
    if env.get("STY") and not env.get("TMUX"):  # screen, whatever it calls itself
        return name.endswith("-bce")
    return not name.startswith("screen") or name.endswith("-bce")


def slow_line(env: Mapping[str, str]) -> bool:
    """Whether every byte to the terminal crosses a network."""
    return bool(env.get("SSH_CONNECTION") or env.get("SSH_TTY"))


class Lessened(CompositorUpdate):
    """An update that writes only what it changes."""

    def __init__(self, update: CompositorUpdate, memory: Memory, size: tuple[int, int]) -> None:
        self._update, self._memory, self._size = update, memory, size

    def render_segments(self, console: Console) -> str:
        """The bytes for the terminal."""
        return self._memory.lessen(self._update, console, self._size)


class SparingApp(App[ReturnType]):
    """An app that writes to its terminal only what is different from what it shows."""

    _memory = Memory()

    def __init__(self, *positional: Any, **named: Any) -> None:
        super().__init__(*positional, **named)
        self._memory = Memory(fills_erased(os.environ))

    @property
    def drawn_pictures(self) -> dict[str, Drawn]:
        """Pictures that are drawn where the cursor is, by the ink of their cells."""
        return self._memory.pictures

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        shown: Any = renderable
        if isinstance(renderable, LayoutUpdate | ChopsUpdate):
            shown = Lessened(renderable, self._memory, (self.size.width, self.size.height))
        super()._display(screen, shown)

    @property
    def draws_columns(self) -> bool:
        """Whether a column that moves up has to be drawn anew, line by line."""
        return not self.is_headless and not self._memory.margins

    @on(MarginsTold)
    def _margins_told(self, message: MarginsTold) -> None:
        message.stop()
        self._memory.margins = message.has

    def on_resize(self) -> None:
        """The terminal has moved its lines about, even when it is as large as before again."""
        self._memory.forget()

    def refresh(
        self, *, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Any:
        """Draw everything anew, and send all of it: the terminal may show anything."""
        self._memory.forget()
        return super().refresh(repaint=repaint, layout=layout, recompose=recompose)
