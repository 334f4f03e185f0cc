"""Requests at work: said in their sessions one after the other, followed, stopped."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from msgspec.structs import replace

from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.events import CoreEnding, Record, TextDelta, TurnEnded
from hermes_tui.http.base import HttpError
from hermes_tui.http.hearing import Hearing, Piece
from hermes_tui.intents import ChangeSession, OpenSession, Send, Stop, Withdraw
from hermes_tui.runtime.api.asking import FACE
from hermes_tui.runtime.local import LocalClient
from hermes_tui.runtime.session import Session
from hermes_tui.store.http_rows import HttpRows, Request

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

_log = logging.getLogger(__name__)
STOPPED = "it was stopped before its turn came"
_LOST = ("nothing came of it", "a turn before it failed: send it again")


class Job:
    """One request of this core. sent: it is in the log, or never will be."""

    def __init__(self, row: Request) -> None:
        self.row = row
        self.sent = asyncio.Event()
        self.saying = False
        self.followers = 0
        self.task: asyncio.Task[None] | None = None


class Jobs:
    """All requests at work in this core."""

    def __init__(self, core: Core, rows: HttpRows) -> None:
        self._core = core
        self._rows = rows
        self._jobs: dict[str, Job] = {}
        self._lines: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def close(self) -> None:
        """Begin nothing more; what was not come to is for the next core."""
        tasks = [job.task for job in self._jobs.values() if job.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=2)

    async def recover(self) -> None:
        """Begin what an earlier core had taken and not come to."""
        for row in await self._rows.unsent():
            self.begin(row)

    def begin(self, row: Request) -> None:
        """Have a request said in its session when its turn comes; once."""
        if row.id in self._jobs or row.sent or row.refused:
            return
        job = self._jobs[row.id] = Job(row)
        job.task = self._core.spawn(self._drive(job))

    async def _drive(self, job: Job) -> None:
        """From its place in its session's line to the end of its turn."""
        row = job.row
        line = self._lines.setdefault(row.session, asyncio.Lock())
        try:
            async with line:
                if await self._say(job):
                    await self._to_the_end(job.row)
        except HermesError as error:
            _log.warning("http: request %s: %s", row.id, error)
            if not job.sent.is_set():
                await self._refuse(job, error.message)
        finally:
            job.sent.set()
            self._jobs.pop(row.id, None)

    async def _say(self, job: Job) -> bool:
        """Say it once nobody else talks in the session; whether that was done."""
        row = job.row
        session = await self._core.session(row.session)
        while (task := session.task) is not None and row.id not in session.conversation.inputs:
            await asyncio.wait([task])
        if self._core.end_reason:
            return False
        job.saying = True
        client = LocalClient(self._core, FACE)
        try:
            await self._set(client, session, row)
            send = Send(
                session=row.session,
                text=row.text,
                how="queue",
                input_id=row.id,
                attended=row.attended,
                face=FACE,
            )
            await client.ask(send)
        finally:
            await client.close()
        job.row = replace(row, sent=True, text="")  # the log has it now
        await self._rows.keep(job.row, durable=False)
        job.sent.set()
        return True

    async def _set(self, client: LocalClient, session: Session, row: Request) -> None:
        """Give a session that was there before the model and mode that are wanted now."""
        talk = session.conversation
        model = row.model if row.model not in ("", talk.model) else ""
        mode = row.mode if row.mode not in ("", talk.mode) else ""
        if model or mode:
            await client.ask(ChangeSession(session=session.id, model=model, mode=mode))

    async def _to_the_end(self, row: Request) -> None:
        heard = Hearing(row.id)
        async with aclosing(self._records(row, heard)) as records:
            async for _ in records:
                if heard.over:
                    return

    async def _refuse(self, job: Job, why: str) -> None:
        job.row = replace(job.row, refused=why)
        await self._rows.keep(job.row)

    # --- hearing -------------------------------------------------------------------------

    async def heard(self, row: Request) -> Hearing:
        """How a request stands right now."""
        heard = Hearing(row.id)
        if _refused(row, heard):
            return heard
        at_rest = await self._rests(row.session)
        heard.hear_all(await self._core.log.read(row.session, after=row.start))
        if row.sent and at_rest and not heard.over:
            heard.give_up(*_LOST)
        return heard

    async def _session(self, session: str) -> Session:
        try:
            return await self._core.session(session)
        except NotFoundError as error:
            raise HttpError(410, "its session was deleted", code="gone") from error

    async def _rests(self, session: str) -> bool:
        """Whether nobody works in a session, nor will."""
        found = await self._session(session)
        return not (found.conversation.in_turn or found.working)

    async def follow(
        self, row: Request, heard: Hearing, *, watching: bool = False
    ) -> AsyncGenerator[tuple[Record | None, tuple[Piece, ...]], None]:
        """Records of a request and what each says, until it is over.

        When all callers have gone, a request that does not last is stopped. watching: this one
        only looks on.
        """
        job = self._jobs.get(row.id)
        if job is not None:
            job.followers += not watching
        try:
            if job is not None:
                await job.sent.wait()
                row = job.row
            if _refused(row, heard) or _gone(row, heard):
                yield None, ()
                return
            async with aclosing(self._records(row, heard)) as records:
                async for one in records:
                    yield one
        finally:
            if job is not None and not watching:
                job.followers -= 1
                if not (job.followers or heard.over or row.lasting or self._core.end_reason):
                    self._core.spawn(self._stopped(row))

    async def _records(
        self, row: Request, heard: Hearing
    ) -> AsyncGenerator[tuple[Record | None, tuple[Piece, ...]], None]:
        client = LocalClient(self._core, FACE)
        try:
            async for record in self._since(client, row, heard):
                pieces = tuple(heard.hear(record))
                if heard.over or heard.mine(record.event):
                    yield record, pieces
                if heard.over:
                    return
                if await self._passed_over(client, row, heard, record):
                    break
            heard.give_up(*_LOST)
            yield None, ()
        finally:
            await client.close()

    async def _since(
        self, client: LocalClient, row: Request, heard: Hearing
    ) -> AsyncGenerator[Record, None]:
        """The session's records since the request was made, and what is said right now.

        Ends when nobody works on the request any more.
        """
        at_rest = await self._rests(row.session)
        opened = OpenSession(which=row.session, after=row.start, face=FACE)
        view = await client.ask(opened)
        for record in view.records:
            yield record
        if view.partial:
            talk = self._core.sessions[row.session].conversation
            event = TextDelta(turn=talk.turn, step=talk.step, text=view.partial)
            yield Record(session=row.session, n=0, ts=0.0, event=event)
        if at_rest and not heard.over:
            return
        async for record in client.events():
            if record.session == row.session or isinstance(record.event, CoreEnding):
                yield record

    async def _passed_over(
        self, client: LocalClient, row: Request, heard: Hearing, record: Record
    ) -> bool:
        """Whether a turn before it failed while it waited: it is taken back, to be said anew."""
        event = record.event
        failed = isinstance(event, TurnEnded) and event.outcome in ("failed", "stopped")
        if not (failed and heard.received and not heard.turn):
            return False
        session = await self._core.session(row.session)
        if session.conversation.in_turn:
            return False
        await client.ask(Withdraw(session=row.session, input_id=row.id))
        return True

    # --- stopping ------------------------------------------------------------------------

    async def _stopped(self, row: Request) -> None:
        await self.stop(row)

    async def stop(self, row: Request) -> bool:
        """Stop a request; whether there was something to stop."""
        job = self._jobs.get(row.id)
        if job is None:
            return False
        if not job.saying and job.task is not None:
            job.task.cancel()
            await self._refuse(job, STOPPED)
            return True
        await job.sent.wait()
        client = LocalClient(self._core, FACE)
        try:
            session = await self._core.session(row.session)
            if row.id in session.conversation.waiting and session.working:
                await client.ask(Withdraw(session=row.session, input_id=row.id))
            else:
                await client.ask(Stop(session=row.session))
        finally:
            await client.close()
        return True


def _refused(row: Request, heard: Hearing) -> bool:
    """Whether a request will never be in the log; then that is heard."""
    if row.refused:
        heard.give_up(row.refused, outcome="stopped" if row.refused == STOPPED else "failed")
    return bool(row.refused)


def _gone(row: Request, heard: Hearing) -> bool:
    """Whether the core ends before a request was said; the next core says it."""
    if not row.sent:
        heard.give_up("the agent ended before the answer was complete", outcome="gone")
    return not row.sent
