"""A turn and its steps: model, tools, questions, processes."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from hermes_tui.events.base import (
    Event,
    Outcome,
    Picture,
    Status,
    TodoItem,
    ToolCall,
    Usage,
    Verdict,
)


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

    seconds: from request to end; first_token: from request to the first token. details: what
    the provider hung on its thoughts, as JSON (`models.keepsakes`).
    """

    turn: int
    step: int
    model: str = ""
    text: str = ""
    reasoning: str = ""
    details: str = ""
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
    """A tool is about to run: the intent, stored before the effect. summary: one line.

    where: what surrounds the process it starts, empty when it starts none.
    """

    turn: int
    step: int
    call_id: str
    tool: str
    arguments: str = "{}"
    summary: str = ""
    where: str = ""


class ToolEnded(Event, frozen=True, kw_only=True):
    """A tool's result. for_model: what the model reads; details: what screens show.

    output_path: file with the whole output when it was longer than the model may see.
    untrusted: where text in it came from that neither the person nor the agent wrote; found:
    addresses that a search returned; pictures: what a model that sees gets beside the text.
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
    untrusted: str = ""
    found: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()


class Claim(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something an answer says was done, and the calls behind it; none: no matching action."""

    text: str
    calls: tuple[str, ...] = ()


class ClaimsChecked(Event, frozen=True, kw_only=True):
    """What a turn's answer says was done was held against what was done."""

    turn: int
    claims: tuple[Claim, ...] = ()


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
    detail_kind: `command`, `code` (Python), `diff` or `text`; where: host or backend; reason:
    why it asks; undo: whether and how it can be undone; rule: what "always" would save, editable;
    arguments: the call's own JSON, so that any face can offer to edit it. until: asked while nobody
    was there, and open until this Unix time, beside all turns; 0 for a question a turn waits for.
    """

    ask_id: str
    turn: int
    step: int
    call_id: str
    tool: str
    title: str
    detail: str = ""
    detail_kind: Literal["command", "code", "diff", "text"] = "text"
    where: str = "local"
    reason: str = ""
    undo: str = ""
    rule: str = ""
    arguments: str = "{}"
    until: float = 0.0


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
