"""The vim preset: insert, normal and visual modes, counts, operators and a register."""

from __future__ import annotations

from typing import Literal

from hermes_tui.ui.prompt_document import Draft, PromptDocument, text_draft
from hermes_tui.ui.prompt_keys import Preset, Target
from hermes_tui.ui.vim_motions import Target as Where
from hermes_tui.ui.vim_motions import find, first_word, lines, motion, word_around

Mode = Literal["insert", "normal", "visual", "lines"]
_STATUS = {"insert": "INSERT", "normal": "NORMAL", "visual": "VISUAL", "lines": "V-LINE"}
_ARROWS = {
    "left": "h",
    "right": "l",
    "up": "k",
    "down": "j",
    "home": "0",
    "end": "$",
    "backspace": "h",
    "delete": "x",
    "space": "l",
}
_SHORT = {"x": "dl", "X": "dh", "D": "d$", "C": "c$", "Y": "yy", "S": "cc", "s": "cl"}
_OPENERS = "iIaAoO"
_MOST_DIGITS = 5


class VimKeys(Preset):
    """The mode and what was typed of a command so far."""

    def __init__(self) -> None:
        self.mode: Mode = "insert"
        self._count = ""
        self._operator = ""
        self._before_operator = ""
        self._waits = ""
        self._found = ("", "")
        self._kept = Draft()
        self._kept_lines = False
        self._from = self._at = 0

    @property
    def status(self) -> str:
        """The mode, and the beginning of a command."""
        pending = f"{self._before_operator}{self._operator}{self._count}{self._waits}"
        return f"{_STATUS[self.mode]} {pending}".rstrip()

    def begin(self) -> None:
        """A prompt begins in insert mode."""
        self.mode = "insert"
        self._forget()

    def take(self, target: Target, key: str, character: str | None) -> bool:
        """Do what a key means in the mode; in insert mode only escape means something."""
        if self.mode == "insert":
            return key == "escape" and self._to_normal(target, step_back=True)
        if key == "escape":
            return self._escape(target)
        if key == "ctrl+r":
            target.document.redo()
            return self._settle(target, edited=True)
        character = _ARROWS.get(key, character or "")
        if key.startswith(("ctrl+", "alt+")) or len(character) != 1 or not character.isprintable():
            return False
        self._typed(target, character)
        return True

    # --- reading a command -------------------------------------------------------------------

    def _typed(self, target: Target, character: str) -> None:
        if self._waits:
            waits, self._waits = self._waits, ""
            self._finish(target, waits, character)
        elif character.isdecimal() and (character != "0" or self._count):
            self._count = (self._count + character)[-_MOST_DIGITS:]
            target.after_move()
        elif self._needs_more(character):
            self._waits = character
            target.after_move()
        elif character in "dcy" and self.mode == "normal":
            self._operated(target, character)
        else:
            self._command(target, character)

    def _needs_more(self, character: str) -> bool:
        if character == "r":
            return self.mode == "normal" and not self._operator
        return character in "fFtTg" or (bool(self._operator) and character in "ia")

    def _finish(self, target: Target, waits: str, character: str) -> None:
        """The character after `f`, `t`, `r`, `g`, or after `i` and `a` behind an operator."""
        if waits in "fFtT":
            self._found = (waits, character)
            self._find(target, *self._found)
        elif waits == "r":
            self._replace(target, character)
        elif waits == "g" and character == "g":
            self._command(target, "gg")
        elif waits in "ia" and character in "wW":
            self._operate(target, word_around(target.document, waits == "a"), False)
        else:
            self._settle(target)

    def _operated(self, target: Target, operator: str) -> None:
        if self._operator == operator:
            document, times = target.document, self._times() or 1
            start, end = lines(document, document.caret, document.caret)
            for _ in range(times - 1):
                end = document.line_end(min(end + 1, len(document.raw)))
            self._operate(target, (start, end), True)
        elif self._operator:
            self._settle(target)
        else:
            self._operator = operator
            self._before_operator, self._count = self._count, ""
            target.after_move()

    def _times(self) -> int | None:
        counts = [int(one) for one in (self._before_operator, self._count) if one]
        if not counts:
            return None
        return min(counts[0] * (counts[1] if len(counts) > 1 else 1), 10**_MOST_DIGITS)

    def _command(self, target: Target, key: str) -> None:
        if key in ";,":
            how, character = self._found
            self._find(target, how if key == ";" else how.swapcase(), character)
        elif self.mode == "normal" and key in "jk" and not self._operator:
            self._rows(target, key)
        elif (found := self._motion(target.document, key)) is not None:
            self._go(target, found.at, found.kind)
        elif self._operator:
            self._settle(target)
        elif self.mode == "normal":
            self._simple(target, key)
        else:
            self._on_selection(target, key)

    def _motion(self, document: PromptDocument, key: str) -> Where | None:
        """A motion; behind an operator `w` stays on the line, and `cw` leaves the blanks."""
        at, end = document.caret, document.line_end(document.caret)
        if not self._operator or key not in "wW" or at >= end:
            return motion(document, key, self._times())
        if self._operator == "c" and not document.raw[at].isspace():
            return motion(document, "e" if key == "w" else "E", self._times())
        found = motion(document, key, self._times())
        return found and found._replace(at=min(found.at, end))

    # --- moving ------------------------------------------------------------------------------

    def _rows(self, target: Target, key: str) -> None:
        times = min(self._times() or 1, 100)
        self._forget()
        for _ in range(times):
            target.vertical(1 if key == "j" else -1, False)
        if self.mode == "normal":
            self._settle(target)

    def _find(self, target: Target, how: str, character: str) -> None:
        found = find(target.document, how, character, self._times() or 1) if how else None
        if found is None:
            self._settle(target)
        else:
            self._go(target, found.at, found.kind)

    def _go(self, target: Target, at: int, kind: str) -> None:
        document = target.document
        start = document.caret
        if self.mode in ("visual", "lines"):
            self._at = document.snap(at)
            self._select(document)
            self._forget()
            target.after_move()
        elif not self._operator:
            document.move(at)
            self._settle(target)
        elif kind == "lines":
            self._operate(target, lines(document, start, at), True)
        else:
            low, high = min(start, at), max(start, at)
            self._operate(target, (low, document.right(high) if kind == "onto" else high), False)

    def _select(self, document: PromptDocument) -> None:
        low, high = min(self._from, self._at), max(self._from, self._at)
        if self.mode == "lines":
            low, high = lines(document, low, high)
        else:
            high = document.right(high)
        document.move(low if self._at >= self._from else high)
        document.move(high if self._at >= self._from else low, select=True)

    # --- changing ----------------------------------------------------------------------------

    def _operate(self, target: Target, span: tuple[int, int], whole_lines: bool) -> None:
        document, operator = target.document, self._operator
        start, end = document.snap(span[0]), document.snap(span[1])
        kept = document.draft(start, end)
        if kept.pieces or whole_lines:
            self._kept, self._kept_lines = kept, whole_lines
        self._forget()
        if operator == "y":
            document.move(start)
            self.mode = "normal"
            self._settle(target)
            return
        if operator == "d" and whole_lines:
            start, end = _with_newline(document, start, end)
        document.delete(start, end)
        document.move(start)
        self.mode = "insert" if operator == "c" else "normal"
        self._settle(target, edited=True)

    def _replace(self, target: Target, character: str) -> None:
        document, times = target.document, self._times() or 1
        start = end = document.caret
        for _ in range(min(times, 10_000)):
            if end >= document.line_end(start):
                break
            end = document.right(end)
        if end > start:
            document.replace(start, end, character * times)
            document.move(start + times - 1)
        self._settle(target, edited=True)

    def _simple(self, target: Target, key: str) -> None:
        """A command of one key in normal mode; unknown ones do nothing."""
        if key in _SHORT:
            for one in _SHORT[key]:
                self._typed(target, one)
            return
        document, times = target.document, self._times() or 1
        self._forget()
        if key == "u":
            for _ in range(min(times, 500)):
                document.undo()
            self._settle(target, edited=True)
        elif key in "pP":
            self._put(target, key == "p", times)
        elif key in "vV":
            self.mode = "visual" if key == "v" else "lines"
            self._from = self._at = document.caret
            self._select(document)
            target.after_move()
        elif key in _OPENERS:
            self._open(target, key)
        else:
            self._settle(target)

    def _open(self, target: Target, key: str) -> None:
        document = target.document
        self.mode = "insert"
        at = document.caret
        where = {
            "i": at,
            "a": min(document.right(at), document.line_end(at)),
            "I": first_word(document, at),
            "A": document.line_end(at),
            "o": document.line_end(at),
            "O": document.line_start(at),
        }
        document.move(where[key])
        if key in "oO":
            document.type("\n")
            document.move(where[key] + 1 if key == "o" else where[key])
        target.after_edit()

    def _put(self, target: Target, behind: bool, times: int) -> None:
        document, kept = target.document, self._kept
        at = document.caret
        pieces = kept.pieces * min(times, 100)
        if self._kept_lines:
            newline = text_draft("\n").pieces
            pieces = (*kept.pieces, *newline) * min(times, 100)
            at = document.line_end(at) if behind else document.line_start(at)
            if behind:
                pieces = (*newline, *pieces[:-1])
        elif behind:
            at = min(document.right(at), document.line_end(at))
        document.put(at, at, Draft(pieces=pieces))
        here = document.left(document.caret)
        document.move(at + (1 if behind else 0) if self._kept_lines else here)
        self._settle(target, edited=True)

    def _on_selection(self, target: Target, key: str) -> None:
        """A command of one key in a visual mode."""
        document, whole = target.document, self.mode == "lines"
        start, end = document.selection
        if key in "dxcsy":
            self._operator = {"x": "d", "s": "c"}.get(key, key)
            self._operate(target, (start, end), whole)
        elif key in "pP":
            kept = self._kept
            self._kept, self._kept_lines = document.draft(start, end), whole
            document.put(start, end, kept)
            self.mode = "normal"
            self._settle(target, edited=True)
        elif key in "vV":
            wanted: Mode = "visual" if key == "v" else "lines"
            if wanted == self.mode:
                self._escape(target)
                return
            self.mode = wanted
            self._select(document)
            target.after_move()
        elif key == "o":
            self._from, self._at = self._at, self._from
            self._select(document)
            target.after_move()
        else:
            self._forget()
            target.after_move()

    # --- modes -------------------------------------------------------------------------------

    def _escape(self, target: Target) -> bool:
        """Leave the command begun, or the selection. False: there is nothing to leave."""
        begun = bool(self._operator or self._count or self._waits)
        if not begun and self.mode == "normal":
            return False
        if self.mode != "normal":
            target.document.move(self._at)
        return self._to_normal(target)

    def _to_normal(self, target: Target, step_back: bool = False) -> bool:
        document = target.document
        self.mode = "normal"
        if step_back and document.caret > document.line_start(document.caret):
            document.move(document.left(document.caret))
        return self._settle(target)

    def _settle(self, target: Target, edited: bool = False) -> bool:
        """The command is done; in normal mode the caret stands on a character if there is one."""
        document = target.document
        self._forget()
        at = document.caret
        if self.mode == "normal" and document.line_start(at) < at == document.line_end(at):
            document.move(document.left(at))
        elif self.mode == "normal":
            document.move(at)
        if edited:
            return target.after_edit()
        target.after_move()
        return True

    def _forget(self) -> None:
        self._count = self._operator = self._before_operator = self._waits = ""


def _with_newline(document: PromptDocument, start: int, end: int) -> tuple[int, int]:
    """Lines with the newline behind them, or before them at the end of the text."""
    if end < len(document.raw):
        return start, end + 1
    return max(0, start - 1), end
