"""A column of the screen whose edge can be dragged with the mouse."""

from __future__ import annotations

from typing import Literal

from textual import events
from textual.containers import Vertical
from textual.message import Message


class Column(Vertical):
    """edge: the border that is the divider."""

    ALLOW_SELECT = False
    edge: Literal["left", "right"] = "right"
    _dragging = False

    class Dragged(Message):
        """The divider is to be at this column of the screen."""

        def __init__(self, column: Column, x: int) -> None:
            super().__init__()
            self.column = column
            self.x = x

        @property
        def control(self) -> Column:
            """The column."""
            return self.column

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the divider."""
        if event.button == 1 and self._on_edge(event.x):
            event.stop()
            self._dragging = True
            self.add_class("-dragged")
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag it."""
        if self._dragging:
            event.stop()
            self.post_message(self.Dragged(self, event.screen_x))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let it go."""
        if self._dragging:
            event.stop()
            self._dragging = False
            self.remove_class("-dragged")
            self.release_mouse()

    def _on_edge(self, x: int) -> bool:
        border = self.styles.border
        if self.edge == "left":
            return bool(border.left[0]) and x == 0
        return bool(border.right[0]) and x == self.outer_size.width - 1
