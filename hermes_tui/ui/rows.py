"""A list drawn line by line: sessions, trace, hits, skills and palette are all one of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hermes_tui.ui import part_keys
from hermes_tui.ui.face import look_of
from hermes_tui.ui.line import Span, draw, style_of


class Row(Protocol):
    """One line of a list. key: what it stands for; empty for headings and other text."""

    @property
    def key(self) -> str:
        """What the row stands for."""
        ...

    def spans(self, width: int) -> tuple[Sequence[Span], Sequence[Span]]:
        """Its left and right part, for a list of this width."""
        ...


@dataclass(frozen=True, slots=True)
class TextRow:
    """A row of plain spans."""

    key: str = ""
    left: Sequence[Span] = ()
    right: Sequence[Span] = ()

    def spans(self, width: int) -> tuple[Sequence[Span], Sequence[Span]]:
        """The same at every width."""
        return self.left, self.right


class RowList(ScrollView, can_focus=True):
    """Rows with one of them under the cursor. Costs nothing for rows that are not seen.

    lit: the cursor looks as if the list had the focus, which something else has for it.
    """

    DEFAULT_CSS = "RowList { overflow-x: hidden; scrollbar-size-vertical: 1; }"
    ALLOW_SELECT = False
    BINDINGS = part_keys.bindings("list")

    class Moved(Message):
        """The cursor came to another row."""

        def __init__(self, rows: RowList, key: str) -> None:
            super().__init__()
            self.rows = rows
            self.key = key

        @property
        def control(self) -> RowList:
            """The list."""
            return self.rows

    class Chosen(Moved):
        """Enter or a click on a row."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: Sequence[Row] = ()
        self.cursor = -1
        self.lit = False

    @property
    def key(self) -> str:
        """What the row under the cursor stands for; empty if there is none."""
        return self.rows[self.cursor].key if 0 <= self.cursor < len(self.rows) else ""

    def show(self, rows: Sequence[Row], key: str | None = None) -> None:
        """Show these rows, the cursor on `key`, else where it was, else on the first one."""
        wanted = self.key if key is None else key
        before = self.key
        self.rows = rows
        self.cursor = next((i for i, row in enumerate(rows) if wanted and row.key == wanted), -1)
        if self.cursor < 0:
            self.cursor = self._next(-1, 1)
        self.virtual_size = Size(self.size.width, len(rows))
        self.refresh()
        if key is not None:
            self._reveal()
        if self.key != before:
            self.post_message(self.Moved(self, self.key))

    def select(self, key: str) -> bool:
        """Move the cursor to the row of this key; False when there is none."""
        at = next((i for i, row in enumerate(self.rows) if row.key == key), -1)
        if at >= 0:
            self._go(at)
        return at >= 0

    # --- drawing -----------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """One visible line."""
        width = self.scrollable_content_region.width
        at = y + self.scroll_offset.y
        base = self.rich_style
        look = look_of(self)
        if at >= len(self.rows):
            return Strip.blank(width, base)
        if at == self.cursor:
            base += style_of(look, "cursor" if self.has_focus or self.lit else "cursor.idle")
        left, right = self.rows[at].spans(width)
        return draw(left, right, width, look, base)

    def on_focus(self) -> None:
        """The cursor's colour says who has the keys."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor's colour says who has the keys."""
        self.refresh()

    # --- moving ------------------------------------------------------------------------------

    def action_move(self, step: int) -> None:
        """To the next row that stands for something."""
        self._go(self._next(self.cursor, step))

    def action_page(self, step: int) -> None:
        """A screenful further."""
        self._go(self._near(self.cursor + step * max(1, self.size.height - 1), step))

    def action_edge(self, step: int) -> None:
        """To the first or the last row."""
        self._go(self._near(len(self.rows) - 1 if step > 0 else 0, step))

    def action_choose(self) -> None:
        """Take the row under the cursor."""
        if self.key:
            self.post_message(self.Chosen(self, self.key))

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor there and takes the row."""
        at = event.y + self.scroll_offset.y
        if 0 <= at < len(self.rows) and self.rows[at].key:
            event.stop()
            self._go(at)
            self.action_choose()

    def _next(self, at: int, step: int) -> int:
        at += step
        while 0 <= at < len(self.rows):
            if self.rows[at].key:
                return at
            at += step
        return -1

    def _near(self, at: int, step: int) -> int:
        at = max(0, min(at, len(self.rows) - 1))
        if 0 <= at < len(self.rows) and self.rows[at].key:
            return at
        found = self._next(at, -step)
        return found if found >= 0 else self._next(at, step)

    def _go(self, at: int) -> None:
        if at < 0 or at == self.cursor:
            return
        self.cursor = at
        self._reveal()
        self.refresh()
        self.post_message(self.Moved(self, self.key))

    def _reveal(self) -> None:
        top, height = self.scroll_offset.y, self.size.height
        if self.cursor < top or self._next(self.cursor, -1) < 0:
            self.scroll_to(y=self.cursor if self._next(self.cursor, -1) >= 0 else 0, animate=False)
        elif height and self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False)
