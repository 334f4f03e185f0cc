"""Records of what was asked and answered, and the agent's to-do list."""

from __future__ import annotations

from rich.segment import Segment

from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    QuestionAnswered,
    QuestionAsked,
    TodoItem,
)
from hermes_tui.ui.blocks import Block, Sheet, ends, paragraphs
from hermes_tui.ui.text import clip, one_line
from hermes_tui.ui.text_lines import Line, Piece, Prefix, Run, lay, prefix

_VERDICTS = {
    "once": ("✔", "ok", "allowed once"),
    "session": ("✔", "ok", "allowed for this session"),
    "always": ("✔", "ok", "always allowed"),
    "deny": ("⊘", "warn", "denied"),
    "expired": ("◌", "warn", "not answered"),
}
_TODO = {"open": ("☐ ", "muted"), "doing": ("◐ ", "accent"), "done": ("☑ ", "ok")}


class ApprovalBlock(Block):
    """An approval: waiting, or what was answered and by whom. One line."""

    kind = "tool"

    def __init__(self, ask_id: str, number: int = 0, ts: float = 0.0) -> None:
        super().__init__(number, ts)
        self.ask_id = ask_id
        self.asked: ApprovalAsked | None = None
        self.answered: ApprovalAnswered | None = None

    @property
    def source(self) -> str:
        """What was to be allowed, exactly."""
        return (self.asked.detail or self.asked.title) if self.asked else ""

    def rough(self, width: int) -> int:
        """One line."""
        del width
        return 1

    def draw(self, sheet: Sheet) -> list[Line]:
        """Glyph, verdict, what it was about."""
        look = sheet.look
        glyph, style, words = ("⚠", "warn", "waits for your approval")
        if self.answered:
            glyph, style, words = _VERDICTS[self.answered.verdict]
        about = one_line(self.asked.title) if self.asked else ""
        notes = [about] if about else []
        if self.answered:
            notes += [f"«{one_line(self.answered.rule)}»"] if self.answered.rule else []
            notes += [one_line(self.answered.reason)] if self.answered.reason else []
            notes += [f"by {self.answered.face}"] if self.answered.face else []
        text = clip(" · ".join(["", *notes]), max(0, sheet.width - len(words) - 2))
        runs = [Run(f"{glyph} ", look[style]), Run(words, look[style]), Run(text, look["muted"])]
        parts = ends([Segment(run.text, run.style) for run in runs], (), sheet.width)
        size = sum(len(part.text) for part in parts)
        whole = Piece(0, size, 0, len(self.source), 0, 0)
        return [Line(parts, (whole,), 0, len(self.source))]


class QuestionBlock(Block):
    """A question of the agent and the answer to it."""

    kind = "note"

    def __init__(self, ask_id: str, number: int = 0, ts: float = 0.0) -> None:
        super().__init__(number, ts)
        self.ask_id = ask_id
        self.asked: QuestionAsked | None = None
        self.answered: QuestionAnswered | None = None

    @property
    def source(self) -> str:
        """Question and answer, each on a line of its own."""
        question = self.asked.text if self.asked else ""
        return f"{question}\n{self.answered.text}" if self.answered else question

    def left(self, line: int, sheet: Sheet) -> Prefix:
        """A question mark before the first line."""
        return prefix("? ", sheet.look["accent"]) if line == 0 else super().left(line, sheet)

    def draw(self, sheet: Sheet) -> list[Line]:
        """The question, then the answer behind an arrow."""
        look = sheet.look
        question = self.asked.text if self.asked else ""
        lines = paragraphs(question, sheet, look["text"])
        if self.answered is None:
            waits = Run("waits for your answer", look["warn"])
            return lines + lay([waits], sheet.width)
        src = len(question) + 1
        text = one_line(self.answered.text)
        same = len(text) == len(self.answered.text)
        run = Run(text, look["text"], src, len(text) if same else len(self.answered.text))
        arrow, rest = prefix("→ ", look["accent"]), prefix("  ", look["text"])
        return lines + lay([run], sheet.width, arrow, rest)


class TodoBlock(Block):
    """The to-do list as it stood when the turn ended, or stands now."""

    kind = "todo"

    def __init__(self, number: int = 0, ts: float = 0.0) -> None:
        super().__init__(number, ts)
        self.items: tuple[TodoItem, ...] = ()

    @property
    def source(self) -> str:
        """The list as Markdown."""
        marks = {"done": "x", "doing": "~"}
        return "\n".join(f"- [{marks.get(i.state, ' ')}] {i.text}" for i in self.items)

    def draw(self, sheet: Sheet) -> list[Line]:
        """One item a line, with a box to tick."""
        look = sheet.look
        lines: list[Line] = []
        at = 0
        for item in self.items:
            mark, style = _TODO[item.state]
            source = f"- [ ] {item.text}"
            text = one_line(item.text)
            tone = look["muted" if item.state == "done" else "text"]
            size = len(text) if len(text) == len(item.text) else len(item.text)
            run = Run(text, tone, at + 6, size, 6)
            drawn = lay([run], sheet.width, prefix(mark, look[style]), prefix("  ", tone))
            lines += drawn
            at += len(source) + 1
        return lines or [Line([])]
