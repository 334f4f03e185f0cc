"""Where the motions of the vim preset lead, on the prompt's text; pure, no widget."""

from __future__ import annotations

import unicodedata
from typing import Literal, NamedTuple

from hermes_tui.ui.prompt_document import PromptDocument

Kind = Literal["before", "onto", "lines"]
_FIRST, _LAST = "\ud800", "\udfff"


class Target(NamedTuple):
    """Where a motion leads. kind: an operator stops before it, takes it too, or takes lines."""

    at: int
    kind: Kind = "before"


def motion(document: PromptDocument, key: str, count: int | None) -> Target | None:
    """The target of a motion key from the caret; None when the key is no motion.

    count: as typed before it, None for none.
    """
    at, times = document.caret, count or 1
    match key:
        case "h" | "l":
            return Target(_sideways(document, at, -times if key == "h" else times))
        case "w" | "W" | "b" | "B" | "e" | "E":
            return _words(document, key, times)
        case "0":
            return Target(document.line_start(at))
        case "^" | "_":
            return Target(first_word(document, at))
        case "$":
            end = _down(document, at, times - 1)
            return Target(document.line_end(end))
        case "j" | "k":
            return Target(_down(document, at, times if key == "j" else -times), "lines")
        case "G" | "gg":
            line = (count or (1 if key == "gg" else document.raw.count("\n") + 1)) - 1
            return Target(first_word(document, _down(document, 0, line)), "lines")
        case _:
            return None


def find(document: PromptDocument, how: str, character: str, count: int) -> Target | None:
    """The target of `f`, `F`, `t` or `T` on the caret's line; None when it is not there."""
    at, raw = document.caret, document.raw
    start, end = document.line_start(at), document.line_end(at)
    forward = how in "ft"
    # A second `t` must not find the character it already stands at.
    spot = at + 1 if how == "t" else at - 1 if how == "T" else at
    for _ in range(count):
        found = raw.find(character, spot + 1, end) if forward else raw.rfind(character, start, spot)
        if found < 0:
            return None
        spot = found
    stop = spot if how in "fF" else spot - 1 if how == "t" else spot + 1
    return Target(stop, "onto" if forward else "before")


def word_around(document: PromptDocument, around: bool) -> tuple[int, int]:
    """The word under the caret, with the blanks behind it (else before it) if asked to."""
    raw, at = document.raw, document.caret
    low, high = document.line_start(at), document.line_end(at)
    if at >= high:
        return at, at
    kind, start, end = _class(raw[at]), at, at + 1
    while start > low and _same(raw, start - 1, start, kind):
        start -= 1
    while end < high and _same(raw, end, end - 1, kind):
        end += 1
    if around and end < high and raw[end] in " \t":
        while end < high and raw[end] in " \t":
            end += 1
    elif around:
        while start > low and raw[start - 1] in " \t":
            start -= 1
    return start, end


def first_word(document: PromptDocument, at: int) -> int:
    """The first character of the line of `at` that is no blank."""
    start, end = document.line_start(at), document.line_end(at)
    while start < end and document.raw[start] in " \t":
        start += 1
    return start


def lines(document: PromptDocument, one: int, other: int) -> tuple[int, int]:
    """The whole lines of two positions, without the last newline."""
    return document.line_start(min(one, other)), document.line_end(max(one, other))


def _sideways(document: PromptDocument, at: int, by: int) -> int:
    low, high = document.line_start(at), document.line_end(at)
    for _ in range(min(abs(by), len(document.raw))):
        at = document.left(at) if by < 0 else document.right(at)
        if not low < at < high:
            break
    return max(low, min(at, high))


def _down(document: PromptDocument, at: int, by: int) -> int:
    """The same column, so many lines further down (up if negative), as far as there are any."""
    column = at - document.line_start(at)
    for _ in range(min(abs(by), len(document.raw))):
        edge = document.line_end(at) if by > 0 else document.line_start(at)
        if edge >= len(document.raw) if by > 0 else edge == 0:
            break
        at = edge + 1 if by > 0 else document.line_start(edge - 1)
    start = document.line_start(at)
    return min(start + column, document.line_end(at))


def _words(document: PromptDocument, key: str, times: int) -> Target:
    raw, at, big = document.raw, document.caret, key.isupper()
    step = {"w": _next_start, "b": _this_start, "e": _next_end}[key.lower()]
    for _ in range(min(times, len(raw) + 1)):
        at = step(raw, at, big)
    return Target(at, "onto" if key in "eE" else "before")


def _next_start(raw: str, at: int, big: bool) -> int:
    end = len(raw)
    if at < end and _class(raw[at], big) != "blank":
        at = _run_end(raw, at, big)
    while at < end and _class(raw[at], big) == "blank":
        at += 1
    return at


def _this_start(raw: str, at: int, big: bool) -> int:
    while at > 0 and _class(raw[at - 1], big) == "blank":
        at -= 1
    if at == 0:
        return 0
    at -= 1
    kind = _class(raw[at], big)
    while at > 0 and _same(raw, at - 1, at, kind, big):
        at -= 1
    return at


def _next_end(raw: str, at: int, big: bool) -> int:
    at += 1
    while at < len(raw) and _class(raw[at], big) == "blank":
        at += 1
    return max(0, (_run_end(raw, at, big) if at < len(raw) else len(raw)) - 1)


def _run_end(raw: str, at: int, big: bool) -> int:
    kind, at = _class(raw[at], big), at + 1
    while at < len(raw) and _same(raw, at, at - 1, kind, big):
        at += 1
    return at


def _same(raw: str, at: int, neighbour: int, kind: str, big: bool = False) -> bool:
    """Whether a character goes on with the run its neighbour is in; each atom is a word alone."""
    one = _class(raw[at], big)
    return one == kind and "atom" not in (one, _class(raw[neighbour], big))


def _class(character: str, big: bool = False) -> str:
    if _FIRST <= character <= _LAST:
        return "atom"
    if character.isspace():
        return "blank"
    if big or character.isalnum() or character == "_":
        return "word"
    return "word" if unicodedata.category(character)[0] == "M" else "sign"
