"""Where you type: sends with Enter, completes commands, walks the history, keeps the draft."""

from __future__ import annotations

from typing import Literal, Protocol

from rich.style import Style
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from hermes_tui.commands import Command
from hermes_tui.ui.chips import Chips
from hermes_tui.ui.completion import Completion, usage
from hermes_tui.ui.face import look_of
from hermes_tui.ui.history import PromptHistory
from hermes_tui.ui.line import Span, draw
from hermes_tui.ui.prompt_document import Draft
from hermes_tui.ui.prompt_editor import Editor

HINT = "Say what to do   / commands   ctrl+j new line"


class KeyTaker(Protocol):
    """Something above the prompt that answers to keys while the prompt is empty."""

    def typed(self) -> None:
        """A key went into the prompt just now."""
        ...

    def take_key(self, key: str, character: str | None) -> bool:
        """Handle a key. False: it belongs to the prompt."""
        ...


class Prompt(Editor):
    """The prompt. Posts `Submitted`; the text stays until the app calls `confirm`.

    cards: what may answer to letters while the prompt is empty; chips: waiting inputs, the last
    of which up takes back.
    """

    DEFAULT_CSS = """
    Prompt { border-top: solid $border-blurred; border-title-align: right;
             border-title-color: $text-muted; padding: 0 0 0 1; }
    Prompt.-yolo { border-top: solid $error; border-title-color: $error; }
    """

    class Submitted(Message):
        """Send this. how: `queue` keeps it for the next turn."""

        def __init__(self, text: str, how: Literal["auto", "queue"]) -> None:
            super().__init__()
            self.text = text
            self.how: Literal["auto", "queue"] = how

    def __init__(
        self, *, chips: Chips | None = None, cards: tuple[KeyTaker, ...] = (), id: str | None = None
    ) -> None:
        super().__init__(placeholder=HINT, id=id)
        self.chips = chips
        self.cards = cards
        self.completion = Completion()
        self._history = PromptHistory()
        self._in_flight: tuple[int, Draft] | None = None
        self._mode = self._model = ""
        self._untouched = False

    # --- for the app -----------------------------------------------------------------------

    def set_history(self, lines: tuple[str, ...]) -> None:
        """Inputs of earlier sessions, newest first."""
        self._history.set(lines)

    def set_mode(self, mode: str) -> None:
        """What the agent may do without asking; yolo draws the rule red."""
        self._mode = mode
        self._draw_rule()

    def set_model(self, model: str) -> None:
        """The model that will answer."""
        self._model = model
        self._draw_rule()

    def confirm(self, text: str) -> None:
        """The core has stored `text`: clear it, keep what was typed after it."""
        sent = self._in_flight[1] if self._in_flight else None
        self._in_flight = None
        if sent is not None and sent.text == text:
            self._history.add(sent)
        rest = self.text.removeprefix(text) if self.text.startswith(text) else None
        if rest is not None:
            self.document.load(rest)
        self.after_edit()

    def refuse(self) -> None:
        """The core did not take it: the text stays, Enter tries again."""
        self._in_flight = None

    def give_back(self, text: str) -> None:
        """Put a text that came back from the core before whatever is in the prompt."""
        draft = self.text
        self.text = text if not draft or draft == text else f"{text}\n{draft}"

    def _draw_rule(self) -> None:
        self.set_class(self._mode == "yolo", "-yolo")
        words = [word for word in (self._mode, self._model) if word]
        self.border_title = Content(f" {' · '.join(words)} ") if words else None

    # --- keys ------------------------------------------------------------------------------

    def take_key(self, key: str, character: str | None) -> bool:
        """A card first while the prompt is empty, then the completion list, then the text."""
        if self.document.empty and any(card.take_key(key, character) for card in self.cards):
            return True
        for card in self.cards:
            card.typed()
        if self.completion.open and self._take_completion_key(key):
            return True
        if key in ("tab", "alt+enter"):
            return self._queue() if key == "alt+enter" else self._complete()
        untouched, self._untouched = self._untouched, False
        if untouched and key in ("up", "down"):
            return self._walk(-1 if key == "up" else 1)
        return super().take_key(key, character)

    def _take_completion_key(self, key: str) -> bool:
        match key:
            case "up" | "down":
                self.completion.move(-1 if key == "up" else 1)
                self.refresh()
            case "escape":
                self.completion.close(self.document.raw)
                self.after_move()
            case "tab":
                return self._complete()
            case "enter" if self.completion.chosen or not self._exact():
                return self._complete()
            case _:
                return False
        return True

    def _exact(self) -> bool:
        return any(f"/{one.slash}" == self.document.raw for one in self.completion.commands)

    def _complete(self) -> bool:
        if self.completion.open:
            self.document.load(self.completion.text)
            self.after_edit()
            self.completion.close(self.document.raw)
            self.after_move()
        return True

    def _queue(self) -> bool:
        self._submit("queue")
        return True

    def submit(self) -> None:
        """Send."""
        self._submit("auto")

    def _submit(self, how: Literal["auto", "queue"]) -> None:
        revision = self.document.revision
        waiting = self._in_flight is not None and self._in_flight[0] == revision
        if waiting or not self.text.strip():
            return
        self._in_flight = (revision, self.document.draft())
        self.completion.close(self.document.raw)
        self.after_move()
        self.post_message(self.Submitted(self.text, how))

    # --- history ---------------------------------------------------------------------------

    def leave_edge(self, step: int, select: bool) -> bool:
        """Up on the first row: a waiting input, or the history. Down on the last: back again."""
        if select:
            return super().leave_edge(step, select)
        if step < 0 and self.document.empty and self.chips and self.chips.take_back_last():
            return True
        return self._walk(step) or super().leave_edge(step, select)

    def _walk(self, step: int) -> bool:
        now = self.document.draft()
        found = self._history.older(now) if step < 0 else self._history.newer(now)
        if found is None:
            # Up at the oldest stays; down below the draft is an ordinary move.
            self._untouched = self._history.walking
            return self._history.walking
        self.document.load(found)
        self.after_edit()
        self.completion.close(self.document.raw)
        self._untouched = self._history.walking
        self.after_move()
        return True

    # --- drawing ---------------------------------------------------------------------------

    def after_edit(self) -> bool:
        """Look for commands that fit, draw."""
        self.completion.update(self.document.raw)
        return super().after_edit()

    @property
    def extra_rows(self) -> int:
        """The completion list, or one line of usage."""
        return self.completion.rows or int(usage(self.document.raw) is not None)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The text, and the list below it."""
        return super().get_content_height(container, viewport, width) + self.extra_rows

    def render_line(self, y: int) -> Strip:
        """A row of the text, or of the list below it."""
        below = y - self.rows_shown
        if below < 0 or not self.extra_rows:
            return super().render_line(y)
        width, look, base = self.size.width, look_of(self), self.rich_style
        if not self.completion.open:
            command = usage(self.document.raw)
            if command is None:
                return Strip.blank(width, base)
            words = Span(f"  /{command.slash} {command.args}", "text")
            return draw((words, Span(f"   {command.help}", "muted")), (), width, look, base)
        visible = self.completion.visible()
        if below >= len(visible):
            return Strip.blank(width, base)
        return self._suggestion(*visible[below])

    def _suggestion(self, command: Command, marked: bool) -> Strip:
        look = look_of(self)
        base = self.rich_style + (look["cursor"] if marked else Style.null())
        name = f"{'▸' if marked else ' '} /{command.slash}"
        style = "accent" if marked else "text"
        left = (Span(name.ljust(14), style), Span(f"  {command.help}", "muted"))
        return draw(left, (), self.size.width, look, base)
