"""The core: one process per home that owns the store, the sessions and the socket."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from hermes_tui import __version__
from hermes_tui.agent.agent import Agent
from hermes_tui.config import Config
from hermes_tui.errors import CoreError
from hermes_tui.events import (
    CoreOutdated,
    Notice,
    Record,
    SessionsChanged,
    Transient,
)
from hermes_tui.home import Home
from hermes_tui.models.base import Model
from hermes_tui.runtime import installed
from hermes_tui.runtime.caring import Caring
from hermes_tui.runtime.complete_path import PathFinder
from hermes_tui.runtime.face import Face
from hermes_tui.runtime.lock import CoreLock
from hermes_tui.runtime.model_fetch import Fetching
from hermes_tui.runtime.outside import Outside
from hermes_tui.runtime.part import Part
from hermes_tui.runtime.server import Server
from hermes_tui.runtime.session import Session
from hermes_tui.runtime.settings import Settings
from hermes_tui.runtime.shelf import Shelf
from hermes_tui.runtime.spending import Spending
from hermes_tui.runtime.surroundings import Surroundings
from hermes_tui.runtime.tool_services import ToolServices
from hermes_tui.runtime.workshop import Workshop
from hermes_tui.security.audit import Audit
from hermes_tui.store import job_rows, message_index, subagent_rows
from hermes_tui.store.db import Database
from hermes_tui.store.log import Log

if TYPE_CHECKING:
    from hermes_tui.runtime.chats.chats import Chats
    from hermes_tui.runtime.checkpoints import Checkpoints
    from hermes_tui.runtime.keeping_jobs import KeepingJobs
    from hermes_tui.runtime.recall import Recall
    from hermes_tui.runtime.remembering import Remembering
    from hermes_tui.runtime.subagents import Subagents
    from hermes_tui.runtime.using_skills import UsingSkills
    from hermes_tui.tools.processes import Background, Processes

_log = logging.getLogger(__name__)


class Core:
    """One agent, awake. `start`, then `run` until somebody calls `end`.

    headless: no screen in this process. resume: work on turns that an earlier core left open;
    a short-lived core of a script does not.
    """

    memory: Part[Remembering] = Part("hermes_tui.runtime.remembering:Remembering")
    recall: Part[Recall] = Part("hermes_tui.runtime.recall:Recall")
    using_skills: Part[UsingSkills] = Part("hermes_tui.runtime.using_skills:UsingSkills")
    subagents: Part[Subagents] = Part("hermes_tui.runtime.subagents:Subagents")
    cron: Part[KeepingJobs] = Part("hermes_tui.runtime.keeping_jobs:KeepingJobs")
    checkpoints: Part[Checkpoints] = Part("hermes_tui.runtime.checkpoints:Checkpoints")
    processes: Part[Processes] = Part("hermes_tui.runtime.keeping_processes:processes_of")

    def __init__(
        self, home: Home, config: Config, *, headless: bool = False, resume: bool = True
    ) -> None:
        self.home = home
        self.audit = Audit(home, clean=self._clean)
        self.settings = Settings(home, config, self.audit)
        self.headless = headless
        self.started = time.time()
        self.ended = asyncio.Event()
        self.end_reason = self._fingerprint = ""
        self.outbox: Chats | None = None
        self._over = asyncio.Event()
        self.faces: set[Face] = set()
        self.db = Database(home.database)
        self.log = Log(self.db)
        self.caring = Caring(self)
        self.surroundings = Surroundings(self)
        self.shelf = Shelf(self)
        self.outside = Outside(self)
        self.workshop = Workshop(home, self.log, self._remembered, self._skilled, self.outside)
        self.spend = self.workshop.spend = Spending(self.db, lambda: self.config.spend)
        self.workshop.announce = self.announce
        self.paths = PathFinder()
        self.fetching = Fetching(self)
        self._resume = resume
        self._lock = CoreLock(home)
        self._server = Server(self)
        self._group: asyncio.TaskGroup | None = None
        self._life: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._learning: asyncio.Task[None] | None = None

    # --- life ----------------------------------------------------------------------------------

    async def start(self, *, listen: bool = True) -> Core:
        """Take the lock, open the store, listen, resume open turns. Raises HermesError."""
        self.home.ensure()
        self._lock.take(__version__)
        try:
            self.db.open()
            ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._life = asyncio.create_task(self._live(ready))
            self._life.add_done_callback(self._died)
            await ready
            await self._finish_restore()
            if listen:
                await self._server.start(self.home.socket)
        except BaseException:
            await self.end("could not start")
            raise
        if self._resume:
            jobs = self.config.heartbeat.enabled or await self.db.read(job_rows.waiting)
            if jobs:
                await self.cron.stand_again()
            await self.resume_open_turns()
            if jobs:
                await self.cron.start()
            if await self.db.read(message_index.waiting):
                self.recall.start()
            await asyncio.gather(self.caring.start(), self.outside.start())
        return self

    async def _finish_restore(self) -> None:
        """Finish what an earlier core was putting back when it died."""
        if self.home.restoring.exists():
            from hermes_tui.runtime.going_back import finish_interrupted

            await finish_interrupted(self)

    async def resume_open_turns(self) -> None:
        """Work on turns that an earlier core left open."""
        self._resume = True
        if await self.db.read(subagent_rows.any_running):
            await self.subagents.resume()
        for session_id in await self.log.open_turns():
            (await self.session(session_id)).resume()

    async def _live(self, ready: asyncio.Future[None]) -> None:
        async with asyncio.TaskGroup() as group:
            self._group = group
            ready.set_result(None)
            await self._over.wait()

    def _died(self, life: asyncio.Task[None]) -> None:
        """A defect of ours ended a task of the core: end in order, the next core resumes."""
        if not life.cancelled() and (error := life.exception()) is not None:
            _log.error("the core failed", exc_info=error)
            self.end_soon("internal error; `hermes daemon logs` has the whole story", 0.0)

    async def run(self) -> None:
        """Wait until the core has ended."""
        await self.ended.wait()

    async def end(self, reason: str, *, drain: float = 0.0) -> None:
        """End: wait up to `drain` seconds for running turns, say goodbye, close everything.

        Turns that are still open stay open in the log; the next core resumes them. Done when
        the store is closed and the lock is free, even if whoever waits is cancelled.
        """
        self.end_soon(reason, drain)
        if self._ending is not None:
            await asyncio.shield(self._ending)

    def end_soon(self, reason: str, drain: float) -> None:
        """Begin to end, from a place that can't wait for it."""
        if self._ending is None:
            self.end_reason = reason
            self._ending = asyncio.create_task(self._end(drain))

    async def _end(self, drain: float) -> None:
        cron = Core.cron.made(self)
        if cron is not None:
            cron.rest()
        await self._drain(drain)
        for face in list(self.faces):
            face.leave(self.end_reason, time.time())
        await self._server.stop()
        if cron is not None:
            await cron.close()
        for session in list(self.sessions.values()):
            await session.halt()
        if self._learning is not None:
            self._learning.cancel()
            await asyncio.wait([self._learning], timeout=1)
        await self._close(Core.processes, Core.checkpoints)
        await self.caring.close()
        await self.fetching.stop()
        await self.outside.close()
        await self.surroundings.close()
        await self.workshop.close()
        await self._close(Core.memory, Core.using_skills, Core.subagents, Core.recall)
        self._over.set()
        if self._life is not None:
            await asyncio.wait([self._life], timeout=5)
        await asyncio.to_thread(self.audit.close)
        await self.db.close()
        self._lock.release()
        self.ended.set()

    async def _close(self, *parts: Part[Any]) -> None:
        """Close those that were used, in this order."""
        for part in parts:
            if (made := part.made(self)) is not None:
                await made.close()

    async def _drain(self, seconds: float) -> None:
        turns = [task for s in self.sessions.values() if (task := s.task) is not None]
        if turns and seconds > 0:
            await asyncio.wait(turns, timeout=seconds)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine in the core's task group."""
        if self._group is None or self._over.is_set():
            work.close()
            raise CoreError("the core is ending", "start it again with `hermes`")
        return self._group.create_task(work)

    # --- faces ---------------------------------------------------------------------------------

    def join(self, name: str) -> Face:
        """A new face comes in."""
        face = Face(name)
        self.faces.add(face)
        self.caring.greet(face)
        if newer := self.outdated():
            event = CoreOutdated(running=__version__, installed=newer)
            face.deliver(Record(session="", n=0, ts=time.time(), event=event))
        return face

    def part(self, face: Face) -> None:
        """A face has gone; its sessions go on."""
        self.faces.discard(face)
        for session_id in face.sessions:
            if session := self.sessions.get(session_id):
                session.faces.discard(face)

    def call_home(self, session: Session, ask_id: str) -> None:
        """Have the person told where they are, when no screen shows the session for a while."""
        if self._resume and not self.end_reason and (chats := self.outside.outbox) is not None:
            chats.call_later(session, ask_id)

    def changed(self, session: str) -> None:
        """Tell every face that the list of sessions changed."""
        self.announce(SessionsChanged(session=session))

    def announce(self, event: Transient) -> None:
        """Tell every face something that is of no session."""
        record = Record(session="", n=0, ts=time.time(), event=event)
        for face in self.faces:
            face.deliver(record)

    # --- sessions and what they need -----------------------------------------------------------

    @property
    def config(self) -> Config:
        """The settings in force."""
        return self.settings.config

    @property
    def sessions(self) -> dict[str, Session]:
        """The sessions in memory, by id."""
        return self.shelf.sessions

    async def session(self, which: str) -> Session:
        """A live session by id or title, loaded if need be. Raises NotFoundError."""
        return await self.shelf.get(which)

    async def agent_for(self, session: Session) -> Agent:
        """The agent that answers a session's next turn, by the settings as they are now."""
        if problem := await self.settings.refresh():
            text = f"the settings were not read again, the old ones hold: {problem.message}"
            await session.add(Notice(text=text, hint=problem.hint, level="warning"))
        if cron := Core.cron.made(self):
            session.only = cron.runs.tools_of(session.id)
        if session.conversation.person:
            session.only = frozenset(self.config.gateways.guest_tools)
        if self.lasting:
            self.surroundings.prepare()
        given = session.conversation.delegated
        if given is not None:
            session.only = frozenset(given.tools)
        agent = await self.workshop.agent_for(session, self.config)
        if given is not None:
            agent = replace(agent, max_rounds=given.rounds)
        await self.memory.prepare(session, not session.takes_notes)
        if session.takes_notes and self.config.skills.enabled:
            await self.using_skills.prepare(session)
        return agent

    async def _remembered(self, session: Session, lean: bool) -> tuple[tuple[str, str], ...]:
        return await self.memory.prefix(session, lean)

    async def _skilled(self, session: Session) -> str:
        return await self.using_skills.standing(session) if self.config.skills.enabled else ""

    def aux_model(self, task: str, session: Session | None = None, job: str = "") -> Model:
        """The model for a task of its own (`models.*`: summaries, titles, reflection).

        Every call passes the gate of `spend`. Raises ModelError when none can be had.
        """
        return self.workshop.aux(task, self.config, session, job)

    def turn_ended(self) -> None:
        """Do what can wait until nobody does: nothing in a short-lived core."""
        if not self._resume or self.end_reason:
            return
        for part in (Core.memory, Core.using_skills):
            if (one := part.made(self)) is not None:
                self.spawn(one.turns_ended())
        if self.config.heartbeat.enabled:
            self.spawn(self.cron.heartbeat.heard())
        if not self._learning or self._learning.done():
            self._learning = self.spawn(self.workshop.learn_windows())

    def _clean(self, text: str) -> str:
        """A text for the audit log, without secrets."""
        return self.surroundings.redactor.redact(text, "log").text

    def rules(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Standing rules: (allowed, denied)."""
        return self.config.policy.allow, self.config.policy.deny

    @property
    def loaded_sessions(self) -> int:
        """How many idle sessions stay in memory."""
        return self.config.core.loaded_sessions

    @property
    def default_mode(self) -> str:
        """The mode of a new session."""
        return self.config.agent.mode

    # --- parts ---------------------------------------------------------------------------------

    @property
    def lasting(self) -> bool:
        """Whether this core goes on when the turn it was started for has ended."""
        return self._resume

    def services_of(self, session: Session) -> ToolServices:
        """What the tools of a session use of this core."""
        return ToolServices(self, session)

    async def session_gone(self, session: str) -> None:
        """End the subagents of a session that was deleted."""
        if subagents := Core.subagents.made(self):
            await subagents.session_gone(session)

    def running(self) -> tuple[str, ...]:
        """The background processes that run, a line each."""
        processes = Core.processes.made(self)
        return tuple(one.line() for one in processes.running()) if processes else ()

    def background(self) -> list[Background]:
        """The background processes of all sessions, the ended ones that are still known too."""
        processes = Core.processes.made(self)
        return processes.list() if processes else []

    def known_processes(self) -> set[str]:
        """Ids of the background processes this core has started."""
        return {one.id for one in self.background()}

    # --- upgrades ------------------------------------------------------------------------------

    def remember_files(self) -> None:
        """Note what is installed, to notice an upgrade under the living core."""
        self._fingerprint = installed.fingerprint()

    def outdated(self) -> str:
        """The version on disk when it is not the one that runs, else empty."""
        if not self._fingerprint or installed.fingerprint() == self._fingerprint:
            return ""
        newer = installed.version()
        return newer if newer != __version__ else f"{newer} with other files"
