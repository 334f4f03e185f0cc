"""A session's events into the transcript, live and from history alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_tui.events import MessageImported, Record, Rewound, TurnEnded
from hermes_tui.ui.blocks import AnswerBlock, Block, UserBlock
from hermes_tui.ui.blocks_shell import ShellBlock
from hermes_tui.ui.feed_blocks import Builder, Inputs

if TYPE_CHECKING:
    from hermes_tui.intents import Page, SessionView
    from hermes_tui.ui.theme import Look
    from hermes_tui.ui.transcript import Transcript


class Feed:
    """Tells a session in a transcript.

    The oldest records shown may begin in the middle of a turn. Until older ones come they are
    kept as `_head`, so that the whole turn can then be told anew from its beginning.
    """

    def __init__(self, transcript: Transcript, look: Look) -> None:
        self.transcript = transcript
        transcript.set_look(look)
        self._begin()

    def _begin(self) -> None:
        self._inputs = Inputs()
        self._builder = Builder(self._inputs)
        self._head: list[Record | Block] = []
        self._head_blocks = 0
        self._head_open = False

    def set_look(self, look: Look) -> None:
        """Draw everything in another theme."""
        self.transcript.set_look(look)

    def load(self, view: SessionView) -> None:
        """Begin anew with a session just opened."""
        self._begin()
        self.transcript.clear()
        cut = boundary(view.records) if view.more else 0
        self._head = list(view.records[:cut])
        self._head_open = cut == len(view.records) and view.more
        for record in view.records[:cut]:
            self._builder.apply(record)
        self._pour()
        self._head_blocks = len(self.transcript.blocks)
        for record in view.records[cut:]:
            self._builder.apply(record)
        if view.partial:
            self._builder.open_reply(view.partial, 0, view.info.updated)
        self._pour()
        self._fold()
        self.transcript.flush()

    def older(self, page: Page) -> None:
        """Put older events before all others."""
        builder = Builder(self._inputs)
        for one in (*page.records, *self._head):
            _tell(builder, one)
        blocks, changed, gone = builder.take()
        lost = {id(block) for block in gone}
        blocks = [block for block in blocks if id(block) not in lost]
        self.transcript.replace_head(self._head_blocks, blocks)
        for block in changed:
            self.transcript.update(block)
        if self._head_open:
            self._builder = builder
        cut = boundary(page.records) if page.more else 0
        whole = cut == len(page.records) and page.more
        head: list[Record | Block] = [*page.records, *self._head] if whole else []
        head = head or list(page.records[:cut])
        self._fold()
        self._head_open = self._head_open and whole
        self._head_blocks = len(blocks) if whole else _count(head)
        self._head = head

    def apply(self, record: Record) -> None:
        """Take in one more event."""
        self._builder.apply(record)
        self._pour()
        if isinstance(record.event, Rewound):
            self._fold()
        if not self._head_open:
            return
        self._head.append(record)
        self._head_blocks = len(self.transcript.blocks)
        self._head_open = not isinstance(record.event, TurnEnded)

    def say(self, text: str) -> None:
        """Show Markdown that a command was answered with; it is not part of the session."""
        self._add(AnswerBlock(text))

    def _add(self, block: Block) -> None:
        """A block that no event made."""
        self.transcript.append(block)
        if self._head_open:
            self._head.append(block)
            self._head_blocks = len(self.transcript.blocks)

    def shell_begins(self, shell_id: str, command: str, shared: bool, ts: float) -> None:
        """The person's own command is about to run; its output will follow."""
        block = ShellBlock(shell_id, command, ts=ts)
        block.shared = shared
        self._inputs.shells[shell_id] = block
        self._add(block)

    def shell_failed(self, shell_id: str) -> None:
        """It could not be run."""
        if (block := self._inputs.shells.get(shell_id)) and block.running:
            block.fail()
            self.transcript.update(block)

    @property
    def shells_running(self) -> bool:
        """Whether a command that was begun here still runs."""
        return any(one.running for one in self._inputs.shells.values())

    def turns(self) -> list[UserBlock]:
        """What started each turn that is part of the conversation, oldest first."""
        begun: dict[int, UserBlock] = {}
        for block in self.transcript.blocks:
            if isinstance(block, UserBlock) and block.turn and block.taken is None:
                begun.setdefault(block.turn, block)
        return list(begun.values())

    def _fold(self) -> None:
        self._inputs.rewinds.fold(self.transcript.blocks, self.transcript.update)

    def tick(self, now: float) -> bool:
        """Count the seconds of running tools, at Unix time `now`; whether there are any."""
        calls = [*self._builder.tools.values(), *self._inputs.again.values()]
        running = [one for one in calls if one.status == "running"]
        for block in running:
            seconds = float(int(max(0.0, now - block.ts)))
            if block.ts and seconds != block.seconds:
                block.seconds = seconds
                block.changed()
                self.transcript.update(block)
        return bool(running)

    def show_record(self, number: int) -> None:
        """Scroll to the block that an event belongs to."""
        found: Block | None = None
        for block in self.transcript.blocks:
            if block.number and block.number <= number:
                found = block
        if found is not None:
            self.transcript.show_block(found)
            self.transcript.set_cursor(found)

    def _pour(self) -> None:
        fresh, changed, gone = self._builder.take()
        lost = {id(block) for block in gone}
        self.transcript.append(*(block for block in fresh if id(block) not in lost))
        for block in gone:
            self.transcript.take_out(block)
        for block in changed:
            self.transcript.update(block)


def boundary(records: Sequence[Record]) -> int:
    """How many records at the front belong to a turn that may have begun before them."""
    for number, record in enumerate(records):
        if isinstance(record.event, MessageImported):
            return number
        if isinstance(record.event, TurnEnded):
            return number + 1
    return len(records)


def _tell(builder: Builder, one: Record | Block) -> None:
    if isinstance(one, Record):
        builder.apply(one)
    else:
        builder.add(one)


def _count(head: Sequence[Record | Block]) -> int:
    """How many blocks the records make by themselves."""
    builder = Builder(Inputs())
    for one in head:
        _tell(builder, one)
    lost = {id(block) for block in builder.gone}
    return sum(id(block) not in lost for block in builder.fresh)
