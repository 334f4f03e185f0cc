"""Talking: send, take back, stop, answer, run a command of one's own."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import Struct

from hermes_tui.events import Verdict
from hermes_tui.intents.base import Done, Intent, Standing


class Sent(Struct, frozen=True, kw_only=True):
    """The input is stored. state: `started` a turn, or waits as `steer` or `queue`."""

    input_id: str
    state: Literal["started", "steer", "queue"]
    n: int = 0


class Send(Intent[Sent], frozen=True, kw_only=True):
    """Say something. how: `auto` starts a turn or steers the running one.

    input_id: chosen by the face; the same id twice is stored once. untrusted: where it comes
    from when no person wrote it: what it wants has to be asked about.
    """

    reply: ClassVar[Any] = Sent
    session: str
    text: str
    how: Literal["auto", "steer", "queue"] = "auto"
    input_id: str = ""
    standing: Standing = Standing()
    attended: bool = True
    face: str = "ui"
    untrusted: str = ""


class Withdrawn(Struct, frozen=True, kw_only=True):
    """The text that was taken back; empty with taken=True when the model already has it."""

    text: str = ""
    taken: bool = False


class Withdraw(Intent[Withdrawn], frozen=True, kw_only=True):
    """Take a waiting input back before it reaches the model."""

    reply: ClassVar[Any] = Withdrawn
    session: str
    input_id: str


class Stopped(Struct, frozen=True, kw_only=True):
    """The turn is over. texts: waiting inputs, given back to the face."""

    was_running: bool = False
    texts: tuple[str, ...] = ()


class Stop(Intent[Stopped], frozen=True, kw_only=True):
    """Stop the running turn; foreground tools are killed, background processes go on."""

    reply: ClassVar[Any] = Stopped
    session: str


class Answered(Struct, frozen=True, kw_only=True):
    """accepted=False: somebody else was first, `by` says which face."""

    accepted: bool
    by: str = ""


class AnswerApproval(Intent[Answered], frozen=True, kw_only=True):
    """Answer a pending approval. arguments: JSON in place of the call's own, when edited."""

    reply: ClassVar[Any] = Answered
    session: str
    ask_id: str
    verdict: Verdict
    rule: str = ""
    reason: str = ""
    arguments: str = ""
    face: str = "ui"


class AnswerQuestion(Intent[Answered], frozen=True, kw_only=True):
    """Answer a pending question."""

    reply: ClassVar[Any] = Answered
    session: str
    ask_id: str
    text: str
    face: str = "ui"


class EditInput(Intent[Answered], frozen=True, kw_only=True):
    """Change a waiting input; accepted=False when the model already has it."""

    reply: ClassVar[Any] = Answered
    session: str
    input_id: str
    text: str
    how: Literal["steer", "queue"] = "steer"


class MoveInput(Intent[Answered], frozen=True, kw_only=True):
    """Put a waiting input right before another one; `before` empty: last."""

    reply: ClassVar[Any] = Answered
    session: str
    input_id: str
    before: str = ""


class RunShell(Intent[Done], frozen=True, kw_only=True):
    """Run a command of the person's own in the session's shell, which keeps folder and variables.

    Output comes as `ToolOutput` with `shell_id` as its call id, the end as `ShellRan`.
    """

    reply: ClassVar[Any] = Done
    session: str
    command: str
    shell_id: str
    shared: bool = True


class StopShell(Intent[Done], frozen=True, kw_only=True):
    """Interrupt the command that runs in the session's shell."""

    reply: ClassVar[Any] = Done
    session: str


class RunAgain(Intent[Done], frozen=True, kw_only=True):
    """Run a tool call of this session once more, as it was; the policy decides as for any other.

    Its output comes as `ToolOutput` under `again_id`, its result as `RanAgain`. The conversation
    is not told. Raises while a turn runs.
    """

    reply: ClassVar[Any] = Done
    session: str
    call_id: str
    again_id: str
    face: str = "ui"
