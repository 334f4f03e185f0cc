"""Tool calls told together: a long run of reads is one line until it is opened."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style

from hermes_tui.ui import figures
from hermes_tui.ui.blocks import Block, Sheet, ends
from hermes_tui.ui.blocks_tool import ToolBlock
from hermes_tui.ui.text import fit, one_line
from hermes_tui.ui.text_lines import Line, Piece

FOLDED_FROM = 4
"""Reads one after the other that become one line."""
READS = frozenset({"read_file", "search_files"})
"""Tools whose calls change nothing and are told together."""
_READ = "read_file"
_NAME = 12


class ReadRun:
    """Reads that all went well; shown as one line until it is opened."""

    def __init__(self, blocks: Sequence[ToolBlock]) -> None:
        self.blocks = list(blocks)
        self.open = False

    def hides(self, block: Block) -> bool:
        """Whether a block takes no line at all now."""
        return not self.open and block is not self.blocks[0]

    def flip(self, block: Block) -> bool:
        """Open it, or close it from its first block. False: the block may fold by itself."""
        if self.open and block is not self.blocks[0]:
            return False
        self.open = not self.open
        for one in self.blocks:
            one.changed()
        return True

    def rough(self, block: Block, width: int) -> int:
        """About how many lines a block takes now."""
        first = int(block is self.blocks[0])
        return first + (block.rough(width) if self.open else 0)

    def draw(self, block: Block, sheet: Sheet) -> list[Line]:
        """The line that stands for all of it, and the block itself when it is open."""
        lines = [self._summary(sheet)] if block is self.blocks[0] else []
        return [*lines, *(block.draw(sheet) if self.open else ())]

    def _summary(self, sheet: Sheet) -> Line:
        look = sheet.look
        click = Style.from_meta({"act": ("toggle",)})
        names = list(dict.fromkeys(_short(block) for block in self.blocks))
        left = [
            Segment("✔ ", look["ok"] + click),
            Segment(f"{fit(self.words, max(_NAME, len(self.words)))} ", look["tool.name"] + click),
            Segment(", ".join(names), look["tool.text"] + click),
        ]
        took = sum(block.seconds for block in self.blocks)
        right = [
            Segment(f"{figures.seconds(took)} " if took >= 0.05 else "", look["muted"] + click),
            Segment("▾" if self.open else "▸", look["faint"] + click),
        ]
        shown = ends(left, right, sheet.width)
        size, head = sum(len(part.text) for part in shown), len(self.blocks[0].copy())
        return Line(shown, (Piece(0, size, 0, head, 0, 0),), 0, head)

    @property
    def words(self) -> str:
        """`read 7 files`, `read 3 files, searched 2 times`."""
        files = len({_short(block) for block in self.blocks if block.tool == _READ})
        times = sum(block.tool != _READ for block in self.blocks)
        parts = [f"read {files} file{'' if files == 1 else 's'}"] if files else []
        parts += [f"searched {times} time{'' if times == 1 else 's'}"] if times else []
        return ", ".join(parts)


def fold_reads(blocks: Sequence[Block], near: int) -> list[Block]:
    """Fold the run of reads around an index of a turn's blocks; those whose looks change."""
    first = last = near
    while first > 0 and _is_read(blocks[first - 1]):
        first -= 1
    while last < len(blocks) and _is_read(blocks[last]):
        last += 1
    return _join([block for block in blocks[first:last] if isinstance(block, ToolBlock)])


def _is_read(block: Block) -> bool:
    return isinstance(block, ToolBlock) and block.status == "ok" and block.tool in READS


def _join(blocks: Sequence[ToolBlock]) -> list[Block]:
    """One run of these blocks; open if the one they were in before was."""
    if len(blocks) < FOLDED_FROM:
        return []
    before = [block.run for block in blocks if isinstance(block.run, ReadRun)]
    if before and before[0].blocks == blocks:
        return []
    run = ReadRun(blocks)
    run.open = any(one.open for one in before)
    for block in blocks:
        block.run = run
    return list(blocks)


def _short(block: ToolBlock) -> str:
    """The file's own name, or what was looked for."""
    text = one_line(block.summary or block.copy())
    return text.rsplit("/", 1)[-1] if block.tool == _READ else f"«{text}»"
