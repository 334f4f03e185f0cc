"""The fields of the first run: a line with its name before it, and one that shows no letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from hermes_tui.ui.face import look_of
from hermes_tui.ui.search_box import SearchBox
from hermes_tui.ui.text import cells, clip

if TYPE_CHECKING:
    from textual import events
    from textual.geometry import Size

_MASK = "•"


class Field(SearchBox):
    """A line to type into, with its name in front. Enter and down go on, up goes back."""

    def __init__(self, name: str, placeholder: str, *, id: str) -> None:
        super().__init__(placeholder, id=id)
        self.mark = f"{name:<10}"

    def submit(self) -> None:
        """On to the next field, before another key can arrive."""
        self.screen.focus_next()

    def leave_edge(self, step: int, select: bool) -> bool:
        """Up goes to the field before."""
        if step < 0 and not select:
            self.screen.focus_previous()
            return True
        return super().leave_edge(step, select)


class SecretField(Widget, can_focus=True):
    """A line whose text is never drawn, copied or kept by the screen. Posts `Done` on Enter."""

    DEFAULT_CSS = "SecretField { height: 1; }"
    ALLOW_SELECT = False
    BINDINGS = [
        Binding("enter,down", "done", show=False),
        Binding("up", "back", show=False),
        Binding("backspace", "erase(1)", show=False),
        Binding("ctrl+u,ctrl+w,delete", "erase(0)", show=False),
    ]

    class Done(Message):
        """Enter was pressed."""

    def __init__(self, name: str, placeholder: str, *, id: str) -> None:
        super().__init__(id=id)
        self.mark = f"{name:<10}"
        self.placeholder = placeholder
        self.secret = ""

    def clear(self) -> None:
        """Forget what was typed."""
        self.secret = ""
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        """A character of it."""
        if event.character and event.character.isprintable() and "+" not in event.key[:-1]:
            event.stop()
            self._add(event.character)

    def on_paste(self, event: events.Paste) -> None:
        """All of it at once, without the line end that often comes along."""
        event.stop()
        self._add("".join(event.text.split()))

    def action_erase(self, count: int) -> None:
        """Take back the last character; 0: all of it."""
        self.secret = self.secret[:-count] if count else ""
        self.refresh()

    def action_done(self) -> None:
        """It is complete."""
        self.post_message(self.Done())

    def action_back(self) -> None:
        """To the field before."""
        self.screen.focus_previous()

    def on_focus(self) -> None:
        """Show the caret."""
        self.refresh()

    def on_blur(self) -> None:
        """Hide the caret."""
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Its name, and a dot for each character."""
        look, base, width = look_of(self), self.rich_style, self.size.width
        room = max(0, width - cells(self.mark) - 2)
        shown = clip(_MASK * len(self.secret), room)
        mark = base + look["accent" if self.has_focus else "muted"]
        segments = [Segment(self.mark, mark), Segment(shown, base)]
        if self.has_focus:
            segments.append(Segment(" ", base + Style(reverse=True)))
        if not self.secret:
            hint = clip(" " + self.placeholder, room)
            segments.append(Segment(hint, base + look["muted"]))
        return Strip(segments).adjust_cell_length(width, base)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """As wide as there is room."""
        return container.width

    def _add(self, text: str) -> None:
        self.secret += text
        self.refresh()
