"""What the chat is made of: plain objects that draw themselves as lines, with no widget near.

A block knows its source text, so that what is copied is Markdown or the exact command. Lines are
cached for one version of the block and one `Sheet`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Protocol

from rich.segment import Segment
from rich.style import Style

from hermes_tui.ui.markdown import render
from hermes_tui.ui.stream import Stream
from hermes_tui.ui.text import cells, clip, one_line, safe
from hermes_tui.ui.text_lines import Line, Prefix, Run, lay, prefix
from hermes_tui.ui.theme import Look


class Gallery(Protocol):
    """Draws image files."""

    def lines(self, block: Block, path: str, sheet: Sheet) -> list[Line]:
        """An image of a block."""
        ...

    def clear(self) -> None:
        """All blocks are gone."""
        ...


class Sheet(NamedTuple):
    """What blocks are drawn on. width: cells; compact: no headers, for narrow screens;
    times: show when a message was sent; gallery: draws the images that blocks name."""

    width: int
    look: Look
    compact: bool = False
    times: bool = True
    gallery: Gallery | None = None


class Folded(Protocol):
    """Several blocks that are shown as one line until it is opened."""

    def hides(self, block: Block) -> bool:
        """Whether a block takes no line at all now."""
        ...

    def flip(self, block: Block) -> bool:
        """Open or close all of it; False when the block folds by itself."""
        ...

    def rough(self, block: Block, width: int) -> int:
        """About how many lines a block takes now."""
        ...

    def draw(self, block: Block, sheet: Sheet) -> list[Line]:
        """The block's lines now."""
        ...


class Block:
    """Base of all blocks.

    number, ts: the event it began with; place: its position in the transcript, which sets it;
    version counts its changes; turn: the turn it is part of, 0 for none; taken: what it was
    folded into when it was taken back; run: the blocks it is told together with.
    """

    kind: ClassVar[str] = "note"
    indent: ClassVar[int] = 2

    def __init__(self, number: int = 0, ts: float = 0.0) -> None:
        self.number = number
        self.ts = ts
        self.place = 0
        self.version = 0
        self.expanded = False
        self.turn = 0
        self.taken: Folded | None = None
        self.run: Folded | None = None
        self._drawn: tuple[int, Sheet, list[Line]] | None = None

    @property
    def source(self) -> str:
        """The text that lines of this block are parts of."""
        return ""

    def copy(self) -> str:
        """What copying the block as a whole gives."""
        return self.source

    def whole(self) -> str:
        """What copying all the lines that are shown of it gives."""
        return self.source

    def raw(self) -> Sequence[str]:
        """Texts whose words are those of the source, for a quick look; none when that is not
        sure."""
        return (self.source,)

    def lines(self, sheet: Sheet) -> list[Line]:
        """The block on the sheet, without what `left` puts before each line."""
        drawn = self._drawn
        if drawn and drawn[0] == self.version and drawn[1] == sheet:
            return drawn[2]
        room = sheet._replace(width=max(1, sheet.width - self.indent))
        fold = self.taken or self.run
        lines = self.draw(room) if fold is None else fold.draw(self, room)
        if fold is None and room.gallery is not None:
            for path in self.images():
                lines = [*lines, *room.gallery.lines(self, path, room)]
        self._drawn = (self.version, sheet, lines)
        return lines

    def images(self) -> Sequence[str]:
        """The image files it names, in order."""
        return ()

    def draw(self, sheet: Sheet) -> list[Line]:
        """Draw it anew; the sheet's width is what is left beside the indent."""
        raise NotImplementedError

    def left(self, line: int, sheet: Sheet) -> Prefix:
        """What stands before a line: `indent` cells."""
        del line
        return prefix(" " * self.indent, sheet.look["text"])

    def rough(self, width: int) -> int:
        """About how many lines it takes, without drawing it."""
        text = self.source
        size = len(text) if text.isascii() else len(text) * 3 // 2
        return size // max(1, width - self.indent) + text.count("\n") + 1

    def size(self, width: int) -> int:
        """About how many lines it takes as it is shown now."""
        fold = self.taken or self.run
        return self.rough(width) if fold is None else fold.rough(self, width)

    def changed(self) -> None:
        """Something that is drawn has changed."""
        self.version += 1

    def forget(self) -> None:
        """Drop the drawn lines; they are made again when they are needed."""
        self._drawn = None

    def toggle(self) -> bool:
        """Fold or unfold; False when there is nothing more to see."""
        return False

    def flip(self) -> bool:
        """As `toggle`; what is shown as one line is opened and closed as a whole."""
        fold = self.taken or self.run
        return (fold is not None and fold.flip(self)) or self.toggle()

    def fold(self, part: int) -> None:
        """Fold or unfold a part of it that has a number."""

    @property
    def hidden(self) -> bool:
        """Whether it takes no line, because another block's line stands for it."""
        fold = self.taken or self.run
        return fold is not None and fold.hides(self)


_ATTACHED = re.compile(r"\[attached image (/[^\n]+?) \([A-Z]+, ")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:")


def is_local(address: str) -> bool:
    """Whether an image's address is a file's."""
    return bool(address) and (address.startswith("file:///") or not _SCHEME.match(address))


def gap(before: Block | None, block: Block, compact: bool) -> int:
    """How many blank lines stand between two blocks."""
    if before is None or block.hidden:
        return 0
    pair = before.kind, block.kind
    if pair in _CLOSE:
        return 0
    if isinstance(before, ReplyBlock) and not before.source:
        return 0
    if compact and pair in (("user", "reply"), ("user", "reasoning"), ("reply", "tool")):
        return 0
    return 1


_CLOSE = (
    ("tool", "tool"),
    ("note", "note"),
    ("reasoning", "tool"),
    ("tool", "reasoning"),
    ("reasoning", "reply"),
)


class UserBlock(Block):
    """What the person said. None as text: said before the part of the session that is here."""

    kind = "user"
    LONG = 40
    HEAD = 12

    def __init__(self, text: str | None, number: int = 0, ts: float = 0.0) -> None:
        super().__init__(number, ts)
        self.text = text

    @property
    def source(self) -> str:
        """The text as it was typed."""
        return self.text or ""

    def images(self) -> Sequence[str]:
        """What was attached."""
        return _ATTACHED.findall(self.source) if "[attached image " in self.source else ()

    def left(self, line: int, sheet: Sheet) -> Prefix:
        """A bar in the accent colour."""
        return prefix("▌ ", sheet.look["user.bar"])

    def rough(self, width: int) -> int:
        """As `Block.rough`, with the head line; a long text is folded."""
        size = super().rough(width) + 1
        return size if self.expanded or size <= self.LONG else self.HEAD + 2

    def draw(self, sheet: Sheet) -> list[Line]:
        """A head line with the time, then the text."""
        look = sheet.look
        lines: list[Line] = []
        if not sheet.compact:
            when = clock(self.ts) if sheet.times and self.ts else ""
            head = [Segment("you  ", look["user.name"]), Segment(when, look["muted"])]
            lines.append(Line(ends(head, (), sheet.width)))
        source = self.source
        if not self.expanded and source.count("\n") > self.LONG:
            shown = source.split("\n", self.HEAD)[: self.HEAD]
            lines += paragraphs("\n".join(shown), sheet, look["user.text"])
            more = source.count("\n") + 1 - self.HEAD
            lines.append(folded(f"… {more:,} more lines ▸", look, len(source)))
            return lines
        return lines + paragraphs(source, sheet, look["user.text"])

    def toggle(self) -> bool:
        """Fold or unfold a long text."""
        if self.source.count("\n") <= self.LONG:
            return False
        self.expanded = not self.expanded
        self.changed()
        return True


class Grown:
    """A text that comes in many small pieces, put together when it is looked at."""

    __slots__ = ("_parts",)

    def __init__(self, text: str = "") -> None:
        self._parts = [text]

    def add(self, text: str) -> None:
        """One more piece."""
        self._parts.append(text)

    @property
    def whole(self) -> str:
        """All of it."""
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0]


class ReplyBlock(Block):
    """What the agent said; `open` while it is still being written.

    head: whether it is the first of its turn, which says who speaks; about: what the head says
    beside that (model, steps, seconds); mark: on compact sheets, where heads without text take
    no room, the dot stands here; partial: the line dropped before the end.
    """

    kind = "reply"

    def __init__(self, head: bool = True, number: int = 0, ts: float = 0.0) -> None:
        super().__init__(number, ts)
        self.head = head
        self.mark = head
        self.about = ""
        self._text = Grown()
        self.open = False
        self.partial = False
        self._stream: Stream | None = None

    @property
    def text(self) -> str:
        """The Markdown."""
        return self._text.whole

    @text.setter
    def text(self, text: str) -> None:
        self._text = Grown(text)

    def add(self, text: str) -> None:
        """More of it has come."""
        self._text.add(text)

    @property
    def source(self) -> str:
        """The Markdown."""
        return self.text

    def images(self) -> Sequence[str]:
        """Those of files on this machine; what lies elsewhere is a link in the text."""
        if self.open or "![" not in self.text:
            return ()
        from hermes_tui.ui.markdown_parts import images

        return [one for one in images(self.text) if is_local(one)]

    def left(self, line: int, sheet: Sheet) -> Prefix:
        """A dot before the first line of a turn's first reply."""
        if line == 0 and (self.mark if sheet.compact else self.head):
            return prefix("● ", sheet.look["reply.mark"])
        return super().left(line, sheet)

    def rough(self, width: int) -> int:
        """As `Block.rough`, with the head line."""
        return super().rough(width) + (1 if self.head else 0) if self.text or self.head else 0

    def draw(self, sheet: Sheet) -> list[Line]:
        """The head line, then the text; only what can still change is drawn anew."""
        lines: list[Line] = []
        if self.head and not sheet.compact:
            parts = [
                Segment("hermes  ", sheet.look["reply.name"]),
                Segment(one_line(self.about), sheet.look["muted"]),
            ]
            lines.append(Line(ends(parts, (), sheet.width)))
        if not self.text:
            return lines
        if self.open:
            self._stream = self._stream or Stream()
        stream, self._stream = self._stream, self._stream if self.open else None
        draw = stream.lines if stream else render
        lines += draw(self.text, sheet.width, sheet.look)
        if self.partial:
            text = "… the line dropped here"
            lines.append(Line([Segment(clip(text, sheet.width), sheet.look["warn"])]))
        return lines


class NoticeBlock(Block):
    """A sentence from the core or the screen itself. level: info, warning or error."""

    kind = "note"
    MARKS: ClassVar[dict[str, tuple[str, str]]] = {
        "info": ("· ", "muted"),
        "ok": ("✔ ", "ok"),
        "warning": ("⚠ ", "warn"),
        "error": ("✘ ", "error"),
    }

    def __init__(
        self, text: str, hint: str = "", level: str = "info", number: int = 0, ts: float = 0.0
    ) -> None:
        super().__init__(number, ts)
        self.text = text
        self.hint = hint
        self.level = level

    @property
    def source(self) -> str:
        """The sentence and the advice, each on a line."""
        return f"{self.text}\n{self.hint}" if self.hint else self.text

    def left(self, line: int, sheet: Sheet) -> Prefix:
        """The mark of its level before the first line."""
        mark, style = self.MARKS.get(self.level, self.MARKS["info"])
        return prefix(mark, sheet.look[style]) if line == 0 else super().left(line, sheet)

    def draw(self, sheet: Sheet) -> list[Line]:
        """The sentence in its colour, the advice dim."""
        _, style = self.MARKS.get(self.level, self.MARKS["info"])
        lines = paragraphs(self.text, sheet, sheet.look[style])
        if self.hint:
            lines += paragraphs(self.hint, sheet, sheet.look["muted"], len(self.text) + 1)
        return lines


class AnswerBlock(Block):
    """Markdown that a command was answered with."""

    kind = "answer"

    def __init__(self, text: str, number: int = 0, ts: float = 0.0) -> None:
        super().__init__(number, ts)
        self.text = text

    @property
    def source(self) -> str:
        """The Markdown."""
        return self.text

    def left(self, line: int, sheet: Sheet) -> Prefix:
        """A thin bar: this is the program speaking, not the agent."""
        del line
        return prefix("│ ", sheet.look["faint"])

    def draw(self, sheet: Sheet) -> list[Line]:
        """The text."""
        return render(self.text, sheet.width, sheet.look)


def paragraphs(text: str, sheet: Sheet, style: Style, src: int = 0) -> list[Line]:
    """Plain text, line by line, wrapped. src: where it stands in the block's source."""
    lines: list[Line] = []
    for part in safe(text).replace("\t", " ").split("\n"):
        if part:
            lines += lay([Run(part, style, src, len(part))], sheet.width)
        else:
            lines.append(Line([], (), src, src))
        src += len(part) + 1
    return lines


def folded(text: str, look: Look, at: int, style: str = "muted") -> Line:
    """A line that unfolds its block when it is clicked. at: where it stands in the source."""
    click = look[style] + Style.from_meta({"act": ("toggle",)})
    return Line([Segment(text, click)], (), at, at)


def ends(left: Sequence[Segment], right: Sequence[Segment], width: int) -> list[Segment]:
    """A line with two ends: the left one gives way, the right one stays."""
    tail = sum(cells(part.text) for part in right)
    if tail >= width:
        right, tail = (), 0
    room = width - tail - (1 if right else 0)
    kept: list[Segment] = []
    for part in left:
        text = clip(part.text, max(0, room))
        room -= cells(text)
        kept.append(Segment(text, part.style))
        if text != part.text:
            break
    space = room + (1 if right else 0)
    return [*kept, Segment(" " * max(0, space)), *right]


def today() -> time.struct_time:
    """This moment, where the person is."""
    return time.localtime()


def clock(ts: float, seconds: bool = False) -> str:
    """`09:41`, or `09:41:07`; with the date when that was not today."""
    then, now = time.localtime(ts), today()
    hour = "%H:%M:%S" if seconds else "%H:%M"
    if then[:3] == now[:3]:
        return time.strftime(hour, then)
    style = "%d %b" if then.tm_year == now.tm_year else "%d %b %Y"
    return time.strftime(f"{style} {hour}", then)
