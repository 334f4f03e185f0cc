"""What a model thought before it spoke, as a block of the chat."""

from __future__ import annotations

from hermes_tui.ui.blocks import Block, Grown, Sheet, folded, paragraphs
from hermes_tui.ui.text import clip
from hermes_tui.ui.text_lines import Line


class ReasoningBlock(Block):
    """What the model thought before it spoke: one dim line until it is opened."""

    kind = "reasoning"

    def __init__(self, number: int = 0, ts: float = 0.0) -> None:
        super().__init__(number, ts)
        self._text = Grown()
        self._counted = (0, 0, False)
        self.open = False
        self.seconds = 0.0

    @property
    def text(self) -> str:
        """The thoughts as they came."""
        return self._text.whole

    @text.setter
    def text(self, text: str) -> None:
        self._text = Grown(text)
        self._counted = (0, 0, False)

    def add(self, text: str) -> None:
        """It thinks on."""
        self._text.add(text)

    @property
    def source(self) -> str:
        """The thoughts as they came."""
        return self.text

    def _words(self) -> int:
        """How many words there are; only what came since the last time is looked at."""
        size, words, within = self._counted
        fresh = self.text[size:]
        if fresh:
            words += len(fresh.split()) - (within and not fresh[0].isspace())
            self._counted = (size + len(fresh), words, not fresh[-1].isspace())
        return words

    def rough(self, width: int) -> int:
        """One line while it is folded."""
        return super().rough(width) + 1 if self.expanded else 1

    def draw(self, sheet: Sheet) -> list[Line]:
        """The folded line, or all of it."""
        look = sheet.look
        words = self._words() or 1
        state = "thinking" if self.open else "thought"
        mark = "▾" if self.expanded else "▸"
        text = f"{state} · {words:,} word{'' if words == 1 else 's'} {mark}"
        lines = [folded(clip(text, sheet.width), look, 0, "reasoning")]
        if self.expanded:
            lines += paragraphs(self.text, sheet, look["reasoning"])
        return lines

    def toggle(self) -> bool:
        """Fold or unfold the thoughts."""
        self.expanded = not self.expanded
        self.changed()
        return True
