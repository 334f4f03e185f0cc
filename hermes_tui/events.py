"""Everything that happens, as small frozen records: the only thing a face ever sees of an agent.

Stored events carry a number per session and are in the log before any face sees them.
Transient ones (`Transient` subclasses) have number 0 and are never stored.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Literal

from msgspec import Struct

Status = Literal["ok", "error", "denied", "interrupted", "stopped"]
How = Literal["send", "steer", "queue"]
Outcome = Literal["done", "stopped", "failed", "limit"]
Verdict = Literal["once", "session", "always", "deny", "expired"]


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all events; `kind` is the class name in snake case."""

    version: ClassVar[int] = 1
    kind: ClassVar[str] = "event"


class Transient(Event, frozen=True, kw_only=True):
    """An event that is shown but never stored."""


class ToolCall(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call the model asked for; `arguments` is the JSON text exactly as it was sent."""

    id: str
    tool: str
    arguments: str = "{}"


class Usage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Token counts of one or more model calls; cost in US dollars, None where no price is known."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    cost: float | None = None


class TodoItem(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the agent's to-do list."""

    text: str
    state: Literal["open", "doing", "done"] = "open"


# --- the session ---------------------------------------------------------------------------


class SessionStarted(Event, frozen=True, kw_only=True):
    """A session came into being. origin: the face that made it, or `import`."""

    title: str = ""
    cwd: str = ""
    model: str = ""
    mode: str = "ask"
    origin: str = ""


class SessionChanged(Event, frozen=True, kw_only=True):
    """Title, model, mode or folder changed; None means unchanged."""

    title: str | None = None
    model: str | None = None
    mode: str | None = None
    cwd: str | None = None


class MessageImported(Event, frozen=True, kw_only=True):
    """A message of a conversation that was held elsewhere, kept under its own id."""

    message_id: str
    role: str
    text: str


class Notice(Event, frozen=True, kw_only=True):
    """A sentence for the person, from the core itself."""

    text: str
    hint: str = ""
    level: Literal["info", "warning", "error"] = "info"


# --- what the person typed -----------------------------------------------------------------


class InputReceived(Event, frozen=True, kw_only=True):
    """Something was typed or arrived. It becomes part of the conversation with `InputTaken`.

    attended: somebody can answer questions; False means what would ask is denied.
    """

    input_id: str
    text: str
    how: How = "send"
    face: str = ""
    attended: bool = True


class InputTaken(Event, frozen=True, kw_only=True):
    """A received input entered the conversation as a user message, at this point of the log.

    note: what the core tells the model beside the text (date, folder), kept so that the same
    history is the same bytes for ever.
    """

    input_id: str
    turn: int
    note: str = ""


class InputWithdrawn(Event, frozen=True, kw_only=True):
    """A waiting input was taken back before it reached the model."""

    input_id: str


class InputEdited(Event, frozen=True, kw_only=True):
    """A waiting input has another text now, or waits in another way."""

    input_id: str
    text: str
    how: How = "steer"


class InputMoved(Event, frozen=True, kw_only=True):
    """A waiting input now comes right before another one; `before` empty: last."""

    input_id: str
    before: str = ""


class Rewound(Event, frozen=True, kw_only=True):
    """The conversation was taken back to just before a turn; the log keeps what came after.

    text: what was typed to start that turn, given back to the face.
    """

    turn: int
    text: str = ""


class ShellRan(Event, frozen=True, kw_only=True):
    """A command the person ran with `!` has ended. shared: the model sees it with the next input.

    cwd: where the person's shell stands afterwards.
    """

    shell_id: str
    command: str
    output: str = ""
    exit_code: int | None = None
    cwd: str = ""
    shared: bool = True
    seconds: float = 0.0
    output_path: str = ""
    output_bytes: int = 0


# --- a turn and its steps ------------------------------------------------------------------


class TurnStarted(Event, frozen=True, kw_only=True):
    """The agent began to work on the waiting input. `turn` counts from 1 in a session."""

    turn: int


class TurnEnded(Event, frozen=True, kw_only=True):
    """The agent has nothing left to do, was stopped, or failed with `error`."""

    turn: int
    outcome: Outcome = "done"
    error: str = ""
    hint: str = ""
    steps: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0


class ModelAsked(Event, frozen=True, kw_only=True):
    """A request to the model is about to leave. size: bytes of its JSON messages and tools.

    parts: prompt composition as (name, bytes); window: the model's context size in tokens,
    0 when it is not known.
    """

    turn: int
    step: int
    model: str
    messages: int = 0
    size: int = 0
    window: int = 0
    parts: tuple[tuple[str, int], ...] = ()


class ReplyReceived(Event, frozen=True, kw_only=True):
    """What the model answered. partial: the line dropped and this is all that came.

    seconds: from request to end; first_token: from request to the first token.
    """

    turn: int
    step: int
    model: str = ""
    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    finish: str = "stop"
    seconds: float = 0.0
    first_token: float = 0.0
    partial: bool = False


class ModelFailed(Event, frozen=True, kw_only=True):
    """A model request failed. retry_in: seconds until the next try, None if there is none."""

    turn: int
    step: int
    attempt: int
    message: str
    hint: str = ""
    error_kind: str = ""
    retry_in: float | None = None


class ToolStarted(Event, frozen=True, kw_only=True):
    """A tool is about to run: the intent, stored before the effect. summary: one line."""

    turn: int
    step: int
    call_id: str
    tool: str
    arguments: str = "{}"
    summary: str = ""


class ToolEnded(Event, frozen=True, kw_only=True):
    """A tool's result. for_model: what the model reads; details: what screens show.

    output_path: file with the whole output when it was longer than the model may see.
    """

    turn: int
    step: int
    call_id: str
    tool: str
    status: Status = "ok"
    for_model: str = ""
    details: dict[str, Any] = {}
    seconds: float = 0.0
    output_path: str = ""
    output_bytes: int = 0


class RanAgain(Event, frozen=True, kw_only=True):
    """A tool call that a person had run once more has ended; the model is not told.

    call_id: its own; of: the call it repeats.
    """

    turn: int
    call_id: str
    of: str
    tool: str
    arguments: str = "{}"
    summary: str = ""
    status: Status = "ok"
    for_model: str = ""
    details: dict[str, Any] = {}
    seconds: float = 0.0
    output_path: str = ""
    output_bytes: int = 0
    face: str = ""


class ApprovalAsked(Event, frozen=True, kw_only=True):
    """A tool call waits for a person.

    title: what would be done, in few words; detail: the exact command, or a unified diff;
    detail_kind: `command`, `diff` or `text`; where: host or backend; reason: why it asks;
    undo: whether and how it can be undone; rule: what "always" would save, editable;
    arguments: the call's own JSON, so that any face can offer to edit it.
    """

    ask_id: str
    turn: int
    step: int
    call_id: str
    tool: str
    title: str
    detail: str = ""
    detail_kind: Literal["command", "diff", "text"] = "text"
    where: str = "local"
    reason: str = ""
    undo: str = ""
    rule: str = ""
    arguments: str = "{}"


class ApprovalAnswered(Event, frozen=True, kw_only=True):
    """An approval was answered. arguments: JSON replacing the call's own when it was edited."""

    ask_id: str
    verdict: Verdict
    rule: str = ""
    reason: str = ""
    arguments: str = ""
    face: str = ""


class QuestionAsked(Event, frozen=True, kw_only=True):
    """The agent asks the person something, with options if it has some."""

    ask_id: str
    turn: int
    call_id: str
    text: str
    options: tuple[str, ...] = ()


class QuestionAnswered(Event, frozen=True, kw_only=True):
    """The answer to a question, in the person's words."""

    ask_id: str
    text: str
    face: str = ""


class TodoChanged(Event, frozen=True, kw_only=True):
    """The agent's to-do list as it now stands."""

    items: tuple[TodoItem, ...] = ()


class ProcessStarted(Event, frozen=True, kw_only=True):
    """A background process was started by the agent."""

    process_id: str
    command: str
    pid: int = 0


class ProcessEnded(Event, frozen=True, kw_only=True):
    """A background process ended. exit_code: None when a signal or a lost core ended it."""

    process_id: str
    exit_code: int | None = None
    status: str = "exited"


class Unknown(Event, frozen=True, kw_only=True):
    """An event of a kind this version does not know, kept as it was."""

    name: str
    v: int
    data: dict[str, Any]


# --- shown, never stored -------------------------------------------------------------------


class TextDelta(Transient, frozen=True, kw_only=True):
    """More of the reply being streamed, at most 20 a second."""

    turn: int
    step: int
    text: str = ""
    reasoning: str = ""


class ToolOutput(Transient, frozen=True, kw_only=True):
    """More output of a running tool."""

    turn: int
    call_id: str
    text: str


class Trouble(Transient, frozen=True, kw_only=True):
    """Something the log can't be told because it can't be written, such as a full disk."""

    text: str
    hint: str = ""


class SessionsChanged(Transient, frozen=True, kw_only=True):
    """The list of sessions changed (made, renamed, deleted, busy, idle); ask again to see it."""

    session: str = ""


class SettingsChanged(Transient, frozen=True, kw_only=True):
    """The settings changed; `ListSettings` has them as they are now."""


class FetchProgress(Transient, frozen=True, kw_only=True):
    """A model file is being fetched: `done` of `total` bytes are there. ended: no more comes."""

    name: str
    done: int = 0
    total: int = 0
    ended: bool = False


class CoreEnding(Transient, frozen=True, kw_only=True):
    """The core is about to end; the socket closes after this."""

    reason: str = ""


class CoreOutdated(Transient, frozen=True, kw_only=True):
    """The files on disk are of another version than the running core."""

    running: str
    installed: str


class Record:
    """An event with its place: session, number (0 for transient ones), Unix time in seconds.

    A plain class and no Struct, so that the codec writes kind and version beside the event.
    """

    __slots__ = ("event", "n", "session", "ts")

    def __init__(self, *, session: str, n: int, ts: float, event: Event) -> None:
        self.session = session
        self.n = n
        self.ts = ts
        self.event = event

    def __eq__(self, other: object) -> bool:
        """Equal when session, number, time and event are."""
        return isinstance(other, Record) and self._key() == other._key()

    def __hash__(self) -> int:
        """By session and number."""
        return hash((self.session, self.n))

    def __repr__(self) -> str:
        """Short, for logs and failing tests."""
        return f"Record({self.session}#{self.n} {self.event!r})"

    def _key(self) -> tuple[str, int, float, Event]:
        return self.session, self.n, self.ts, self.event


def _name(cls: type[Event]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


def _all(base: type[Event]) -> list[type[Event]]:
    return [one for cls in base.__subclasses__() for one in (cls, *_all(cls))]


KINDS: dict[str, type[Event]] = {}
for _cls in _all(Event):
    _cls.kind = _name(_cls)
    KINDS[_cls.kind] = _cls
