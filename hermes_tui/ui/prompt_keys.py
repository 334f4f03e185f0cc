"""Which keys edit the prompt: the default ones, and what a preset answers to before them."""

from __future__ import annotations

from typing import Protocol

from hermes_tui.ui.prompt_document import PromptDocument

KEYS: dict[str, str] = {
    "enter": "enter",
    "shift+enter": "newline",
    "ctrl+j": "newline",
    "left": "left",
    "right": "right",
    "up": "up",
    "down": "down",
    "home": "home",
    "ctrl+a": "home",
    "end": "end",
    "ctrl+e": "end",
    "ctrl+left": "word_left",
    "alt+left": "word_left",
    "alt+b": "word_left",
    "ctrl+right": "word_right",
    "alt+right": "word_right",
    "alt+f": "word_right",
    "ctrl+home": "first",
    "ctrl+end": "last",
    "backspace": "backspace",
    "ctrl+h": "backspace",
    "shift+backspace": "backspace",
    "delete": "delete",
    "ctrl+d": "delete",
    "ctrl+w": "delete_word",
    "ctrl+backspace": "delete_word",
    "alt+backspace": "delete_word",
    "alt+delete": "delete_word_right",
    "alt+d": "delete_word_right",
    "ctrl+u": "delete_to_start",
    "ctrl+k": "delete_to_end",
    "ctrl+z": "undo",
    "ctrl+y": "redo",
    "ctrl+shift+z": "redo",
    "ctrl+x": "cut",
    "ctrl+v": "insert_clipboard",
    "f7": "select_all",
}
MOVES = frozenset(
    ["left", "right", "up", "down", "home", "end", "word_left", "word_right", "first", "last"]
)


class Target(Protocol):
    """What a preset edits: `prompt_editor.Editor`."""

    document: PromptDocument

    def after_edit(self) -> bool:
        """Draw a text that has changed."""
        ...

    def after_move(self) -> None:
        """Draw a caret that has moved."""
        ...

    def vertical(self, step: int, select: bool) -> bool:
        """A row up or down; over the edge, whatever lies there."""
        ...


class Preset:
    """The default preset: leaves every key to the table above."""

    @property
    def status(self) -> str:
        """A word for the rule, such as the mode."""
        return ""

    def take(self, target: Target, key: str, character: str | None) -> bool:
        """Handle a key. False: it is read as the default preset does."""
        del target, key, character
        return False

    def begin(self) -> None:
        """The prompt was sent or filled anew: typing begins."""


def preset(name: str) -> Preset:
    """The preset of a name: `default`, `emacs` or `vim`."""
    if name == "vim":
        from hermes_tui.ui.vim_keys import VimKeys

        return VimKeys()
    if name == "emacs":
        from hermes_tui.ui.emacs_keys import EmacsKeys

        return EmacsKeys()
    return Preset()
