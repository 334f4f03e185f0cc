"""The emacs preset: a mark, and killed text that can be yanked back."""

from __future__ import annotations

from hermes_tui.ui.prompt_document import Draft, PromptDocument
from hermes_tui.ui.prompt_keys import KEYS, MOVES, Preset, Target

_MARK = ("ctrl+space", "ctrl+@")
_UNDO = ("ctrl+_", "ctrl+underscore", "ctrl+slash")


class EmacsKeys(Preset):
    """Kills that follow each other are yanked as one."""

    def __init__(self) -> None:
        self._killed = Draft()
        self._marking = False
        self._last = ""

    @property
    def status(self) -> str:
        """Whether moving selects."""
        return "MARK" if self._marking else ""

    def begin(self) -> None:
        """Forget the mark."""
        self._marking = False

    def take(self, target: Target, key: str, character: str | None) -> bool:
        """Set the mark, kill, copy, yank, undo."""
        document = target.document
        last, self._last = self._last, ""
        if key in _MARK:
            self._marking = not (self._marking and document.caret == document.anchor)
            document.move(document.caret)
        elif self._marking and key in ("ctrl+g", "escape"):
            self.begin()
            document.move(document.caret)
        elif self._marking and KEYS.get(key) in MOVES:
            return self._extend(target, key)
        elif key in _UNDO:
            document.undo()
            return target.after_edit()
        elif key == "ctrl+y":
            document.put(*document.selection, self._killed)
            return self._edited(target)
        elif key == "alt+w":
            self._killed = document.draft(*document.selection)
            self.begin()
            document.move(document.caret)
        elif (span := _span(document, key)) is not None:
            return self._kill(target, span, before=span[1] == document.caret, joined=bool(last))
        else:
            self._marking = self._marking and not character
            return False
        target.after_move()
        return True

    def _extend(self, target: Target, key: str) -> bool:
        document, action = target.document, KEYS[key]
        if action in ("up", "down"):
            return target.vertical(-1 if action == "up" else 1, True)
        at = document.caret
        where = {
            "left": document.left,
            "right": document.right,
            "word_left": document.word_left,
            "word_right": document.word_right,
            "home": document.line_start,
            "end": document.line_end,
        }
        to = where[action](at) if action in where else 0 if action == "first" else len(document.raw)
        document.move(to, select=True)
        target.after_move()
        return True

    def _kill(self, target: Target, span: tuple[int, int], before: bool, joined: bool) -> bool:
        document = target.document
        cut = document.draft(*span)
        self._last = "kill"
        if joined:
            mine = self._killed.pieces
            cut = Draft(pieces=(*cut.pieces, *mine) if before else (*mine, *cut.pieces))
        if cut.pieces:
            self._killed = cut
        document.delete(*span)
        return self._edited(target)

    def _edited(self, target: Target) -> bool:
        self._marking = False
        return target.after_edit()


def _span(document: PromptDocument, key: str) -> tuple[int, int] | None:
    """What a key kills."""
    start, end = document.selection
    at = document.caret
    if key == "ctrl+w" and start != end:
        return start, end
    match key:
        case "ctrl+w" | "alt+backspace" | "ctrl+backspace":
            return document.word_left(at), at
        case "alt+d" | "alt+delete":
            return at, document.word_right(at)
        case "ctrl+u":
            return document.line_start(at), at
        case "ctrl+k":
            stop = document.line_end(at)
            return at, stop if stop > at else min(at + 1, len(document.raw))
        case _:
            return None
