"""The core: one process per home that owns the store, the sessions and the socket."""

from __future__ import annotations

import asyncio
import logging
import os
import time
import uuid
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

import msgspec

from hermes_tui import __version__
from hermes_tui.agent.agent import Agent, Prefix
from hermes_tui.agent.prompt import build_prefix
from hermes_tui.config import Config
from hermes_tui.errors import CoreError
from hermes_tui.events import (
    CoreOutdated,
    Notice,
    ProcessEnded,
    ProcessStarted,
    Record,
    SessionsChanged,
    SessionStarted,
)
from hermes_tui.home import Home
from hermes_tui.intents import Intent, OpenSession, SessionInfo
from hermes_tui.runtime import installed
from hermes_tui.runtime.face import Face
from hermes_tui.runtime.lock import CoreLock
from hermes_tui.runtime.model_pool import ModelPool
from hermes_tui.runtime.server import Server
from hermes_tui.runtime.session import Session
from hermes_tui.store.db import Database
from hermes_tui.store.log import Log

if TYPE_CHECKING:
    from hermes_tui.tools.processes import Background, Processes

_log = logging.getLogger(__name__)


class Core:
    """One agent, awake. `start`, then `run` until somebody calls `end`.

    headless: no screen in this process. resume: work on turns that an earlier core left open;
    a short-lived core of a script does not.
    """

    def __init__(
        self, home: Home, config: Config, *, headless: bool = False, resume: bool = True
    ) -> None:
        self.home = home
        self.config = config
        self.headless = headless
        self.started = time.time()
        self.ended = asyncio.Event()
        self.end_reason = ""
        self.faces: set[Face] = set()
        self.sessions: dict[str, Session] = {}
        self.db = Database(home.database)
        self.log = Log(self.db)
        self.models = ModelPool(home)
        self._processes: Processes | None = None
        self._resume = resume
        self._lock = CoreLock(home)
        self._server = Server(self)
        self._group: asyncio.TaskGroup | None = None
        self._life: asyncio.Task[None] | None = None
        self._loading: dict[str, asyncio.Lock] = {}
        self._ending: asyncio.Task[None] | None = None
        self._fingerprint = ""

    # --- life ----------------------------------------------------------------------------------

    async def start(self, *, listen: bool = True) -> Core:
        """Take the lock, open the store, listen, resume open turns. Raises HermesError."""
        self.home.ensure()
        self._lock.take(__version__)
        try:
            self.db.open()
            ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._life = asyncio.create_task(self._live(ready))
            await ready
            if listen:
                await self._server.start()
        except BaseException:
            await self.end("could not start")
            raise
        if self._resume:
            for session_id in await self.log.open_turns():
                (await self.session(session_id)).resume()
        return self

    async def _live(self, ready: asyncio.Future[None]) -> None:
        async with asyncio.TaskGroup() as group:
            self._group = group
            ready.set_result(None)
            await self.ended.wait()

    async def run(self) -> None:
        """Wait until the core has ended."""
        await self.ended.wait()

    async def end(self, reason: str, *, drain: float = 0.0) -> None:
        """End: wait up to `drain` seconds for running turns, say goodbye, close everything.

        Turns that are still open stay open in the log; the next core resumes them.
        """
        if self.ended.is_set() or self.end_reason:
            await self.ended.wait()
            return
        self.end_reason = reason
        await self._drain(drain)
        for face in list(self.faces):
            face.leave(reason, time.time())
        await self._server.stop()
        for session in list(self.sessions.values()):
            await session.halt()
        if self._processes is not None:
            await self._processes.close()
        await self.models.close()
        self.ended.set()
        if self._life is not None:
            await asyncio.wait([self._life], timeout=5)
        await self.db.close()
        self._lock.release()

    def end_soon(self, reason: str, drain: float) -> None:
        """Begin to end, from a place that can't wait for it."""
        self._ending = asyncio.create_task(self.end(reason, drain=drain))

    async def _drain(self, seconds: float) -> None:
        turns = [task for s in self.sessions.values() if (task := s.task) is not None]
        if turns and seconds > 0:
            await asyncio.wait(turns, timeout=seconds)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine in the core's task group."""
        if self._group is None or self.ended.is_set():
            work.close()
            raise CoreError("the core is ending", "start it again with `hermes`")
        return self._group.create_task(work)

    # --- faces ---------------------------------------------------------------------------------

    def join(self, name: str) -> Face:
        """A new face comes in."""
        face = Face(name)
        self.faces.add(face)
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

    async def handle(self, intent: Intent[Any], face: Face) -> Any:
        """Do what a face asks and return the reply; raises HermesError for the face to show."""
        from hermes_tui.runtime.handlers import HANDLERS

        handler = HANDLERS.get(type(intent))
        if handler is None:
            raise CoreError(f"this core does not know {intent.op!r}")
        return await handler(self, intent, face)

    def changed(self, session: str) -> None:
        """Tell every face that the list of sessions changed."""
        record = Record(session="", n=0, ts=time.time(), event=SessionsChanged(session=session))
        for face in self.faces:
            face.deliver(record)

    # --- sessions ------------------------------------------------------------------------------

    async def session(self, which: str) -> Session:
        """A live session by id or title, loaded if need be. Raises NotFoundError."""
        if which in self.sessions:
            return self.sessions[which]
        key, info = await self.log.find(which)
        async with self._loading.setdefault(info.id, asyncio.Lock()):
            if info.id not in self.sessions:
                session = Session(self, key, info, self.home.outputs / info.id)
                await session.load()
                await self._mark_lost(session)
                self.sessions[info.id] = session
                self._unload()
        self._loading.pop(info.id, None)
        return self.sessions[info.id]

    async def _mark_lost(self, session: Session) -> None:
        """Processes that an earlier core had started are out of reach; say so."""
        lost = [name for name in session.conversation.processes if name not in self._known()]
        await session.add([ProcessEnded(process_id=name, status="lost") for name in lost])

    def _known(self) -> set[str]:
        return {one.id for one in self._processes.list()} if self._processes else set()

    async def create(self, wanted: OpenSession) -> Session:
        """Make a session in the face's folder."""
        now = time.time()
        info = SessionInfo(
            id=_new_id(now),
            title=wanted.title,
            cwd=wanted.standing.cwd,
            model=wanted.model,
            mode=wanted.mode or self.config.agent.mode,
            created=now,
            updated=now,
        )
        first = SessionStarted(
            title=info.title, cwd=info.cwd, model=info.model, mode=info.mode, origin=wanted.face
        )
        record = Record(session=info.id, n=1, ts=now, event=first)
        key = await self.log.create(info, [record])
        session = Session(self, key, info, self.home.outputs / info.id)
        session.conversation.apply(first)
        session.last = session.shown = 1
        self.sessions[info.id] = session
        self._unload()
        self.changed(info.id)
        return session

    def forget(self, session_id: str) -> None:
        """Drop a session from memory (it was deleted)."""
        self.sessions.pop(session_id, None)
        self.changed(session_id)

    def _unload(self) -> None:
        idle = [
            s
            for s in self.sessions.values()
            if not (s.faces or s.conversation.in_turn or s.conversation.processes)
        ]
        over = len(self.sessions) - self.config.core.loaded_sessions
        for session in sorted(idle, key=lambda s: s.updated)[: max(over, 0)]:
            del self.sessions[session.id]

    # --- what a turn needs ---------------------------------------------------------------------

    async def agent_for(self, session: Session) -> Agent:
        """The agent that answers a session's next turn."""
        from hermes_tui.tools.registry import build

        config = self.config
        model = await self.models.get(config.model, session.env, session.conversation.model)
        profile = config.agent.profile
        lean = profile == "lean" or (profile == "auto" and self.models.is_small(model))
        tools = build(config.tools, "lean" if lean else "full")
        prefix = await self._prefix(session, tools, lean)
        return Agent(
            model=model,
            tools=tools,
            prefix=prefix,
            max_rounds=config.agent.max_rounds,
            attempts=config.model.attempts,
            parallel=config.agent.parallel,
            output_chars=config.tools.output_chars,
            price_in=config.model.price_in,
            price_out=config.model.price_out,
        )

    async def _prefix(self, session: Session, tools: dict[str, Any], lean: bool) -> Prefix:
        if session.prefix is not None:
            return session.prefix
        if stored := await self.log.prefix(session.key):
            session.prefix = msgspec.json.decode(stored, type=Prefix)
            return session.prefix
        skills = () if lean else self.skills()
        prefix = build_prefix(tools, skills, session.cwd, lean)
        data = msgspec.json.encode(prefix)
        digest = uuid.uuid5(uuid.NAMESPACE_OID, data.decode()).hex
        await self.log.set_prefix(session.key, digest, data.decode())
        session.prefix = prefix
        return prefix

    def skills(self) -> tuple[tuple[str, str, str], ...]:
        """(name, description, path) of every skill that can be used."""
        from hermes_tui.skills.library import Library

        return tuple((s.name, s.description, str(s.path)) for s in Library(self.home).all())

    @property
    def processes(self) -> Processes:
        """The background processes; made at first use."""
        if self._processes is None:
            from hermes_tui.tools.processes import Processes

            self._processes = Processes(self._process_changed)
        return self._processes

    def _process_changed(self, one: Background) -> None:
        if not self.end_reason:
            self.spawn(self._record_process(one, one.status))

    async def _record_process(self, one: Background, status: str) -> None:
        event = ProcessStarted(process_id=one.id, command=one.command, pid=one.pid)
        if status != "running":
            event = ProcessEnded(process_id=one.id, exit_code=one.exit_code, status=status)
        if one.session in self.sessions:
            await self.sessions[one.session].add(event)

    def running(self) -> tuple[str, ...]:
        """The background processes that run, a line each."""
        return tuple(one.line() for one in self._processes.running()) if self._processes else ()

    def rules(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Standing rules: (allowed, denied)."""
        return self.config.policy.allow, self.config.policy.deny

    def tell(self, session_id: str, notice: Notice) -> None:
        """Show a sentence to the faces of a session, without storing it."""
        record = Record(session=session_id, n=0, ts=time.time(), event=notice)
        for face in self.faces:
            if session_id in face.sessions:
                face.deliver(record)

    # --- upgrades ------------------------------------------------------------------------------

    def remember_files(self) -> None:
        """Note what is installed, to notice an upgrade under the living core."""
        self._fingerprint = installed.fingerprint()

    def outdated(self) -> str:
        """The version on disk when it is not the one that runs, else empty."""
        if not self._fingerprint or installed.fingerprint() == self._fingerprint:
            return ""
        return installed.version()


def _new_id(now: float) -> str:
    stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
    return f"{stamp}-{os.urandom(2).hex()}"
