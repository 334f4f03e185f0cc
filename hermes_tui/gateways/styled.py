"""Text with marks on ranges of it: what Markdown means, before any platform has its say."""

from __future__ import annotations

from bisect import bisect_left

from msgspec import Struct


class Mark(Struct, frozen=True):
    """A range of a text that is shown in some way.

    kind: bold, italic, strike, code, pre, link or quote. value: the address of a link, the
    language of code. head: the first lines of a table, shown again where it goes on.
    """

    start: int
    end: int
    kind: str
    value: str = ""
    head: str = ""


class Styled(Struct, frozen=True):
    """A text and its marks by where they start, outer ones before inner ones."""

    text: str
    marks: tuple[Mark, ...] = ()

    def cut(self, start: int, end: int, heads: bool = True) -> Styled:
        """A part that can stand alone: what is open at its borders is closed and opened again."""
        start, end = self._trimmed(start, end)
        near = self._before(end)
        open_ = (m for m in near if m.head and m.start + len(m.head) <= start < m.end)
        over = next(open_, None)
        head = over.head if over is not None and heads else ""
        marks: list[Mark] = []
        for mark in near:
            left, right = max(mark.start, start), min(mark.end, end)
            if left >= right:
                continue
            shift = 0 if mark.start <= start else len(head)
            marks.append(
                Mark(left - start + shift, right - start + len(head), mark.kind, mark.value)
            )
        return Styled(head + self.text[start:end], tuple(marks))

    def bare(self, start: int, end: int) -> Styled:
        """The same text with the marks of a range taken off."""
        return Styled(self.text, tuple(m for m in self.marks if m.end <= start or m.start >= end))

    def within(self, at: int, kinds: tuple[str, ...]) -> Mark | None:
        """The mark of one of these kinds that a cut at a place would go through."""
        near = self._before(at)
        return next((m for m in near if m.kind in kinds and m.start < at < m.end), None)

    def after(self, start: int) -> Styled:
        """The same text without the marks that end before a place."""
        return Styled(self.text, tuple(m for m in self.marks if m.end > start))

    def _before(self, end: int) -> tuple[Mark, ...]:
        return self.marks[: bisect_left(self.marks, end, key=lambda m: m.start)]

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        """Without blank lines at the borders: platforms take them off and would shift marks."""
        while end > start and self.text[end - 1].isspace():
            end -= 1
        while start < end and self.text[start] == "\n":
            start += 1
        if not any(m.kind == "pre" and m.start <= start < m.end for m in self._before(start + 1)):
            while start < end and self.text[start].isspace():
                start += 1
        return start, end
