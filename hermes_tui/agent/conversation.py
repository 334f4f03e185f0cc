"""A session's state as a fold over its events: the record is the state.

The same events give the same messages, live or after a restart, so every request repeats the
previous one byte for byte.
"""

from __future__ import annotations

import msgspec

from hermes_tui.agent.claims import Done
from hermes_tui.agent.view import View, build_view, mask_of
from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Compacted,
    Delegated,
    Event,
    FilesRestored,
    InputEdited,
    InputMoved,
    InputReceived,
    InputTaken,
    InputWithdrawn,
    MessageImported,
    ModelAsked,
    Picture,
    ProcessEnded,
    ProcessStarted,
    QuestionAnswered,
    QuestionAsked,
    ReplyReceived,
    ResultsMasked,
    Rewound,
    SessionChanged,
    SessionStarted,
    ShellRan,
    SubagentEnded,
    SubagentStarted,
    TodoChanged,
    TodoItem,
    ToolCall,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    Usage,
    meant,
)
from hermes_tui.models.base import Message

INTERRUPTED = "interrupted, effect unknown: check before doing it again"


class Conversation:
    """What the log of one session amounts to. Feed it every event in order with `apply`."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.masked: set[str] = set()
        self.stretches: list[Compacted] = []
        self.done: list[Done] = []
        self.waiting: dict[str, InputReceived] = {}
        self.inputs: set[str] = set()
        self.approvals: dict[str, ApprovalAsked] = {}
        self.questions: dict[str, QuestionAsked] = {}
        self.open_calls: dict[str, ToolCall] = {}
        self.call_ids: set[str] = set()
        self.started: set[str] = set()
        self.processes: set[str] = set()
        self.rules: list[str] = []
        self.said: list[str] = []
        self.found: set[str] = set()
        self.taint = ""
        self.delegated: Delegated | None = None
        self.subagents: dict[str, SubagentStarted] = {}
        self.reports: dict[str, SubagentEnded] = {}
        self.todo: tuple[TodoItem, ...] = ()
        self.turn = 0
        self.step = 0
        self.in_turn = False
        self.answered = False
        self.attended = True
        self.usage = Usage()
        self.turn_usage = Usage()
        self.last_usage = Usage()
        self.last_asked: ModelAsked | None = None
        self.title = ""
        self.model = ""
        self.effort = ""
        self.mode = "ask"
        self.cwd = ""
        self.person = self.chat = ""  # who talks, and where else than on a screen
        self.group = False
        self.marks: dict[int, int] = {}
        self._tools: dict[str, str] = {}
        self._view: View | None = None
        self._partial: ReplyReceived | None = None
        self._shell: list[str] = []

    def apply(self, event: Event) -> None:
        """Take one event in. Events that say nothing about the conversation are passed over."""
        match event:
            case InputReceived() | InputTaken() | InputWithdrawn():
                self._input(event)
            case InputEdited() | InputMoved() | ShellRan():
                self._beside(event)
            case FilesRestored(turn=turn):
                known = any(one >= turn for one in self.marks)
                self._shell += [_told_back(event)] if known and event.count else []
            case ReplyReceived():
                self._reply(event)
            case ToolStarted(call_id=call_id):
                self.started.add(call_id)
            case ToolEnded():
                self._result(event)
            case TurnStarted() | TurnEnded() | ModelAsked() | Rewound():
                self._progress(event)
            case ApprovalAsked() | ApprovalAnswered() | QuestionAsked() | QuestionAnswered():
                self._asking(event)
            case ProcessStarted() | ProcessEnded() | TodoChanged():
                self._state(event)
            case MessageImported(role=role, text=text):
                self._close_calls()
                as_role = role if role in ("user", "assistant") else "user"
                self._say(Message(role=as_role, content=text))
            case SessionStarted() | SessionChanged():
                self._about(event)
            case ResultsMasked() | Compacted():
                self._shorten(event)
            case Delegated() | SubagentStarted() | SubagentEnded():
                self._delegate(event)
            case _:
                return

    # --- what the model sees -----------------------------------------------------------------

    @property
    def view(self) -> View:
        """The conversation as the model sees it."""
        if self._view is None:
            self._view = build_view(self.messages, self.masked, self._tools, self.stretches)
        return self._view

    @property
    def compacted_to(self) -> int:
        """The first message that is not compacted."""
        return self.stretches[-1].end if self.stretches else 0

    def as_seen(self, message: Message) -> Message:
        """A message as the model sees it, when it is not compacted."""
        if message.role == "tool" and message.call_id in self.masked:
            return mask_of(message, self._tools.get(message.call_id, "tool"))
        return message

    def turns_of(self, start: int, end: int) -> tuple[int, int]:
        """The first and the last turn of a stretch of messages; 0 is before the first turn."""
        begun = [turn for turn, at in self.marks.items() if at <= start]
        first = max(begun, default=0)
        return first, max([turn for turn, at in self.marks.items() if at < end], default=first)

    def _say(self, message: Message) -> None:
        self.messages.append(message)
        if self._view is not None:
            self._view.add(message)

    def _state(self, event: ProcessStarted | ProcessEnded | TodoChanged) -> None:
        match event:
            case ProcessStarted(process_id=name):
                self.processes.add(name)
            case ProcessEnded(process_id=name):
                self.processes.discard(name)
            case TodoChanged(items=items):
                self.todo = items

    def _delegate(self, event: Delegated | SubagentStarted | SubagentEnded) -> None:
        match event:
            case Delegated():
                self.delegated = event
                self.taint = event.taint or self.taint
                self.said += event.said
                self.found.update(event.found)
            case SubagentStarted(subagent=name):
                self.subagents[name] = event
            case SubagentEnded(subagent=name):
                self.subagents.pop(name, None)
                self.reports[name] = event
                if event.aim == "delegate":
                    self.taint = event.untrusted or self.taint

    def _shorten(self, event: ResultsMasked | Compacted) -> None:
        self._view = None
        if isinstance(event, ResultsMasked):
            self.masked.update(event.call_ids)
            return
        self.stretches.append(event)
        self.usage = add_usage(self.usage, event.usage)

    # --- events, one by one --------------------------------------------------------------------

    def _input(self, event: InputReceived | InputTaken | InputWithdrawn) -> None:
        if isinstance(event, InputReceived):
            self.inputs.add(event.input_id)
            self.waiting[event.input_id] = event
            return
        received = self.waiting.pop(event.input_id, None)
        if isinstance(event, InputWithdrawn) or received is None:
            return
        self._close_calls()
        self.answered = False
        self.attended = received.attended
        if received.typed:
            self.said.append(received.text)
        self.taint = received.untrusted or self.taint
        content = f"{received.text}\n\n{event.note}" if event.note else received.text
        content = "\n\n".join([*self._shell, content])
        self._shell = []
        shown = _attached(received.text)
        self._say(Message(role="user", content=content, pictures=shown))

    def _beside(self, event: InputEdited | InputMoved | ShellRan) -> None:
        """What the person does beside the conversation, to be seen with the next input."""
        if isinstance(event, ShellRan):
            self._shell += [_told(event)] if event.shared else []
            return
        one = self.waiting.get(event.input_id)
        if one is None:
            return
        if isinstance(event, InputEdited):
            changed = msgspec.structs.replace(one, text=event.text, how=event.how)
            self.waiting[event.input_id] = changed
            return
        order = [name for name in self.waiting if name != event.input_id]
        at = order.index(event.before) if event.before in order else len(order)
        order.insert(at, event.input_id)
        self.waiting = {name: self.waiting[name] for name in order}

    def _rewind(self, turn: int) -> None:
        """Forget everything from a turn on; what waits and what rules there are stays."""
        if turn not in self.marks:
            return
        del self.messages[self.marks[turn] :]
        self.stretches = [one for one in self.stretches if one.end <= len(self.messages)]
        self._view = None
        self.marks = {one: at for one, at in self.marks.items() if one < turn}
        self.open_calls, self._shell = {}, []
        self.started.clear()

    def _reply(self, reply: ReplyReceived) -> None:
        self._add_usage(reply.usage)
        if reply.partial:
            self._partial = reply
            return
        self._partial = None
        self._close_calls()
        if reply.text or reply.calls:
            signed = reply.details or any(call.extra for call in reply.calls)
            said = Message(
                role="assistant",
                content=reply.text,
                calls=reply.calls,
                reasoning=reply.reasoning if reply.calls else "",
                details=reply.details,
                model=reply.model if signed else "",
            )
            self._say(said)
        self.answered = not reply.calls
        self.open_calls = {call.id: call for call in reply.calls}
        self.call_ids.update(self.open_calls)
        self._tools.update((call.id, meant(call).tool) for call in reply.calls)

    def _result(self, event: ToolEnded) -> None:
        self.started.discard(event.call_id)
        self._note_done(event)
        self.taint = event.untrusted or self.taint
        self.found.update(event.found)
        if self.open_calls.pop(event.call_id, None) is not None:
            content = event.for_model
            shown = event.pictures
            message = Message(role="tool", content=content, call_id=event.call_id, pictures=shown)
            self._say(message)

    def _note_done(self, event: ToolEnded) -> None:
        call = self.open_calls.get(event.call_id)
        if call is None:
            return
        ok = event.status == "ok"
        call = meant(call)
        self.done.append(
            Done(call_id=call.id, tool=call.tool, arguments=call.arguments[:2000], ok=ok)
        )

    def _close_calls(self) -> None:
        """Give calls that never got a result one, or strict providers refuse the history."""
        for call_id in self.open_calls:
            message = Message(role="tool", content=INTERRUPTED, call_id=call_id)
            self._say(message)
        self.open_calls = {}
        self.started.clear()

    def _progress(self, event: TurnStarted | TurnEnded | ModelAsked | Rewound) -> None:
        match event:
            case TurnStarted():
                self.turn, self.step, self.in_turn = event.turn, 0, True
                self.marks[event.turn] = len(self.messages)
                self.answered = False
                self.turn_usage = Usage()
            case ModelAsked():
                self.step, self.last_asked = event.step, event
            case Rewound():
                self._rewind(event.turn)
            case TurnEnded():
                self.in_turn = False
                self._close_calls()
                self._keep_partial()
                self._forget_asks(event.turn)

    def _forget_asks(self, turn: int) -> None:
        """What a turn asked is asked no more; what is asked beside it stays open."""
        self.approvals = {k: v for k, v in self.approvals.items() if v.turn != turn}
        self.questions = {k: v for k, v in self.questions.items() if v.turn != turn}

    def _keep_partial(self) -> None:
        if self._partial is not None and self._partial.text:
            self._say(Message(role="assistant", content=self._partial.text))
        self._partial = None

    def _asking(
        self, event: ApprovalAsked | ApprovalAnswered | QuestionAsked | QuestionAnswered
    ) -> None:
        match event:
            case ApprovalAsked():
                self.approvals[event.ask_id] = event
            case QuestionAsked():
                self.questions[event.ask_id] = event
            case QuestionAnswered():
                self.questions.pop(event.ask_id, None)
            case ApprovalAnswered():
                self.approvals.pop(event.ask_id, None)
                if event.verdict in ("session", "always") and event.rule:
                    self.rules.append(event.rule)

    def _about(self, event: SessionStarted | SessionChanged) -> None:
        self.title = event.title if event.title is not None else self.title
        self.model = event.model if event.model is not None else self.model
        self.mode = event.mode if event.mode is not None else self.mode
        self.cwd = event.cwd if event.cwd is not None else self.cwd
        self.effort = event.effort if event.effort is not None else self.effort
        if isinstance(event, SessionStarted):
            self.person, self.chat, self.group = event.person, event.chat, event.group

    def _add_usage(self, usage: Usage) -> None:
        self.last_usage = usage
        self.turn_usage = add_usage(self.turn_usage, usage)
        self.usage = add_usage(self.usage, usage)


def _attached(text: str) -> tuple[Picture, ...]:
    """The pictures that a person attached to a prompt, where its text says so."""
    if "[attached image " not in text:
        return ()
    from hermes_tui.models.pictures import attached

    return attached(text)


def _told(ran: ShellRan) -> str:
    """A command the person ran, as the model reads of it."""
    code = "interrupted" if ran.exit_code is None else f"exit code {ran.exit_code}"
    gap = "" if not ran.output or ran.output.endswith("\n") else "\n"
    return f"[I ran this in my shell:]\n$ {ran.command}\n{ran.output}{gap}[{code}]"


def _told_back(back: FilesRestored) -> str:
    """That files are not as the model left them."""
    names = "\n".join(f"- {path}" for path in back.paths[:50])
    head = f"[I took files back to how they were before turn {back.turn}, among them:]"
    return f"{head}\n{names}\n[read them anew before you rely on them]"


def add_usage(one: Usage, other: Usage) -> Usage:
    """The sum of two usages; the cost is known only when every priced part is."""
    if one == Usage():
        return other
    costs = (one.cost, other.cost)
    return Usage(
        prompt=one.prompt + other.prompt,
        cached=one.cached + other.cached,
        completion=one.completion + other.completion,
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
    )
