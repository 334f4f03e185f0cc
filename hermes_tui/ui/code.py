"""Code on the screen: highlighted once it is whole, one tinted line for each line of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from rich.segment import Segment
from rich.style import Style

from hermes_tui.ui.text import cells, chop, clip
from hermes_tui.ui.text_lines import Line, Piece
from hermes_tui.ui.theme import Look

if TYPE_CHECKING:
    from pygments.lexer import Lexer

HIGHLIGHT_LIMIT = 60_000
"""Characters of one fence above which colours cost more than they help."""

_TAB = 4
_PLAIN = frozenset({"", "text", "txt", "plain", "plaintext", "output", "none", "console-output"})

Colored = list[list[tuple[str, Style]]]


def label(language: str, width: int, look: Look, action: tuple[str, int, int]) -> Line:
    """The line above a fence: its language, and what copies it when clicked."""
    style = look["code.label"]
    copy = "copy "
    name = clip(language, max(0, width - len(copy) - 2))
    room = width - cells(name) - len(copy) - 1
    if room < 0:
        return Line([Segment(clip(f" {language}", width), style)])
    click = style + Style.from_meta({"act": action})
    return Line([Segment(f" {name}{' ' * room}", style), Segment(copy, click)])


def code_line(text: str, width: int, look: Look, src: int, parts: Any = None) -> list[Line]:
    """One line of code as screen lines `width` cells wide, cut where it is too long.

    src: where it stands in the source; parts: its colours as (text, style), if it has any.
    """
    block = look["code.block"]
    room = max(1, width - 2)
    shown, places = _tabs(text)
    if parts is None:
        parts = [(shown, block)]
    elif "\t" in text:
        parts = _spread(parts)
    lines: list[Line] = []
    for start, end in chop(shown, room) if shown else ((0, 0),):
        body = _slice(parts, start, end)
        pad = " " * (room - cells(shown[start:end]) + 1)
        segments = [Segment(" ", block), *body, Segment(pad, block)]
        pieces = _pieces(places, start, end, src)
        at = src + (places[start] if start < len(places) else 0)
        lines.append(Line(segments, pieces, at, -1 if pieces else at))
    return lines


def _tabs(text: str) -> tuple[str, list[int] | range]:
    """The text with tabs as spaces, and for every character of it its place in `text`."""
    if "\t" not in text:
        return text, range(len(text))
    shown: list[str] = []
    places: list[int] = []
    for at, char in enumerate(text):
        size = _TAB - len(places) % _TAB if char == "\t" else 1
        shown.append(" " * size if char == "\t" else char)
        places.extend([at] * size)
    return "".join(shown), places


def _spread(parts: list[tuple[str, Style]]) -> list[tuple[str, Style]]:
    spread: list[tuple[str, Style]] = []
    column = 0
    for text, style in parts:
        for char in text:
            size = _TAB - column % _TAB if char == "\t" else 1
            spread.append((" " * size if char == "\t" else char, style))
            column += size
    return spread


def _slice(parts: list[tuple[str, Style]], start: int, end: int) -> list[Segment]:
    segments: list[Segment] = []
    at = 0
    for text, style in parts:
        low, high = max(start - at, 0), min(end - at, len(text))
        if low < high:
            segments.append(Segment(text[low:high], style))
        at += len(text)
        if at >= end:
            break
    return segments


def _pieces(places: list[int] | range, start: int, end: int, src: int) -> tuple[Piece, ...]:
    if start >= end:
        return ()
    if isinstance(places, range):
        return (Piece(1, end - start, src + start, end - start, 0, 0),)
    return tuple(
        Piece(1 + at - start, 1, src + places[at], 1, 0, 0)
        for at in range(start, end)
        if at == start or places[at] != places[at - 1]
    )


def highlight(text: str, language: str, look: Look) -> Colored | None:
    """The lines of `text` in colours, or None when the language is unknown or it is too long."""
    if language in _PLAIN or len(text) > HIGHLIGHT_LIMIT:
        return None
    lexer = _lexer(language)
    if lexer is None:
        return None
    lines: Colored = [[]]
    for _, kind, value in lexer.get_tokens_unprocessed(text):
        style = _style(str(kind), look)
        first, *more = value.split("\n")
        if first:
            lines[-1].append((first, style))
        for part in more:
            lines.append([(part, style)] if part else [])
    return lines


@lru_cache(64)
def _lexer(language: str) -> Lexer | None:
    from pygments import lexers
    from pygments.util import ClassNotFound

    find = cast("Callable[[str], Lexer]", lexers.get_lexer_by_name)
    try:
        return find(language)
    except ClassNotFound:
        return None


_KINDS = (
    ("Token.Comment", "comment"),
    ("Token.Keyword.Type", "type"),
    ("Token.Keyword.Constant", "number"),
    ("Token.Keyword", "keyword"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "number"),
    ("Token.Name.Function", "function"),
    ("Token.Name.Class", "type"),
    ("Token.Name.Decorator", "function"),
    ("Token.Name.Tag", "keyword"),
    ("Token.Name.Attribute", "function"),
    ("Token.Name.Builtin", "type"),
    ("Token.Name.Exception", "type"),
    ("Token.Operator.Word", "keyword"),
    ("Token.Operator", "operator"),
    ("Token.Punctuation", "operator"),
    ("Token.Generic.Inserted", "string"),
    ("Token.Generic.Deleted", "keyword"),
)


def _style(kind: str, look: Look) -> Style:
    name = _name(kind)
    return look[f"syntax.{name}"] if name else look["code.block"]


@lru_cache(512)
def _name(kind: str) -> str:
    return next((name for start, name in _KINDS if kind.startswith(start)), "")
