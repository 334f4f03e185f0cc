"""Code on the screen: highlighted once it is whole, one tinted line for each line of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from rich.segment import Segment
from rich.style import Style

from hermes_tui.ui.text import break_lines, cells, clip
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
    shown, places = spread_tabs(text)
    if parts is None:
        parts = [(shown, block)]
    elif "\t" in text:
        parts = spread(parts)
    lines: list[Line] = []
    for start, end in break_lines(shown, room) if shown else ((0, 0),):
        body = cut(parts, start, end)
        pad = " " * (room - cells(shown[start:end]) + 1)
        segments = [Segment(" ", block), *body, Segment(pad, block)]
        pieces = _pieces(places, start, end, src)
        at = src + (places[start] if start < len(places) else 0)
        lines.append(Line(segments, pieces, at, -1 if pieces else at))
    return lines


def spread_tabs(text: str) -> tuple[str, list[int] | range]:
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


def spread(parts: list[tuple[str, Style]]) -> list[tuple[str, Style]]:
    """Coloured parts with their tabs as spaces."""
    spread: list[tuple[str, Style]] = []
    column = 0
    for text, style in parts:
        for char in text:
            size = _TAB - column % _TAB if char == "\t" else 1
            spread.append((" " * size if char == "\t" else char, style))
            column += size
    return spread


def cut(parts: list[tuple[str, Style]], start: int, end: int) -> list[Segment]:
    """Coloured parts from one character to another, as segments."""
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


def highlight(text: str, language: str, look: Look, ground: str = "") -> Colored | None:
    """The lines of `text` in colours, or None when the language is unknown or it is too long.

    ground: `diff.` for colours without the ground that code in a fence has.
    """
    if language in _PLAIN or len(text) > HIGHLIGHT_LIMIT:
        return None
    lexer = _lexer(language)
    if lexer is None:
        return None
    lines: Colored = [[]]
    for _, kind, value in lexer.get_tokens_unprocessed(text):
        style = _style(str(kind), look, ground)
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


def _style(kind: str, look: Look, ground: str) -> Style:
    name = _name(kind)
    if name:
        return look[f"{ground}syntax.{name}"]
    return look["text" if ground else "code.block"]


_SUFFIXES = {
    "py": "python pyi pyw",
    "js": "mjs cjs jsx",
    "ts": "tsx mts",
    "bash": "sh zsh bashrc zshrc profile",
    "rust": "rs",
    "go": "go",
    "c": "h",
    "cpp": "cc cxx hpp hh",
    "csharp": "cs",
    "java": "java",
    "kotlin": "kt kts",
    "swift": "swift",
    "ruby": "rb gemspec",
    "php": "php",
    "perl": "pl pm",
    "lua": "lua",
    "html": "htm xhtml vue svelte",
    "xml": "svg xsd",
    "css": "css",
    "scss": "scss sass",
    "json": "jsonc ipynb",
    "yaml": "yml",
    "toml": "lock",
    "ini": "cfg conf desktop service",
    "sql": "sql",
    "md": "markdown",
    "docker": "dockerfile",
    "make": "makefile mk",
    "tex": "latex",
    "r": "r",
    "haskell": "hs",
    "elixir": "ex exs",
    "nix": "nix",
    "diff": "patch",
}
_LANGUAGES = {end: name for name, ends in _SUFFIXES.items() for end in (name, *ends.split())}


def language_of_path(path: str) -> str:
    """The language of a file by its name, empty where the name does not tell."""
    name = path.rsplit("/", 1)[-1].lower()
    return _LANGUAGES.get(name.rsplit(".", 1)[-1], "")


@lru_cache(512)
def _name(kind: str) -> str:
    return next((name for start, name in _KINDS if kind.startswith(start)), "")
