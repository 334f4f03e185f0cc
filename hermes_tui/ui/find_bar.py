"""Finding a text in the chat: a line above the prompt while it is open."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.containers import Horizontal
from textual.message import Message

from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.search_box import SearchBox

if TYPE_CHECKING:
    from textual.app import ComposeResult


def find_pattern(query: str) -> re.Pattern[str] | None:
    """What a query looks for: a regular expression, or the text itself where it is none.

    Small letters find capitals too; a capital finds only itself. None for an empty query.
    """
    if not query:
        return None
    flags = re.NOFLAG if query != query.lower() else re.IGNORECASE
    try:
        return re.compile(query, flags)
    except re.error:
        return re.compile(re.escape(query), flags)


class FindBar(Horizontal):
    """A box and a count. Enter goes to the match before, as one looks back; escape closes."""

    BINDINGS = [
        Binding("escape", "close", show=False),
        Binding("up", "step(-1)", show=False, priority=True),
        Binding("down", "step(1)", show=False, priority=True),
    ]

    class Looked(Message):
        """Look for this. step: -1 the match above, 1 the one below, 0 the query is new."""

        def __init__(self, query: str, step: int) -> None:
            super().__init__()
            self.query = query
            self.step = step

    class Closed(Message):
        """The bar was closed."""

    def __init__(self) -> None:
        super().__init__(id="find")

    def compose(self) -> ComposeResult:
        """Box and count."""
        yield SearchBox("find in this chat", id="find-box")
        yield Bar(id="find-count")

    def open(self, query: str = "") -> None:
        """Show the bar and take the keys."""
        self.add_class("-on")
        box = self.query_one(SearchBox)
        if query:
            box.text = query
        box.focus()
        self.post_message(self.Looked(box.text, 0))

    def tell(self, at: int, count: int) -> None:
        """Say which match is shown, counted from 1."""
        words = f"{at} of {count} " if count else "nothing found "
        if not self.query_one(SearchBox).text:
            words = ""
        keys = (Span("↑ ↓ ", "accent"), Span("esc ", "accent"))
        self.query_one(Bar).show((), (Span(words, "muted"), *keys))

    @property
    def shown(self) -> bool:
        """Whether the bar is open."""
        return self.has_class("-on")

    def action_close(self) -> None:
        """Close it."""
        self.remove_class("-on")
        self.post_message(self.Closed())

    def action_step(self, step: int) -> None:
        """To the next match that way."""
        self.post_message(self.Looked(self.query_one(SearchBox).text, step))

    @on(SearchBox.Changed)
    def _typed(self, message: SearchBox.Changed) -> None:
        message.stop()
        self.post_message(self.Looked(self.query_one(SearchBox).text, 0))

    @on(SearchBox.Done)
    def _entered(self, message: SearchBox.Done) -> None:
        message.stop()
        self.action_step(-1)
