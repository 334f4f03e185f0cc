"""Reads the audit log and proves that it is whole: nothing changed, nothing missing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from hermes_tui.security import audit_chain
from hermes_tui.security.audit import AuditLine
from hermes_tui.security.audit_chain import End, Link


class Problem(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that is wrong. line: counted from 1 in its file; n: the number the line has."""

    file: str
    line: int
    what: str
    n: int = 0


class Proof(Struct, frozen=True, kw_only=True):
    """What a check found. notes: what is worth saying and no harm, such as a sealed line."""

    lines: int
    files: int
    end: End
    problems: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verify(folder: Path) -> Proof:
    """Check every line of a log, its files and its end."""
    head = audit_chain.read_head(folder)  # before the lines, which may grow meanwhile
    walk = _Walk(head)
    files = audit_chain.files(folder)
    for path in files:
        walk.file(path)
    walk.finish(files[-1] if files else folder / audit_chain.HEAD)
    return Proof(
        lines=walk.count,
        files=len(files),
        end=End(walk.last.n, walk.last.sum),
        problems=tuple(walk.problems),
        notes=tuple(walk.notes),
    )


class _Walk:
    """The check of one log, line by line."""

    def __init__(self, head: End | None) -> None:
        self.head = head
        self.last = Link(0, "", audit_chain.FIRST, True)
        self.count = 0
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []
        self._odd: list[tuple[int, bytes]] = []
        self._ended = True
        self._name = ""
        self._line = 0

    def file(self, path: Path) -> None:
        """Check the lines of the next file."""
        self._lost("is no line of an audit log")
        self._name, self._line = path.name, 0
        for raw, ended in audit_chain.lines(path):
            self._line += 1
            self._ended = ended
            found = audit_chain.link(raw)
            entry = _entry(raw) if found is not None else None
            if found is None or entry is None or not ended:
                self._odd.append((self._line, raw))
                continue
            if self._line == 1 and audit_chain.first_of(path) != found.n:
                self._bad(f"the file is named for another line than {found.n}", found.n)
            self._check(found, entry)

    def _check(self, found: Link, entry: AuditLine) -> None:
        damaged = self._count_off(entry)
        self.count += 1
        before, self.last = self.last, found
        if wrong := _wrong(found, before, damaged):
            self._bad(wrong, found.n)
        if self.head is not None and found.n == self.head.n and found.sum != self.head.sum:
            self._bad("it is another line than the one that was written", found.n)
        if entry.kind == "broken":
            self._bad(f"the core found: {entry.reason}", found.n)

    def _count_off(self, entry: AuditLine) -> int:
        """Settle what stood before this line and was none; how many damaged lines that were."""
        if self._odd and entry.torn == _digest(self._odd):
            if entry.kind == "sealed":
                self.notes.append(self._at(self._line, entry.reason, entry.n))
            self._odd = []
        damaged = len(self._odd)
        self._lost("is no line of an audit log, or was changed")
        return damaged

    def _lost(self, what: str) -> None:
        for line, _ in self._odd:
            self.problems.append(self._at(line, f"it {what}", 0))
        self._odd = []

    def finish(self, path: Path) -> None:
        """Check the end against what is known to have been written."""
        head = self.head
        torn, self._odd = self._odd, []
        if head is None:
            if self.count or torn:
                self.problems.append(
                    Problem(
                        file=audit_chain.HEAD,
                        line=1,
                        what="it is missing or damaged, so lines at the end may have been removed",
                    )
                )
        elif self.last.n < head.n:
            lost = f"{self.last.n + 1} to {head.n}" if head.n > self.last.n + 1 else f"{head.n}"
            what = f"what was written is missing or damaged from here on: {lost}"
            self.problems.append(
                Problem(file=path.name, line=self._line + (not torn), what=what, n=head.n)
            )
            return
        if torn and not self._ended and len(torn) == 1:
            what = f"a line was cut off after {len(torn[0][1])} bytes; the next start closes it"
            self.notes.append(self._at(torn[0][0], what, 0))
        else:
            self._odd = torn
            self._lost("is no line of an audit log, or was changed")

    def _bad(self, what: str, n: int) -> None:
        self.problems.append(self._at(self._line, what, n))

    def _at(self, line: int, what: str, n: int) -> Problem:
        return Problem(file=self._name, line=line, what=what, n=n)


def _wrong(found: Link, before: Link, damaged: int) -> str:
    """What is wrong with a line after the one before it; damaged: lines between, named already."""
    if not found.true:
        return "it was changed after it was written"
    if damaged and found.n == before.n + damaged + 1:
        return ""
    if found.n != before.n + 1:
        return _gap(before.n, found.n)
    if found.prev != before.sum and before.true:
        return f"it does not follow line {before.n} as that one is now"
    return ""


def _gap(before: int, now: int) -> str:
    if now <= before:
        return f"line {now} comes after line {before}: it stands here twice or out of order"
    missing = (
        f"line {before + 1} is" if now == before + 2 else f"lines {before + 1} to {now - 1} are"
    )
    return f"{missing} missing before it"


def _digest(odd: list[tuple[int, bytes]]) -> str:
    return hashlib.sha256(b"\n".join(raw for _, raw in odd)).hexdigest()


def _entry(raw: bytes) -> AuditLine | None:
    try:
        return msgspec.json.decode(raw, type=AuditLine)
    except msgspec.MsgspecError:
        return None


def entries(folder: Path, *, newest_first: bool = False) -> Iterator[AuditLine]:
    """The lines that can be read, in order or from the end."""
    files = audit_chain.files(folder)
    for path in reversed(files) if newest_first else files:
        found = (_entry(raw) for raw, _ in audit_chain.lines(path))
        readable = [one for one in found if one is not None]
        yield from reversed(readable) if newest_first else readable
