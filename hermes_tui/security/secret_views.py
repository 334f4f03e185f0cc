"""A text as others would read it: escapes decoded, blanks taken out, each place still known."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right

from hermes_tui.security.secret_text import Pattern, Span

_ESCAPE = Pattern(
    r"%[0-9A-Fa-f]{2}|\\u\{[0-9A-Fa-f]{1,6}\}|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}|"
    r"\\x[0-9A-Fa-f]{2}|\\[0-7]{3}|\\[nrt\"'/\\]|"
    r"&#[0-9]{1,7};|&#[xX][0-9A-Fa-f]{1,6};|&(?:amp|lt|gt|quot|apos);"
)
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'"}
_NEAR = 500
_CONTROL = {"n": "\n", "r": "\r", "t": "\t"}
# Full-width forms, mathematical letters, letters in circles: read as plain letters by people.
_LOOKALIKE = Pattern(
    "[\uff01-\uff5e\u2460-\u24ff\U0001d400-\U0001d7ff\U0001f130-\U0001f189\u2100-\u214f]"
)
_BLANKS = Pattern("[\\s\u200b\u200c\u200d\u2060\ufeff\u00ad]+")
_SPACED = Pattern(r"(?<!\S)(?:\S[ \t\u200b]){11,}\S(?!\S)")
_WRAPPED = Pattern(r"(?<=[A-Za-z0-9_+/=-]{6})[ \t]*\\?\r?\n[ \t]*(?=[A-Za-z0-9_+/=-]{6})")


class View:
    """Another reading of a text. `source(start, end)` says where a piece of it came from."""

    def __init__(self, text: str, changes: list[tuple[int, int, str]]) -> None:
        """Replace parts of a text. changes: (start, end, new text), in order, not overlapping."""
        parts: list[str] = []
        self._starts: list[int] = []
        self._pieces: list[tuple[int, int, bool]] = []
        self._length = 0
        at = 0
        for start, end, new in changes:
            if start > at:
                self._add(parts, text[at:start], at, start, True)
            if new:
                self._add(parts, new, start, end, False)
            at = end
        self._add(parts, text[at:], at, len(text), True)
        self.text = "".join(parts)

    def _add(self, parts: list[str], new: str, start: int, end: int, same: bool) -> None:
        self._starts.append(self._length)
        self._pieces.append((start, end, same))
        parts.append(new)
        self._length += len(new)

    def source(self, span: Span) -> Span:
        """The same span in the text that was replaced in."""
        first = bisect_right(self._starts, span.start) - 1
        start, _, same = self._pieces[first]
        if same:
            start += span.start - self._starts[first]
        last = bisect_right(self._starts, span.end - 1) - 1
        begin, end, same = self._pieces[last]
        if same:
            end = begin + span.end - self._starts[last]
        return Span(start, end, span.label, span.held)


def decoded(text: str) -> View | None:
    """The lines with escapes (percent, JSON, C, HTML) as they are meant; None when there are none.

    What has no escape near it is left out: it has been looked at as it is.
    """
    if "%" not in text and "\\" not in text and "&" not in text:
        return None
    changes: list[tuple[int, int, str]] = []
    shown = 0
    for match in _ESCAPE.re.finditer(text):
        start, end = match.span()
        if start >= shown:
            begin = max(text.rfind("\n", max(shown, start - _NEAR), start), start - _NEAR, shown)
            changes.append((shown, begin, "\n"))
        changes.append((start, end, _character(match[0])))
        line = text.find("\n", end, end + _NEAR)
        shown = max(shown, line if line >= 0 else min(len(text), end + _NEAR))
    if not changes:
        return None
    changes.append((shown, len(text), "\n"))
    return View(text, changes)


def _character(escape: str) -> str:
    if escape[0] == "&":
        return _ENTITIES.get(escape) or _numbered(escape[2:-1])
    if escape[0] == "%":
        return chr(int(escape[1:], 16))
    kind, rest = escape[1], escape[2:].strip("{}")
    if kind in "uUx":
        return _at(int(rest, 16))
    if kind.isdigit():
        return chr(int(escape[1:], 8))
    return _CONTROL.get(kind, kind)


def _numbered(number: str) -> str:
    return _at(int(number[1:], 16) if number[0] in "xX" else int(number))


def _at(number: int) -> str:
    return chr(number) if number < 0x110000 else "?"


def spaced_out(text: str) -> View | None:
    """A text with `s p a c e d  o u t` words pulled together; None when it has none."""
    changes = [
        (at, at + 1, "")
        for match in _SPACED.re.finditer(text)
        for at in range(match.start() + 1, match.end(), 2)
    ]
    return View(text, changes) if changes else None


def without_blanks(text: str) -> View | None:
    """A text without blanks, line ends and invisible characters; None when it has none."""
    changes = [(m.start(), m.end(), "") for m in _BLANKS.re.finditer(text)]
    return View(text, changes) if changes else None


def unwrapped(text: str) -> View | None:
    """A text with lines joined that end and begin like one long word; None when it has none."""
    changes = [(m.start(), m.end(), "") for m in _WRAPPED.re.finditer(text)]
    return View(text, changes) if changes else None


def plain_letters(text: str) -> str:
    """A text of the same length with look-alike letters and digits as plain ones."""
    if text.isascii() or _LOOKALIKE.re.search(text) is None:
        return text
    return _LOOKALIKE.re.sub(lambda match: _plain(match[0]), text)


def _plain(character: str) -> str:
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 else character
