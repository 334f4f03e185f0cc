"""Tool calls that a running tool makes: decided, asked for and run as any call, told to it alone.

What they return does not enter the conversation; the tool that made them decides what does.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.agent.agent import Agent, TurnSession
from hermes_tui.agent.aside import Aside
from hermes_tui.events import Event, Status, ToolCall, ToolEnded, ToolStarted
from hermes_tui.security.policy import Situation

if TYPE_CHECKING:
    pass


class Called(Struct, frozen=True, kw_only=True):
    """What came of an inner call. text: as a model would read it."""

    status: Status
    text: str
    details: dict[str, Any] = {}


class InnerCalls:
    """Makes calls for one running tool. tell: one line about each, as it starts and ends."""

    def __init__(self, session: TurnSession, agent: Agent, tell: Callable[[str], None]) -> None:
        self.made = 0
        self.untrusted = ""
        self.found: set[str] = set()
        self._session = session
        self._agent = agent
        self._tell = tell

    async def call(self, tool: str, arguments: str) -> Called:
        """Make one call; its status says whether it was done, refused or failed."""
        from hermes_tui.agent.steps import run_tools

        self.made += 1
        call = ToolCall(id=f"inner_{uuid.uuid4().hex[:12]}", tool=tool, arguments=arguments)
        aside = _Aside(self._session, self)
        await run_tools({call.id: call}, self._agent, aside.whole)
        ended = aside.ended
        if ended is None:
            return Called(status="error", text="the call came to no end")
        self.untrusted = ended.untrusted or self.untrusted
        self.found.update(ended.found)
        mark = "✔" if ended.status == "ok" else "✘"
        self._tell(f"{mark} {tool} {ended.status} · {ended.seconds:.1f} s\n")
        return Called(status=ended.status, text=ended.for_model, details=ended.details)

    def started(self, event: ToolStarted) -> None:
        """A call is about to run."""
        self._tell(f"→ {event.tool} {event.summary}\n")


class _Aside(Aside):
    """The session as an inner call sees it: all its own, but for the results."""

    def __init__(self, session: TurnSession, calls: InnerCalls) -> None:
        super().__init__(session)
        self.ended: ToolEnded | None = None
        self._calls = calls

    async def add(
        self, events: Sequence[Event] | Event, *, durable: bool = True, hold: bool = False
    ) -> None:
        """Questions and answers are the session's; start and end are the tool's."""
        for event in [events] if isinstance(events, Event) else list(events):
            if isinstance(event, ToolStarted):
                self._calls.started(event)
            elif isinstance(event, ToolEnded):
                self.ended = event
            else:
                await self._session.add(event, durable=durable, hold=hold)

    def situation(self) -> Situation:
        """The session's, with what the earlier inner calls have read."""
        made = self._session.situation()
        return replace(
            made,
            taint=self._calls.untrusted or made.taint,
            found=frozenset(made.found) | self._calls.found,
        )
