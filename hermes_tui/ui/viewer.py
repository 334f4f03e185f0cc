"""A text to be read and scrolled: details beside a list, skills, help, whole tool outputs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, overload

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hermes_tui.ui import part_keys
from hermes_tui.ui.face import look_of
from hermes_tui.ui.line import Bar, Span, draw
from hermes_tui.ui.text import output, wrap

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.selection import Selection

    from hermes_tui.ui.theme import Look

Painter = Callable[[int, "Look"], Sequence[Strip]]


class _Wrapped(Sequence[Strip]):
    """Plain text wrapped to a width; a line is drawn when it is looked at."""

    def __init__(self, text: str, style: str, width: int, look: Look) -> None:
        self._style, self._width, self._look = style, width, look
        self._lines: list[str] = []
        shown = output(text)
        sure = width if shown.isascii() else width // 2  # characters that fit whatever they are
        for line in shown.split("\n"):
            if len(line) <= sure:
                self._lines.append(line)
            else:
                self._lines += [line[a:b] for a, b in wrap(line, width)]

    def __len__(self) -> int:
        """How many lines."""
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> Strip: ...
    @overload
    def __getitem__(self, index: slice) -> list[Strip]: ...
    def __getitem__(self, index: int | slice) -> Strip | list[Strip]:
        """The line drawn, or some of them."""
        if isinstance(index, slice):
            return [self._draw(line) for line in self._lines[index]]
        return self._draw(self._lines[index])

    def _draw(self, line: str) -> Strip:
        return draw((Span(line, self._style),), (), self._width, self._look)


def paint_text(text: str, style: str = "") -> Painter:
    """Draw program output or other plain text, wrapped."""
    return lambda width, look: _Wrapped(text, style, width, look)


def paint_lines(lines: Sequence[Sequence[Span]]) -> Painter:
    """Draw lines of spans, each cut to the width."""
    return lambda width, look: [draw(line, (), width, look) for line in lines]


def paint_markdown(text: str) -> Painter:
    """Draw Markdown as in the chat."""

    def paint(width: int, look: Look) -> list[Strip]:
        from hermes_tui.ui.markdown import render

        return [line.strip for line in render(text, width, look)]

    return paint


class _Chain(Sequence[Strip]):
    """Several things below each other; a line is drawn when it is looked at."""

    def __init__(self, parts: Sequence[Sequence[Strip]]) -> None:
        self._parts = [part for part in parts if len(part)]
        self._ends = list(accumulate(len(part) for part in self._parts))

    def __len__(self) -> int:
        """How many lines."""
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> Strip: ...
    @overload
    def __getitem__(self, index: slice) -> list[Strip]: ...
    def __getitem__(self, index: int | slice) -> Strip | list[Strip]:
        """The line drawn, or some of them."""
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        index = index if index >= 0 else index + len(self)
        part = bisect_right(self._ends, index)
        return self._parts[part][index - (self._ends[part - 1] if part else 0)]


def paint_all(painters: Sequence[Painter]) -> Painter:
    """Draw several things below each other."""
    return lambda width, look: _Chain([paint(width, look) for paint in painters])


class TextView(ScrollView, can_focus=True):
    """Scrollable text, drawn once for a width and a look."""

    DEFAULT_CSS = "TextView { overflow-x: hidden; scrollbar-size-vertical: 1; }"
    BINDINGS = part_keys.bindings("text")

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.source = ""
        self._paint: Painter | None = None
        self._drawn: tuple[int, Look, Sequence[Strip]] | None = None

    def show(self, paint: Painter | None, source: str = "") -> None:
        """Show what `paint` draws, from its top. source: what copying all of it gives."""
        self._paint, self.source, self._drawn = paint, source, None
        self.scroll_to(y=0, animate=False)
        self._measure()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One visible line."""
        strips = self._strips()
        at = y + self.scroll_offset.y
        if at >= len(strips):
            return Strip.blank(self.size.width, self.rich_style)
        strip = strips[at].apply_style(self.rich_style)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(at)) is not None:
            strip = self._marked(strip, *span)
        return strip.apply_offsets(0, at)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, as drawn."""
        strips = self._strips()
        first = selection.start.y if selection.start else 0
        last = selection.end.y if selection.end else len(strips) - 1
        lines = [strip.text.rstrip() for strip in strips[first : last + 1]]
        return selection.extract("\n" * first + "\n".join(lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection."""
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Wrap anew."""
        self._measure()

    def watch_show_vertical_scrollbar(self) -> None:
        """The scrollbar takes a column of the text."""
        self._measure()

    def _strips(self) -> Sequence[Strip]:
        width, look = self.scrollable_content_region.width, look_of(self)
        if self._drawn is None or self._drawn[:2] != (width, look):
            painted: Sequence[Strip] = ()
            if self._paint and width > 0:
                painted = self._paint(width, look)
            self._drawn = (width, look, painted)
        return self._drawn[2]

    def _measure(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._strips()))

    def _marked(self, strip: Strip, start: int, end: int) -> Strip:
        stop = strip.cell_length if end < 0 else min(end, strip.cell_length)
        if start >= stop:
            return strip
        style = look_of(self)["selection"]
        head, middle, tail = strip.divide([start, stop, strip.cell_length])
        over = [Segment(one.text, (one.style or Style.null()) + style) for one in middle]
        return Strip.join([head, Strip(over, middle.cell_length), tail])


class ViewerScreen(ModalScreen[None]):
    """One text over the whole screen; escape or q goes back, c copies all of it."""

    BINDINGS = part_keys.bindings("page")

    def __init__(self, title: str, paint: Painter, source: str = "") -> None:
        super().__init__()
        self._title, self._paint, self._source = title, paint, source

    def compose(self) -> ComposeResult:
        """Title, text, keys."""
        yield Bar(id="viewer-title")
        yield TextView(id="viewer-text")
        yield Bar(id="viewer-keys")

    def on_mount(self) -> None:
        """Fill in."""
        self.query_one("#viewer-title", Bar).show((Span(f" {self._title}", "strong"),))
        self.query_one("#viewer-keys", Bar).show_keys(part_keys.hint_pairs(self, "page"))
        view = self.query_one(TextView)
        view.show(self._paint, self._source)
        view.focus()

    def action_copy_all(self) -> None:
        """The whole text to the clipboard."""
        self.app.copy_to_clipboard(self._source)
        self.app.notify("copied", timeout=2)
