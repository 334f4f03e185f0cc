"""How an edited text is drawn: rows that grow, pastes as labels, a caret that never blinks."""

from __future__ import annotations

from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from hermes_tui.ui.face import look_of
from hermes_tui.ui.prompt_document import PromptDocument
from hermes_tui.ui.prompt_layout import Part, PromptLayout, Row
from hermes_tui.ui.text import clip, graphemes, safe


class Styles(NamedTuple):
    """What an editor draws with."""

    text: Style
    caret: Style
    selected: Style
    atom: Style
    mark: Style
    faint: Style


class EditorView(Widget, can_focus=True):
    """The visible side of a text field of one to `most` rows."""

    DEFAULT_CSS = "EditorView { height: auto; width: 1fr; }"
    ALLOW_SELECT = False
    mark: str = "❯ "

    class Changed(Message):
        """The text changed."""

    def __init__(
        self, *, placeholder: str = "", most: int = 12, id: str | None = None, classes: str = ""
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.document = PromptDocument()
        self.placeholder = placeholder
        self.most = most
        self._field = PromptLayout(self.document.label)
        self._top = 0
        self._shape = (1, 0)
        self._revision = 0

    @property
    def rows_shown(self) -> int:
        """How many rows of text are visible."""
        return max(1, min(self.most, len(self.laid_out().rows)))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as the text needs, up to `most`."""
        self._field.update(self.document.raw, max(1, width - len(self.mark) - 1))
        return self.rows_shown

    def laid_out(self) -> PromptLayout:
        """The rows as they are at the width the field has now."""
        width = self.content_size.width or 80
        self._field.update(self.document.raw, max(1, width - len(self.mark) - 1))
        return self._field

    def position(self, offset: Offset) -> int:
        """The position in the text of a cell of the field."""
        return self.laid_out().at(self._top + offset.y, max(0, offset.x - len(self.mark)))

    def scroll_rows(self, step: int) -> bool:
        """Scroll a text that is taller than the field. False: there is nothing to scroll."""
        spare = len(self.laid_out().rows) - self.rows_shown
        if spare <= 0:
            return False
        self._top = max(0, min(self._top + step, spare))
        self.refresh()
        return True

    def after_edit(self) -> bool:
        """Draw a text that has changed. Always True, for keys to return."""
        if self.document.revision != self._revision:
            self._revision = self.document.revision
            self.post_message(self.Changed())
        self.after_move()
        return True

    def after_move(self) -> None:
        """Draw a caret that has moved."""
        layout = self.laid_out()
        row = layout.row_of(self.document.caret)
        shown = self.rows_shown
        self._top = max(min(self._top, row, len(layout.rows) - shown), row - shown + 1, 0)
        shape = (shown, self.extra_rows)
        self.refresh(layout=shape != self._shape)
        self._shape = shape
        self.place_caret()

    @property
    def extra_rows(self) -> int:
        """Rows below the text that a subclass draws."""
        return 0

    @property
    def ghost(self) -> str:
        """A dim text behind the caret that is not part of the text."""
        return ""

    def place_caret(self, _screen: object = None) -> None:
        """Put the terminal's own cursor on the caret, where an input method opens its window."""
        if not (self.has_focus and self.is_attached):
            return
        layout = self.laid_out()
        row = layout.row_of(self.document.caret) - self._top
        column = min(
            layout.column_of(self.document.caret) + len(self.mark), self.content_size.width - 1
        )
        self.app.cursor_position = self.content_region.offset + Offset(column, row)

    def on_mount(self) -> None:
        """Follow the layout: the field moves when something opens above it."""
        self.screen.screen_layout_refresh_signal.subscribe(self, self.place_caret, immediate=True)

    def on_focus(self) -> None:
        """Show the caret."""
        self.refresh()
        self.place_caret()

    def on_blur(self) -> None:
        """Hide the caret."""
        self.refresh()

    def on_resize(self) -> None:
        """Lay out anew."""
        self.after_move()

    def styles_now(self) -> Styles:
        """The styles of the look the app has now."""
        look, base = look_of(self), self.rich_style
        return Styles(
            text=base,
            caret=base + Style(reverse=True),
            selected=base + look["selection"],
            atom=base + look["code"],
            mark=base + look["accent" if self.has_focus else "muted"],
            faint=base + look["muted"],
        )

    def render_line(self, y: int) -> Strip:
        """One row of the field."""
        layout, styles = self.laid_out(), self.styles_now()
        width, number = self.size.width, self._top + y
        if y >= self.rows_shown or number >= len(layout.rows):
            return Strip.blank(width, styles.text)
        mark = self.mark if number == 0 else " " * len(self.mark)
        segments = [Segment(mark, styles.mark), *self._row(layout.rows[number], styles)]
        if self.document.empty:
            segments += self._hint(styles, width)
        return Strip(segments).adjust_cell_length(width, styles.text)

    def _row(self, row: Row, styles: Styles) -> list[Segment]:
        start, end = self.document.selection
        caret = self.document.caret if self.has_focus else -1
        segments = [
            Segment(part.shown, self._style(part, (start, end), caret, styles))
            for part in self._field.parts(row)
        ]
        rows = self._field.rows
        if caret == row.end and rows[self._field.row_of(caret)] is row:
            ghost = safe(self.ghost)
            first = next(iter(graphemes(ghost)), "")
            segments.append(Segment(first or " ", styles.caret))
            if ghost:
                segments.append(Segment(ghost[len(first) :], styles.faint))
        return list(Segment.simplify(segments))

    @staticmethod
    def _style(part: Part, selection: tuple[int, int], caret: int, styles: Styles) -> Style:
        base = styles.atom if part.atom else styles.text
        if part.at == caret:
            return base + styles.caret
        return styles.selected if selection[0] <= part.at < selection[1] else base

    def _hint(self, styles: Styles, width: int) -> list[Segment]:
        room = width - len(self.mark) - 2
        return [Segment(clip(" " + self.placeholder, room), styles.faint)]
