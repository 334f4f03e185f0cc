"""What was taken back of a conversation: one line in the chat, the rest dim when it is opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style

from hermes_tui.ui.text import clip, one_line
from hermes_tui.ui.text_lines import Line

if TYPE_CHECKING:
    from hermes_tui.ui.blocks import Block, Sheet

_GONE = Style(dim=True, strike=True)


class Fold:
    """Blocks that one rewind took back. tell: has a block drawn anew."""

    def __init__(self, tell: Callable[[Block], None]) -> None:
        self._tell = tell
        self.blocks: list[Block] = []
        self.open = False

    def hides(self, block: Block) -> bool:
        """Whether a block takes no line at all now."""
        return not self.open and block is not self.blocks[0]

    def flip(self, block: Block) -> bool:
        """Open it, or close it from its first block. False: the block may fold by itself."""
        if self.open and block is not self.blocks[0]:
            return False
        self.open = not self.open
        self.redraw()
        return True

    def redraw(self) -> None:
        """Draw all of it anew."""
        for block in self.blocks:
            self._tell(block)

    def rough(self, block: Block, width: int) -> int:
        """About how many lines a block takes now."""
        if self.hides(block):
            return 0
        first = int(block is self.blocks[0])
        return first + (block.rough(width) if self.open else 0)

    def draw(self, block: Block, sheet: Sheet) -> list[Line]:
        """The line that stands for all of it, and the block itself when it is open."""
        lines: list[Line] = []
        if block is self.blocks[0]:
            lines.append(self._summary(sheet))
        if self.open:
            lines += [_gone(line) for line in block.draw(sheet)]
        return lines

    def _summary(self, sheet: Sheet) -> Line:
        said = sum(one.kind == "user" for one in self.blocks)
        turns = f"{said} message{'' if said == 1 else 's'}"
        begun = one_line(self.blocks[0].source[:200])
        text = f"{'▾' if self.open else '▸'} taken back · {turns} · «{begun}»"
        click = sheet.look["muted"] + Style.from_meta({"act": ("toggle",)})
        return Line([Segment(clip(text, sheet.width), click)], (), 0, 0)


def _gone(line: Line) -> Line:
    segments = [Segment(one.text, (one.style or Style.null()) + _GONE) for one in line.segments]
    return Line(segments, line.pieces, line.start, line.end)


class Rewinds:
    """All rewinds of a session seen so far, and the blocks each took back.

    begins: the number of the event each turn began with, as far as it is known; what came before
    the known part of the session is not on the screen either.
    """

    def __init__(self) -> None:
        self.begins: dict[int, int] = {}
        self._turns: dict[int, int] = {}
        self._folds: dict[int, Fold] = {}

    def happened(self, number: int, turn: int) -> None:
        """The conversation was taken back to before a turn, by the event of a number."""
        self._turns[number] = turn

    def fold(self, blocks: Sequence[Block], tell: Callable[[Block], None]) -> None:
        """Fold what was taken back; a later rewind takes over what an earlier one had."""
        if not self._turns:
            return
        for one in self._folds.values():
            one.blocks = []
        for number, turn in sorted(self._turns.items()):
            fold = self._folds.setdefault(number, Fold(tell))
            self._gather(fold, blocks, (self.begins.get(turn, 0), number))
        owners: dict[int, Fold] = {}
        for number in sorted(self._folds):
            owners.update((id(block), self._folds[number]) for block in self._folds[number].blocks)
        for fold in self._folds.values():
            fold.blocks = [one for one in fold.blocks if owners[id(one)] is fold]
        for fold in self._folds.values():
            for block in fold.blocks:
                block.taken = fold
            fold.redraw()

    @staticmethod
    def _gather(fold: Fold, blocks: Sequence[Block], span: tuple[int, int]) -> None:
        inside = [at for at, block in enumerate(blocks) if span[0] < block.number < span[1]]
        if inside:
            fold.blocks = list(blocks[inside[0] : inside[-1] + 1])
