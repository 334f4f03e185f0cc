"""Inputs that wait under the prompt: each says when it will arrive, and can be taken back."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from hermes_tui.events import InputReceived
from hermes_tui.ui.face import look_of
from hermes_tui.ui.line import Span, draw
from hermes_tui.ui.text import one_line

SHOWN = 4
_WHEN = {"steer": ("⇢ steer", "after this tool"), "queue": ("… queue", "after this turn")}


class Chips(Widget):
    """One line for each waiting input; takes no room when there are none."""

    DEFAULT_CSS = "Chips { height: auto; width: 1fr; display: none; padding: 0 0 0 1; }"
    ALLOW_SELECT = False

    class TakeBack(Message):
        """The person wants a waiting input back in the prompt."""

        def __init__(self, input_id: str) -> None:
            super().__init__()
            self.input_id = input_id

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.waiting: tuple[InputReceived, ...] = ()

    def show(self, waiting: Sequence[InputReceived]) -> None:
        """Show these, oldest first."""
        if tuple(waiting) == self.waiting:
            return
        self.waiting = tuple(waiting)
        self.display = bool(self.waiting)
        self.refresh(layout=True)

    def take_back_last(self) -> bool:
        """Ask for the newest one back. False: nothing waits."""
        if not self.waiting:
            return False
        self.post_message(self.TakeBack(self.waiting[-1].input_id))
        return True

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A line each; of more than a handful the newest."""
        return min(SHOWN, len(self.waiting))

    def render_line(self, y: int) -> Strip:
        """One chip."""
        look, base, width = look_of(self), self.rich_style, self.size.width
        shown = self.waiting[-SHOWN:]
        if y >= len(shown):
            return Strip.blank(width, base)
        hidden = len(self.waiting) - len(shown)
        name, when = _WHEN.get(shown[y].how, ("… queue", "soon"))
        more = f"  +{hidden} before" if hidden and y == 0 else ""
        last = y == len(shown) - 1
        left = (
            Span(name, "accent"),
            Span(f" «{one_line(shown[y].text[:400])}»", "text"),
        )
        right = (
            Span(f"  {when}{more}" if width >= 60 else more, "muted"),
            Span("   ↑", "accent" if last else "muted"),
            Span(" take back ", "muted"),
        )
        return draw(
            left, right if last else (*right[:1], Span("              ")), width, look, base
        )

    def on_click(self, event: events.Click) -> None:
        """Take the clicked one back."""
        offset = event.get_content_offset(self)
        shown = self.waiting[-SHOWN:]
        if offset is not None and offset.y < len(shown):
            event.stop()
            self.post_message(self.TakeBack(shown[offset.y].input_id))
