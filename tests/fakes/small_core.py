"""The least core a session can live in: a real store, a real model client, tools of the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

from hermes_tui.agent.agent import Agent, Prefix
from hermes_tui.config import Config
from hermes_tui.events import Event, Record, SessionStarted
from hermes_tui.home import Home
from hermes_tui.intents import Send, Sent, SessionInfo
from hermes_tui.models.chat_completions import ChatCompletions
from hermes_tui.runtime.face import Face
from hermes_tui.runtime.session import Session
from hermes_tui.runtime.surroundings import Surroundings
from hermes_tui.security.audit import Audit
from hermes_tui.store.db import Database
from hermes_tui.store.log import Log
from hermes_tui.tools.base import Tool
from hermes_tui.tools.kit import Kit


class NoCheckpoints:
    """A core that keeps no files."""

    async def before(self, session: Session, kind: str) -> None:
        return

    def ended(self, session: Session) -> None:
        return

    def promise(self, session: Session, action: Any) -> str:
        return ""


class SmallCore:
    """Implements `runtime.session.Services`."""

    def __init__(self, home: Home, url: str, tools: tuple[Tool, ...], **limits: Any) -> None:
        self.db = Database(home.database)
        self.log = Log(self.db)
        self.audit = Audit(home, clean=str)
        self.home = home
        self.config = Config()
        self.surroundings = Surroundings(self)
        self.checkpoints = NoCheckpoints()
        self.tools = {tool.name: tool for tool in tools}
        self.model = ChatCompletions("scripted", url)
        self.limits = limits
        self.allow: tuple[str, ...] = ()
        self.deny: tuple[str, ...] = ()
        self.processes: Any = None
        self.group: asyncio.TaskGroup | None = None

    async def agent_for(self, session: Session) -> Agent:
        schemas = tuple(tool.schema for tool in self.tools.values())
        prefix = Prefix(system="You are a test.", tools=schemas, parts=(("identity", 15),))
        return Agent(model=self.model, tools=self.tools, prefix=prefix, **self.limits)

    def services_of(self, session: Session) -> Any:
        return SimpleNamespace(kit=Kit(), processes=self.processes)

    def turn_ended(self) -> None:
        return

    def rules(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self.allow, self.deny

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        assert self.group is not None
        return self.group.create_task(work)

    def call_home(self, session: Session, ask_id: str) -> None:
        return

    def changed(self, session: str) -> None:
        return

    async def session(self, name: str = "s", **more: Any) -> tuple[Session, Face]:
        """A new session with one face that watches it."""
        info = SessionInfo(id=name, title="t", cwd=str(self.home.path), **more)
        started = SessionStarted(title="t", cwd=info.cwd, mode=info.mode)
        key = await self.log.create(info, [Record(session=name, n=1, ts=1.0, event=started)])
        return await self.watch(Session(self, key, info))

    async def again(self, name: str = "s") -> tuple[Session, Face]:
        """The same session as the next core would load it."""
        key, info = await self.log.find(name)
        return await self.watch(Session(self, key, info))

    async def watch(self, session: Session) -> tuple[Session, Face]:
        await session.load()
        face = Face("test")
        session.faces.add(face)
        return session, face


@asynccontextmanager
async def small_core(home: Home, url: str, *tools: Tool, **limits: Any) -> AsyncIterator[SmallCore]:
    """A small core with its store open and its task group running."""
    core = SmallCore(home, url, tools, **limits)
    core.db.open()
    async with asyncio.TaskGroup() as group:
        core.group = group
        yield core
    await core.model.close()
    core.audit.close()
    await core.db.close()


async def say_to(session: Session, text: str, **more: Any) -> Sent:
    """Send a text as a face would."""
    more.setdefault("input_id", f"{text}-{session.last}")
    return await session.send(Send(session=session.id, text=text, **more))


async def until(face: Face, kind: type[Event], limit_s: float = 5.0) -> list[Event]:
    """Events up to and with the first of a kind."""
    seen: list[Event] = []
    async with asyncio.timeout(limit_s):
        while not seen or not isinstance(seen[-1], kind):
            seen.append((await face.next()).event)
    return seen
