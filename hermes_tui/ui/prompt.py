"""Where you type: sends with Enter, completes commands, walks the history, keeps the draft."""

from __future__ import annotations

import os
from typing import Literal, Protocol

from textual import events
from textual.content import Content
from textual.message import Message

from hermes_tui.paste import clean
from hermes_tui.ui.attach_clipboard import find_tool
from hermes_tui.ui.attach_paths import looks_like_paths
from hermes_tui.ui.chips import Chips
from hermes_tui.ui.prompt_completing import CompletingEditor
from hermes_tui.ui.prompt_document import Draft, text_draft
from hermes_tui.ui.prompt_keys import preset

HINT = "Say what to do   @ file   / command   ! shell"
SHELL_HINT = "a command for your own shell   backspace goes back"
How = Literal["auto", "queue"]


class KeyTaker(Protocol):
    """Something above the prompt that answers to keys while the prompt is empty."""

    def typed(self) -> None:
        """A key went into the prompt just now."""
        ...

    def take_key(self, key: str, character: str | None) -> bool:
        """Handle a key. False: it belongs to the prompt."""
        ...


class Prompt(CompletingEditor):
    """The prompt. Posts `Submitted`; the text stays until the app calls `confirm`.

    cards: what may answer to letters while the prompt is empty; chips: waiting inputs, the last
    of which up takes back; keys: the preset of editing keys.
    """

    DEFAULT_CSS = """
    Prompt { border-top: solid $border-blurred; border-title-align: right;
             border-title-color: $text-muted; padding: 0 0 0 1; }
    Prompt.-yolo { border-top: solid $error; border-title-color: $error; }
    Prompt.-shell { border-top: solid $success; border-title-color: $success; }
    Prompt.-changing { border-top: solid $accent; border-title-color: $accent; }
    """

    class Submitted(Message):
        """Send this. how: `queue` keeps it for the next turn."""

        def __init__(self, text: str, how: How) -> None:
            super().__init__()
            self.text = text
            self.how: How = how

    class ShellEntered(Message):
        """Run this in the person's shell. shared: the model is told of it."""

        def __init__(self, text: str, shared: bool) -> None:
            super().__init__()
            self.text = text
            self.shared = shared

    class ChangeEntered(Message):
        """A waiting input is to read like this."""

        def __init__(self, input_id: str, text: str, how: How) -> None:
            super().__init__()
            self.input_id = input_id
            self.text = text
            self.how: How = how

    class PathsPasted(Message):
        """What was pasted may be files; it stands in the text at `start`."""

        def __init__(self, text: str, start: int) -> None:
            super().__init__()
            self.text = text
            self.start = start

    class ClipboardAsked(Message):
        """Insert what is on the clipboard, whatever it is."""

    def __init__(
        self,
        *,
        chips: Chips | None = None,
        cards: tuple[KeyTaker, ...] = (),
        keys: str = "default",
        id: str | None = None,
    ) -> None:
        super().__init__(placeholder=HINT, id=id)
        self.chips = chips
        self.cards = cards
        self.preset = preset(keys)
        self.changing = ""
        self._aside = Draft()
        self._in_flight: tuple[int, Draft] | None = None
        self._mode = self._model = self._effort = ""
        self._stashed = 0
        self._rule: tuple[str, str, str, bool] | None = None
        self._untouched = False

    # --- for the app -----------------------------------------------------------------------

    def set_history(self, lines: tuple[str, ...]) -> None:
        """Inputs of earlier sessions, newest first."""
        self.history.set(lines)

    def set_mode(self, mode: str) -> None:
        """What the agent may do without asking; yolo draws the rule red."""
        self._mode = mode
        self.draw_rule()

    def set_model(self, model: str, effort: str = "") -> None:
        """The model that will answer, and how hard it is to think; empty or `auto`: as it likes."""
        self._model, self._effort = model, "" if effort == "auto" else effort
        self.draw_rule()

    def set_stashed(self, count: int) -> None:
        """How many drafts are put away."""
        self._stashed = count
        self.draw_rule()

    def confirm(self, text: str) -> None:
        """The core has stored `text`: clear it, keep what was typed after it."""
        sent = self._in_flight[1] if self._in_flight else None
        self._in_flight = None
        if sent is not None and sent.text == text:
            self.history.add(sent)
        rest = self.text.removeprefix(text) if self.text.startswith(text) else None
        if rest is not None:
            aside, self._aside = self._aside, Draft()
            self.changing = ""
            self.shell = ""
            self.document.load(rest)
            if aside.pieces:
                self._before_text(aside)
            self.preset.begin()
        self.after_edit()

    def refuse(self) -> None:
        """The core did not take it: the text stays, Enter tries again."""
        self._in_flight = None

    def give_back(self, text: str) -> None:
        """Put a text that came back from the core before whatever is in the prompt."""
        if text != self.text:
            self._before_text(text_draft(text))
        self.after_edit()

    @property
    def draft(self) -> Draft:
        """The content as data; while a waiting input is changed, the draft put aside for it."""
        if self.changing:
            return self._aside
        return Draft(pieces=self.document.draft().pieces, shell=self.shell)

    def resume(self, draft: Draft) -> None:
        """Go on with a draft; what is in the prompt stays behind it."""
        if draft.pieces or draft.shell:
            if self.document.empty:
                self.shell = draft.shell
            self._before_text(draft)
            self.after_edit()

    def take_out(self, sent: bool = False) -> Draft:
        """Take the draft out, an empty prompt stays. sent: without what is being sent just now."""
        flying = self._in_flight[1].text if sent and self._in_flight else ""
        draft = self.draft
        if flying and draft.text.startswith(flying):
            draft = text_draft(draft.text.removeprefix(flying))
        self._in_flight, self.changing, self._aside, self.shell = None, "", Draft(), ""
        self.document.load("")
        self.preset.begin()
        self.after_edit()
        return draft

    def change(self, input_id: str, text: str) -> None:
        """Edit a waiting input here; the draft comes back afterwards."""
        if not self.changing:
            self._aside = self.draft
        self.changing, self.shell = input_id, ""
        self.document.load(text)
        self.after_edit()
        self.close_list()

    def leave_change(self, keep: bool = False) -> None:
        """Edit a waiting input no longer. keep: what was made of it stays as a new text."""
        aside, self._aside, self.changing = self._aside, Draft(), ""
        self._in_flight = None
        if not keep:
            self.document.load(aside)
            self.shell = aside.shell
        elif aside.pieces:
            # Both are the person's words: the draft goes on below what was being changed.
            end = len(self.document.raw)
            pieces = (*text_draft("\n").pieces, *aside.pieces)
            self.document.put(end, end, Draft(pieces=pieces))
        self.after_edit()

    def _before_text(self, draft: Draft) -> None:
        gap = text_draft("" if self.document.empty else "\n")
        self.document.put(0, 0, Draft(pieces=(*draft.pieces, *gap.pieces)))
        self.document.move(len(self.document.raw))

    def draw_rule(self) -> None:
        """Say on the rule what Enter will do and who answers."""
        words = [self.preset.status, f"stash {self._stashed}" if self._stashed else ""]
        if self.changing:
            words = [*words, "changing a waiting text", "↵ save", "esc leave it"]
        elif self.shell:
            words = [*words, "shell", "" if self.shell == "!" else "not shown to the agent"]
        else:
            words = [*words, self._mode, self._model, self._effort]
        kept = " · ".join(word for word in words if word)
        rule = (kept, self._mode, self.shell, bool(self.changing))
        if rule == self._rule:
            return
        self._rule = rule
        self.border_title = Content(f" {kept} ") if kept else None
        self.set_class(self._mode == "yolo", "-yolo")
        self.set_class(bool(self.shell), "-shell")
        self.set_class(bool(self.changing), "-changing")
        self.mark = "! " if self.shell else "❯ "
        self.placeholder = SHELL_HINT if self.shell else HINT
        self.refresh()

    def after_move(self) -> None:
        """Draw a caret that has moved, and the mode on the rule."""
        super().after_move()
        self.draw_rule()

    # --- keys ------------------------------------------------------------------------------

    def take_key(self, key: str, character: str | None) -> bool:
        """A card first while the prompt is empty, then the completion list, then the text."""
        if self.document.empty and any(card.take_key(key, character) for card in self.cards):
            return True
        for card in self.cards:
            card.typed()
        if self.completion.open and self.take_list_key(key):
            return True
        if key in ("tab", "alt+enter"):
            return self._submit("queue") if key == "alt+enter" else self.complete()
        untouched, self._untouched = self._untouched, False
        if untouched and key in ("up", "down"):
            return self._walk(-1 if key == "up" else 1)
        if key == "right" and self.accept_ghost():
            return True
        return super().take_key(key, character) or (key == "escape" and self._escape())

    def _escape(self) -> bool:
        """Leave the shell or a change. False: the key is for the app."""
        if self.changing:
            self.leave_change()
            return True
        if self.shell and not self._in_flight:
            self.shell = ""
            return self.after_edit()
        return False

    def _type(self, key: str, character: str | None) -> bool:
        if character == "!" and self._begins_shell():
            self.shell += "!"
            return self.after_edit()
        return super()._type(key, character)

    def _begins_shell(self) -> bool:
        document = self.document
        first = document.caret == 0 and not document.selected
        return first and len(self.shell) < 2 and "\n" not in document.raw and not self.changing

    def do_backspace(self) -> bool:
        """As everywhere; before the first character it leaves the shell."""
        if self.shell and self.document.caret == 0 and not self.document.selected:
            self.shell = self.shell[1:]
            return self.after_edit()
        return super().do_backspace()

    def on_paste(self, event: events.Paste) -> None:
        """Every line of it; what may be files is looked at."""
        start = self.document.selection[0]
        super().on_paste(event)
        if not self.shell and looks_like_paths(event.text):
            self.post_message(self.PathsPasted(clean(event.text), start))

    def do_insert_clipboard(self) -> bool:
        """What is on the clipboard of the desktop, else of this program."""
        if find_tool(os.environ) is None and self.app.clipboard:
            return super().do_insert_clipboard()
        self.post_message(self.ClipboardAsked())
        return True

    def put_here(self, draft: Draft) -> None:
        """Insert a draft in place of the selection."""
        self.document.put(*self.document.selection, draft)
        self.after_edit()

    def put_instead(self, start: int, text: str, draft: Draft) -> bool:
        """Put a draft in place of a pasted text. False: something else stands there by now."""
        end = start + len(text)
        if self.document.raw[start:end] != text:
            return False
        self.document.swap(start, end, draft)
        return self.after_edit()

    def submit(self) -> None:
        """Send."""
        self._submit("auto")

    def _submit(self, how: How) -> bool:
        revision = self.document.revision
        waiting = self._in_flight is not None and self._in_flight[0] == revision
        if waiting or not self.text.strip():
            return True
        draft = Draft(pieces=self.document.draft().pieces, shell=self.shell)
        self._in_flight = (revision, draft)
        self.close_list()
        if self.changing:
            self.post_message(self.ChangeEntered(self.changing, self.text, how))
        elif self.shell:
            self.post_message(self.ShellEntered(self.text, self.shell == "!"))
        else:
            self.post_message(self.Submitted(self.text, how))
        return True

    # --- history ---------------------------------------------------------------------------

    def leave_edge(self, step: int, select: bool) -> bool:
        """Up on the first row: a waiting input, or the history. Down on the last: back again."""
        if select:
            return super().leave_edge(step, select)
        if self.chips and self.document.empty and step < 0 and self.chips.take_back_last():
            return True
        if self._walk(step):
            return True
        if self.chips and step > 0 and self.chips.take_focus():
            return True
        return super().leave_edge(step, select)

    def _walk(self, step: int) -> bool:
        if self.changing:
            return False
        now = self.draft
        found = self.history.older(now) if step < 0 else self.history.newer(now)
        if found is None:
            # Up at the oldest stays; down below the draft is an ordinary move.
            self._untouched = self.history.walking
            return self.history.walking
        self.shell = found.shell
        self.document.load(found)
        self.after_edit()
        self._untouched = self.history.walking
        self.close_list()
        return True
