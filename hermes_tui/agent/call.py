"""The surroundings of one running tool call: what `tools.base.Context` promises."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hermes_tui.agent.agent import Agent, TurnSession
from hermes_tui.agent.coalesce import Coalescer
from hermes_tui.errors import ToolError
from hermes_tui.events import QuestionAsked, TodoChanged, TodoItem, ToolOutput
from hermes_tui.security.redact_stream import StreamRedactor
from hermes_tui.tools.kit import Kit

if TYPE_CHECKING:
    from hermes_tui.agent.network import Network
    from hermes_tui.security.policy import Action


class _Lent:
    """A service of the core, handed through to a tool."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, call: Call, owner: type) -> Any:
        return getattr(call.services, self._name)


class Call:
    """Context of one call. `done` flushes what is still to be shown.

    contained: its processes run inside the sandbox; title: what it does, in few words; command:
    the whole of it as the policy read it; paths: what was decided about.
    """

    processes = _Lent("processes")
    memory = _Lent("memory")
    recall = _Lent("recall")
    skills = _Lent("skills")
    subagents = _Lent("subagents")
    jobs = _Lent("jobs")
    chats = _Lent("chats")

    def __init__(self, session: TurnSession, call_id: str, window_chars: int) -> None:
        self.session = session.id
        self.call_id = call_id
        self.cwd = session.cwd
        self.env = session.env
        self.outputs = session.outputs
        self.window_chars = window_chars
        self.protected = session.protected
        self.paths: tuple[str, ...] = ()
        self.services = session.services
        self.agent: Agent | None = None
        self.contained = False
        self.title = ""
        self.command = ""
        self._session = session
        self._turn = session.conversation.turn
        self._show = Coalescer(self._deliver)
        self._clean = StreamRedactor(session.redactor)
        self._network: Network | None = None
        self._over = False
        self._asked = 0.0

    @property
    def kit(self) -> Kit:
        """What the web and file tools of the session share."""
        return self.services.kit

    def progress(self, text: str) -> None:
        """Show more output of this call."""
        self._show.add(text)

    def _deliver(self, text: str, _: str) -> None:
        safe = self._clean.feed(text) + (self._clean.finish() if self._over else "")
        if safe:
            self._session.emit(ToolOutput(turn=self._turn, call_id=self.call_id, text=safe))

    def done(self) -> None:
        """Show what is left and stop."""
        self._over = True
        self._show.flush()
        self._deliver("", "")
        if self._network is not None:
            self._network.over()

    def sandbox(self, background: bool = False) -> Any:
        """What surrounds a process of this call; None when it runs free."""
        if not self.contained:
            return None
        from hermes_tui.agent.network import Network

        self._network = Network(
            self._session, self.call_id, self.command or self.title, lasting=background
        )
        return self._session.sandbox(self.command, self._network.egress)

    def secrets_hidden(self) -> Any:
        """Hides secrets in a text that comes in pieces."""
        return StreamRedactor(self._session.redactor)

    def inner_calls(self) -> Any:
        """Makes calls of other tools for this one."""
        from hermes_tui.agent.inner_calls import InnerCalls

        if self.agent is None:
            raise ToolError("no tools can be called from here")
        return InnerCalls(self._session, self.agent, self.progress)

    def tools_shown(self) -> Mapping[str, Any]:
        """The session's tools by name."""
        return getattr(self.agent.tools, "shown", self.agent.tools) if self.agent else {}

    def earlier(self, turn: int, call: str, find: str) -> str:
        """What was said or returned earlier in the conversation, as it was."""
        from hermes_tui.agent.earlier import show_earlier

        return show_earlier(self._session.conversation, turn, call, find)

    def waited(self) -> float:
        """Seconds this call has spent waiting for a person about the network."""
        return self._asked + (self._network.waited() if self._network is not None else 0.0)

    def reached(self) -> str:
        """The hosts its processes have reached, as a source of untrusted text."""
        hosts = self._network.reached if self._network is not None else []
        return ", ".join(hosts[:3])

    async def ask(self, text: str, options: tuple[str, ...] = ()) -> str:
        """Ask the person and wait for the answer."""
        if not self._session.situation().attended:
            raise ToolError("nobody is here to answer; decide yourself or say what you need")
        asked = QuestionAsked(
            ask_id=uuid.uuid4().hex[:12],
            turn=self._turn,
            call_id=self.call_id,
            text=text,
            options=options,
        )
        await self._session.add(asked)
        return (await self._session.question(asked)).text

    async def leave(self, action: Action, where: str) -> str:
        """Why something besides the call may not be done; empty when it may."""
        from hermes_tui.agent.leave import leave_for

        began = time.monotonic()
        try:
            return await leave_for(self._session, self.call_id, action, where)
        finally:
            self._asked += time.monotonic() - began

    async def set_todo(self, items: tuple[TodoItem, ...]) -> None:
        """Replace the session's to-do list."""
        await self._session.add(TodoChanged(items=items), durable=False)

    def tool_names(self) -> tuple[str, ...]:
        """All tools of the session."""
        return tuple(self.agent.tools) if self.agent else ()
