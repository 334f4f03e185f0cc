"""The sessions in memory: loaded at first use, made, forgotten, put back when nobody needs them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from hermes_tui.events import ProcessEnded, Record, SessionStarted
from hermes_tui.intents import OpenSession, SessionInfo
from hermes_tui.runtime.bench import Services
from hermes_tui.runtime.notes import session_id
from hermes_tui.runtime.session import Session


class Owner(Services, Protocol):
    """What the shelf needs of its core."""

    def known_processes(self) -> set[str]:
        """Ids of the background processes this core has started."""
        ...

    @property
    def loaded_sessions(self) -> int:
        """How many idle sessions stay in memory."""
        ...

    @property
    def default_mode(self) -> str:
        """The mode of a new session."""
        ...


class Shelf:
    """Live sessions by id."""

    def __init__(self, core: Owner) -> None:
        self.sessions: dict[str, Session] = {}
        self.loaded: Callable[[Session], None] | None = None  # told of each that comes in
        self._core = core
        self._loading: dict[str, asyncio.Lock] = {}

    async def get(self, which: str) -> Session:
        """A live session by id or title, loaded if need be. Raises NotFoundError."""
        if which in self.sessions:
            return self.sessions[which]
        key, info = await self._core.log.find(which)
        async with self._loading.setdefault(info.id, asyncio.Lock()):
            if info.id not in self.sessions:
                session = Session(self._core, key, info)
                await session.load()
                await self._mark_lost(session)
                self._put(session)
        self._loading.pop(info.id, None)
        return self.sessions[info.id]

    async def _mark_lost(self, session: Session) -> None:
        """Processes that an earlier core had started are out of reach; say so."""
        lost = session.conversation.processes - self._core.known_processes()
        await session.add([ProcessEnded(process_id=name, status="lost") for name in sorted(lost)])

    async def create(self, wanted: OpenSession) -> Session:
        """Make a session in the face's folder."""
        now = time.time()
        info = SessionInfo(
            id=session_id(now),
            title=wanted.title,
            cwd=wanted.standing.cwd,
            model=wanted.model,
            mode=wanted.mode or self._core.default_mode,
            created=now,
            updated=now,
        )
        first = SessionStarted(
            title=info.title,
            cwd=info.cwd,
            model=info.model,
            mode=info.mode,
            origin=wanted.face,
            person=wanted.person,
            chat=wanted.chat,
            group=wanted.group,
        )
        record = Record(session=info.id, n=1, ts=now, event=first)
        key = await self._core.log.create(info, [record])
        session = Session(self._core, key, info)
        session.conversation.apply(first)
        session.last = session.shown = 1
        self._put(session)
        self._core.changed(info.id)
        return session

    def forget(self, session_id: str) -> None:
        """Drop a session that was deleted."""
        self.sessions.pop(session_id, None)
        self._core.changed(session_id)

    def _put(self, session: Session) -> None:
        self.sessions[session.id] = session
        if self.loaded is not None:
            self.loaded(session)
        idle = [one for one in self.sessions.values() if one is not session and not one.needed]
        over = len(self.sessions) - self._core.loaded_sessions
        for one in sorted(idle, key=lambda s: s.updated)[: max(over, 0)]:
            del self.sessions[one.id]
