"""What happened in each turn, as a waterfall: built from events, live and from history alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    MemoryUsed,
    ModelAsked,
    ModelFailed,
    QuestionAnswered,
    QuestionAsked,
    RanAgain,
    Recalled,
    Record,
    ReplyReceived,
    Rewound,
    RunsAgain,
    SessionChanged,
    SessionStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    Usage,
)

StepKind = Literal["model", "tool", "wait"]


@dataclass(slots=True)
class Step:
    """One bar of the waterfall. key: unique in its turn; start and end in Unix seconds.

    asked, reply, started, ended: the events it was made of; asked is the prompt's size and
    composition for a model call, the question or approval for a wait. failures: what went
    wrong before it worked. again_of: the call that a person had run again.
    """

    key: str
    kind: StepKind
    name: str
    start: float
    end: float | None = None
    summary: str = ""
    state: str = "running"
    asked: ModelAsked | ApprovalAsked | QuestionAsked | None = None
    reply: ReplyReceived | None = None
    started: ToolStarted | None = None
    ended: ToolEnded | None = None
    failures: list[ModelFailed] = field(default_factory=list[ModelFailed])
    again_of: str = ""

    def seconds(self, now: float) -> float:
        """How long it took, or has taken until now."""
        return max(0.0, (now if self.end is None else self.end) - self.start)


@dataclass(slots=True)
class Turn:
    """One turn and its steps in order. outcome is empty while it runs.

    begins: the number of its first event known; taken: it was taken back by going back;
    recalled: what of the memory was put before the model in it.
    """

    number: int
    start: float
    end: float | None = None
    outcome: str = ""
    error: str = ""
    steps: dict[str, Step] = field(default_factory=dict[str, Step])
    total: Usage | None = None
    begins: int = 0
    taken: bool = False
    recalled: list[Recalled] = field(default_factory=list[Recalled])

    @property
    def running(self) -> bool:
        """Whether the turn is still going on."""
        return self.end is None

    def seconds(self, now: float) -> float:
        """How long it took, or has taken until now."""
        return max(0.0, (now if self.end is None else self.end) - self.start)

    def usage(self) -> Usage:
        """What it used: the core's own sum once it ended, else the sum of the replies so far."""
        if self.total is not None:
            return self.total
        return add(step.reply.usage for step in self.steps.values() if step.reply)


class TraceModel:
    """All turns of one session seen so far, oldest first.

    The events of the oldest turn are kept, because a page of history may begin in its middle.
    again: the call that a person has run once more, while it runs.
    """

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.version = 0
        self.cwd = ""
        self._oldest: list[Record] = []
        self._by_number: dict[int, Turn] = {}
        self._waits: dict[str, Step] = {}
        self._rewinds: list[tuple[int, int]] = []
        self.again: Step | None = None

    def load(self, records: Iterable[Record]) -> None:
        """Begin anew with these events, oldest first."""
        self.turns, self._oldest, self._by_number, self._waits = [], [], {}, {}
        self._rewinds, self.again = [], None
        self.version += 1
        for record in records:
            self.apply(record)

    def prepend(self, records: Iterable[Record]) -> None:
        """Put older events before all that is known."""
        older = TraceModel()
        older.load(records)
        for record in self._oldest:
            older.apply(record)
        known = older._by_number
        for turn in self.turns:
            if turn.number not in known:
                older.turns.append(turn)
                continue
            for key, step in turn.steps.items():  # a call that was run again much later
                known[turn.number].steps.setdefault(key, step)
        self.turns = sorted(older.turns, key=lambda turn: turn.number)
        self.cwd = self.cwd or older.cwd
        self._by_number = {turn.number: turn for turn in self.turns}
        self._waits = older._waits | self._waits
        self._oldest = older._oldest
        self._rewinds = [
            *older._rewinds,
            *(one for one in self._rewinds if one not in older._rewinds),
        ]
        self._take_back()
        self.version += 1

    def apply(self, record: Record) -> bool:
        """Take in one event; whether anything to be seen changed."""
        if record.n == 0 and not isinstance(record.event, RunsAgain):
            return False
        changed = self._apply(record.event, record.ts)
        if isinstance(record.event, Rewound):
            self._rewinds.append((record.n, record.event.turn))
            self._take_back()
            changed = True
        elif changed and self.turns and not self.turns[-1].begins:
            self.turns[-1].begins = record.n
        if changed and len(self.turns) <= 1:
            self._oldest.append(record)
        self.version += changed
        return changed

    @property
    def running(self) -> Turn | None:
        """The turn going on now."""
        last = self.turns[-1] if self.turns else None
        return last if last is not None and last.running else None

    def usage(self) -> Usage:
        """What all known turns used together; the cost is unknown when a used turn's is."""
        return add(turn.usage() for turn in self.turns)

    @property
    def model(self) -> str:
        """The model that was asked last; empty before the first."""
        steps = self.turns[-1].steps.values() if self.turns else ()
        return next((step.name for step in reversed(steps) if step.kind == "model"), "")

    def context(self) -> tuple[int, int]:
        """(tokens of the newest prompt and its answer, the model's window), 0 where not known."""
        window = used = 0
        for turn in reversed(self.turns):
            for step in reversed(turn.steps.values()):
                if isinstance(step.asked, ModelAsked):
                    window = window or step.asked.window
                if step.reply and step.reply.usage.prompt:
                    used = step.reply.usage.prompt + step.reply.usage.completion
                    return used, window
        return used, window

    def _take_back(self) -> None:
        for turn in self.turns:
            taken = (turn.begins < n and turn.number >= first for n, first in self._rewinds)
            turn.taken = any(taken)

    # --- one event ---------------------------------------------------------------------------

    def _apply(self, event: Event, ts: float) -> bool:
        match event:
            case TurnStarted():
                self._turn(event.turn, ts).start = ts
            case TurnEnded():
                self._end(event, ts)
            case ModelAsked() | ReplyReceived() | ModelFailed():
                self._model(event, ts)
            case ToolStarted() | ToolEnded():
                self._tool(event, ts)
            case ApprovalAsked() | QuestionAsked():
                self._asked(event, ts)
            case ApprovalAnswered() | QuestionAnswered():
                self._answered(event, ts)
            case MemoryUsed():
                self._turn(event.turn, ts).recalled += event.facts
            case RunsAgain():
                self._begun_again(event, ts)
            case RanAgain():
                self._again(event, ts)
            case SessionStarted() | SessionChanged():
                self.cwd = event.cwd or self.cwd
                return False
            case _:
                return False
        return True

    def _turn(self, number: int, ts: float) -> Turn:
        turn = self._by_number.get(number)
        if turn is None:
            turn = self._by_number[number] = Turn(number=number, start=ts)
            self.turns.append(turn)
        return turn

    def _step(self, turn: Turn, key: str, kind: StepKind, name: str, ts: float) -> Step:
        step = turn.steps.get(key)
        if step is None:
            step = turn.steps[key] = Step(key=key, kind=kind, name=name, start=ts)
        return step

    def _end(self, event: TurnEnded, ts: float) -> None:
        turn = self._turn(event.turn, ts - event.seconds)
        turn.end, turn.outcome, turn.error = ts, event.outcome, event.error
        turn.total = event.usage
        for step in turn.steps.values():
            if step.end is None:
                step.end, step.state = ts, event.outcome if event.outcome != "done" else "ok"

    def _model(self, event: ModelAsked | ReplyReceived | ModelFailed, ts: float) -> None:
        took = event.seconds if isinstance(event, ReplyReceived) else 0.0
        turn = self._turn(event.turn, ts - took)
        name = "" if isinstance(event, ModelFailed) else event.model
        step = self._step(turn, f"m{event.step}", "model", name, ts - took)
        if isinstance(event, ModelAsked):
            step.asked = step.asked or event
            step.name = step.name or event.model
            step.end, step.state = None, "running"  # a further try after a dropped line
        elif isinstance(event, ReplyReceived):
            step.reply, step.end = event, ts
            step.name = event.model or step.name
            step.state = "partial" if event.partial else "ok"
        else:
            step.failures.append(event)
            if event.retry_in is None:
                step.end, step.state = ts, "error"

    def _tool(self, event: ToolStarted | ToolEnded, ts: float) -> None:
        took = event.seconds if isinstance(event, ToolEnded) else 0.0
        turn = self._turn(event.turn, ts - took)
        step = self._step(turn, f"t{event.call_id}", "tool", event.tool, ts - took)
        if isinstance(event, ToolStarted):
            step.started, step.summary = event, event.summary
        else:
            step.ended, step.end, step.state = event, ts, event.status

    def _begun_again(self, event: RunsAgain | RanAgain, ts: float) -> Step:
        turn = self._turn(event.turn, ts)
        self.again = step = self._step(turn, f"t{event.call_id}", "tool", event.tool, ts)
        step.started = ToolStarted(
            turn=event.turn,
            step=0,
            call_id=event.call_id,
            tool=event.tool,
            arguments=event.arguments,
            summary=event.summary,
        )
        step.summary, step.again_of = event.summary, event.of
        return step

    def _again(self, event: RanAgain, ts: float) -> None:
        step = self._begun_again(event, ts - event.seconds)
        self.again = None
        step.ended = ToolEnded(
            turn=event.turn,
            step=0,
            call_id=event.call_id,
            tool=event.tool,
            status=event.status,
            for_model=event.for_model,
            details=event.details,
            seconds=event.seconds,
            output_path=event.output_path,
            output_bytes=event.output_bytes,
        )
        step.end, step.state = ts, event.status

    def _asked(self, event: ApprovalAsked | QuestionAsked, ts: float) -> None:
        turn = self._turn(event.turn, ts)
        question = isinstance(event, QuestionAsked)
        step = self._step(
            turn, f"a{event.ask_id}", "wait", "question" if question else "approval", ts
        )
        step.asked = event
        step.summary = event.text if isinstance(event, QuestionAsked) else event.title
        self._waits[event.ask_id] = step

    def _answered(self, event: ApprovalAnswered | QuestionAnswered, ts: float) -> None:
        step = self._waits.pop(event.ask_id, None)
        if step is not None:
            step.end = ts
            step.state = event.verdict if isinstance(event, ApprovalAnswered) else "ok"


def add(usages: Iterable[Usage]) -> Usage:
    """The sum; its cost is None as soon as one that used tokens has none."""
    prompt = cached = completion = 0
    cost: float | None = None
    known = True
    for one in usages:
        prompt += one.prompt
        cached += one.cached
        completion += one.completion
        if one.cost is not None:
            cost = (cost or 0.0) + one.cost
        elif one.prompt or one.completion:
            known = False
    return Usage(prompt=prompt, cached=cached, completion=completion, cost=cost if known else None)
