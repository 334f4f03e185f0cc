"""The chat: one widget of blocks to read, fold, copy, find in and act on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from textual.message import Message

from hermes_tui.ui import part_keys
from hermes_tui.ui.blocks import Block
from hermes_tui.ui.selection import extract
from hermes_tui.ui.transcript_view import BlockView

if TYPE_CHECKING:
    from textual import events
    from textual.selection import Selection

    from hermes_tui.ui.find_search import Match


class Transcript(BlockView, can_focus=True):
    """The blocks of a session."""

    DEFAULT_CSS = """
    Transcript {
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
    }
    """
    BINDINGS = part_keys.bindings("chat")

    class BlockAction(Message):
        """Something in a block was clicked, or a key asks for something to be done with it.

        action: `copy`, `link`, `picture` or `target` with a value; `output`, `diff`, `code`,
        `whole`, `fork` or `links` with none.
        """

        def __init__(self, block: Block, action: str, value: str = "") -> None:
            super().__init__()
            self.block = block
            self.action = action
            self.value = value

    class Stepped(Message):
        """Another place of what is being looked for is wanted: -1 above, 1 below."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    _hovered = ""

    # --- mouse and selection ----------------------------------------------------------------

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The source of what is selected."""
        return extract(self.column, selection, self._margin), "\n"

    def on_click(self, event: events.Click) -> None:
        """Unfold, copy, open a link, or go to what is new."""
        if self.new_below and event.y == self._rows - 1 and event.x >= self._columns - 16:
            self.to_end()
            return
        row = self.column.row(round(self.scroll_y) + event.y)
        act: Any = event.style.meta.get("act")
        if row is None or not act:
            return
        event.stop()
        self._act(row.block, act)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say where the link under the mouse leads, before anybody follows it."""
        act: Any = event.style.meta.get("act") or ("",)
        target = str(act[1]) if act[0] == "link" else ""
        if target != self._hovered:
            self._hovered = target
            row = self.column.row(round(self.scroll_y) + event.y)
            if target and row is not None:
                self.post_message(self.BlockAction(row.block, "target", target))

    def _act(self, block: Block, act: tuple[Any, ...]) -> None:
        match act:
            case ("toggle",):
                self.open(block)
            case ("hunk", int(number)):
                self.following = False
                block.fold(number)
                self.update(block)
            case ("copy", int(start), int(end)):
                text = block.source[start:end]
                self.app.copy_to_clipboard(text)
                self.post_message(self.BlockAction(block, "copy", text))
            case ("picture", str(path)):
                self.post_message(self.BlockAction(block, "picture", path))
            case ("link", str(url)):
                self.post_message(self.BlockAction(block, "link", url))
            case (str(name), *_):
                self.post_message(self.BlockAction(block, name))
            case _:
                return

    # --- the block cursor -------------------------------------------------------------------

    def cursor_up(self) -> None:
        """Move the block cursor up; it begins at the last block on the screen."""
        self._step(-1)

    def cursor_down(self) -> None:
        """Move the block cursor down."""
        self._step(1)

    def _step(self, by: int) -> None:
        self.flush()
        if not self.blocks:
            return
        index = self.column.index(self.cursor) if self.cursor else -1
        last = self.column.spot(round(self.scroll_y) + self._rows - 1).at
        index = last if index < 0 else min(max(0, index + by), len(self.blocks) - 1)
        while self.blocks[index].hidden and 0 < index + by < len(self.blocks):
            index += by
        self.set_cursor(self.blocks[index])

    def set_cursor(self, block: Block | None) -> None:
        """Put the block cursor on a block and bring it into view; None takes it away."""
        self.cursor = block
        if block is None:
            self.refresh()
            return
        index = self.column.index(block)
        top, size = self.column.heights.before(index), self.column.measure(index)
        now = round(self.scroll_y)
        if top < now or size >= self._rows:
            self.show_block(block)
        elif top + size > now + self._rows:
            self.go(top + size - self._rows)
        self.refresh()

    def open(self, block: Block | None = None) -> bool:
        """Unfold or fold a block, the one under the cursor if none is given."""
        block = block or self.cursor
        if block is None or not block.flip():
            return False
        if self.following and self.column.index(block) >= 0:
            self.following = False
        self.update(block)
        self.flush()
        return True

    def copy(self) -> str:
        """The source of the block under the cursor, which is put on the clipboard too."""
        if self.cursor is None:
            return ""
        text = self.cursor.copy()
        self.app.copy_to_clipboard(text)
        self.post_message(self.BlockAction(self.cursor, "copy", text))
        return text

    def action_open(self) -> None:
        """Enter: unfold the block under the cursor."""
        self.open()

    def action_copy_block(self) -> None:
        """C: copy it."""
        self.copy()

    def action_act(self, name: str) -> None:
        """Do something with the block under the cursor, the last one on the screen if none is."""
        if self.cursor is None:
            self.cursor_up()
        if self.cursor is not None:
            self.post_message(self.BlockAction(self.cursor, name))

    def action_stamps(self) -> None:
        """T: show when each block began, or no more."""
        self.stamps = not self.stamps
        self.refresh()

    # --- finding ----------------------------------------------------------------------------

    def highlight(self, pattern: re.Pattern[str] | None) -> None:
        """Mark all matches on the screen; None ends it."""
        self.pattern = pattern
        self.refresh()

    def action_match(self, step: int) -> None:
        """N: the next place further up of what is being looked for; shift+n the one below."""
        if self.pattern is not None:
            self.post_message(self.Stepped(step))

    def reveal(self, match: Match) -> None:
        """Unfold the block of a match if need be and scroll to it."""
        shown = any(line.end >= match.end for line in self.column.lines(match.block))
        if not shown and match.block.flip():
            self.update(match.block)
        self.show_block(match.block, match.start, share=1 / 3)
