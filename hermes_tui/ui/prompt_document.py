"""The prompt's text, caret and undo, with long pastes folded into single characters of the text.

A folded paste or an attached file (an atom) is one surrogate code point in `raw`. No text that
can be encoded holds a surrogate, so none can be mistaken for an atom, and each stands for one
content that never changes: `expand` of joined pieces is the joined `expand` of the pieces,
whatever was edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from msgspec import Struct

from hermes_tui import paste
from hermes_tui.ui.text import graphemes

FIRST, LAST = 0xD800, 0xDFFF
UNFOLD_LIMIT = 200_000
UNDO_DEPTH = 500
_ATOM = re.compile("[\ud800-\udfff]")
_WORD = re.compile(r"\w+|[^\w\s]+")
_NEAR = 256


@dataclass(frozen=True, slots=True)
class Atom:
    """A folded paste or an attachment: its number in this prompt, and the text that is sent.

    kind: `paste`, or what is attached (`image`, `file`); about: what the label says of that.
    """

    number: int
    text: str
    kind: str = "paste"
    about: str = ""

    @property
    def label(self) -> str:
        """What stands for it on the screen."""
        if self.kind != "paste":
            return f"⟦{self.kind} {self.number} · {self.about}⟧"
        lines = paste.line_count(self.text)
        size = f"{lines:,} lines" if lines > 1 else f"{len(self.text):,} characters"
        return f"⟦paste {self.number} · {size}⟧"


class Piece(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run of a draft: plain text, a folded paste, or an attachment of some kind."""

    text: str
    folded: bool = False
    kind: str = "paste"
    about: str = ""


class Draft(Struct, frozen=True, kw_only=True):
    """A prompt's content as data, to keep in a history or a file.

    shell: `!` or `!!` for a command of the person's own.
    """

    pieces: tuple[Piece, ...] = ()
    shell: str = ""

    @property
    def text(self) -> str:
        """All of it, unfolded."""
        return "".join(piece.text for piece in self.pieces)


def text_draft(text: str) -> Draft:
    """A draft of plain text."""
    return Draft(pieces=(Piece(text=text),) if text else ())


@dataclass(slots=True)
class _Edit:
    at: int
    removed: str
    inserted: str
    caret: int
    anchor: int


class PromptDocument:
    """Text, caret and selection. Positions are indexes into `raw`."""

    def __init__(self) -> None:
        self.raw = ""
        self.caret = 0
        self.anchor = 0
        self.revision = 0
        self._atoms: dict[str, Atom] = {}
        self._numbers: dict[str, int] = {}
        self._undo: list[_Edit] = []
        self._redo: list[_Edit] = []
        self._typing = False

    # --- reading ---------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The whole text as it would be sent."""
        return self.expand(self.raw)

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it."""
        return not self.raw

    @property
    def selection(self) -> tuple[int, int]:
        """Start and end of what is selected; equal when nothing is."""
        return min(self.caret, self.anchor), max(self.caret, self.anchor)

    @property
    def selected(self) -> str:
        """The selected text, unfolded."""
        start, end = self.selection
        return self.expand(self.raw[start:end])

    def expand(self, raw: str) -> str:
        """A piece of `raw` with every atom replaced by its text."""
        return _ATOM.sub(lambda found: self._atoms[found[0]].text, raw)

    def atom(self, at: int) -> Atom | None:
        """The atom at an index, if one is there."""
        return self._atoms.get(self.raw[at : at + 1])

    def label(self, character: str) -> str:
        """What the screen shows for an atom's character."""
        return self._atoms[character].label

    def draft(self, start: int = 0, end: int | None = None) -> Draft:
        """The content, or what stands between two indexes, as data."""
        pieces: list[Piece] = []
        at, end = start, len(self.raw) if end is None else end
        for found in _ATOM.finditer(self.raw, start, end):
            if found.start() > at:
                pieces.append(Piece(text=self.raw[at : found.start()]))
            atom = self._atoms[found[0]]
            pieces.append(Piece(text=atom.text, folded=True, kind=atom.kind, about=atom.about))
            at = found.end()
        if at < end:
            pieces.append(Piece(text=self.raw[at:end]))
        return Draft(pieces=tuple(pieces))

    # --- editing ---------------------------------------------------------------------------

    def type(self, text: str) -> None:
        """Insert typed text in place of the selection; surrogates cannot be typed."""
        self._replace(*self.selection, paste.clean(text), typing=True)

    def paste(self, text: str) -> None:
        """Insert a paste, cleaned, folded when it is long."""
        text = paste.clean(text)
        piece = Piece(text=text)
        self._replace(*self.selection, self._fold(piece) if paste.is_long(text) else text)

    def delete(self, start: int, end: int) -> None:
        """Delete between two indexes."""
        self._replace(start, end, "")

    def replace(self, start: int, end: int, text: str) -> None:
        """Put text in place of what stands between two indexes; can be undone."""
        self._replace(start, end, paste.clean(text))

    def load(self, content: Draft | str) -> None:
        """Put other content in place of all, caret at its end; can be undone."""
        self._numbers.clear()
        self.put(0, len(self.raw), content if isinstance(content, Draft) else text_draft(content))

    def put(self, start: int, end: int, content: Draft) -> None:
        """Put a draft in place of what stands between two indexes; can be undone."""
        raw = ""
        for piece in content.pieces:
            raw += self._fold(piece, raw) if piece.folded else paste.clean(piece.text)
        self._replace(start, end, raw)

    def swap(self, start: int, end: int, content: Draft) -> None:
        """As `put`, but a caret outside of it stays where it is."""
        caret, size = self.caret, len(self.raw)
        self.put(start, end, content)
        if caret < start:
            self.move(caret)
        elif caret > end:
            self.move(caret + len(self.raw) - size)

    def unfold(self, at: int) -> bool:
        """Put an atom's text in its place. False when it is too long to edit here."""
        atom = self.atom(at)
        if atom is None or atom.kind != "paste" or len(atom.text) > UNFOLD_LIMIT:
            return False
        self._replace(at, at + 1, atom.text)
        return True

    def undo(self) -> bool:
        """Take the last edit back."""
        if not self._undo:
            return False
        edit = self._undo.pop()
        self._swap(edit.at, edit.inserted, edit.removed)
        self.caret, self.anchor = edit.caret, edit.anchor
        self._redo.append(edit)
        self._typing = False
        return True

    def redo(self) -> bool:
        """Do again what `undo` took back."""
        if not self._redo:
            return False
        edit = self._redo.pop()
        self._swap(edit.at, edit.removed, edit.inserted)
        self.caret = self.anchor = edit.at + len(edit.inserted)
        self._undo.append(edit)
        self._typing = False
        return True

    # --- moving ----------------------------------------------------------------------------

    def move(self, to: int, select: bool = False) -> None:
        """Put the caret somewhere, extending the selection if asked to."""
        self._typing = False
        self.caret = self.snap(max(0, min(to, len(self.raw))))
        if not select:
            self.anchor = self.caret

    def left(self, at: int) -> int:
        """The position one cluster, atom or newline before `at`."""
        if at <= 0:
            return 0
        if self._alone(at - 1):
            return at - 1
        start, clusters = self._near(at)
        for cluster in clusters:
            if start + len(cluster) >= at:
                return start
            start += len(cluster)
        return at - 1

    def right(self, at: int) -> int:
        """The position one cluster, atom or newline after `at`."""
        if at >= len(self.raw):
            return len(self.raw)
        if self._alone(at):
            return at + 1
        start, clusters = self._near(at)
        for cluster in clusters:
            start += len(cluster)
            if start > at:
                return start
        return at + 1

    def word_left(self, at: int) -> int:
        """The start of the word before `at`, at most the start of its line's predecessor."""
        line = self.line_start(at)
        if at == line:
            return max(0, at - 1)
        starts = [match.start() for match in _WORD.finditer(self.raw[line:at])]
        return line + starts[-1] if starts else line

    def word_right(self, at: int) -> int:
        """The end of the word after `at`."""
        end = self.line_end(at)
        if at == end:
            return min(len(self.raw), at + 1)
        found = _WORD.search(self.raw[at:end])
        return at + found.end() if found else end

    def line_start(self, at: int) -> int:
        """Where the line of `at` begins."""
        return self.raw.rfind("\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Where the line of `at` ends, before its newline."""
        end = self.raw.find("\n", at)
        return len(self.raw) if end < 0 else end

    def snap(self, at: int) -> int:
        """The end of the cluster that `at` lies inside of, or `at` itself."""
        if not 0 < at < len(self.raw) or self._alone(at - 1) or self._alone(at):
            return at
        start, clusters = self._near(at)
        for cluster in clusters:
            if start >= at:
                break
            start += len(cluster)
        return start

    # --- within ----------------------------------------------------------------------------

    def _replace(self, start: int, end: int, inserted: str, typing: bool = False) -> None:
        removed = self.raw[start:end]
        if not removed and not inserted:
            return
        edit = _Edit(start, removed, inserted, self.caret, self.anchor)
        self._swap(start, removed, inserted)
        self.caret = self.anchor = self.snap(start + len(inserted))
        self._redo.clear()
        if not (typing and self._typing and self._join(edit)):
            self._undo.append(edit)
            del self._undo[:-UNDO_DEPTH]
        self._typing = typing

    def _swap(self, at: int, out: str, into: str) -> None:
        self.raw = self.raw[:at] + into + self.raw[at + len(out) :]
        self.revision += 1

    def _join(self, edit: _Edit) -> bool:
        # Typing is undone a word at a time: a letter after a space begins the next step.
        last = self._undo[-1] if self._undo else None
        if last is None or edit.removed or edit.at != last.at + len(last.inserted):
            return False
        if last.inserted[-1:].isspace() and not edit.inserted.isspace():
            return False
        last.inserted += edit.inserted
        return True

    def _fold(self, piece: Piece, pending: str = "") -> str:
        """A new atom's character, or the text itself when all characters are in use."""
        text, kind = paste.clean(piece.text), piece.kind
        if len(self._atoms) > LAST - FIRST:
            self._forget(pending)
        free = next((c for c in map(chr, range(FIRST, LAST + 1)) if c not in self._atoms), "")
        if not free or not text:
            return text
        number = self._numbers[kind] = self._numbers.get(kind, 0) + 1
        self._atoms[free] = Atom(number, text, kind, piece.about)
        return free

    def _forget(self, pending: str) -> None:
        alive = set(_ATOM.findall(self.raw + pending))
        for edit in (*self._undo, *self._redo):
            alive.update(_ATOM.findall(edit.removed + edit.inserted))
        self._atoms = {c: atom for c, atom in self._atoms.items() if c in alive}

    def _alone(self, at: int) -> bool:
        return self.raw[at] == "\n" or self.raw[at] in self._atoms

    def _near(self, at: int) -> tuple[int, Iterable[str]]:
        """The clusters around `at`, and where the first begins; enough of a very long line."""
        left = max(self.line_start(at), at - _NEAR)
        right = min(self.line_end(at), at + _NEAR)
        for found in _ATOM.finditer(self.raw, left, right):
            if found.end() <= at:
                left = found.end()
            else:
                right = found.start()
                break
        return left, graphemes(self.raw[left:right])
