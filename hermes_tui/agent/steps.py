"""The tool calls of one reply: decided, asked for, run at once where they may, stored."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from hermes_tui.agent import guards
from hermes_tui.agent.agent import Agent, TurnSession
from hermes_tui.agent.call import Call
from hermes_tui.agent.conversation import INTERRUPTED
from hermes_tui.agent.step_events import StepEvents
from hermes_tui.backends import leftovers
from hermes_tui.errors import HermesError
from hermes_tui.events import ApprovalAsked, Event, ToolCall, ToolStarted, meant
from hermes_tui.faults import point
from hermes_tui.security.audit import AuditEntry
from hermes_tui.security.policy import Action, Decision, decide
from hermes_tui.tools.base import Tool, ToolResult

PARKED = "; the question waits for the user, who can still say yes later. Go on without it"


class _Job(Struct, kw_only=True):
    """A call that may run: now, or once `asked` is answered."""

    call: ToolCall
    tool: Tool
    arguments: dict[str, Any]
    action: Action
    decision: Decision
    asked: ApprovalAsked | None = None


async def run_tools(calls: Mapping[str, ToolCall], agent: Agent, session: TurnSession) -> None:
    """Run a reply's calls and store each result as it comes.

    Intents are stored before effects, in one commit with the reply. A call that a crash cut off
    gets the result "interrupted, effect unknown", unless its tool is safe to repeat.
    """
    if not calls:
        return
    runner = _Runner(agent, session)
    await runner.prepare(list(calls.values()))
    await runner.run()


class _Runner:
    def __init__(self, agent: Agent, session: TurnSession) -> None:
        self.agent = agent
        self.session = session
        self.tell = StepEvents(session)
        self.jobs: list[_Job] = []
        self.decided: list[AuditEntry] = []
        self.slots = asyncio.Semaphore(agent.parallel)
        self.resources: dict[str, asyncio.Lock] = {}

    async def prepare(self, calls: list[ToolCall]) -> None:
        """Decide about each call; have that in the audit log and the events in the store.

        Both are on disk when this returns. What is asked is in the audit log before it is shown.
        """
        events: list[Event] = []
        for call in map(meant, calls):
            events.extend(await self._decide(call))
        if any(job.asked for job in self.jobs):
            await self.session.record(*self.decided)
            await self.session.add(events)
        else:
            await asyncio.gather(self.session.record(*self.decided), self.session.add(events))
        point("tool intent stored")

    async def _decide(self, call: ToolCall) -> list[Event]:
        tool = self.agent.tools.get(call.tool)
        if tool is None:
            known = ", ".join(self.agent.tools)
            text = f"there is no tool {call.tool!r}; tools: {known}"
            return [self.tell.ended(call, "error", text)]
        if call.id in self.session.conversation.started and not tool.repeatable:
            await asyncio.to_thread(leftovers.end_of, self.session.id)
            self.decided.append(self.tell.cut_off(call))
            return [self.tell.ended(call, "interrupted", INTERRUPTED)]
        try:
            arguments = tool.parse(call.arguments)
            action = tool.action(arguments, self.session.cwd)
        except HermesError as error:
            return [self.tell.ended(call, "error", str(error))]
        decision = await self._decision(call, action)
        if decision.verdict == "deny":
            parked = self.tell.parking(call, action, decision)
            ask_id = parked[0].ask_id if parked else ""
            self.decided.append(self.tell.decided(call, action, decision, ask_id))
            later = PARKED if decision.parks else ""
            text = f"denied: {decision.reason}{later}"
            return [self.tell.ended(call, "denied", text), *parked]
        job = _Job(call=call, tool=tool, arguments=arguments, action=action, decision=decision)
        self.jobs.append(job)
        if decision.verdict == "ask":
            job.asked = self.tell.asking(call, action, decision)
        ask_id = job.asked.ask_id if job.asked else ""
        self.decided.append(self.tell.decided(call, action, decision, ask_id))
        return [job.asked or self._started(job)]

    async def _decision(self, call: ToolCall, action: Action) -> Decision:
        """What the policy says, and whether a secret would leave with the call."""
        if action.kind == "execute":
            await self.session.know_sandbox()
        situation = self.tell.look()
        if why := guards.carries_secret(call.arguments, action, self.session.redactor):
            return Decision(verdict="deny", reason=why)
        return decide(action, situation)

    async def run(self) -> None:
        """Run all jobs: at once, but never two on the same resource."""
        try:
            async with asyncio.TaskGroup() as group:
                for job in self.jobs:
                    group.create_task(self._one(job))
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from failed

    async def _one(self, job: _Job) -> None:
        if job.asked is not None and not await self._approved(job, job.asked):
            return
        resource = job.tool.resource(job.arguments, self.session.cwd)
        async with self.resources.setdefault(resource or job.call.id, asyncio.Lock()):
            if job.asked is not None and not await self._still_as_approved(job):
                return
            async with self.slots:
                began = time.monotonic()
                result = await self._effect(job)
        point("tool ran")
        ended = self.tell.ended(job.call, "error" if result.failed else "ok", result.for_model)
        ended = msgspec.structs.replace(
            ended,
            details=result.details,
            seconds=round(time.monotonic() - began, 4),
            output_path=result.output_path,
            output_bytes=result.output_bytes,
            untrusted=guards.source_of(result, job.action, self.tell.situation),
            found=result.found,
            pictures=result.pictures,
        )
        await self.session.add(ended, durable=False)
        point("tool result stored")

    async def _effect(self, job: _Job) -> ToolResult:
        if job.action.kind in ("write", "execute"):
            await self.session.checkpoint()
        context = Call(self.session, job.call.id, self.agent.output_chars)
        context.agent = self.agent
        context.contained, context.title = job.decision.contained, job.action.title
        context.command, context.paths = job.action.shell_text, job.action.paths
        result = await _outcome(job, context)
        if reached := context.reached():
            result = msgspec.structs.replace(result, untrusted=result.untrusted or reached)
        return guards.cleaned(result, self.session.redactor)

    async def _approved(self, job: _Job, asked: ApprovalAsked) -> bool:
        answer = await self.session.approval(asked)
        if answer.verdict in ("deny", "expired"):
            ended = self.tell.refusal(job.call, answer)
            late = answer.verdict == "expired"
            open_ = self.tell.parking(job.call, job.action, job.decision) if late else ()
            await self.session.add([ended, *open_])
            return False
        if answer.arguments:
            job.call = msgspec.structs.replace(job.call, arguments=answer.arguments)
            if not await self._described(job):
                return False
            edited = Decision(verdict="allow", reason="a person changed it and approved it so")
            entry = self.tell.decided(job.call, job.action, edited, asked.ask_id)
            await self.session.record(entry)
        return True

    async def _still_as_approved(self, job: _Job) -> bool:
        """An approval is for exactly what was seen: what has changed since is asked again."""
        seen = job.action.digest
        while await self._described(job):
            if job.action.digest == seen:
                await self.session.add(self._started(job))
                return True
            seen = job.action.digest
            why = "what it would do has changed since it was approved"
            again = msgspec.structs.replace(job.decision, verdict="ask", reason=why)
            asked = self.tell.asking(job.call, job.action, again)
            entry = self.tell.decided(job.call, job.action, again, asked.ask_id)
            await self.session.record(entry)
            await self.session.add(asked)
            if not await self._approved(job, asked):
                return False
        return False

    async def _described(self, job: _Job) -> bool:
        """Work out again what the call would do; an end when it can't or must not be done."""
        try:
            job.arguments = job.tool.parse(job.call.arguments)
            job.action = job.tool.action(job.arguments, self.session.cwd)
        except HermesError as error:
            await self.session.add(self.tell.ended(job.call, "error", str(error)))
            return False
        job.decision = await self._decision(job.call, job.action)
        if job.decision.verdict == "deny":
            await self.session.record(self.tell.decided(job.call, job.action, job.decision))
            text = f"denied: {job.decision.reason}"
            await self.session.add(self.tell.ended(job.call, "denied", text))
            return False
        return True

    def _started(self, job: _Job) -> ToolStarted:
        return ToolStarted(
            turn=self.tell.turn,
            step=self.tell.step,
            call_id=job.call.id,
            tool=job.tool.name,
            arguments=job.call.arguments,
            summary=job.action.title,
            where=self.tell.where(job.action, job.decision),
        )


async def _outcome(job: _Job, context: Call) -> ToolResult:
    try:
        return await job.tool.run(job.arguments, context)
    except HermesError as error:
        return ToolResult(for_model=f"error: {error}", failed=True)
    except Exception as error:  # noqa: BLE001 - a tool's fault is the model's to read
        trace = "".join(traceback.format_exception(error)[-3:])
        details = {"traceback": trace}
        text = f"error: the tool failed inside: {type(error).__name__}: {error}"
        return ToolResult(for_model=text, details=details, failed=True)
    finally:
        context.done()
