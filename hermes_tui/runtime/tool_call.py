"""One tool called from the command line: the loop's own way of running calls, without a loop.

The call is decided by the same policy, run by the same code and recorded in the same audit log
as a model's; nobody is there to approve it. It belongs to no conversation, so none is stored.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from hermes_tui.agent.agent import Agent, Prefix
from hermes_tui.agent.steps import run_tools
from hermes_tui.errors import HermesError, ModelError
from hermes_tui.events import (
    Event,
    ReplyReceived,
    SessionStarted,
    ToolCall,
    ToolEnded,
    Transient,
    TurnStarted,
)
from hermes_tui.intents import SessionInfo
from hermes_tui.intents.tools import CallTool, ToolCalled
from hermes_tui.models.base import Delta, Request
from hermes_tui.runtime.session import Session
from hermes_tui.security.audit import AuditEntry
from hermes_tui.security.policy import Situation

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.face import Face

_WOULD_ASK = "nobody is here to approve it"


async def call_tool(core: Core, intent: CallTool, face: Face) -> ToolCalled:
    """Run one tool; what came of it, also when it was not run."""
    return await run_alone(core, intent, Alone)


async def run_alone(
    core: Core, intent: CallTool, session: Callable[[Core, CallTool, ToolCall], Alone]
) -> ToolCalled:
    """Run one tool in a session of one call, which `session` makes."""
    from hermes_tui.tools.registry import build

    tools = build(core.config.tools, "full", await core.outside.every())
    tool = tools.get(intent.tool)
    if tool is None:
        known = ", ".join(tools)
        said = f"there is no tool {intent.tool!r}; tools: {known}"
        return ToolCalled(tool=intent.tool, status="misused", output=said)
    try:
        tool.parse(intent.arguments)
    except HermesError as error:
        return ToolCalled(tool=intent.tool, status="misused", output=str(error))
    call = ToolCall(id=f"call-{secrets.token_hex(6)}", tool=intent.tool, arguments=intent.arguments)
    alone = session(core, intent, call)
    agent = Agent(
        model=_Nobody(),
        tools=tools,
        prefix=Prefix(system="", tools=()),
        output_chars=core.config.tools.output_chars,
    )
    await run_tools({call.id: call}, agent, alone)
    return alone.outcome()


class Alone(Session):
    """A session of one call, kept nowhere: what happens in it is collected."""

    def __init__(self, core: Core, intent: CallTool, call: ToolCall) -> None:
        name = f"tool-{secrets.token_hex(6)}"
        super().__init__(core, 0, SessionInfo(id=name, cwd=intent.standing.cwd))
        self.stand(intent.standing)
        self._call = call
        self._ended: ToolEnded | None = None
        self._decided: AuditEntry | None = None
        mode = core.config.agent.mode
        for event in (
            SessionStarted(cwd=self.cwd, mode=mode, origin="tool"),
            TurnStarted(turn=1),
            ReplyReceived(turn=1, step=1, calls=(call,)),
        ):
            self.conversation.apply(event)

    async def add(
        self, events: Sequence[Event] | Event, *, durable: bool = True, hold: bool = False
    ) -> None:
        """Take events in; they are stored nowhere."""
        for event in [events] if isinstance(events, Event) else events:
            self.conversation.apply(event)
            if isinstance(event, ToolEnded):
                self._ended = event

    async def record(self, *entries: AuditEntry) -> None:
        """Into the audit log, as for any call."""
        for one in entries:
            self._decided = one if one.kind == "decided" else self._decided
        await super().record(*entries)

    def emit(self, event: Transient) -> None:
        """Nobody watches."""

    async def checkpoint(self, kind: Literal["turn", "again"] = "turn") -> None:
        """There is no conversation to go back in."""

    def situation(self) -> Situation:
        """As in any session, with nobody there."""
        self.conversation.attended = False
        return msgspec.structs.replace(super().situation(), parks=False)

    def outcome(self) -> ToolCalled:
        """What came of the call. Raises HermesError when nothing did."""
        ended, decided = self._ended, self._decided
        if ended is None:
            raise HermesError(f"{self._call.tool} came to no end")
        reason = decided.reason if decided else ""
        asks = ended.status == "denied" and reason.startswith(_WOULD_ASK)
        verdict = "ask" if asks else decided.verdict if decided else ""
        if asks:
            status = "needs-approval"
        elif ended.status in ("ok", "denied"):
            status = ended.status
        else:
            status = "error"
        return ToolCalled(
            tool=ended.tool,
            status=status,
            decision=verdict,
            reason=reason.removeprefix(f"{_WOULD_ASK} (").removesuffix(")") if asks else reason,
            output=ended.for_model,
            details=ended.details,
            seconds=ended.seconds,
            output_path=ended.output_path,
            output_bytes=ended.output_bytes,
            audit=self._call.id if decided else "",
        )


class _Nobody:
    """The model of a call that no model made."""

    name = ""
    window = 0
    repairs_calls = False

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Never asked."""
        raise ModelError("no model takes part in this", kind="missing")
        yield Delta()

    async def close(self) -> None:
        """Nothing to give up."""
