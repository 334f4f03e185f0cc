"""Finding a text in the chat: a line above the prompt while it is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Horizontal
from textual.message import Message

from hermes_tui.search.pattern import is_regex
from hermes_tui.ui import part_keys
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.search_box import SearchBox

if TYPE_CHECKING:
    from textual.app import ComposeResult


class FindBar(Horizontal):
    """A box and a count. Enter goes to the match before, as one looks back; escape closes.

    regex: the query is a regular expression where it can be one.
    """

    BINDINGS = part_keys.bindings("find")

    class Looked(Message):
        """Look for this. step: -1 the match above, 1 the one below, 0 the query is new."""

        def __init__(self, query: str, step: int, regex: bool = True) -> None:
            super().__init__()
            self.query = query
            self.step = step
            self.regex = regex

    class Closed(Message):
        """The bar was closed."""

    class Left(Message):
        """The keys are to go to what was found."""

    def __init__(self) -> None:
        super().__init__(id="find")
        self.regex = True

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
        self._look(0)

    def tell(self, at: int, count: int, more: str = "") -> None:
        """Say which match is shown, counted from 1. more: what the count leaves out."""
        query = self.query_one(SearchBox).text
        words = f"{at:,} of {count:,}{more} " if count else f"nothing found{more} "
        kind = ".* " if self.regex and is_regex(query) else "abc "
        keys = (Span("n N ↑ ↓ ", "accent"), Span("esc ", "accent"))
        told = (Span(words if query else "", "muted"), Span(kind, "muted"), *keys)
        self.query_one(Bar).show((), told)

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
        self._look(step)

    def action_toggle_regex(self) -> None:
        """Take the query as a regular expression, or as it is."""
        self.regex = not self.regex
        self._look(0)

    def action_leave(self) -> None:
        """Give the keys to what was found: n and shift+n go on from there."""
        self.post_message(self.Left())

    def _look(self, step: int) -> None:
        self.post_message(self.Looked(self.query_one(SearchBox).text, step, self.regex))

    @on(SearchBox.Changed)
    def _typed(self, message: SearchBox.Changed) -> None:
        message.stop()
        self._look(0)

    @on(SearchBox.Done)
    def _entered(self, message: SearchBox.Done) -> None:
        message.stop()
        self.action_step(-1)
