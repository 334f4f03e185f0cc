"""What needed approval while nobody was there: answered later, and only then run, exactly as asked.

The call goes through the same deciding and running as any call, beside the conversation. The
model is told with the next input that it was run; what it put out is not, as that might be a
text with orders.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_tui.agent.steps import run_tools
from hermes_tui.errors import HermesError
from hermes_tui.events import ApprovalAnswered, ApprovalAsked, Event, ToolCall, ToolStarted
from hermes_tui.intents import AnswerApproval, Answered, RunAgain
from hermes_tui.runtime.again import Aside
from hermes_tui.runtime.session import STOPPED, Session
from hermes_tui.security import audit_entries

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

YES = ("once", "session", "always")
LATE = "it was asked too long ago"


async def answer(
    core: Core, session: Session, asked: ApprovalAsked, intent: AnswerApproval
) -> Answered:
    """Take the answer to a parked question; a yes has the call run once the agent is at rest."""
    if asked.until < time.time():
        late = ApprovalAnswered(ask_id=asked.ask_id, verdict="expired", reason=LATE)
        await session.add(late)
        await session.record(audit_entries.of_answer(session.id, late))
        return Answered(accepted=False, by="the time limit")
    answered = await session.answer_approval(intent)
    if answered.accepted and intent.verdict in YES:
        core.spawn(_run(core, session, asked, intent))
    return answered


async def _run(core: Core, session: Session, asked: ApprovalAsked, intent: AnswerApproval) -> None:
    running = session.task
    if running is not None:
        await asyncio.wait([running])
    aside = _Parked(session, asked, intent)
    call = ToolCall(id=asked.ask_id, tool=asked.tool, arguments=asked.arguments)
    try:
        agent = await core.agent_for(session)
        await run_tools({call.id: call}, agent, aside.whole)
    except HermesError as error:
        await aside.end("error", str(error))
    finally:
        await aside.end("stopped", STOPPED)
        session.changes_ended()
    session.remarks.append(
        f"[What had waited for the user, {asked.tool}: {asked.title}, was approved and run: "
        f"{aside.status}. Its output is not shown here.]"
    )


class _Parked(Aside):
    """The session as the runner of tools sees it, with one question answered already."""

    def __init__(self, session: Session, asked: ApprovalAsked, intent: AnswerApproval) -> None:
        was = ToolStarted(
            turn=session.conversation.turn,
            step=0,
            call_id=asked.call_id,
            tool=asked.tool,
            arguments=asked.arguments,
            summary=asked.title,
        )
        again = RunAgain(
            session=session.id, call_id=asked.call_id, again_id=asked.ask_id, face=intent.face
        )
        super().__init__(session, was, again)
        self._asked = asked
        self._answer = intent

    @property
    def status(self) -> str:
        """How it ended."""
        return self._run.status

    async def add(
        self, events: Sequence[Event] | Event, *, durable: bool = True, hold: bool = False
    ) -> None:
        """As for a call that is run again; what is answered already is not asked."""
        for event in [events] if isinstance(events, Event) else events:
            if isinstance(event, ApprovalAsked) and self._is_answered(event):
                continue
            await super().add(event, durable=durable, hold=hold)

    async def approval(self, asked: ApprovalAsked) -> ApprovalAnswered:
        """The answer that was given, if this is exactly what was shown; else a new question."""
        if not self._is_answered(asked):
            return await self._session.approval(asked)
        given = ApprovalAnswered(
            ask_id=asked.ask_id,
            verdict=self._answer.verdict,
            arguments=self._answer.arguments,
            face=self._answer.face,
        )
        await self.record(audit_entries.of_answer(self.id, given))
        return given

    def _is_answered(self, asked: ApprovalAsked) -> bool:
        seen = self._asked
        return (asked.tool, asked.arguments, asked.detail, asked.where) == (
            *(seen.tool, seen.arguments, seen.detail, seen.where),
        )
