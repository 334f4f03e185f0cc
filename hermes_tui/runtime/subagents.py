"""Subagents: work in sessions of its own that belongs to the core, not to the turn that began it.

The row of a subagent is stored before anything is done. Its end is one commit in the log of the
session it was begun in, with the message to the model where it is to be told, so that it is heard
of exactly once; the row is closed after it. A core that starts takes up what is still open.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.events import (
    ApprovalAsked,
    Notice,
    QuestionAsked,
    ReplyReceived,
    SessionsChanged,
    SubagentStarted,
    TurnEnded,
)
from hermes_tui.events.base import Record
from hermes_tui.events.subagents import Ending
from hermes_tui.faults import point
from hermes_tui.intents import Send, Standing
from hermes_tui.runtime import subagent_reports as reports
from hermes_tui.runtime.face import Face
from hermes_tui.runtime.notes import session_id, title_of
from hermes_tui.runtime.session import Session
from hermes_tui.runtime.subagent_session import make_session
from hermes_tui.store import subagents as rows
from hermes_tui.store.subagents import Row

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

_log = logging.getLogger(__name__)
NOT_DELEGATED = frozenset(
    ["delegate", "subagents", "ask_user", "cron", "remember", "forget", "message"]
)
"""Tools a subagent has not: those that talk to the person or outlive it; `delegate` by depth."""
_CLOSE_S = 3.0


class Ended(Struct, frozen=True, kw_only=True):
    """How one ended."""

    state: Ending
    why: str = ""


class _Running(Struct, kw_only=True):
    """One that works. stop: why it is to stop, empty while it is not; face: hears its session."""

    row: Row
    face: Face
    task: asyncio.Task[None] | None = None
    stop: str = ""


class Subagents:
    """All of one core's. Made at first use."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._running: dict[str, _Running] = {}
        self._waited: Counter[str] = Counter()

    # --- beginning -----------------------------------------------------------------------------

    async def begin(self, wanted: Sequence[Row]) -> list[Row]:
        """Begin these, all or none. Raises HermesError when there would be too many at once."""
        made = [self._identified(one) for one in wanted]
        await self._core.db.write(rows.insert(made))
        point("subagents stored")
        for row in made:
            await self._take_up(row)
        return made

    def _identified(self, row: Row) -> Row:
        now = time.time()
        name = uuid.uuid4().hex[:6]
        return replace(row, id=name, session=f"{session_id(now)}-{name}", started=now)

    async def resume(self) -> None:
        """Take up those that an earlier core left open."""
        for row in await self._core.db.read(rows.running):
            await self._take_up(row)

    async def of_call(self, parent: str, call_id: str) -> list[Row]:
        """Those a call has begun already: it was cut off, and is run again."""
        found = await self._core.db.read(rows.of_call(parent, call_id))
        for row in found:
            if row.state == "running":
                await self._take_up(row)
        return found

    async def _take_up(self, row: Row) -> None:
        """Tell the session it was begun in, once, and have it worked on."""
        if row.id in self._running:
            return
        running = self._running[row.id] = _Running(row=row, face=Face("subagent"))
        try:
            await self._announce(row)
        except NotFoundError:
            _log.info("subagent %s: the session it was begun in is gone", row.id)
        running.task = self._core.spawn(self._run(running))

    async def _announce(self, row: Row) -> None:
        parent = await self._core.session(row.parent)
        talk = parent.conversation
        if row.id in talk.subagents or row.id in talk.reports:
            return
        started = SubagentStarted(
            subagent=row.id,
            session=row.session,
            goal=row.goal[:1000],
            aim=row.aim,
            call_id=row.call_id,
            turn=row.turn,
        )
        await parent.add(started, durable=False)
        self._changed(row)

    # --- working -------------------------------------------------------------------------------

    async def _run(self, running: _Running) -> None:
        row = running.row
        try:
            child, ended = await self._worked(running)
            await self._end(running, child, ended)
        except HermesError as error:
            _log.error("subagent %s stays open: %s", row.id, error)
        finally:
            self._running.pop(row.id, None)
            self._changed(row)

    async def _worked(self, running: _Running) -> tuple[Session | None, Ended]:
        row, child = running.row, None
        try:
            child = await make_session(self._core, row)
            child.faces.add(running.face)
            left = row.limit_s - (time.time() - row.started) if row.limit_s else None
            async with asyncio.timeout(None if left is None else max(left, 0.0)):
                return child, await self._heard_out(running, child)
        except TimeoutError:
            return child, Ended(state="timeout", why=f"it took longer than {row.limit_s:g} s")
        except HermesError as error:
            return child, Ended(state="failed", why=str(error))
        finally:
            if child is not None:
                child.faces.discard(running.face)

    async def _heard_out(self, running: _Running, child: Session) -> Ended:
        row = running.row
        ended = await self._ended_already(child)
        if not child.conversation.inputs:
            await child.send(
                Send(
                    session=child.id,
                    text=reports.task(row),
                    input_id=f"subagent-{row.id}",
                    standing=Standing(cwd=row.cwd, env=row.env),
                    attended=row.attended,
                    face="subagent" if row.aim == "delegate" else "bg",
                )
            )
        child.resume()
        while ended is None:
            record = await running.face.next()
            ended = await self._after(running, child, record)
        return ended

    async def _after(self, running: _Running, child: Session, record: Record) -> Ended | None:
        """What a record of its session means for it."""
        row, talk = running.row, child.conversation
        if running.stop:
            return Ended(state="stopped", why=running.stop)
        match record.event:
            case ReplyReceived():
                used = talk.usage.prompt + talk.usage.completion
                if row.tokens and used > row.tokens:
                    why = f"it used {used:,} tokens, its limit is {row.tokens:,}"
                    return Ended(state="limit", why=why)
            case ApprovalAsked() | QuestionAsked():
                await self._needs_person(row)
            case TurnEnded() as event if not talk.in_turn:
                return _ending(event, child)
            case _:
                return None
        return None

    async def _ended_already(self, child: Session) -> Ended | None:
        """Its end, when an earlier core lived to see that and no longer."""
        if child.conversation.in_turn or not child.conversation.inputs:
            return None
        records = await self._core.log.read(child.id)
        ends = [one.event for one in records if isinstance(one.event, TurnEnded)]
        return _ending(ends[-1], child) if ends else None

    async def _needs_person(self, row: Row) -> None:
        self._changed(row)
        parent = await self._core.session(row.parent)
        text = f"subagent {row.id} waits for you: {title_of(row.goal)}"
        await parent.add(Notice(text=text, hint="alt+5 shows it, enter opens it", level="warning"))

    # --- ending --------------------------------------------------------------------------------

    async def _end(self, running: _Running, child: Session | None, ended: Ended) -> None:
        row = running.row
        if child is not None and ended.state != "done":
            running.stop = running.stop or ended.why or ended.state
            await self.session_gone(child.id, "what began it has ended")
            await child.stop()
        row = await reports.closed(self._core, row, child, ended.state, ended.why)
        try:
            await self._tell(await self._core.session(row.parent), row)
        except NotFoundError:
            _log.info("subagent %s ended; the session it was begun in is gone", row.id)
        point("subagent end told")
        await self._core.db.write(rows.update(row))
        point("subagent closed")

    async def _tell(self, parent: Session, row: Row) -> None:
        """Store its end, and the message to the model if it is the last of its call, as one."""
        await parent.catch_up()
        talk = parent.conversation
        if row.id in talk.reports:
            return
        heard = row.waited or self._waited[parent.id + row.call_id] or self._stopping(parent.id)
        events = reports.events(parent, row, told=not heard)
        await parent.add(events)
        parent.resume()

    def _stopping(self, session: str) -> bool:
        """Whether a session is that of a subagent which ends."""
        return any(one.stop for one in self._running.values() if one.row.session == session)

    # --- for tools and faces -------------------------------------------------------------------

    async def wait(self, parent: str, call_id: str) -> list[Row]:
        """Wait until all of a call's have ended. The model then hears of it from who waits."""
        self._waited[parent + call_id] += 1
        try:
            while tasks := self._tasks(parent, call_id):
                await asyncio.wait(tasks)
        finally:
            self._waited[parent + call_id] -= 1
        return await self._core.db.read(rows.of_call(parent, call_id))

    def _tasks(self, parent: str, call_id: str) -> list[asyncio.Task[None]]:
        return [
            one.task
            for one in self._running.values()
            if one.task and (one.row.parent, one.row.call_id) == (parent, call_id)
        ]

    def count(self, parent: str) -> int:
        """How many of a session work."""
        mine = [one.row for one in self._running.values() if one.row.parent == parent]
        return sum(row.aim == "delegate" for row in mine)

    async def list(self, parent: str = "", limit: int = 100) -> list[Row]:
        """Those that run, then the ended ones."""
        return await self._core.db.read(rows.newest(limit, parent))

    async def stop(self, which: str, why: str) -> None:
        """Stop one; what it has by then is its report. Raises NotFoundError."""
        running = self._one(which)
        running.stop = why
        event = SessionsChanged(session=running.row.session)
        running.face.deliver(Record(session="", n=0, ts=time.time(), event=event))
        if running.task is not None:
            await asyncio.wait([running.task], timeout=_CLOSE_S)

    async def steer(self, which: str, text: str, face: str) -> None:
        """Tell one that works something more. Raises NotFoundError when it does not."""
        row = self._one(which).row
        child = await self._core.session(row.session)
        name = uuid.uuid4().hex
        await child.send(Send(session=child.id, text=text, input_id=name, how="auto", face=face))

    def _one(self, which: str) -> _Running:
        if which not in self._running:
            hint = "/agents lists those that work"
            raise NotFoundError(f"no subagent {which!r} is at work", hint)
        return self._running[which]

    async def stop_call(self, parent: str, call_id: str) -> None:
        """Stop those that a call began."""
        every = [one.row for one in self._running.values()]
        mine = [row.id for row in every if (row.parent, row.call_id) == (parent, call_id)]
        why = "the call that waited for it was stopped"
        await asyncio.gather(*(self.stop(name, why) for name in mine))

    async def session_gone(self, session: str, why: str = "its session was deleted") -> None:
        """End what was begun in a session."""
        mine = [one.row.id for one in self._running.values() if one.row.parent == session]
        await asyncio.gather(*(self.stop(name, why) for name in mine))

    def _changed(self, row: Row) -> None:
        """Tell every face."""
        if not self._core.end_reason:
            self._core.changed(row.session)

    async def close(self) -> None:
        """Leave them where they are, for the next core."""
        tasks = [one.task for one in self._running.values() if one.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSE_S)


def _ending(event: TurnEnded, child: Session) -> Ended | None:
    """What the end of its turn is; None when it goes on, by what waits or what it began."""
    talk = child.conversation
    if event.outcome == "done":
        busy = talk.waiting or any(one.aim == "delegate" for one in talk.subagents.values())
        return None if busy else Ended(state="done")
    if event.outcome == "stopped":
        return Ended(state="stopped", why="stopped by a person")
    if event.outcome == "limit":
        return Ended(state="limit", why=event.error)
    return Ended(state="failed", why=" ".join(filter(None, (event.error, event.hint))))
