"""Inputs that wait under the prompt: each says when it will arrive, can be changed and moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from hermes_tui.events import InputReceived
from hermes_tui.ui.face import look_of
from hermes_tui.ui.line import Span, draw, width_of
from hermes_tui.ui.text import one_line

SHOWN = 4
_WHEN = {"steer": ("⇢ steer", "after this tool"), "queue": ("… queue", "after this turn")}
_TAKE_BACK = (Span("   ↑", "accent"), Span(" take back ", "muted"))
_KEYS = (
    ("↵", "change"),
    ("x", "take back"),
    ("tab", "steer/queue"),
    ("alt+shift+↑↓", "move"),
    ("esc", "back"),
)


class Chips(Widget, can_focus=True):
    """One line for each waiting input; takes no room when there are none.

    idle: no turn runs that they wait for.

    Down from the prompt comes here. marked: the one that keys are for, the newest unless another
    was chosen.
    """

    DEFAULT_CSS = "Chips { height: auto; width: 1fr; display: none; padding: 0 0 0 1; }"
    ALLOW_SELECT = False
    FOCUS_ON_CLICK = False

    class Chosen(Message):
        """Something is to be done with a waiting input."""

        def __init__(self, input_id: str) -> None:
            super().__init__()
            self.input_id = input_id

    class TakeBack(Chosen):
        """The person wants it back in the prompt."""

    class Change(Chosen):
        """It is to be edited."""

    class Toggle(Chosen):
        """It is to arrive the other way: at once, or in the next turn."""

    class Move(Chosen):
        """It is to come right before another one; before the end when that is empty."""

        def __init__(self, input_id: str, before: str) -> None:
            super().__init__(input_id)
            self.before = before

    class Left(Message):
        """The keys are the prompt's again. key, character: one that was pressed for it."""

        def __init__(self, key: str = "", character: str | None = None) -> None:
            super().__init__()
            self.key = key
            self.character = character

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.waiting: tuple[InputReceived, ...] = ()
        self.idle = False
        self._marked = ""
        self._changing = ""

    # --- for the prompt and the app --------------------------------------------------------

    def show(self, waiting: Sequence[InputReceived], changing: str = "") -> None:
        """Show these, in the order in which they will arrive. changing: the one in the prompt."""
        if (tuple(waiting), changing) == (self.waiting, self._changing):
            return
        self.waiting, self._changing = tuple(waiting), changing
        self.display = bool(self.waiting)
        if not self.waiting and self.has_focus:
            self.post_message(self.Left())
        self.refresh(layout=True)

    def take_back_last(self) -> bool:
        """Ask for the newest one back. False: nothing waits."""
        if not self.waiting:
            return False
        self.post_message(self.TakeBack(self.waiting[-1].input_id))
        return True

    def take_focus(self) -> bool:
        """Give the keys to the chips. False: nothing waits."""
        if not self.waiting:
            return False
        self._marked = self.waiting[0].input_id
        self.focus()
        return True

    def move(self, step: int) -> bool:
        """Have the marked one arrive earlier or later. False: it can't."""
        at = self.at
        to = at + step
        if not self.waiting or not 0 <= to < len(self.waiting):
            return False
        others = [one.input_id for one in self.waiting if one is not self.waiting[at]]
        before = others[to] if to < len(others) else ""
        self._marked = self.waiting[at].input_id
        self.post_message(self.Move(self._marked, before))
        return True

    @property
    def at(self) -> int:
        """The index of the marked one."""
        ids = [one.input_id for one in self.waiting]
        return ids.index(self._marked) if self._marked in ids else len(ids) - 1

    # --- keys ------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Keys while the chips have them; letters go to the prompt."""
        if self._take_key(event.key, event.character):
            event.stop()
            event.prevent_default()

    def _take_key(self, key: str, character: str | None) -> bool:
        if not self.waiting:
            return False
        marked = self.waiting[self.at].input_id
        match key:
            case "up" | "k" if self.at == 0:
                self.post_message(self.Left())
            case "up" | "down" | "k" | "j":
                self._mark(self.at + (1 if key in ("down", "j") else -1))
            case "enter" | "e":
                self.post_message(self.Change(marked))
            case "x" | "backspace" | "delete":
                self.post_message(self.TakeBack(marked))
            case "tab" | "s":
                self.post_message(self.Toggle(marked))
            case "escape":
                self.post_message(self.Left())
            case _ if character and character.isprintable() and not key.startswith("alt+"):
                self.post_message(self.Left(key, character))
            case _:
                return False
        return True

    def _mark(self, at: int) -> None:
        self._marked = self.waiting[max(0, min(at, len(self.waiting) - 1))].input_id
        self.refresh()

    def on_focus(self) -> None:
        """Show which one is marked, and what can be done with it."""
        self.refresh(layout=True)

    def on_blur(self) -> None:
        """The newest is marked again."""
        self._marked = ""
        self.refresh(layout=True)

    def on_click(self, event: events.Click) -> None:
        """A click on the way it arrives changes that, on its end takes it back, else edits it."""
        offset = event.get_content_offset(self)
        rows = self._rows()
        if offset is None or not 0 <= offset.y < len(rows):
            return
        event.stop()
        input_id = rows[offset.y].input_id
        name, _ = _words(rows[offset.y].how)
        if offset.x <= len(name):
            self.post_message(self.Toggle(input_id))
        elif offset.x >= self.content_size.width - width_of(_TAKE_BACK):
            self.post_message(self.TakeBack(input_id))
        else:
            self.post_message(self.Change(input_id))

    # --- drawing ---------------------------------------------------------------------------

    def _rows(self) -> tuple[InputReceived, ...]:
        """Of more than a handful, those around the marked one."""
        end = max(SHOWN, self.at + 1) if self.has_focus else len(self.waiting)
        return self.waiting[max(0, end - SHOWN) : end]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A line each, and one of keys while they have them."""
        return min(SHOWN, len(self.waiting)) + int(self.has_focus)

    def render_line(self, y: int) -> Strip:
        """One chip, or the keys."""
        width, rows = self.size.width, self._rows()
        if y < len(rows):
            return self._chip(rows[y], first=y == 0)
        if y == len(rows) and self.has_focus:
            spans = [part for k, w in _KEYS for part in (Span(f" {k} ", "accent"), Span(w + " "))]
            muted = [span if span.style else span._replace(style="muted") for span in spans]
            return draw(muted, (), width, look_of(self), self.rich_style)
        return Strip.blank(width, self.rich_style)

    def _chip(self, one: InputReceived, first: bool) -> Strip:
        look, width = look_of(self), self.size.width
        marked = one is self.waiting[self.at]
        base = self.rich_style + look["cursor"] if marked and self.has_focus else self.rich_style
        name, when = _words(one.how)
        when = "after your next message" if self.idle else when
        if one.input_id == self._changing:
            name, when = f"✎{name[1:]}", "in the prompt"
        hidden = self.waiting.index(one) if first else 0
        more = f"  +{hidden} before" if hidden else ""
        left = (Span(name, "accent"), Span(f" «{one_line(one.text[:400])}»", "text"))
        note = Span(f"  {when}{more}" if width >= 60 else more, "muted")
        end = _TAKE_BACK if marked else (Span(" " * width_of(_TAKE_BACK)),)
        return draw(left, (note, *end), width, look, base)


def _words(how: str) -> tuple[str, str]:
    """How it arrives, and when."""
    return _WHEN.get(how, ("… queue", "soon"))


def other_way(how: str) -> Literal["steer", "queue"]:
    """The way a waiting input does not arrive now."""
    return "steer" if how == "queue" else "queue"
