"""The inside of a Markdown paragraph as styled runs, each with its place in the source.

markdown-it says what the tokens are but not where they stand, so their places are found by
walking the source along with them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.style import Style

from hermes_tui.ui.links import disguised, target
from hermes_tui.ui.text import one_line, safe
from hermes_tui.ui.text_lines import Run
from hermes_tui.ui.theme import Look

if TYPE_CHECKING:
    from markdown_it.token import Token

_NOT_URL = r"\s<>\"'`()、。，）」』"
URL = re.compile(
    rf"https?://(?:\([^{_NOT_URL}]*\)|[^{_NOT_URL}])*"
    rf"(?:\([^{_NOT_URL}]*\)|[^{_NOT_URL}.,;:!?\]}}*_])"
)
"""An address that stands in a text by itself."""
_LINK_END = re.compile(
    r"\]\((?:<[^>]*>|(?:[^()\\\s]|\\.|\((?:[^()\\]|\\.)*\))*)(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^)]*\)))?\s*\)"
    r"|\]\[[^\]]*\]|\]"
)
_STYLES = {"strong": "strong", "em": "em", "s": "strike", "link": "link"}
_CJK = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


class Source:
    """The text being rendered, by lines. base: its place in the block's whole source."""

    def __init__(self, text: str, base: int) -> None:
        self.lines = text.split("\n")
        self.starts: list[int] = []
        for line in self.lines:
            self.starts.append(base)
            base += len(line) + 1
        self.end = base - 1

    def line(self, number: int) -> tuple[str, int]:
        """A line and its place; past the last one, the empty line at the end."""
        if number < len(self.lines):
            return self.lines[number], self.starts[number]
        return "", self.end

    def start(self, number: int) -> int:
        """Where a line starts."""
        return self.line(number)[1]

    def stop(self, number: int) -> int:
        """Where the last line before line `number` ends."""
        line, start = self.line(max(0, number - 1))
        return start + len(line)


class Places:
    """Where the lines of an inline token's content stand in the source.

    Content is the source's lines without indents and quote marks; a line that can't be found
    (its markup was rewritten) stands for its source line as a whole.
    """

    def __init__(self, content: str, source: Source, at: int, column: int = -1) -> None:
        """at: the content's first source line; column: where to look in it, -1 for its end."""
        self.starts: list[int] = []
        self.shifts: list[int | None] = []
        self.whole: list[tuple[int, int]] = []
        position = 0
        for number, text in enumerate(content.split("\n"), at):
            line, base = source.line(number)
            found = line.rfind(text) if column < 0 else line.find(text, column)
            self.starts.append(position)
            self.shifts.append(base + found - position if found >= 0 else None)
            self.whole.append((base, len(line)))
            position += len(text) + 1

    def run(self, text: str, style: Style, at: int, size: int) -> Run:
        """A run of `size` characters of the content from `at`.

        Entities and decoded addresses can bring characters that the text itself did not have.
        """
        if not text.isprintable():
            text = safe(text).replace("\n", " ").replace("\t", " ")
        index = bisect_right(self.starts, at) - 1
        shift = self.shifts[index]
        if shift is None:
            start, length = self.whole[index]
            return Run(text, style, start, length)
        return Run(text, style, at + shift, size)


class Inline:
    """One inline token on its way to runs; `paragraphs` holds them, split at hard breaks."""

    def __init__(self, content: str, places: Places, base: Style, look: Look) -> None:
        self.content = content
        self.places = places
        self.look = look
        self.styles = [base]
        self.at = 0
        self.lead = 0
        self.open: list[tuple[str, str]] = []
        self.hrefs: list[tuple[str, int]] = []
        self.paragraphs: list[list[Run]] = [[]]

    def walk(self, tokens: Sequence[Token]) -> list[list[Run]]:
        """The runs of the tokens, one list for each part between hard breaks."""
        for token in tokens:
            kind = token.type
            if kind == "text":
                self._text(token.content)
            elif kind in ("softbreak", "hardbreak"):
                self._break(kind)
            elif kind == "code_inline":
                self._code(token)
            elif kind.endswith("_open"):
                self._open(token)
            elif kind.endswith("_close"):
                self._close(token)
            elif kind == "image":
                self._image(token)
            elif kind == "math":
                self._math(token)
            elif token.content:
                self._special(token)
        return self.paragraphs

    def _add(self, run: Run) -> None:
        if self.lead:
            run = run._replace(lead=self.lead)
            self.lead = 0
        self.paragraphs[-1].append(run)

    def _text(self, text: str) -> None:
        if not text:
            return
        found = self.content.find(text, self.at)
        if found < 0:
            self._add(self.places.run(text, self.styles[-1], self.at, 0))
            return
        self.at = found + len(text)
        if "http" not in text or any(kind == "link" for kind, _ in self.open):
            self._add(self.places.run(text, self.styles[-1], found, len(text)))
            return
        last = 0
        for match in URL.finditer(text):
            self._part(text, last, match.start(), found, self.styles[-1])
            style = self.styles[-1] + self.look["link"] + _click(match[0])
            self._part(text, match.start(), match.end(), found, style)
            last = match.end()
        self._part(text, last, len(text), found, self.styles[-1])

    def _part(self, text: str, start: int, end: int, found: int, style: Style) -> None:
        if start < end:
            self._add(self.places.run(text[start:end], style, found + start, end - start))

    def _math(self, token: Token) -> None:
        """A formula: readable where that can be done, else as it was written."""
        from hermes_tui.ui.markdown_math import to_unicode  # most chats have none

        made = to_unicode(token.content)
        style = self.styles[-1] + self.look["em"]
        found = max(self.content.find(token.markup, self.at), self.at)
        self.at = found + len(token.markup)
        text = made or " ".join(token.markup.split())
        self._add(self.places.run(text, style, found, len(token.markup)))

    def _special(self, token: Token) -> None:
        """An escape or an entity: the source is its markup."""
        markup = token.markup or token.content
        found = self.content.find(markup, self.at)
        at = found if found >= 0 else self.at
        self.at = at + (len(markup) if found >= 0 else 0)
        self._add(self.places.run(token.content, self.styles[-1], at, len(markup)))

    def _break(self, kind: str) -> None:
        at = self.content.find("\n", self.at)
        at = at if at >= 0 else self.at
        self.at = at + 1
        if kind == "hardbreak":
            self.paragraphs.append([])
            return
        runs = self.paragraphs[-1]
        before = runs[-1].text[-1:] if runs else ""
        if _CJK.match(before) and _CJK.match(self.content[self.at : self.at + 1]):
            return
        self._add(Run(" ", self.styles[-1], -1, 0))

    def _code(self, token: Token) -> None:
        fence = token.markup
        ticks = re.compile(f"(?<!`){fence}(?!`)")
        opening = ticks.search(self.content, self.at)
        inner = opening.end() if opening else 0
        closing = ticks.search(self.content, inner) if opening else None
        end = closing.start() if closing else -1
        style = self.styles[-1] + self.look["code"]
        if end < 0:
            self._add(self.places.run(token.content, style, self.at, 0))
            return
        raw = self.content[inner:end]
        space = 1 if raw != token.content and raw[:1] in " \n" else 0
        run = self.places.run(token.content, style, inner + space, len(token.content))
        self.at = end + len(fence)
        self._add(run._replace(tail=len(fence) + space))
        last = self.paragraphs[-1].pop()
        self.paragraphs[-1].append(last._replace(lead=last.lead + len(fence) + space))

    def _open(self, token: Token) -> None:
        kind = token.type.removesuffix("_open")
        style = self.styles[-1] + self.look[_STYLES[kind]]
        markup = token.markup
        if kind == "link":
            markup = "<" if token.markup == "autolink" else "["
            href = str(token.attrs.get("href", ""))
            style += _click(href)
            self.hrefs.append((href, len(self.paragraphs[-1])))
        found = self.content.find(markup, self.at)
        if found >= 0:
            self.at = found + len(markup)
            self.lead += len(markup)
        self.open.append((kind, markup))
        self.styles.append(style)

    def _close(self, token: Token) -> None:
        kind, markup = self.open.pop()
        self.styles.pop()
        size = len(markup)
        if markup == "<":
            found = self.content.find(">", self.at)
        elif kind == "link":
            match = _LINK_END.search(self.content, self.at)
            found, size = (match.start(), match.end() - match.start()) if match else (-1, 0)
        else:
            found = self.content.find(token.markup, self.at)
        if found < 0:
            return
        self.at = found + size
        runs = self.paragraphs[-1]
        if runs:
            runs[-1] = runs[-1]._replace(tail=runs[-1].tail + size)
        if kind == "link":
            self._unmask(*self.hrefs.pop())

    def _unmask(self, href: str, start: int) -> None:
        """Say the real host of a link whose text names another one."""
        runs = self.paragraphs[-1]
        real = disguised("".join(run.text for run in runs[start:]), href)
        if real:
            runs.append(Run(f" ({one_line(real)})", self.styles[-1] + self.look["warn"]))

    def _image(self, token: Token) -> None:
        start = self.content.find("![", self.at)
        match = _LINK_END.search(self.content, start) if start >= 0 else None
        end = match.end() if match else self.at
        alt = token.content or str(token.attrs.get("src", ""))
        style = self.styles[-1] + self.look["link"] + _click(str(token.attrs.get("src", "")))
        start = max(start, self.at)
        self._add(self.places.run(f"▣ {alt}", style, start, max(0, end - start)))
        self.at = max(end, self.at)


def _click(url: str) -> Style:
    """A click follows it; terminals that know links can, too, where that is safe."""
    if not url:
        return Style.null()
    return Style.from_meta({"act": ("link", url)}) + Style(link=target(url) or None)
