"""A tool call run once more because a person wants to see what it does now.

It goes through the same deciding, asking and running as any call, beside the conversation: its
result is a `RanAgain` event, and the model is not told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import apsw
import msgspec

from hermes_tui.agent import aside
from hermes_tui.agent.steps import run_tools
from hermes_tui.codec import decode_event
from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.events import (
    Event,
    RanAgain,
    RunsAgain,
    Status,
    ToolCall,
    ToolEnded,
    ToolStarted,
)
from hermes_tui.intents import RunAgain
from hermes_tui.runtime.session import STOPPED, Session
from hermes_tui.security.policy import Situation

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core


async def begin(core: Core, session: Session, intent: RunAgain) -> None:
    """Start it; its end comes as an event. Raises HermesError when that can't be done now."""
    if session.conversation.in_turn:
        raise HermesError("the agent is at work", "run it again when the turn has ended")
    if session.again is not None and not session.again.done():
        raise HermesError("another call is being run again", "wait for it, or stop it")
    was = await _started(core, session.id, intent.call_id)
    session.again = core.spawn(_run(core, session, intent, was))


async def _run(core: Core, session: Session, intent: RunAgain, was: ToolStarted) -> None:
    call = ToolCall(id=intent.again_id, tool=was.tool, arguments=was.arguments)
    run = Aside(session, was, intent)
    try:
        agent = await core.agent_for(session)
        await run_tools({call.id: call}, agent, run.whole)
    except HermesError as error:
        await run.end("error", str(error))
    finally:
        await run.end("stopped", STOPPED)
        session.changes_ended()


class Aside(aside.Aside):
    """The session as the runner of tools sees it, with the results kept out of the conversation."""

    def __init__(self, session: Session, was: ToolStarted, intent: RunAgain) -> None:
        super().__init__(session)
        self._was = was
        self._intent = intent
        self._ended = False
        self._run = RanAgain(
            turn=session.conversation.turn,
            call_id=intent.again_id,
            of=was.call_id,
            tool=was.tool,
            arguments=was.arguments,
            summary=was.summary,
            face=intent.face,
        )

    async def add(
        self, events: Sequence[Event] | Event, *, durable: bool = True, hold: bool = False
    ) -> None:
        """Store what was asked and answered, and the result as a run of its own."""
        for event in [events] if isinstance(events, Event) else events:
            match event:
                case ToolStarted():
                    self._run = msgspec.structs.replace(
                        self._run, arguments=event.arguments, summary=event.summary
                    )
                    self.emit(self._begun())
                case ToolEnded():
                    await self._add(event)
                case _:
                    await self._session.add(event, durable=durable, hold=hold)

    def _begun(self) -> RunsAgain:
        run = self._run
        return RunsAgain(
            turn=run.turn,
            call_id=run.call_id,
            of=run.of,
            tool=run.tool,
            arguments=run.arguments,
            summary=run.summary,
        )

    async def end(self, status: Status, text: str) -> None:
        """It did not come to an end of its own."""
        run = self._run
        ended = ToolEnded(
            turn=run.turn, step=0, call_id=run.call_id, tool=run.tool, status=status, for_model=text
        )
        await self._add(ended)

    async def _add(self, ended: ToolEnded) -> None:
        if self._ended:
            return
        self._ended = True
        self._run = msgspec.structs.replace(
            self._run,
            status=ended.status,
            for_model=ended.for_model,
            details=ended.details,
            seconds=ended.seconds,
            output_path=ended.output_path,
            output_bytes=ended.output_bytes,
        )
        await self._session.add(self._run)

    def take_steering(self) -> list[Event]:
        """Nothing: this is no turn."""
        return []

    @property
    def steering_waiting(self) -> bool:
        """Never: this is no turn."""
        return False

    def situation(self) -> Situation:
        """The session's, with a person present: the one who asked for this."""
        return msgspec.structs.replace(self._session.situation(), attended=True)

    async def checkpoint(self) -> None:
        """Keep how the folder is, for this run alone."""
        await self._session.checkpoint("again")


async def _started(core: Core, session: str, call_id: str) -> ToolStarted:
    """The call as it was started. Raises NotFoundError."""

    def work(c: apsw.Connection) -> ToolStarted:
        row: Any = c.execute(
            "SELECT kind, v, data FROM event WHERE kind = 'tool_started'"
            " AND session = (SELECT key FROM session WHERE id = ?)"
            " AND data ->> 'call_id' = ? ORDER BY n DESC LIMIT 1",
            (session, call_id),
        ).fetchone()
        event = decode_event(row[0], row[1], row[2].encode()) if row else None
        if not isinstance(event, ToolStarted):
            raise NotFoundError(f"call {call_id!r} was never run here")
        return event

    return await core.db.read(work)
