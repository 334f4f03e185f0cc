"""One input's way through its session, heard from the session's records: live or from the log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    CoreEnding,
    Event,
    InputReceived,
    InputTaken,
    InputWithdrawn,
    ModelFailed,
    QuestionAnswered,
    QuestionAsked,
    Record,
    ReplyReceived,
    TextDelta,
    TurnEnded,
    TurnStarted,
    Usage,
)


class Piece(Struct, frozen=True, kw_only=True):
    """More text of a step; last: the step has ended with it."""

    step: int
    text: str
    last: bool = False


class Hearing:
    """Follows one input. Feed it the session's records in order with `hear`.

    After the end only answers to what still waits count. texts: what each step has said so far, as
    it was passed on. outcome: how the turn ended, empty while it goes on; `gone`: the
    core ends, the turn goes on in the next one.
    """

    def __init__(self, input_id: str) -> None:
        self.input_id = input_id
        self.texts: dict[int, str] = {}
        self.turn = 0
        self.outcome = ""
        self.error = ""
        self.hint = ""
        self.error_kind = ""
        self.usage = Usage()
        self.model = ""
        self.received = False
        self.approvals: dict[str, ApprovalAsked] = {}
        self.questions: dict[str, QuestionAsked] = {}
        self._expected = 0
        self._broken: set[int] = set()

    @property
    def over(self) -> bool:
        """Whether nothing more comes."""
        return bool(self.outcome)

    @property
    def text(self) -> str:
        """All that was said, steps apart by an empty line."""
        return "\n\n".join(text for _, text in sorted(self.texts.items()) if text.strip())

    @property
    def last(self) -> str:
        """What was said last."""
        return next((t for _, t in sorted(self.texts.items(), reverse=True) if t.strip()), "")

    def mine(self, event: Event) -> bool:
        """Whether an event is about this input or its turn; ask after `hear`."""
        if isinstance(event, (InputReceived, InputTaken, InputWithdrawn)):
            return event.input_id == self.input_id
        if isinstance(event, (ApprovalAsked, ApprovalAnswered, QuestionAnswered)):
            return bool(self.turn)
        return bool(self.turn) and getattr(event, "turn", None) == self.turn

    def hear(self, record: Record) -> Iterator[Piece]:
        """Take a record in; what is to be passed on."""
        event = record.event
        if self.over and not isinstance(event, (ApprovalAnswered, QuestionAnswered)):
            return
        match event:
            case CoreEnding():
                self.outcome, self.error = "gone", "the agent ended before the answer was complete"
            case InputReceived() | InputTaken() | InputWithdrawn() | TurnStarted() | TurnEnded():
                self._progress(event)
            case TextDelta() if event.turn == self.turn:
                yield from self._more(event)
            case ModelFailed() if event.turn == self.turn:
                self.error_kind = event.error_kind
                self._broken.add(event.step)
            case ReplyReceived() if event.turn == self.turn:
                yield from self._reply(event)
            case ApprovalAsked() | ApprovalAnswered() | QuestionAsked() | QuestionAnswered():
                self._asking(event)
            case _:
                return

    def hear_all(self, records: Iterable[Record]) -> None:
        """Take records in that nobody waits for."""
        for record in records:
            for _ in self.hear(record):
                continue

    def give_up(self, error: str, hint: str = "", outcome: str = "failed") -> None:
        """Nothing will come of this input."""
        self.outcome, self.error, self.hint = outcome, error, hint

    def _progress(
        self, event: InputReceived | InputTaken | InputWithdrawn | TurnStarted | TurnEnded
    ) -> None:
        match event:
            case InputReceived(input_id=which):
                self.received = self.received or which == self.input_id
            case InputTaken(input_id=which, turn=turn):
                if which == self.input_id:
                    self.turn = turn
                elif turn == self._expected:
                    self._expected = 0  # that turn is about what somebody else said
            case InputWithdrawn(input_id=which):
                if which == self.input_id:
                    self.outcome, self.error = "stopped", "it was taken back before it was answered"
            case TurnStarted(turn=turn):
                if self.received and not self.turn:
                    self._expected = turn
            case TurnEnded(turn=turn):
                if turn in (self.turn, self._expected):
                    self._ended(event)

    def _ended(self, event: TurnEnded) -> None:
        if not self.turn and event.outcome != "failed":
            return
        self.outcome, self.error, self.hint = event.outcome, event.error, event.hint
        self.usage = event.usage

    def _more(self, event: TextDelta) -> Iterator[Piece]:
        if event.text and event.step not in self._broken:
            self.texts[event.step] = self.texts.get(event.step, "") + event.text
            yield Piece(step=event.step, text=event.text)

    def _reply(self, event: ReplyReceived) -> Iterator[Piece]:
        """What of a reply was not passed on yet; all of it, if it is another one."""
        self.model = event.model or self.model
        before = self.texts.get(event.step, "")
        rest = event.text.removeprefix(before)
        if before and not event.text.startswith(before):
            rest = f"\n\n{event.text}"
        self.texts[event.step] = before + rest
        yield Piece(step=event.step, text=rest, last=not event.partial)

    def _asking(
        self, event: ApprovalAsked | ApprovalAnswered | QuestionAsked | QuestionAnswered
    ) -> None:
        if not self.turn:
            return
        match event:
            case ApprovalAsked():
                if event.until or event.turn == self.turn:
                    self.approvals[event.ask_id] = event
            case QuestionAsked():
                if event.turn == self.turn:
                    self.questions[event.ask_id] = event
            case ApprovalAnswered():
                self.approvals.pop(event.ask_id, None)
            case QuestionAnswered():
                self.questions.pop(event.ask_id, None)
