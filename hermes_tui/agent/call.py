"""The surroundings of one running tool call: what `tools.base.Context` promises."""

from __future__ import annotations

import uuid
from typing import Any

from hermes_tui.agent.agent import TurnSession
from hermes_tui.agent.coalesce import Coalescer
from hermes_tui.errors import ToolError
from hermes_tui.events import QuestionAsked, TodoChanged, TodoItem, ToolOutput


class Call:
    """Context of one call. `done` flushes what is still to be shown."""

    def __init__(self, session: TurnSession, call_id: str, turn: int, window_chars: int) -> None:
        self.session = session.id
        self.call_id = call_id
        self.cwd = session.cwd
        self.env = session.env
        self.outputs = session.outputs
        self.window_chars = window_chars
        self.protected = session.protected
        self._session = session
        self._turn = turn
        self._show = Coalescer(self._deliver)

    def progress(self, text: str) -> None:
        """Show more output of this call."""
        self._show.add(text)

    def _deliver(self, text: str, _: str) -> None:
        event = ToolOutput(turn=self._turn, call_id=self.call_id, text=text)
        self._session.emit(event)

    def done(self) -> None:
        """Show what is left and stop."""
        self._show.flush()

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

    async def set_todo(self, items: tuple[TodoItem, ...]) -> None:
        """Replace the session's to-do list."""
        await self._session.add(TodoChanged(items=items), durable=False)

    @property
    def processes(self) -> Any:
        """The core's background processes."""
        return self._session.processes
