"""A unified diff as files, hunks and rows, each row knowing where it stands in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

Kind = Literal["same", "add", "del", "note"]

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_SIGNS: dict[str, Kind] = {"+": "add", "-": "del", " ": "same", "": "same"}


class Row(NamedTuple):
    """One line of a hunk. text: without its sign; old, new: its line numbers, 0 for none;
    at: where the text begins in the diff."""

    kind: Kind
    text: str
    old: int
    new: int
    at: int


class Hunk(NamedTuple):
    """Rows that stand together. about: what the header says after the numbers."""

    about: str
    rows: Sequence[Row]
    at: int

    @property
    def added(self) -> int:
        """How many lines come."""
        return sum(row.kind == "add" for row in self.rows)

    @property
    def removed(self) -> int:
        """How many lines go."""
        return sum(row.kind == "del" for row in self.rows)

    @property
    def span(self) -> tuple[int, int]:
        """First and last line number, of the new text where there is one; (0, 0) for none."""
        numbers = [row.new or row.old for row in self.rows if row.new or row.old]
        return (min(numbers), max(numbers)) if numbers else (0, 0)


class FileDiff(NamedTuple):
    """The change of one file. A name is empty where the file does not exist on that side."""

    old: str
    new: str
    hunks: Sequence[Hunk]
    at: int

    @property
    def name(self) -> str:
        """What the file is called now, or was."""
        return self.new or self.old


def parse(text: str) -> list[FileDiff]:
    """The files of a unified diff. Nothing is lost: lines of no known form become notes."""
    return _Parser().read(text)


class _Parser:
    def __init__(self) -> None:
        self.files: list[FileDiff] = []
        self.hunks: list[Hunk] = []
        self.rows: list[Row] = []
        self.left = [0, 0]
        self.next = [0, 0]
        self.before = ""

    def read(self, text: str) -> list[FileDiff]:
        at = 0
        for line in text.split("\n") if text else ():
            self._line(line, at)
            at += len(line) + 1
        return self.files

    def _line(self, line: str, at: int) -> None:
        if self.left[0] > 0 or self.left[1] > 0:
            if line.startswith("\\"):  # says that a text has no newline at its end
                self._note(line, at)
                return
            if line[:1] in _SIGNS:
                self._row(line, at)
                return
            self.left = [0, 0]  # the diff was cut short here
        if line.startswith("--- "):
            self.before = _name(line)
            self._file(at)
        elif line.startswith("+++ ") and self.files and not self.hunks:
            self.files[-1] = self.files[-1]._replace(new=_name(line))
        elif match := _HUNK.match(line):
            self._hunk(match, at)
        elif not line.startswith(("diff --git ", "index ")):
            self._note(line, at)

    def _file(self, at: int) -> None:
        self.hunks = []
        self.files.append(FileDiff(self.before, "", self.hunks, at))

    def _hunk(self, match: re.Match[str], at: int) -> None:
        if not self.files:
            self._file(at)
        old, old_size, new, new_size, about = match.groups()
        self.next = [int(old), int(new)]
        self.left = [int(old_size or 1), int(new_size or 1)]
        self.rows = []
        self.hunks.append(Hunk(about, self.rows, at))

    def _row(self, line: str, at: int) -> None:
        kind = _SIGNS[line[:1]]
        old = new = 0
        if kind != "add":
            old, self.next[0], self.left[0] = self.next[0], self.next[0] + 1, self.left[0] - 1
        if kind != "del":
            new, self.next[1], self.left[1] = self.next[1], self.next[1] + 1, self.left[1] - 1
        self.rows.append(Row(kind, line[1:], old, new, min(at + 1, at + len(line))))

    def _note(self, line: str, at: int) -> None:
        if not line and not self.files:
            return
        if not self.files:
            self._file(at)
        if not self.hunks:
            self.rows = []
            self.hunks.append(Hunk("", self.rows, at))
        if line:
            self.rows.append(Row("note", line, 0, 0, at))


def _name(line: str) -> str:
    name = line[4:].split("\t", 1)[0].strip()
    return "" if name == "/dev/null" else name
