"""A command the person ran with `!`: the command, its output, how it ended."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style

from hermes_tui.events import ShellRan
from hermes_tui.ui import figures
from hermes_tui.ui.blocks import Block, Sheet, ends, folded
from hermes_tui.ui.text import chop, clip, one_line, output
from hermes_tui.ui.text_lines import Line, Piece

LIVE = 12
"""Lines of output shown while it runs, and of a folded block."""
MOST = 400
"""Lines of output shown of an open block."""
_KEPT = 200_000


class ShellBlock(Block):
    """One command. shared: the model is told of it; running until `end` is called."""

    kind = "tool"

    def __init__(self, shell_id: str, command: str, number: int = 0, ts: float = 0.0) -> None:
        super().__init__(number, ts)
        self.shell_id = shell_id
        self.command = command
        self.shared = True
        self.running = True
        self.failed = False
        self.seconds = 0.0
        self.exit_code: int | None = None
        self.output_path = ""
        self.output_bytes = 0
        self._text = ""

    def progress(self, text: str) -> None:
        """More output; only the end of it is kept."""
        self._text = (self._text + text)[-_KEPT:]
        self.changed()

    def end(self, event: ShellRan, number: int) -> None:
        """How it ended."""
        self.running, self.shared, self.command = False, event.shared, event.command
        self.exit_code, self.seconds = event.exit_code, event.seconds
        self.output_path, self.output_bytes = event.output_path, event.output_bytes
        self.number = self.number or number
        self._text = event.output
        self.changed()

    def fail(self) -> None:
        """It was not run: the core did not take it."""
        self.running, self.failed = False, True
        self.changed()

    @property
    def source(self) -> str:
        """The command, then its output."""
        said = self._said()
        return f"{self.command}\n{said}" if said else self.command

    def copy(self) -> str:
        """The command."""
        return self.command

    def rough(self, width: int) -> int:
        """The command's line, and what is shown of the output."""
        lines = self._text.count("\n") + bool(self._text)
        return 1 + min(lines, MOST if self.expanded else LIVE + 1)

    def toggle(self) -> bool:
        """Show all of the output, or its end."""
        if self._said().count("\n") < LIVE:
            return False
        self.expanded = not self.expanded
        self.changed()
        return True

    def draw(self, sheet: Sheet) -> list[Line]:
        """The command, then the last lines of its output, or all of them."""
        lines = self._said_lines(sheet)
        hidden = len(lines) - (MOST if self.expanded else LIVE)
        shown = lines[max(0, hidden) :]
        if hidden > 0:
            text = clip(f"│ … {hidden:,} more lines before ▸", sheet.width)
            link = folded(text, sheet.look, len(self.command) + 1, "faint")
            shown = [link, *shown]
        return [self._head(sheet), *shown]

    def _said(self) -> str:
        return output(self._text).strip("\n")

    def _head(self, sheet: Sheet) -> Line:
        look = sheet.look
        click = Style.from_meta({"act": ("toggle",)})
        mark = look["accent" if self.running else "error" if self._bad else "ok"]
        command = one_line(self.command)
        left = [Segment("! ", mark + click), Segment(command, look["strong"] + click)]
        right = [Segment(self._note(), look["error" if self._bad else "muted"] + click)]
        shown = ends(left, right, sheet.width)
        size = sum(len(part.text) for part in shown)
        whole = Piece(0, size, 0, len(self.command), 0, 0)
        return Line(shown, (whole,), 0, len(self.command))

    @property
    def _bad(self) -> bool:
        return not self.running and (self.failed or self.exit_code != 0)

    def _note(self) -> str:
        if self.failed:
            return "not run"
        words = ["" if self.shared else "not shown to the agent"]
        if self.running:
            words.append("running")
        elif self.exit_code is None:
            words.append("interrupted")
        elif self.exit_code:
            words.append(f"exit {self.exit_code}")
        if self.seconds >= 0.05:
            words.append(figures.seconds(self.seconds))
        return " · ".join(word for word in words if word)

    def _said_lines(self, sheet: Sheet) -> list[Line]:
        said, look = self._said(), sheet.look
        if not said:
            return []
        bar = Segment("│ "[: max(0, sheet.width - 1)], look["faint"])
        left = len(bar.text)
        lines: list[Line] = []
        at = len(self.command) + 1
        for text in said.split("\n"):
            for start, end in chop(text, max(1, sheet.width - left)) if text else ((0, 0),):
                piece = Piece(left, end - start, at + start, end - start, 0, 0)
                shown = [bar, Segment(text[start:end], look["output"])] if end > start else [bar]
                pieces = (piece,) if end > start else ()
                lines.append(Line(shown, pieces, at + start, at + end))
            at += len(text) + 1
        return lines
