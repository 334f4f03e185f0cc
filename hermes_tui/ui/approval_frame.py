"""The frame of a question to the person: between chat and prompt, never in the way of typing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from textual import events
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from hermes_tui.ui.face import look_of
from hermes_tui.ui.line import Span, draw
from hermes_tui.ui.prompt_editor import Editor
from hermes_tui.ui.text import cells

if TYPE_CHECKING:
    from textual.app import ComposeResult

GRACE_S = 0.4


class Ask(Protocol):
    """Something pending."""

    @property
    def ask_id(self) -> str:
        """Its id."""
        ...


A = TypeVar("A", bound=Ask)
Line = Sequence[Span]


class CardLines(Widget):
    """The text of a card; a click on a key does what the key does."""

    DEFAULT_CSS = "CardLines { height: auto; width: 1fr; }"

    def __init__(self, lines: Callable[[int], list[Line]], choose: Callable[[str], bool]) -> None:
        super().__init__()
        self._lines = lines
        self._choose = choose

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A row for each line."""
        return max(1, len(self._lines(width)))

    def render_line(self, y: int) -> Strip:
        """One line."""
        lines = self._lines(self.size.width)
        line = lines[y] if y < len(lines) else ()
        return draw(line, (), self.size.width, look_of(self), self.rich_style)

    def action_choose(self, key: str) -> None:
        """A key was clicked."""
        self._choose(key)


class AskCard(Vertical, Generic[A], can_focus=True):
    """Shows the first of several pending asks; hidden when there are none.

    A letter counts only after 400 ms in which nothing was typed and the same ask was shown, so
    that nobody answers by finishing a word.
    """

    DEFAULT_CSS = """
    AskCard { height: auto; display: none; border-top: solid $warning; padding: 0 0 0 1;
              border-title-color: $warning; border-title-style: bold; }
    AskCard:focus-within, AskCard:focus { border-top: heavy $warning; }
    AskCard Editor { display: none; }
    AskCard.-asking Editor { display: block; }
    """

    def __init__(
        self, *, clock: Callable[[], float] = time.monotonic, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self.pending: tuple[A, ...] = ()
        self.at = 0
        self.problem = ""
        self._clock = clock
        self._quiet_since = 0.0
        self._shown_since = 0.0
        self._answered: set[str] = set()
        self._back_to: Widget | None = None
        self.field = Editor(most=6)
        self.lines = CardLines(self.all_lines, self.choose)

    def compose(self) -> ComposeResult:
        """The lines, and a field that opens when words are needed."""
        yield self.lines
        yield self.field

    # --- for the app -----------------------------------------------------------------------

    @property
    def ask(self) -> A | None:
        """The ask shown."""
        return self.pending[self.at] if self.pending else None

    def show(self, pending: Sequence[A]) -> None:
        """Show what is pending now; an ask being answered with words stays where it is."""
        before = self.ask
        self._answered &= {one.ask_id for one in pending}
        self.pending = tuple(one for one in pending if one.ask_id not in self._answered)
        ids = [one.ask_id for one in self.pending]
        self.at = ids.index(before.ask_id) if before and before.ask_id in ids else 0
        now = self.ask
        if before is None or now is None or before.ask_id != now.ask_id:
            self._shown_since = self._clock()
            self.close_field()
        self.redraw()

    def reopen(self, ask_id: str, pending: Sequence[A]) -> None:
        """The answer did not arrive: ask again."""
        self._answered.discard(ask_id)
        self.show(pending)

    def typed(self) -> None:
        """A key went into the prompt."""
        self._quiet_since = self._clock()

    def take_key(self, key: str, character: str | None) -> bool:
        """A key pressed while the prompt is empty. False: it belongs to the prompt."""
        if self.ask is None or self.asking or self._clock() - self._quiet_since < GRACE_S:
            return False
        return self._use(key)

    def take_focus(self) -> bool:
        """Turn to the card (alt+a). False: nothing is pending."""
        if self.ask is None:
            return False
        self._back_to = self.app.focused if self.app.focused is not self else self._back_to
        self.focus()
        return True

    # --- for the two kinds of card ---------------------------------------------------------

    def heading(self, ask: A) -> str:
        """What the rule above the card says."""
        raise NotImplementedError

    def body(self, ask: A, width: int) -> list[Line]:
        """What it is about."""
        raise NotImplementedError

    def keys(self, ask: A, width: int) -> list[Line]:
        """What can be pressed."""
        raise NotImplementedError

    def choose(self, key: str) -> bool:
        """Do what a key is for. False: it is no key of the card."""
        raise NotImplementedError

    def meant(self, key: str) -> str:
        """The default key in whose place a key stands, for people who changed them."""
        return key

    def finished(self, text: str) -> None:
        """Enter was pressed in the field."""
        raise NotImplementedError

    def field_note(self) -> Line:
        """What the open field is for."""
        return ()

    # --- the field -------------------------------------------------------------------------

    @property
    def asking(self) -> bool:
        """Whether the field is open."""
        return self.has_class("-asking")

    def open_field(self, text: str, placeholder: str = "") -> None:
        """Open the field with a text to edit."""
        if self.app.focused not in (self, self.field):
            self._back_to = self.app.focused
        self.field.document.load(text)
        self.field.placeholder = placeholder
        self.problem = ""
        self.add_class("-asking")
        self.field.after_edit()
        self.field.focus()
        self.redraw()

    def close_field(self) -> None:
        """Close it, and give the focus back."""
        held = self.is_attached and self.app.focused in (self, self.field)
        self.remove_class("-asking")
        self.problem = ""
        if held and self._back_to is not None and self._back_to.is_attached:
            self._back_to.focus()
        self.redraw()

    def done(self, ask: A) -> None:
        """An answer has been posted: show the next ask."""
        self._answered.add(ask.ask_id)
        self.close_field()
        self.show(self.pending)

    def on_editor_done(self, event: Editor.Done) -> None:
        """Enter in the field."""
        event.stop()
        if self.ask is not None:
            self.finished(event.text)

    def on_editor_view_changed(self, event: Editor.Changed) -> None:
        """Typing clears what was wrong, and is not news for the app."""
        event.stop()
        if self.problem:
            self.problem = ""
            self.redraw()

    # --- keys and drawing ------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Keys while the card has the focus."""
        used = self.ask is not None and self._focused_key(event.key)
        if used:
            event.stop()
            event.prevent_default()

    def _focused_key(self, key: str) -> bool:
        if key == "escape":
            self.close_field()
            return True
        return not self.asking and self._use(key)

    def _use(self, key: str) -> bool:
        if self._clock() - self._shown_since < GRACE_S:
            return False
        key = self.meant(key)
        if key == "tab" and len(self.pending) > 1:
            self.at = (self.at + 1) % len(self.pending)
            self._shown_since = self._clock() - GRACE_S
            self.redraw()
            return True
        return self.choose(key)

    def on_click(self, event: events.Click) -> None:
        """A click turns to the card."""
        if not self.asking:
            self.take_focus()

    def redraw(self) -> None:
        """Draw what is pending now."""
        ask = self.ask
        self.display = ask is not None
        if ask is not None:
            self.border_title = Content(f" {self.heading(ask)} ")
        self.lines.refresh(layout=True)

    def on_resize(self) -> None:
        """What fits into the rule has changed."""
        if self.ask is not None:
            self.redraw()

    def fits_rule(self, text: str) -> bool:
        """Whether a heading fits into the rule above the card."""
        return cells(text) <= (self.size.width or 80) - 6

    def count(self) -> str:
        """`2/3 ` when several are pending."""
        return f" {self.at + 1}/{len(self.pending)}" if len(self.pending) > 1 else ""

    def all_lines(self, width: int) -> list[Line]:
        """The card's text at a width."""
        ask = self.ask
        if ask is None:
            return []
        if not self.asking:
            return [*self.body(ask, width), *self.keys(ask, width)]
        return [
            *self.body(ask, width),
            (Span(self.problem, "error"),) if self.problem else self.field_note(),
        ]
