"""The session as the loop and its tools see it: what they may use of the core around it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any, Literal, Protocol

from hermes_tui.agent.agent import Agent, Prefix
from hermes_tui.config import Config
from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    InputReceived,
    InputTaken,
    QuestionAnswered,
    QuestionAsked,
    SandboxFound,
)
from hermes_tui.home import ENV as HOME_ENV
from hermes_tui.home import Home
from hermes_tui.intents import SessionInfo
from hermes_tui.runtime.ledger import Ledger
from hermes_tui.runtime.notes import note_for
from hermes_tui.runtime.open_asks import HOUR_S, unanswered
from hermes_tui.runtime.surroundings import Surroundings
from hermes_tui.security import audit_entries
from hermes_tui.security.audit import Audit, AuditEntry
from hermes_tui.security.policy import Action, Situation, mode_named
from hermes_tui.security.secrets import Redactor
from hermes_tui.store.log import Log
from hermes_tui.tools.base import Services as ToolServices

_MOMENT_S = 1.0


class Services(Protocol):
    """What a session needs of its core."""

    log: Log
    home: Home
    audit: Audit
    surroundings: Surroundings

    @property
    def config(self) -> Config:
        """The settings in force."""
        ...

    async def agent_for(self, session: Any) -> Agent:
        """The agent that answers this session's next turn."""
        ...

    def turn_ended(self) -> None:
        """A turn has ended and nobody waits for anything."""
        ...

    def rules(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Standing rules: (allowed, denied)."""
        ...

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine in the core's task group."""
        ...

    def call_home(self, session: Any, ask_id: str) -> None:
        """Have the person told where they are, when no screen shows the session for a while."""
        ...

    def changed(self, session: str) -> None:
        """Tell every face that the list of sessions changed."""
        ...

    @property
    def checkpoints(self) -> Any:
        """How folders were before turns changed them (`runtime.checkpoints.Checkpoints`)."""
        ...

    def services_of(self, session: Any) -> ToolServices:
        """What the tools of a session use of this core."""
        ...


class Bench(Ledger):
    """One session's side towards the loop (`agent.agent.TurnSession`)."""

    def __init__(self, core: Services, key: int, info: SessionInfo) -> None:
        super().__init__(core.log, key, info)
        self.prefix: Prefix | None = None
        self.takes_notes = True
        self.only: frozenset[str] | None = None  # the tools it may use, None for all
        self.remarks: list[str] = []  # told to the model beside the next input, once
        self.env = {HOME_ENV: str(core.home.path)}  # `hermes` in a tool means this agent
        self.outputs = str(core.home.outputs / info.id)
        self.protected = core.home.protected
        self.services = core.services_of(self)
        self._core = core
        self._asks: dict[str, asyncio.Future[Any]] = {}
        self._kept = False

    @property
    def account(self) -> str:
        """The session whose caps its calls of models count against: the one that delegated."""
        given = self.conversation.delegated
        return (given.account if given else "") or self.id

    def take_steering(self) -> list[Event]:
        """What was typed meanwhile; at the start of a turn with nothing else, the oldest queued."""
        waiting = list(self.conversation.waiting.values())
        due = [one for one in waiting if one.how != "queue"]
        if not due and self.conversation.step == 0:
            due = waiting[:1]
        return [self._take(one) for one in due]

    def _take(self, received: InputReceived) -> InputTaken:
        note = note_for(time.time(), self.noted) if self.takes_notes else ""
        self.noted = note or self.noted
        note = "\n".join([*([note] if note else []), *self.remarks])
        self.remarks = []
        turn = self.conversation.turn
        return InputTaken(input_id=received.input_id, turn=turn, note=note)

    @property
    def steering_waiting(self) -> bool:
        """Whether something was typed that the model should see in this turn and has not."""
        return any(one.how != "queue" for one in self.conversation.waiting.values())

    def situation(self) -> Situation:
        """Mode, workspace, presence and rules."""
        allowed, denied = self._core.rules()
        talk = self.conversation
        person = self.env.get("HOME", "")
        place = self._core.surroundings.place(self.cwd, person)
        return Situation(
            mode=mode_named(talk.mode),
            workspace=self.cwd,
            attended=talk.attended,
            rules=(*allowed, *talk.rules),
            denied=denied,
            home=person,
            state=str(self._core.home.path),
            level=place.level,
            why_none=place.why,
            refused=place.refused,
            parks=True,
            taint=talk.taint,
            said=talk.said,
            found=talk.found,
        )

    @property
    def redactor(self) -> Redactor:
        """Hides the home's secrets, and whatever looks like one."""
        return self._core.surroundings.redactor

    async def know_sandbox(self) -> None:
        """Have `situation` know which sandbox there is."""
        if self._core.surroundings.level is None:
            await self._core.surroundings.probe()
            self.emit(SandboxFound(level=self.sandbox_level))

    @property
    def sandbox_level(self) -> int:
        """Level of what surrounds this session's commands; 0 while that is not known."""
        return self._core.surroundings.known(self.cwd, self.env.get("HOME", ""))

    def sandbox(self, command: str, egress: Any) -> Any:
        """What surrounds a process that is to be contained."""
        return self._core.surroundings.sandbox(self.cwd, self.env, command, egress)

    async def record(self, *entries: AuditEntry) -> None:
        """Have entries in the audit log before what they are about happens."""
        await self._core.audit.record(*entries)

    async def checkpoint(self, kind: Literal["turn", "again"] = "turn") -> None:
        """Keep how the folder is, before the turn's first effect that may change it."""
        self._kept = True
        await self._core.checkpoints.before(self, kind)

    def undo(self, action: Action) -> str:
        """How what an action changes could be brought back; empty: as its tool says."""
        return self._core.checkpoints.promise(self, action)

    def changes_ended(self) -> None:
        """Nothing of the agent's changes the folder any more, until the next turn."""
        if self._kept:
            self._kept = False
            self._core.checkpoints.ended(self)

    async def approval(self, asked: ApprovalAsked) -> ApprovalAnswered:
        """Wait for the answer to an approval, for as long as the settings say."""
        answer = self._future(asked.ask_id)
        hours = self._core.config.policy.ask_hours
        while hours and not answer.done():
            left = self._open_asks.left(asked, hours * HOUR_S)
            if left <= 0 and asked.ask_id in self.conversation.approvals:
                return await self._unanswered(asked, hours)
            await asyncio.wait([answer], timeout=max(left, _MOMENT_S))
        return await answer

    async def _unanswered(self, asked: ApprovalAsked, hours: float) -> ApprovalAnswered:
        late = unanswered(asked, hours)
        await self.add(late)  # first: from here on an answer comes too late
        await self.record(audit_entries.of_answer(self.id, late))
        return late

    async def question(self, asked: QuestionAsked) -> QuestionAnswered:
        """Wait for the answer to a question."""
        return await self._future(asked.ask_id)

    def _future(self, ask_id: str) -> asyncio.Future[Any]:
        if ask_id not in self._asks:
            self._asks[ask_id] = asyncio.get_running_loop().create_future()
        return self._asks[ask_id]
