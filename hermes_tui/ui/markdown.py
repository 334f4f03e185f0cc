"""Markdown to lines of the screen: pure, every line knowing the source it shows.

CommonMark with tables and strikethrough; HTML is shown as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rich.segment import Segment

from hermes_tui.ui import code
from hermes_tui.ui.markdown_inline import Inline, Places, Source
from hermes_tui.ui.markdown_table import table
from hermes_tui.ui.text import one_line, safe
from hermes_tui.ui.text_lines import EMPTY, Line, Prefix, Run, bound, lay, prefix
from hermes_tui.ui.theme import Look

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MIN_TEXT = 10
"""Cells a line of text always gets, however deep its list or quote is nested."""

_TASK = re.compile(r"\[([ xX])\](?: |$)")
_BULLETS = "•◦▪"
_DEFINITION = re.compile(
    r"^[ \t]*(?:>[ \t]?|[-*+][ \t]+|\d+[.)][ \t]+)*\[(?:[^\[\]\\]|\\.)+\]:",
    re.MULTILINE | re.DOTALL,
)


class OpenList(NamedTuple):
    """The list whose items before a place are drawn. number: of its next item; digits: room for
    numbers; loose: blank lines between items. Each of these changes how all items look."""

    kind: str
    markup: str
    number: int
    digits: int
    loose: bool


class Rendered(NamedTuple):
    """lines: the whole text. settled, place: how many of them can no longer change when text is
    added, and where in the source what can still change begins. fence: its token when that is
    one open fence and nothing else. inside: the list that what can still change goes on with."""

    lines: list[Line]
    settled: int
    place: int
    fence: Token | None = None
    inside: OpenList | None = None


def render(text: str, width: int, look: Look) -> list[Line]:
    """The lines of a whole Markdown text, at most `width` cells wide."""
    source = Source(shown := safe(text), 0)
    painter = _Painter(source, width, look)
    painter.paint(parser().parse(shown))
    return painter.lines


def draw(
    text: str, width: int, look: Look, base: int = 0, inside: OpenList | None = None
) -> Rendered | None:
    """Render a text that may still grow. base: its place in the whole source; inside: the list
    it goes on with. None: it does not, or all items of that list look different now.
    """
    shown = safe(text)
    tokens = parser().parse(shown)
    source = Source(shown, base)
    painter = _Painter(source, width, look)
    painter.inside = inside
    if inside is not None and not _goes_on(tokens, inside):
        return None
    refer = refers(shown)
    cut = 0 if refer else _settled(tokens, source)
    painter.paint(tokens, 0, cut)
    settled, gap, at = len(painter.lines), len(painter.lines) > 0, cut
    inside = inside if cut == 0 else None
    item = 0 if refer else _last_item(tokens, cut, source)
    if item:
        painter.paint(tokens, cut, item)
        if painter.looks_known:
            settled, gap, at = len(painter.lines), painter.gap, item
            inside = painter.open_list_now(tokens[cut])
    painter.paint(tokens, max(cut, item))
    if painter.misfit:
        return None
    fence = None if item else _open_fence(tokens[cut:], source)
    if settled == 0:
        return Rendered(painter.lines, 0, base, fence, inside)
    first = tokens[at].map
    place = source.start(first[0] if first else 0)
    return Rendered(painter.lines, settled + gap, place, fence, inside)


def _goes_on(tokens: Sequence[Token], inside: OpenList) -> bool:
    first = tokens[0] if tokens else None
    return first is not None and (first.type, first.markup) == (inside.kind, inside.markup)


def _last_item(tokens: Sequence[Token], cut: int, source: Source) -> int:
    """The last item but the first, of the list at `cut`, whose first line is whole; 0 for none.

    The items before it can no longer change but by how the list as a whole looks.
    """
    if cut >= len(tokens) or not tokens[cut].type.endswith("_list_open"):
        return 0
    found = first = 0
    for index in range(cut + 1, len(tokens)):
        token = tokens[index]
        if token.level == 0:
            break
        if token.level == 1 and token.type == "list_item_open":
            whole = token.map is not None and token.map[0] + 1 < len(source.lines)
            found = index if first and whole else found
            first = first or index
    return found


def _settled(tokens: Sequence[Token], source: Source) -> int:
    """How many tokens can no longer change: those of the blocks that ended.

    A block has ended for good when the first line of the one after it is whole. That of the
    last block may not be, but then the one before it has ended that way.
    """
    tops = [i for i, token in enumerate(tokens) if token.level == 0 and token.nesting >= 0]
    for index in tops[:-3:-1]:
        place = tokens[index].map
        if place and place[0] + 1 < len(source.lines):
            return index
    return 0


def refers(text: str) -> bool:
    """Whether the text may define a link that another part of it uses."""
    return "]:" in text and bool(_DEFINITION.search(text))


@lru_cache(1)
def parser() -> MarkdownIt:
    """The one Markdown parser."""
    from hermes_tui.ui.markdown_parser import make

    return make()


def language_of(fence: Token) -> str:
    """The language a fence names, in lower case."""
    return one_line(fence.info).split(" ", 1)[0].lower()


def is_closed(token: Token, source: Source) -> bool:
    """Whether a fence has its closing line (it may as well end with what it stands in)."""
    if token.map is None or token.map[1] - token.map[0] < 2:
        return False
    last, _ = source.line(token.map[1] - 1)
    mark = last.strip().lstrip("> ")
    return mark.startswith(token.markup) and not mark.strip(token.markup[0])


def _open_fence(tokens: Sequence[Token], source: Source) -> Token | None:
    if len(tokens) == 1 and tokens[0].type == "fence" and not is_closed(tokens[0], source):
        return tokens[0]
    return None


class _Box:
    """A list item or quote that blocks stand in: what is left of its first and later lines."""

    __slots__ = ("first", "rest", "start", "used")

    def __init__(self, first: Prefix, rest: Prefix, start: int) -> None:
        self.first = first
        self.rest = rest
        self.start = start
        self.used = False


class _Painter:
    def __init__(self, source: Source, width: int, look: Look) -> None:
        self.source = source
        self.width = max(1, width)
        self.look = look
        self.lines: list[Line] = []
        self.boxes: list[_Box] = []
        self.loose = [True]
        self.lists: list[list[int]] = []
        self.quotes = 0
        self.gap = False
        self.inside: OpenList | None = None
        self.misfit = self.looks_known = False
        """Whether a list that was to be gone on with looks different now."""

    # --- emitting ---

    @property
    def room(self) -> int:
        """Cells left for the text of a block."""
        return max(1, self.width - sum(box.rest.width for box in self.boxes))

    def put(self, lines: list[Line]) -> None:
        """Add the lines of one block, behind the prefixes of what it stands in."""
        if self.gap and self.lines:
            left = sum((box.rest for box in self.boxes if box.used), EMPTY)
            self.lines.append(Line(left.segments))
        self.gap = False
        for line in lines:
            if not self.boxes:
                self.lines.append(line)
                continue
            left = sum((box.rest if box.used else box.first for box in self.boxes), EMPTY)
            start = next((box.start for box in self.boxes if not box.used), line.start)
            for box in self.boxes:
                box.used = True
            self.lines.append(_behind(left, line, start))

    def done(self) -> None:
        """A block has ended: a blank line follows, except in a tight list."""
        self.gap = self.loose[-1]

    def push(self, first: Prefix, rest: Prefix, start: int) -> None:
        """Enter a list item or quote; no prefix where it would squeeze the text."""
        if self.room - rest.width < MIN_TEXT:
            first = rest = EMPTY
        self.boxes.append(_Box(first, rest, start))

    # --- blocks ---

    def paint(self, tokens: Sequence[Token], index: int = 0, stop: int | None = None) -> None:
        """Walk tokens from one to another, all of them at last."""
        stop = len(tokens) if stop is None else stop
        while index < stop:
            index = self.block(tokens, index)

    def block(self, tokens: Sequence[Token], index: int) -> int:
        """Paint what starts at `index`; the index of what follows."""
        token = tokens[index]
        match token.type:
            case "paragraph_open" | "heading_open":
                self.paragraph(token, tokens[index + 1])
                return index + 3
            case "fence" | "code_block":
                self.fence(token)
            case "hr":
                rule = "─" * self.room
                self.literal([Line([Segment(rule, self.look["faint"])])], token)
            case "table_open":
                end = next(i for i in range(index, len(tokens)) if tokens[i].type == "table_close")
                self.put(table(tokens[index:end], self.source, self.room, self.look))
                self.done()
                return end + 1
            case "bullet_list_open" | "ordered_list_open":
                self.open_list(tokens, index)
            case "bullet_list_close" | "ordered_list_close":
                self.loose.pop()
                self.lists.pop()
                self.done()
            case "list_item_open":
                self.open_item(token, tokens[index + 1 : index + 3])
            case "list_item_close":
                self.close_box()
            case "blockquote_open":
                bar = prefix("▎ ", self.look["faint"])
                self.push(bar, bar, self.start(token))
                self.loose.append(True)
                self.quotes += 1
            case "blockquote_close":
                self.quotes -= 1
                self.loose.pop()
                self.close_box()
            case _ if token.content:
                run = Run(token.content.replace("\n", " "), self.look["text"])
                self.literal(lay([run], self.room), token)
            case _:
                return index + 1
        return index + 1

    def start(self, token: Token) -> int:
        """Where the first line of a block starts in the source."""
        return self.source.start(token.map[0] if token.map else 0)

    def open_list(self, tokens: Sequence[Token], index: int) -> None:
        """Enter a list: tight unless a paragraph in it is shown as one."""
        level = tokens[index].level + 2
        loose = told = False
        last = first = int(tokens[index].attrs.get("start", 1))
        for token in tokens[index + 1 :]:
            if token.level < level - 1:
                break
            if token.type == "paragraph_open" and token.level == level:
                told, loose = True, loose or not token.hidden
            elif token.type == "list_item_open" and token.level == level - 1:
                last += 1
        before, self.inside = self.inside, None
        unsure = before is not None and not (told or before.loose) and last - first > 1
        if before is not None:
            last, first = last - first + before.number, before.number
            loose = loose or before.loose
        if not self.lists:
            self.looks_known = told or before is not None
        self.loose.append(loose)
        ordered = tokens[index].type == "ordered_list_open"
        self.lists.append([first, len(str(max(first, last - 1))) if ordered else 0])
        if before is not None:
            self.misfit = unsure or (loose, self.lists[-1][1]) != (before.loose, before.digits)

    def open_list_now(self, token: Token) -> OpenList:
        """The list that `token` opened, as it goes on from here."""
        number, digits = self.lists[-1]
        return OpenList(token.type, token.markup, number, digits, self.loose[-1])

    def open_item(self, token: Token, following: Sequence[Token]) -> None:
        """Enter a list item, behind its bullet, number or box to tick."""
        number, digits = self.lists[-1]
        style = self.look["bullet"]
        task = self.task(following)
        if token.info:
            mark = f"{number:>{digits}}. "
            self.lists[-1][0] += 1
        elif task:
            mark = "☐ " if task == " " else "☑ "
            style = self.look["muted" if task == " " else "ok"]
        else:
            depth = len(self.lists) - 1
            mark = f"{_BULLETS[depth % len(_BULLETS)]} "
        first = prefix(mark, style)
        self.push(first, prefix(" " * first.width, self.look["text"]), self.start(token))

    def task(self, following: Sequence[Token]) -> str:
        """` ` or `x` when an item starts with a box to tick, else nothing."""
        if len(following) < 2 or following[1].type != "inline":
            return ""
        match = _TASK.match(following[1].content)
        return match[1].lower() if match else ""

    def close_box(self) -> None:
        """Leave a list item or quote; an empty one still shows its mark."""
        if not self.boxes[-1].used:
            start = self.boxes[-1].start
            self.put([Line([], (), start, start)])
        self.boxes.pop()
        self.done()

    def paragraph(self, token: Token, inline: Token) -> None:
        """A paragraph or heading."""
        first, stop = token.map or (0, 1)
        style = self.look["quote" if self.quotes else "text"]
        if token.type == "heading_open":
            style = self.look["heading" if token.tag in ("h1", "h2") else "heading.minor"]
        places = Places(inline.content, self.source, first)
        walker = Inline(inline.content, places, style, self.look)
        parts = walker.walk(inline.children or [])
        if self.boxes and not self.boxes[-1].used and _TASK.match(inline.content):
            _untick(parts[0])
        lines = [line for runs in parts for line in (lay(runs, self.room) if runs else ())]
        lines = lines or [Line([])]
        bound(lines, self.source.start(first), self.source.stop(stop))
        self.put(lines)
        self.gap = self.loose[-1] if token.hidden else True

    def fence(self, token: Token) -> None:
        """A fence or indented code: in colours once it is closed."""
        first, _ = token.map or (0, 1)
        fenced = token.type == "fence"
        language = language_of(token)
        closed = not fenced or is_closed(token, self.source)
        content = token.content.removesuffix("\n")
        colors = code.highlight(content, language, self.look) if closed and language else None
        lines: list[Line] = []
        body = content.split("\n")
        if fenced:
            at = self.source.start(first + 1)
            stop = self.source.stop(first + 1 + len(body))
            lines.append(code.label(language, self.room, self.look, ("copy", at, stop)))
        for number, text in enumerate(body):
            line, base = self.source.line(first + fenced + number)
            column = line.rfind(text) if text else len(line)
            part = colors[number] if colors and number < len(colors) else None
            drawn = code.code_line(text, self.room, self.look, base + max(0, column), part)
            if column < 0:  # a tab that was part indent, part code
                for one in drawn:
                    one.pieces, one.start, one.end = (), base, base + len(line)
            lines += drawn
        self.put(lines)
        self.done()

    def literal(self, lines: list[Line], token: Token) -> None:
        """Lines that stand for a token as a whole."""
        first, stop = token.map or (0, 1)
        bound(lines, self.source.start(first), self.source.stop(stop))
        self.put(lines)
        self.done()


def _behind(left: Prefix, line: Line, start: int) -> Line:
    if not left.segments:
        line.start, line.end = start, max(start, line.end)
        return line
    pieces = tuple(piece._replace(at=piece.at + left.length) for piece in line.pieces)
    segments = [*left.segments, *line.segments]
    return Line(segments, pieces, start, line.end)


def _untick(runs: list[Run]) -> None:
    cut = 4
    while runs and cut > 0:
        run = runs[0]
        size = min(cut, len(run.text))
        src = run.src + size if run.size == len(run.text) else run.src
        rest = Run(run.text[size:], run.style, src, max(0, run.size - size), 0, run.tail)
        runs[:1] = [rest] if rest.text else []
        cut -= size
