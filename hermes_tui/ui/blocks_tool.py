"""A tool call in the chat: one line, its last output while it runs, everything when opened."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import msgspec
from rich.segment import Segment
from rich.style import Style

from hermes_tui.events import RanAgain, RunsAgain, ToolEnded, ToolStarted
from hermes_tui.ui import diff_model, figures
from hermes_tui.ui.blocks import Block, Sheet, ends
from hermes_tui.ui.diff_draw import DiffLines, Page
from hermes_tui.ui.diff_model import FileDiff
from hermes_tui.ui.text import chop, fit, one_line, output, safe
from hermes_tui.ui.text_lines import Line, Piece, Run, lay, prefix
from hermes_tui.ui.theme import Look

LIVE = 5
"""Lines of a running tool's output that are shown."""
TAIL = 3
"""Lines of a failed tool's output that are shown."""
HEAD_LINES, TAIL_LINES = 120, 40
"""How much of an opened tool's output is shown before the viewer is the place for it."""
_KEPT = 200_000
_NAME = 12

_STATES: dict[str, tuple[str, str, str]] = {
    "running": ("◐", "accent", ""),
    "ok": ("✔", "ok", ""),
    "error": ("✘", "error", "failed"),
    "denied": ("⊘", "warn", "denied"),
    "stopped": ("■", "warn", "stopped"),
    "interrupted": ("◌", "warn", "interrupted"),
}


class _Part(NamedTuple):
    """A stretch of the source: how it is drawn and where it begins."""

    kind: str
    text: str
    at: int


class ToolBlock(Block):
    """One call. status: `running` until its end is known; recovered: it failed, and a later
    call of the same tool went well; folded: hunks of its diff that the person has folded or,
    where they are folded by themselves, unfolded."""

    kind = "tool"
    indent: ClassVar[int] = 2

    def __init__(self, call_id: str, tool: str, number: int = 0, ts: float = 0.0) -> None:
        super().__init__(number, ts)
        self.call_id = call_id
        self.tool = tool
        self.summary = ""
        self.arguments = "{}"
        self.status = "running"
        self.seconds = 0.0
        self.live = ""
        self.result = ""
        self.details: dict[str, Any] = {}
        self.output_path = ""
        self.output_bytes = 0
        self.recovered = False
        self.folded: set[int] = set()
        self._parts: tuple[int, list[_Part]] | None = None

    def start(self, event: ToolStarted) -> None:
        """What is about to run."""
        self.tool, self.arguments, self.summary = event.tool, event.arguments, event.summary
        self.changed()

    def again(self, event: RunsAgain | RanAgain) -> None:
        """A call that a person has run again: how it began, or all of it."""
        self.arguments = event.arguments
        self.summary = f"again · {event.summary}"
        if isinstance(event, RanAgain):
            self.end(event)
        self.changed()

    def end(self, event: ToolEnded | RanAgain) -> None:
        """How it ended."""
        self.status = event.status
        self.seconds = event.seconds
        self.result = event.for_model
        self.details = event.details
        self.output_path = event.output_path
        self.output_bytes = event.output_bytes
        self.live = ""
        self.changed()

    def progress(self, text: str) -> None:
        """More output while it runs; only the end of it is kept."""
        self.live = (self.live + text)[-_KEPT:]
        self.changed()

    # --- source ---

    @property
    def source(self) -> str:
        """The exact command or call, then its arguments or diff, then its output."""
        parts = self.parts()
        return "\n".join(part.text for part in parts)

    def copy(self) -> str:
        """The exact command, or the call."""
        return self.parts()[0].text

    def whole(self) -> str:
        """The command alone while the block is folded."""
        return self.source if self.expanded else self.copy()

    def raw(self) -> Sequence[str]:
        """The texts it is made of, where no escape can stand inside a word of theirs."""
        said, arguments, details = self.result or self.live, self.arguments, self.details
        if "\\" in arguments or "\x1b" in said or "\r" in said or "\b" in said:
            return ()
        if not details:
            return (said, arguments, self.summary, self.tool)
        more = f"{details.get('diff', '')}\n{details.get('command', '')}"
        return (said, arguments, self.summary, self.tool, more)

    def parts(self) -> list[_Part]:
        """The stretches of the source, in order."""
        if self._parts and self._parts[0] == self.version:
            return self._parts[1]
        arguments = _decoded(self.arguments)
        command = arguments.get("command", self.details.get("command"))
        head = command if isinstance(command, str) else f"{self.tool} {self.summary}".strip()
        texts = [("head", head)]
        diff = self.details.get("diff")
        shown = _arguments(arguments, hidden=isinstance(diff, str))
        if shown:
            texts.append(("arguments", shown))
        if isinstance(diff, str) and diff.strip():
            texts.append(("diff", safe(diff.strip("\n"))))
        said = output(self.result or self.live).strip("\n")
        if isinstance(diff, str) and diff.strip():
            said = without_diff(said)
            said = said if "\n" in said else ""  # "edited it", which the diff says better
        if said:
            texts.append(("output", said))
        parts: list[_Part] = []
        at = 0
        for kind, text in texts:
            parts.append(_Part(kind, text, at))
            at += len(text) + 1
        self._parts = (self.version, parts)
        return parts

    # --- drawing ---

    def rough(self, width: int) -> int:
        """One line, and what is shown below it."""
        if self.expanded:
            return min(super().rough(width), HEAD_LINES + TAIL_LINES) + 1
        if self.status == "running":
            return 1 + min(LIVE, self.live.count("\n"))
        failed = self.status == "error" and not self.recovered
        return 1 + (min(TAIL, self.result.count("\n") + 1) if failed else 0)

    def toggle(self) -> bool:
        """Show or hide arguments, diff and output."""
        self.expanded = not self.expanded
        self.changed()
        return True

    def fold(self, part: int) -> None:
        """Fold or unfold a hunk of the diff."""
        self.folded ^= {part}
        self.changed()

    def draw(self, sheet: Sheet) -> list[Line]:
        """The line, and below it what there is to see."""
        lines = [self._head(sheet)]
        parts = self.parts()
        said = parts[-1] if parts[-1].kind == "output" else None
        if self.expanded:
            for part in parts:
                lines += self._part(part, sheet)
        elif said and self.status == "running":
            lines += _bars(said, sheet, sheet.look["output"])[-LIVE:]
        elif said and self.status == "error" and not self.recovered:
            lines += _bars(_tail(said), sheet, sheet.look["output"])[-TAIL:]
        return lines

    def images(self) -> Sequence[str]:
        """What the tool made or read."""
        image = self.details.get("image")
        return (image,) if isinstance(image, str) and image else ()

    def _head(self, sheet: Sheet) -> Line:
        look = sheet.look
        glyph, style, word = _STATES.get(self.status, ("?", "warn", self.status))
        if self.recovered:
            style, word = "muted", "failed, then worked"
        right = [note for note in (self._note(), word) if note]
        if self.seconds >= 0.05:
            right.append(figures.seconds(self.seconds))
        mark = "▾" if self.expanded else "▸"
        click = Style.from_meta({"act": ("toggle",)})
        summary = one_line(self.summary or self.parts()[0].text)
        parts = [
            Segment(f"{glyph} ", look[style] + click),
            Segment(
                f"{fit(self.tool, max(_NAME, len(self.tool)))} ",
                look["muted" if self.recovered else "tool.name"] + click,
            ),
            Segment(summary, look["tool.text"] + click),
        ]
        failed = self.status == "error" and not self.recovered
        note = look["error" if failed else "muted"] + click
        tail = [Segment("  ".join(right) + " ", note), Segment(mark, look["faint"] + click)]
        head = self.parts()[0]
        shown = ends(parts, tail, sheet.width)
        size = sum(len(part.text) for part in shown)
        whole = Piece(0, size, 0, len(head.text), 0, 0)
        return Line(shown, (whole,), 0, len(head.text))

    def _note(self) -> str:
        added, removed = self.details.get("added"), self.details.get("removed")
        if isinstance(added, int) and isinstance(removed, int):
            return f"+{added} -{removed}"
        code = self.details.get("exit_code")
        if isinstance(code, int) and code:
            return f"exit {code}"
        return figures.size(self.output_bytes) if self.output_bytes else ""

    def _part(self, part: _Part, sheet: Sheet) -> list[Line]:
        look = sheet.look
        if part.kind == "head":
            if not self._is_command():
                return []
            first, rest = prefix("$ ", look["accent"]), prefix("  ", look["text"])
            return _wrapped(part, sheet.width, look, (first, rest))
        if part.kind == "diff":
            return self._diff(part, sheet)
        style = look["muted" if part.kind == "arguments" else "output"]
        lines = _bars(part, sheet, style)
        cut = len(lines) - HEAD_LINES - TAIL_LINES
        if part.kind == "output" and (cut > 0 or self.output_path):
            lines = self._cut(lines, cut, look)
        return lines

    def _is_command(self) -> bool:
        return isinstance(_decoded(self.arguments).get("command"), str)

    def _diff(self, part: _Part, sheet: Sheet) -> list[Line]:
        """The first lines of the diff; of what is longer the viewer shows all."""
        files = diff_model.parse(part.text)
        page = Page(sheet.width, sheet.look, headers=len(files) > 1, base=part.at)
        lines = DiffLines(files, page, _shut(files) ^ self.folded)
        more = len(lines) - HEAD_LINES
        hidden = bool(_shut(files)) or more > TAIL_LINES
        made = lines[:HEAD_LINES] if more > TAIL_LINES else list(lines)
        if hidden:
            act = Style.from_meta({"act": ("diff",)})
            rest = f"… {more:,} more lines · " if more > TAIL_LINES else ""
            made.append(Line([Segment(f"{rest}show the whole diff", sheet.look["link"] + act)]))
        return made

    def _cut(self, lines: list[Line], cut: int, look: Look) -> list[Line]:
        act = Style.from_meta({"act": ("output",)})
        more = f"… {cut:,} more lines · " if cut > 0 else ""
        size = f" ({figures.size(self.output_bytes)})" if self.output_bytes else ""
        text = f"│ {more}show all of it{size}"
        link = Line([Segment(text, look["link"] + act)])
        if cut <= 0:
            return [*lines, link]
        return [*lines[:HEAD_LINES], link, *lines[-TAIL_LINES:]]


def _bars(part: _Part, sheet: Sheet, style: Style) -> list[Line]:
    """Text as it is, each line behind a bar and cut where it is too long."""
    bar = Segment("│ ", sheet.look["faint"])
    lines: list[Line] = []
    at = part.at
    for text in part.text.split("\n"):
        for start, end in chop(text, max(1, sheet.width - 2)) if text else ((0, 0),):
            piece = Piece(2, end - start, at + start, end - start, 0, 0)
            pieces = (piece,) if end > start else ()
            segments = [bar, Segment(text[start:end], style)] if end > start else [bar]
            lines.append(Line(segments, pieces, at + start, at + end))
        at += len(text) + 1
    return lines


def _tail(part: _Part) -> _Part:
    """The last lines of a part that say something."""
    lines = part.text.split("\n")
    kept = "\n".join(lines[-TAIL:])
    return part._replace(text=kept, at=part.at + len(part.text) - len(kept))


def _wrapped(part: _Part, width: int, look: Look, left: tuple[Any, Any]) -> list[Line]:
    lines: list[Line] = []
    at = part.at
    for number, text in enumerate(safe(part.text).replace("\t", " ").split("\n")):
        run = Run(text, look["text"], at, len(text))
        lines += lay([run], width, left[0] if number == 0 else left[1], left[1])
        at += len(text) + 1
    return lines


def _shut(files: Sequence[FileDiff]) -> set[int]:
    """Hunks that are folded until the person opens them: those past the first screenful."""
    left, shut = HEAD_LINES // 2, set[int]()
    hunks = [hunk for one in files for hunk in one.hunks]
    for number, hunk in enumerate(hunks):
        if left <= 0 and number:
            shut.add(number)
        left -= len(hunk.rows)
    return shut


def without_diff(text: str) -> str:
    """An output without the diff at its end, where that is shown by itself."""
    return re.split(r"^--- ", text, maxsplit=1, flags=re.MULTILINE)[0].rstrip()


def _decoded(arguments: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(arguments or "{}", type=dict[str, Any])
    except msgspec.MsgspecError:
        return {"arguments": arguments}


def _arguments(arguments: dict[str, Any], hidden: bool) -> str:
    """One `name: value` a line. hidden: texts that a diff shows better are left out."""
    lines: list[str] = []
    for name, value in arguments.items():
        if name == "command" or (hidden and isinstance(value, str) and "\n" in value):
            continue
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        text = output(text).strip("\n")
        lines.append(f"{name}: {text}" if "\n" not in text else f"{name}:\n{text}")
    return "\n".join(lines)
