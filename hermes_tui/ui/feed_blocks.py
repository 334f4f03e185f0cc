"""Events to blocks: one `match`, the same for what happens now and for what is long past."""

from __future__ import annotations

from hermes_tui import agents_text
from hermes_tui import events as ev
from hermes_tui.context_text import evidence, shortened
from hermes_tui.events import Record
from hermes_tui.rewind_text import restored
from hermes_tui.ui import figures
from hermes_tui.ui.blocks import (
    AnswerBlock,
    Block,
    NoticeBlock,
    ReplyBlock,
    UserBlock,
)
from hermes_tui.ui.blocks_ask import ApprovalBlock, QuestionBlock, TodoBlock
from hermes_tui.ui.blocks_reasoning import ReasoningBlock
from hermes_tui.ui.blocks_run import fold_reads
from hermes_tui.ui.blocks_shell import ShellBlock
from hermes_tui.ui.blocks_tool import ToolBlock
from hermes_tui.ui.rewind_fold import Rewinds


class Inputs:
    """Texts that were received, and blocks whose text is not here yet.

    shells: commands of the person's own that were begun here; again: calls that run once more;
    rewinds: what was taken back.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._missing: dict[str, UserBlock] = {}
        self.shells: dict[str, ShellBlock] = {}
        self.again: dict[str, ToolBlock] = {}
        self.rewinds = Rewinds()

    def received(self, input_id: str, text: str) -> UserBlock | None:
        """Keep a text; the block that waited for it, if there is one."""
        self._texts[input_id] = text
        block = self._missing.pop(input_id, None)
        if block is not None:
            block.text = text
            block.changed()
        return block

    def taken(self, event: ev.InputTaken, number: int, ts: float) -> UserBlock:
        """The block of an input that became part of the conversation."""
        block = UserBlock(self._texts.get(event.input_id), number, ts)
        block.turn = event.turn
        if block.text is None:
            self._missing[event.input_id] = block
        return block


class Builder:
    """Takes records one by one; `fresh` are the blocks made of them, `touched` those changed,
    `gone` those that turned out to be nothing. `take` hands them over."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._turn = 0
        self.fresh: list[Block] = []
        self.touched: list[Block] = []
        self.gone: list[Block] = []
        self._begin_turn()

    def _begin_turn(self) -> None:
        self._head: ReplyBlock | None = None
        self._reply: ReplyBlock | None = None
        self._thought: ReasoningBlock | None = None
        self._trying: NoticeBlock | None = None
        self._silent = False
        self._headed: ReasoningBlock | None = None
        self._model = ""
        self.tools: dict[str, ToolBlock] = {}
        self._approvals: dict[str, ApprovalBlock] = {}
        self._questions: dict[str, QuestionBlock] = {}
        self._todo: TodoBlock | None = None
        self._told: list[Block] = []
        self._bad: dict[str, list[tuple[int, ToolBlock]]] = {}

    def take(self) -> tuple[list[Block], list[Block], list[Block]]:
        """New, changed and vanished blocks since the last time."""
        made = self.fresh, self.touched, self.gone
        self.fresh, self.touched, self.gone = [], [], []
        return made

    def apply(self, record: Record) -> None:
        """Take in one record."""
        event = record.event
        match event:
            case ev.TextDelta():
                self._delta(event, record)
            case ev.ToolOutput():
                self._output(event)
            case ev.InputReceived() | ev.InputTaken() | ev.MessageImported():
                self._input(event, record)
            case ev.InputEdited():
                self._inputs.received(event.input_id, event.text)
            case ev.ShellRan():
                self._shell_ran(event, record)
            case ev.Rewound():
                self._inputs.rewinds.happened(record.n, event.turn)
            case ev.TurnStarted() | ev.TurnEnded() | ev.ModelAsked() | ev.ModelFailed():
                self._progress(event, record)
            case ev.ReplyReceived():
                self._replied(event, record)
            case ev.ToolStarted() | ev.ToolEnded():
                self._tool(event, record)
            case ev.ApprovalAsked() | ev.ApprovalAnswered():
                self._approval(event, record)
            case ev.QuestionAsked() | ev.QuestionAnswered():
                self._question(event, record)
            case ev.TodoChanged():
                self._plan(event, record)
            case _:
                self._other(event, record)

    # --- pieces ---

    def add(self, block: Block) -> None:
        """A new block at the end."""
        block.turn = block.turn or self._turn
        self.fresh.append(block)
        self._told.append(block)

    def _drop(self, block: Block) -> None:
        """A block turned out to be nothing; what stood on either side of it meets."""
        self.gone.append(block)
        if block in self._told:
            at = self._told.index(block)
            del self._told[at]
            self.touched += fold_reads(self._told, at)

    def _touch(self, block: Block) -> None:
        block.changed()
        self.touched.append(block)

    def _note(self, record: Record, text: str, hint: str = "", level: str = "info") -> None:
        self.add(NoticeBlock(text, hint, level, record.n, record.ts))

    def open_reply(self, text: str, number: int, ts: float) -> None:
        """More text of the reply that is being written."""
        reply = self._reply or self._new_reply(number, ts)
        reply.open = True
        reply.add(text)
        self._reply = reply
        self._touch(reply)

    def _new_reply(self, number: int, ts: float) -> ReplyBlock:
        reply = ReplyBlock(self._head is None, number, ts)
        if self._head is None:
            self._head = reply
            reply.about = short_model(self._model)
        elif self._silent:
            reply.mark = True
        self._silent = False
        self.add(reply)
        return reply

    def _new_thought(self, record: Record) -> ReasoningBlock:
        thought = ReasoningBlock(record.n, record.ts)
        if self._head is None:
            self._new_reply(record.n, record.ts)
            self._silent, self._headed = True, thought
        self.add(thought)
        return thought

    def _drop_thought(self, thought: ReasoningBlock, reply: ReplyBlock | None) -> None:
        """It was not stored: it goes, and the head that was made for it becomes the reply's."""
        self._drop(thought)
        if self._head is None or self._headed is not thought:
            return
        self._drop(self._head)
        self._head, self._silent = reply, False
        if reply:
            reply.head = reply.mark = True
            reply.about = short_model(self._model)

    # --- kinds ---

    def _delta(self, event: ev.TextDelta, record: Record) -> None:
        if event.reasoning:
            if self._thought is None:
                self._thought = self._new_thought(record)
                self._thought.open = True
            self._thought.add(event.reasoning)
            self._touch(self._thought)
        if event.text and (self._reply or event.text.strip()):
            self.open_reply(event.text, record.n, record.ts)

    def _replied(self, event: ev.ReplyReceived, record: Record) -> None:
        thought, reply = self._thought, self._reply
        self._thought = self._reply = None
        if event.reasoning.strip():
            if thought is None:
                thought = self._new_thought(record)
            thought.text, thought.open, thought.number = event.reasoning, False, record.n
            self._touch(thought)
        elif thought:
            self._drop_thought(thought, reply)
        self._model = event.model or self._model
        text = event.text if event.text.strip() else ""
        if reply is None and (text or self._head is None):
            reply = self._new_reply(record.n, record.ts)
        if reply is None:
            return
        if not text and reply is not self._head:
            self._drop(reply)
            return
        reply.text, reply.open, reply.partial = text, False, event.partial
        reply.number, reply.ts = record.n, record.ts
        if reply.head:
            reply.about = short_model(self._model)
        self._touch(reply)

    def _input(
        self, event: ev.InputReceived | ev.InputTaken | ev.MessageImported, record: Record
    ) -> None:
        match event:
            case ev.InputReceived():
                waited = self._inputs.received(event.input_id, event.text)
                if waited:
                    self.touched.append(waited)
            case ev.InputTaken(input_id=name) if name.startswith("report-"):
                self._head = None
                self._note(record, "the agent reads what its subagents report")
            case ev.InputTaken():
                self._head = None
                self.add(self._inputs.taken(event, record.n, record.ts))
            case ev.MessageImported():
                self._imported(event, record)

    def _imported(self, event: ev.MessageImported, record: Record) -> None:
        if event.role == "user":
            self.add(UserBlock(event.text, record.n, record.ts))
        elif event.role == "assistant":
            reply = ReplyBlock(True, record.n, record.ts)
            reply.text = event.text
            self.add(reply)
        else:
            self._note(record, f"{event.role}: {event.text}")

    def _progress(
        self, event: ev.TurnStarted | ev.TurnEnded | ev.ModelAsked | ev.ModelFailed, record: Record
    ) -> None:
        match event:
            case ev.TurnStarted():
                self._inputs.rewinds.begins[event.turn] = record.n
                self._begin_turn()
                self._turn = event.turn
            case ev.ModelAsked():
                self._model = event.model
            case ev.ModelFailed():
                self._failed(event, record)
            case ev.TurnEnded():
                self._drop_open()
                self._ended(event, record)
                self._begin_turn()

    def _drop_open(self) -> None:
        """What was being written and never became a reply was not stored: it goes."""
        thought, reply = self._thought, self._reply
        self._thought = self._reply = None
        if thought:
            self._drop_thought(thought, None)
        if reply:
            self._drop(reply)
            self._silent = self._silent or (reply.mark and not reply.head)
            self._head = None if reply is self._head else self._head

    def _failed(self, event: ev.ModelFailed, record: Record) -> None:
        self._drop_open()
        tried = self._trying if self._told and self._told[-1] is self._trying else None
        if event.retry_in is None:
            if tried is not None:
                self._drop(tried)
            self._note(record, event.message, event.hint, "error")
            return
        wait = figures.seconds(event.retry_in)
        text = f"{event.message} · asking again in {wait} (try {event.attempt + 1})"
        if tried is not None:
            tried.text = text
            self._touch(tried)
            return
        self._note(record, text, level="warning")
        self._trying = self.fresh[-1] if isinstance(self.fresh[-1], NoticeBlock) else None

    def _ended(self, event: ev.TurnEnded, record: Record) -> None:
        if self._head is not None:
            steps = f"{event.steps} step{'' if event.steps == 1 else 's'}" if event.steps else ""
            cost = figures.money(event.usage.cost) if event.usage.cost is not None else ""
            time = figures.seconds(event.seconds) if event.seconds else ""
            about = [short_model(self._model), steps, time, cost]
            self._head.about = " · ".join(part for part in about if part)
            self._touch(self._head)
        if event.outcome == "stopped":
            self._note(record, "stopped", level="warning")
        elif event.outcome != "done" and not self._told_last(event.error):
            text = event.error or f"the turn ended: {event.outcome}"
            level = "error" if event.outcome == "failed" else "warning"
            self._note(record, text, event.hint, level)

    def _told_last(self, error: str) -> bool:
        """Whether the last thing told is that very error."""
        last = self._told[-1] if self._told else None
        return bool(error) and isinstance(last, NoticeBlock) and last.text == error

    def _tool(self, event: ev.ToolStarted | ev.ToolEnded, record: Record) -> None:
        block = self.tools.get(event.call_id)
        if block is None:
            block = ToolBlock(event.call_id, event.tool, record.n, record.ts)
            self.tools[event.call_id] = block
            self.add(block)
        if isinstance(event, ev.ToolStarted):
            block.start(event)
        else:
            block.end(event)
            self._made_good(block, event.step)
            places = range(len(self._told) - 1, -1, -1)
            at = next(at for at in places if self._told[at] is block)
            self.touched += fold_reads(self._told, at)
        self.touched.append(block)

    def _made_good(self, block: ToolBlock, step: int) -> None:
        """A call that failed is told quietly once a later one of the same tool has worked."""
        failed = self._bad.setdefault(block.tool, [])
        if block.status == "error":
            failed.append((step, block))
        elif block.status == "ok":
            for _, one in (pair for pair in failed if pair[0] < step):
                one.recovered = True
                self._touch(one)
            failed[:] = [pair for pair in failed if pair[0] >= step]

    def _again(self, event: ev.RunsAgain | ev.RanAgain, record: Record) -> None:
        """A call that a person had run again: told as a call, of its old turn."""
        block = self._inputs.again.pop(event.call_id, None)
        if block is None:
            block = ToolBlock(event.call_id, event.tool, record.n, record.ts)
            block.turn = event.turn
            self.add(block)
        block.again(event)
        if isinstance(event, ev.RunsAgain):
            self._inputs.again[event.call_id] = block
        else:
            block.number = record.n
        self._touch(block)

    def _output(self, event: ev.ToolOutput) -> None:
        block = self.tools.get(event.call_id) or self._inputs.again.get(event.call_id)
        shell = self._inputs.shells.get(event.call_id)
        if block and block.status == "running":
            block.progress(event.text)
            self.touched.append(block)
        elif shell and shell.running:
            shell.progress(event.text)
            self.touched.append(shell)

    def _shell_ran(self, event: ev.ShellRan, record: Record) -> None:
        block = self._inputs.shells.get(event.shell_id)
        if block is None:
            block = ShellBlock(event.shell_id, event.command, record.n, record.ts)
            self.add(block)
        block.end(event, record.n)
        self.touched.append(block)

    def _approval(self, event: ev.ApprovalAsked | ev.ApprovalAnswered, record: Record) -> None:
        block = self._approvals.get(event.ask_id)
        if block is None:
            block = ApprovalBlock(event.ask_id, record.n, record.ts)
            self._approvals[event.ask_id] = block
            self.add(block)
        if isinstance(event, ev.ApprovalAsked):
            block.asked = event
        else:
            block.answered = event
        self._touch(block)

    def _question(self, event: ev.QuestionAsked | ev.QuestionAnswered, record: Record) -> None:
        block = self._questions.get(event.ask_id)
        if block is None:
            block = QuestionBlock(event.ask_id, record.n, record.ts)
            self._questions[event.ask_id] = block
            self.add(block)
        if isinstance(event, ev.QuestionAsked):
            block.asked = event
        else:
            block.answered = event
        self._touch(block)

    def _plan(self, event: ev.TodoChanged, record: Record) -> None:
        if self._todo is None:
            self._todo = TodoBlock(record.n, record.ts)
            self.add(self._todo)
        self._todo.items = event.items
        self._touch(self._todo)

    def _elsewhere(
        self, event: ev.SubagentStarted | ev.SubagentEnded | ev.AsideAnswered, record: Record
    ) -> None:
        if isinstance(event, ev.SubagentStarted):
            self._note(record, agents_text.began(event), "alt+5 shows it")
        else:
            self.add(AnswerBlock(agents_text.markdown(event), record.n, record.ts))

    def _other(self, event: ev.Event, record: Record) -> None:
        match event:
            case ev.Notice():
                self._note(record, event.text, event.hint, event.level)
            case ev.Trouble():
                self._note(record, event.text, event.hint, "error")
            case ev.RunsAgain() | ev.RanAgain():
                self._again(event, record)
            case ev.SessionChanged():
                if event.model is not None:
                    self._note(record, f"model: {event.model}")
                if event.mode is not None:
                    self._note(record, f"mode: {event.mode}")
            case ev.ClaimsChecked():
                line, level = evidence(event)
                self._note(record, line, "", level)
            case ev.Compacted() | ev.ResultsMasked():
                self._note(record, shortened(event))
            case ev.FilesRestored():
                self._note(record, restored(event), "/undo brings them back")
            case ev.SubagentStarted() | ev.SubagentEnded() | ev.AsideAnswered():
                self._elsewhere(event, record)
            case ev.ProcessStarted():
                self._note(record, f"{event.process_id} runs in the background: {event.command}")
            case ev.ProcessEnded():
                code = "" if event.exit_code is None else f" with exit code {event.exit_code}"
                level = "info" if event.exit_code == 0 else "warning"
                self._note(record, f"{event.process_id} {event.status}{code}", level=level)
            case ev.Unknown():
                self._note(record, f"an event this version does not know: {event.name}")
            case _:
                return


def short_model(name: str) -> str:
    """The part of a model's name that tells it apart."""
    return name.rsplit("/", 1)[-1]
