"""A text field that grows: caret by grapheme, selection, undo, folded pastes, no blinking."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from textual import events
from textual.message import Message

from hermes_tui.ui.prompt_document import Atom
from hermes_tui.ui.prompt_keys import KEYS, MOVES, Preset
from hermes_tui.ui.prompt_view import EditorView

_MODIFIED = ("alt+", "ctrl+", "super+", "hyper+", "meta+")


class Editor(EditorView):
    """An editable text of one to `most` rows. Enter posts `Done`."""

    class Done(Message):
        """Enter was pressed. text: all of it, pastes unfolded."""

        def __init__(self, editor: Editor, text: str) -> None:
            super().__init__()
            self.editor = editor
            self.text = text

        @property
        def control(self) -> Editor:
            """The editor it comes from."""
            return self.editor

    class AtomClicked(Message):
        """A folded paste was clicked, to be looked at."""

        def __init__(self, atom: Atom) -> None:
            super().__init__()
            self.atom = atom

    def __init__(
        self, *, placeholder: str = "", most: int = 12, id: str | None = None, classes: str = ""
    ) -> None:
        super().__init__(placeholder=placeholder, most=most, id=id, classes=classes)
        self.preset = Preset()
        self._column: int | None = None
        self._dragging = False

    # --- for others ------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The whole text as it would be sent."""
        return self.document.text

    @text.setter
    def text(self, value: str) -> None:
        self.document.load(value)
        self.after_edit()

    @property
    def selected_text(self) -> str:
        """The selected text, empty when nothing is selected."""
        return self.document.selected

    def insert(self, text: str) -> None:
        """Put text in at the caret, folded when it is long."""
        self.document.paste(text)
        self.after_edit()

    def clear(self) -> None:
        """Empty it; undo brings the text back."""
        self.text = ""

    # --- keys ------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Type, or do what the key is for; anything else goes on to the app."""
        if self.take_key(event.key, event.character):
            event.stop()
            event.prevent_default()

    def take_key(self, key: str, character: str | None) -> bool:
        """Handle one key. False: not ours."""
        if self.preset.take(self, key, character):
            return True
        name = key if key in KEYS else key.replace("shift+", "", 1)
        selecting = name != key
        action = KEYS.get(name)
        if action in MOVES:
            return self._move(action, selecting)
        if action is not None and not selecting:
            return getattr(self, "do_" + action)()
        return self._type(key, character)

    def after_edit(self) -> bool:
        """Draw a text that has changed, and forget the column up and down kept."""
        self._column = None
        return super().after_edit()

    def _type(self, key: str, character: str | None) -> bool:
        if not character or key.startswith(_MODIFIED):
            return False
        # Not `isprintable`: that refuses joiners and the wide space, which people do type.
        if unicodedata.category(character[0]) in ("Cc", "Cs"):
            return False
        self.document.type(character)
        self.after_edit()
        return True

    def on_paste(self, event: events.Paste) -> None:
        """Every line of it."""
        event.stop()
        event.prevent_default()
        if event.text:
            self.insert(event.text)

    # --- moving ----------------------------------------------------------------------------

    def _move(self, action: str, select: bool) -> bool:
        document = self.document
        start, end = document.selection
        if action in ("up", "down"):
            return self.vertical(-1 if action == "up" else 1, select)
        if start != end and not select and action in ("left", "right"):
            document.move(start if action == "left" else end)
        else:
            document.move(self._target(action), select)
        self._column = None
        self.after_move()
        return True

    def _target(self, action: str) -> int:
        document, at = self.document, self.document.caret
        match action:
            case "left":
                return document.left(at)
            case "right":
                return document.right(at)
            case "word_left":
                return document.word_left(at)
            case "word_right":
                return document.word_right(at)
            case "home":
                return document.line_start(at)
            case "end":
                return document.line_end(at)
            case "first":
                return 0
            case _:
                return len(document.raw)

    def vertical(self, step: int, select: bool) -> bool:
        """A row up or down, in the column the caret came from."""
        layout = self.laid_out()
        row = layout.row_of(self.document.caret) + step
        if not 0 <= row < len(layout.rows):
            return self.leave_edge(step, select)
        if self._column is None:
            self._column = layout.column_of(self.document.caret)
        self.document.move(layout.at(row, self._column), select)
        self.after_move()
        return True

    def leave_edge(self, step: int, select: bool) -> bool:
        """Up on the first row or down on the last: to the very start or end."""
        self.document.move(0 if step < 0 else len(self.document.raw), select)
        self.after_move()
        return True

    # --- what keys do ----------------------------------------------------------------------

    def do_enter(self) -> bool:
        """Unfold the paste under the caret, add a line after a backslash, or be done."""
        document = self.document
        if document.unfold(document.caret):
            self.after_edit()
        elif document.raw[: document.caret].endswith("\\"):
            document.replace(document.caret - 1, document.caret, "\n")
            self.after_edit()
        else:
            self.submit()
        return True

    def submit(self) -> None:
        """Enter on a finished text."""
        self.post_message(self.Done(self, self.text))

    def do_newline(self) -> bool:
        """Add a line."""
        self.document.type("\n")
        return self.after_edit()

    def do_backspace(self) -> bool:
        """Delete the cluster or atom before the caret, or the selection."""
        return self._delete(self.document.left)

    def do_delete(self) -> bool:
        """Delete what is after the caret, or the selection."""
        return not self.document.empty and self._delete(self.document.right)

    def do_delete_word(self) -> bool:
        """Delete back to the start of the word."""
        return self._delete(self.document.word_left)

    def do_delete_word_right(self) -> bool:
        """Delete to the end of the word."""
        return self._delete(self.document.word_right)

    def do_delete_to_start(self) -> bool:
        """Delete back to the start of the line."""
        return self._delete(self.document.line_start)

    def do_delete_to_end(self) -> bool:
        """Delete to the end of the line, or the line's end itself."""
        at = self.document.caret
        end = self.document.line_end(at)
        return self._delete(lambda _: end if end > at else min(at + 1, len(self.document.raw)))

    def _delete(self, target: Callable[[int], int]) -> bool:
        start, end = self.document.selection
        if start == end:
            start, end = sorted((end, target(end)))
        self.document.delete(start, end)
        return self.after_edit()

    def do_undo(self) -> bool:
        """Take the last edit back."""
        self.document.undo()
        return self.after_edit()

    def do_redo(self) -> bool:
        """Do again what was undone."""
        self.document.redo()
        return self.after_edit()

    def do_cut(self) -> bool:
        """Move the selection to the clipboard; without one the key is free for others."""
        if not self.selected_text:
            return False
        self.app.copy_to_clipboard(self.selected_text)
        return self._delete(lambda at: at)

    def do_insert_clipboard(self) -> bool:
        """Insert what was cut or copied in this program."""
        if self.app.clipboard:
            self.insert(self.app.clipboard)
        return True

    def do_select_all(self) -> bool:
        """Select everything."""
        self.document.move(0)
        self.document.move(len(self.document.raw), select=True)
        self.after_move()
        return True

    # --- the mouse -------------------------------------------------------------------------

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Put the caret where the click is."""
        self.document.move(self.position(event.get_content_offset_capture(self)))
        self._dragging = True
        self.capture_mouse()
        self._column = None
        self.after_move()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Select while the button is down."""
        if self._dragging:
            at = self.position(event.get_content_offset_capture(self))
            self.document.move(at, select=True)
            self.after_move()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """The selection is done."""
        self._dragging = False
        self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """A click on an atom shows what is in it."""
        at = self.position(event.get_content_offset_capture(self))
        if (atom := self.document.atom(at)) is not None:
            self.post_message(self.AtomClicked(atom))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll a text that is taller than the field."""
        if self.scroll_rows(1):
            event.stop()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll a text that is taller than the field."""
        if self.scroll_rows(-1):
            event.stop()
