"""Subagents as the tools of one session use them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hermes_tui.errors import ToolError
from hermes_tui.runtime.subagent_reports import line_of
from hermes_tui.runtime.subagents import NOT_DELEGATED, Subagents
from hermes_tui.store.subagents import Row
from hermes_tui.tools.delegate import Wanted

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.session import Session


class Helpers:
    """One session's. waits: nobody is there to hear of an end later, so calls wait for it."""

    def __init__(self, core: Core, session: Session) -> None:
        self._core = core
        self._all: Subagents = core.subagents
        self._session = session

    @property
    def waits(self) -> bool:
        """Whether a call has to wait: the core, or the run of a job, ends with the turn."""
        return not (self._core.lasting and self._session.conversation.attended)

    async def begin(
        self,
        wanted: Wanted,
        known: Sequence[str],
        wait: bool,
    ) -> list[Row]:
        """Begin one for each goal; those of a call that was cut off are not begun again.

        known: all tools of this session; wait: the call waits for their reports.
        Raises ToolError when a limit forbids it: then none is begun.
        """
        if found := await self._all.of_call(self._session.id, wanted.call_id):
            return found
        goals = [goal.strip() for goal in wanted.goals if goal.strip()]
        depth = self._check(len(goals))
        allowed = self._allowed(known, wanted.tools, depth)
        template = replace(self._template(wanted, depth, allowed), waited=wait)
        return await self._all.begin([replace(template, goal=goal) for goal in goals])

    def _check(self, count: int) -> int:
        """The level the new ones would be on. Raises ToolError beyond a limit."""
        limits = self._core.config.delegate
        given = self._session.conversation.delegated
        depth = (given.depth if given else 0) + 1
        if depth > limits.depth:
            text = f"subagents may go {limits.depth} deep (delegate.depth); do it yourself"
            raise ToolError(text)
        if not count:
            raise ToolError("there is no goal")
        working = self._all.count(self._session.id)
        if working + count > limits.at_once:
            raise ToolError(
                f"{working} work and {count} more were wanted, at most {limits.at_once} may work"
                " at once (delegate.at_once); none was begun: give fewer goals, or wait"
            )
        return depth

    def _allowed(self, known: Sequence[str], wanted: Sequence[str], depth: int) -> tuple[str, ...]:
        if strange := [name for name in wanted if name not in known]:
            raise ToolError(f"there is no tool {strange[0]!r} to give it")
        closed = NOT_DELEGATED
        if depth < self._core.config.delegate.depth:
            closed -= {"delegate", "subagents"}
        kept = [name for name in wanted or known if name not in closed]
        if not kept:
            raise ToolError(f"a subagent can't have {', '.join(wanted)}")
        return tuple(kept)

    def _template(self, wanted: Wanted, depth: int, tools: tuple[str, ...]) -> Row:
        limits, session = self._core.config.delegate, self._session
        talk = session.conversation
        return Row(
            id="",
            parent=session.id,
            session="",
            goal="",
            context=wanted.context,
            call_id=wanted.call_id,
            turn=talk.turn,
            cwd=session.cwd,
            env=session.env,
            attended=talk.attended,
            mode=talk.mode,
            model=talk.model,
            account=session.account,
            depth=depth,
            tools=tools,
            rounds=limits.rounds,
            limit_s=limits.limit_s,
            tokens=limits.tokens,
        )

    async def wait(self, call_id: str, *, own: bool = False) -> list[Row]:
        """Wait for all of a call's to end. own: they end when the waiting is stopped."""
        try:
            return await self._all.wait(self._session.id, call_id)
        except asyncio.CancelledError:
            if own and not self._core.end_reason:
                await self._all.stop_call(self._session.id, call_id)
            raise

    async def list(self) -> list[Row]:
        """Those of this session."""
        return await self._all.list(self._session.id)

    async def stop(self, which: str) -> None:
        """Stop one of this session."""
        await self._mine(which)
        await self._all.stop(which, "stopped by the agent that began it")

    async def steer(self, which: str, text: str) -> None:
        """Tell one of this session something more."""
        await self._mine(which)
        await self._all.steer(which, text, "subagent")

    async def _mine(self, which: str) -> None:
        if which not in [row.id for row in await self.list()]:
            raise ToolError(f"you have no subagent {which!r}")

    def report_of(self, rows: Sequence[Row]) -> str:
        """Those that have ended, as the model reads of them."""
        return "\n\n".join(line_of(row) for row in rows)
