"""Markdown, as models write it, to text with marks. Whatever is no markup stays as it is."""

from __future__ import annotations

from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token
from wcwidth import wcswidth

from hermes_tui.gateways.styled import Mark, Styled

_INLINE = {"strong": "bold", "em": "italic", "s": "strike", "link": "link"}
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_RULE = "──────────"


def read(markdown: str) -> Styled:
    """What a text means."""
    writer = _Writer()
    for token in _PARSER.parse(markdown):
        writer.block(token)
    return writer.done()


class _Writer:
    """Takes tokens in order and writes text and marks."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._marks: list[Mark] = []
        self._open: list[tuple[str, int, str]] = []
        self._lists: list[int | None] = []
        self._gap = ""
        self._rows: list[list[str]] | None = None
        self._tight = False

    def done(self) -> Styled:
        marks = sorted(self._marks, key=lambda m: (m.start, -m.end))
        return Styled("".join(self._parts), tuple(m for m in marks if m.start < m.end))

    def block(self, token: Token) -> None:
        """One token of the block level."""
        if self._rows is not None:
            self._in_table(token)
            return
        match token.type:
            case "inline":
                self._inline(token.children or ())
            case "fence" | "code_block":
                self._code(token.content.removesuffix("\n"), token.info.split(" ")[0])
            case "hr":
                self._say(_RULE)
                self._end()
            case "heading_open":
                self._begin("bold")
            case "heading_close":
                self._close("bold")
                self._end()
            case "blockquote_open":
                self._begin("quote")
            case "blockquote_close":
                self._close("quote")
                self._end()
            case "paragraph_close":
                self._end(tight=token.hidden)
            case "table_open":
                self._rows = []
            case _:
                self._list(token)

    def _list(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open":
                self._lists.append(None)
            case "ordered_list_open":
                self._lists.append(int(token.attrs.get("start", 1)))
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
                self._end(tight=bool(self._lists))
            case "list_item_open":
                number = self._lists[-1]
                indent = "   " * (len(self._lists) - 1)
                self._say(f"{indent}• " if number is None else f"{indent}{number}. ")
                if number is not None:
                    self._lists[-1] = number + 1
            case "list_item_close":
                self._end(tight=True)
            case _:
                return

    def _inline(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            name, _, side = token.type.rpartition("_")
            if name in _INLINE and side == "open":
                self._begin(_INLINE[name], str(token.attrs.get("href", "")))
            elif name in _INLINE and side == "close":
                self._close(_INLINE[name])
            elif token.type in ("softbreak", "hardbreak"):
                self._say("\n")
            elif token.type == "code_inline":
                self._whole("code", token.content)
            elif token.type == "image":
                src = str(token.attrs.get("src", ""))
                self._whole("link", token.content or src, src)
            else:
                self._say(token.content)

    def _in_table(self, token: Token) -> None:
        assert self._rows is not None
        if token.type == "tr_open":
            self._rows.append([])
        elif token.type == "inline":
            inner = _Writer()
            inner._inline(token.children or ())
            self._rows[-1].append(inner.done().text.replace("\n", " "))
        elif token.type == "table_close":
            rows, self._rows = self._rows, None
            lines = _table(rows)
            self._code("\n".join(lines), "", "\n".join(lines[:2]) + "\n")

    def _code(self, text: str, language: str, head: str = "") -> None:
        self._say("")
        self._whole("pre", text, language, head)
        self._end()

    def _whole(self, kind: str, text: str, value: str = "", head: str = "") -> None:
        self._flush()
        start = self._length
        self._say(text)
        self._marks.append(Mark(start, self._length, kind, value, head))

    def _begin(self, kind: str, value: str = "") -> None:
        self._flush()
        self._open.append((kind, self._length, value))

    def _close(self, kind: str) -> None:
        found = next(i for i in range(len(self._open) - 1, -1, -1) if self._open[i][0] == kind)
        _, start, value = self._open.pop(found)
        self._marks.append(Mark(start, self._length, kind, value))

    def _say(self, text: str) -> None:
        if text:
            self._flush()
            self._parts.append(text)
            self._length += len(text)

    def _flush(self) -> None:
        if self._gap and self._length:
            self._parts.append(self._gap)
            self._length += len(self._gap)
        self._gap = ""

    def _end(self, tight: bool = False) -> None:
        """A block ends here: what comes next begins on a line of its own."""
        gap = "\n" if tight or self._lists else "\n\n"
        self._gap = max(self._gap, gap, key=len)


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as aligned lines: the head, a rule, the rest."""
    columns = range(max(len(row) for row in rows))
    wide = [max(_width(row[i]) for row in rows if i < len(row)) for i in columns]
    lines = [
        " | ".join(cell + " " * (wide[i] - _width(cell)) for i, cell in enumerate(row)).rstrip()
        for row in rows
    ]
    return [lines[0], "-+-".join("-" * width for width in wide), *lines[1:]]


def _width(text: str) -> int:
    return max(wcswidth(text), 0)
