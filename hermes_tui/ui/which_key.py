"""The key after the leader: takes it at once, and shows what there is when nobody presses one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget

from hermes_tui.ui.face import look_of
from hermes_tui.ui.keys import key_words
from hermes_tui.ui.line import Span, draw
from hermes_tui.ui.text import fit

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.geometry import Size

    from hermes_tui.commands import Command

PAUSE_S = 0.5
_CELL, _KEY = 26, 6
_HELD = frozenset({"pane.narrower", "pane.wider"})
"""Commands that go on with every further key until another one is pressed."""


class LeaderScreen(ModalScreen[str]):
    """Dismisses with a command's id, empty for none. hold: does a command and stays."""

    AUTO_FOCUS = ""

    def __init__(
        self, chords: Mapping[str, Command], leader: str, hold: Callable[[str], None]
    ) -> None:
        super().__init__()
        self._chords, self._leader, self._hold = chords, leader, hold

    def compose(self) -> ComposeResult:
        """The list, which is not seen yet."""
        yield ChordList(self._chords, self._leader)

    def on_mount(self) -> None:
        """Who knows the key presses it before the list comes."""
        self.query_one(ChordList).display = False
        self.set_timer(PAUSE_S, self._show)

    def _show(self) -> None:
        self.query_one(ChordList).display = True

    async def on_key(self, event: events.Key) -> None:
        """The key after the leader."""
        event.stop()
        event.prevent_default()
        known = self._chords.get(event.key) or self._chords.get(event.key.removeprefix("ctrl+"))
        self.take(known.id if known else "", key_words((event.key,)))

    def take(self, command_id: str, key: str = "") -> None:
        """Do a command."""
        if command_id in _HELD:
            self._hold(command_id)
            return
        if not command_id and key not in ("esc", self._leader):
            self.app.notify(f"{self._leader} {key} does nothing", timeout=2)
        self.dismiss(command_id)

    def action_take(self, command_id: str) -> None:
        """A click on a line of the list."""
        self.take(command_id)

    def on_click(self) -> None:
        """A click beside the list closes it."""
        self.dismiss("")


class ChordList(Widget):
    """All keys after the leader in columns."""

    ALLOW_SELECT = False

    def __init__(self, chords: Mapping[str, Command], leader: str) -> None:
        super().__init__(id="chords")
        self._leader = leader
        self._cells: Sequence[tuple[str, Command]] = sorted(
            chords.items(), key=lambda one: (len(one[0]) > 1, one[0])
        )

    def _rows(self, width: int) -> int:
        columns = max(1, width // _CELL)
        return -(-len(self._cells) // columns)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as it takes, and a heading."""
        return self._rows(width) + 1

    def render_line(self, y: int) -> Strip:
        """A heading, then a key and what it does in each column."""
        width, look = self.size.width, look_of(self)
        if y == 0:
            words = (Span(f" {self._leader} ", "accent"), Span("then", "muted"))
            return draw(words, (Span("esc ", "muted"),), width, look, self.rich_style)
        rows = self._rows(width)
        spans: list[Span] = []
        room = width // max(1, width // _CELL) - _KEY
        for key, command in self._cells[y - 1 :: rows]:
            click = f"screen.take('{command.id}')"
            spans.append(Span(fit(f" {key_words((key,))}", _KEY), "accent", click))
            spans.append(Span(fit(command.title, room), "", click))
        return draw(spans, (), width, look, self.rich_style)
