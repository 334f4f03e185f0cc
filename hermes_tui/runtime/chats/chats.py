"""Chats in one core: gateways kept connected, the outbox emptied, the inbox worked on."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hermes_tui import commands
from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.events import GatewaysChanged
from hermes_tui.gateways.base import Gateway, Inbound, MenuEntry
from hermes_tui.gateways.registry import PLATFORMS
from hermes_tui.intents import GatewayInfo, OpenSession, Standing
from hermes_tui.runtime.chats import calling
from hermes_tui.runtime.chats.desk import House, target_of
from hermes_tui.runtime.chats.gates import Gate
from hermes_tui.runtime.chats.hooks import Hooks
from hermes_tui.runtime.chats.people import HOOKS, TERMINAL, People, person_of
from hermes_tui.runtime.chats.router import Router
from hermes_tui.runtime.chats.telling import Telling
from hermes_tui.runtime.chats.terminal import TerminalChats
from hermes_tui.runtime.standing import here
from hermes_tui.security.vault import Vault
from hermes_tui.store.chats import Chat
from hermes_tui.store.chats import Chats as Rows
from hermes_tui.store.inbox import Inbox
from hermes_tui.store.outbox import Outbox, Outgoing
from hermes_tui.store.pairing import Pairing

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.session import Session

_log = logging.getLogger(__name__)
_AGAIN_S = 30.0
_POLL_S = 0.05
_KEPT_S = 30 * 86_400.0
"""How long the inbox remembers what it has seen."""


class Chats:
    """The chats of one core. `start` in a core that stays; `close` before the store."""

    def __init__(self, core: Core) -> None:
        self.core = core
        self.rows = Rows(core.db)
        self.outbox = Outbox(core.db)
        self.inbox = Inbox(core.db)
        self.people = People(lambda: core.config, Pairing(core.db))
        self.telling = Telling(self)
        self.router = Router(self)
        self.terminal = TerminalChats(core)
        self.hooks = Hooks(self)
        self.gates: dict[str, Gate] = {}
        self._recovered = False
        self._started = False
        self._starting = asyncio.Lock()
        self._tasks: list[asyncio.Task[None]] = []
        self._calls: set[asyncio.Task[None]] = set()

    # --- life ----------------------------------------------------------------------------

    async def start(self) -> None:
        """Take up what an earlier core left, connect, and work on what comes."""
        async with self._starting:
            if not self._started:
                await self._start()
                self._started = True

    async def _start(self) -> None:
        await self.people.load()
        await self._recover()
        await self.inbox.forget(time.time() - _KEPT_S)
        self.core.shelf.loaded = self.telling.loaded
        await self.hooks.forget()
        for chat in await self.rows.all():
            self.telling.bind(chat)
        self._tasks = [
            self.core.spawn(self._steadily(self.telling.run)),
            self.core.spawn(self._steadily(self.router.run)),
        ]
        for platform in self.platforms():
            self.gate(platform).start()

    async def close(self) -> None:
        """Stop receiving and sending; what is left waits for the next core."""
        running = [*self._tasks, *self._calls]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=5)
        await self.router.close()
        await self.telling.showing.close()
        await asyncio.gather(*(gate.close() for gate in self.gates.values()))

    async def _steadily(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run a part for as long as the core lives; what fails in it stops nothing else."""
        while True:
            try:
                await work()
                return
            except HermesError as error:  # the store is damaged or full
                _log.warning("chats wait: %s", error)
            await asyncio.sleep(_AGAIN_S)

    def platforms(self) -> tuple[str, ...]:
        """What is enabled, and the chats of this machine's terminals."""
        on = (name for name in PLATFORMS if getattr(self.core.config, name).enabled)
        return (*on, TERMINAL)

    def gate(self, platform: str) -> Gate:
        """A platform's gate; made at first use."""
        if platform not in self.gates:
            self.gates[platform] = Gate(self, platform)
        return self.gates[platform]

    def changed(self, platform: str) -> None:
        """Tell every face."""
        self.core.announce(GatewaysChanged(name=platform))

    def house(self) -> House:
        """What all desks share."""
        return House(
            people=self.people,
            inbox=self.inbox,
            rows=self.rows,
            folder=self.core.home.outputs / "chats",
            limits=lambda: self.core.config.gateways,
            menu=menu(),
            wake=self.router.wake,
        )

    def secret(self, name: str) -> str:
        """The value of a variable or a stored secret; empty when there is none."""
        return (os.environ.get(name, "") or Vault(self.core.home).values().get(name, "")).strip()

    # --- out -----------------------------------------------------------------------------

    def address(self, text: str) -> str:
        """The target a text names; a platform alone is the person's own chat there."""
        platform, colon, _ = text.partition(":")
        if platform != TERMINAL and platform not in PLATFORMS:
            raise HermesError(f"no gateway {platform!r}", f"one of {', '.join(PLATFORMS)}")
        if platform not in self.platforms():
            raise HermesError(
                f"the gateway {platform} is not set up", f"`hermes gateway setup {platform}`"
            )
        if colon:
            return text
        home = self.home(platform)
        if not home:
            raise HermesError(
                f"there is no chat of your own on {platform} yet",
                f"`hermes config set {platform}.home_chat ID`",
            )
        return home

    async def put(self, to: str, text: str, *, key: str = "") -> int:
        """Keep a text for a chat and return its number. Raises HermesError."""
        where = self.address(to)
        if (chat := await self.rows.of_target(where)) and chat.parked:
            raise HermesError(f"{where} takes no messages: {chat.parked}")
        number = await self.outbox.put(where, text, key=key)
        self.wake(where)
        return number

    async def say(self, target: str, text: str, *, key: str) -> None:
        """Say something in a chat beside what its session says."""
        if text.strip():
            await self.outbox.put(target, text, key=key)
            self.wake(target)

    def wake(self, target: str) -> None:
        """Something waits for a chat."""
        gate = self.gates.get(target.partition(":")[0])
        if gate is not None:
            gate.wake()

    def gateway(self, target: str) -> Gateway | None:
        """The connected gateway of a chat's platform; None while it is not."""
        gate = self.gates.get(target.partition(":")[0])
        return gate.gateway if gate is not None and gate.connected else None

    async def settled(self, number: int, limit_s: float) -> Outgoing | None:
        """A text as it stands when it went out, was refused, failed once, or the time is over."""
        until = time.monotonic() + limit_s
        while True:
            row = await self.outbox.row(number)
            if not self._started and row is not None:
                await self._recover()
                await self.gate(row.platform).once()
                row = await self.outbox.row(number)
            open_ = row is not None and row.state in ("waiting", "sending") and not row.error
            if not open_ or time.monotonic() > until:
                return row
            await asyncio.sleep(_POLL_S)

    async def row(self, number: int) -> Outgoing | None:
        """A text as it stands."""
        return await self.outbox.row(number)

    async def _recover(self) -> None:
        if not self._recovered:
            await self.outbox.recover()
            self._recovered = True

    def call_later(self, session: Session, ask_id: str) -> None:
        """Tell the person's own chats what waits, unless a screen shows it or it is answered."""
        task = self.core.spawn(calling.later(self, session, ask_id))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    # --- sessions ------------------------------------------------------------------------

    async def chat_for(self, message: Inbound) -> Chat:
        """The chat a message belongs to, with the session its text goes to."""
        key = key_of(message)
        chat = await self.rows.get(key)
        if chat is not None and not self._is_over(chat, message):
            with suppress(NotFoundError):
                await self.core.session(chat.session)
                return chat
        return await self.begin(message)

    def _is_over(self, chat: Chat, message: Inbound) -> bool:
        settings = self.people.settings(message.platform)
        quiet = time.time() - chat.last_in
        if settings.reset == "idle":
            return quiet > settings.idle_minutes * 60
        if settings.reset == "daily":
            return chat.last_in < _last_reset(settings.reset_hour)
        return False

    async def begin(self, message: Inbound, title: str = "") -> Chat:
        """A new session for a chat."""
        role = self.people.role(message.platform, message.sender) or "guest"
        person = person_of(message.platform, message.sender, role)
        shared = await self._shared(message) if not person and not title else None
        if shared is None:
            session = await self.core.shelf.create(
                OpenSession(
                    which="new",
                    title=title,
                    standing=await self._new_standing(person),
                    face=message.platform,
                    person=person,
                    chat=target_of(message) if message.group or person else "",
                    group=message.group,
                )
            )
        else:
            session = await self.core.session(shared)
        return await self.place(message, session, person)

    async def place(self, message: Inbound, session: Session, person: str) -> Chat:
        """Put a session into the chat of a message."""
        chat = Chat(
            key=key_of(message),
            target=target_of(message),
            session=session.id,
            person=person,
            grouped=message.group,
            told=session.last,
            last_in=time.time(),
        )
        await self.rows.put(chat)
        if message.platform == HOOKS:
            await self.hooks.bind(chat)
        else:
            self.telling.bind(chat)
        return chat

    async def link(self, session: Session, to: str) -> Chat:
        """Have a chat and a session be one conversation. Raises HermesError."""
        target = self.address(to)
        platform = target.partition(":")[0]
        known = await self.rows.of_target(target)
        if session.conversation.person or (known is not None and known.person):
            raise HermesError("only chats of your own can be linked")
        if known is None and target != self.home(platform):
            raise HermesError(
                f"nothing has come from {target} yet", "write something there first, then link it"
            )
        if known is not None and known.grouped:
            raise HermesError("others read along there", "link a direct chat")
        chat = Chat(
            key=known.key if known is not None else target,
            target=target,
            session=session.id,
            told=session.last,
            last_in=known.last_in if known is not None else 0.0,
        )
        await self.rows.put(chat)
        self.telling.bind(chat)
        return chat

    async def part(self, session: Session, to: str) -> Chat:
        """Have a chat and a session part; the chat begins a new one. Raises HermesError."""
        target = self.address(to)
        mine = (one for one in self.telling.bound(session.id) if one.target == target)
        chat = next(mine, None)
        if chat is None:
            raise HermesError(f"{target} is not linked with this session")
        await self.rows.remove(chat.key)
        self.telling.unbind(chat.key)
        return chat

    def home(self, platform: str) -> str:
        """The target of the person's own chat on a platform; empty when there is none."""
        home = self.people.settings(platform).home_chat
        return f"{platform}:{home}" if home else ""

    async def infos(self, chats: int) -> tuple[GatewayInfo, ...]:
        """How the gateways are, each with so many of its chats."""
        rows, counts = await self.rows.all(), await self.outbox.counts()
        names = dict.fromkeys((*self.platforms(), *PLATFORMS))
        found = (self.gate(name).info(rows, counts) for name in names)
        return tuple(replace(one, chats=one.chats[:chats]) for one in found)

    async def _shared(self, message: Inbound) -> str | None:
        """The session of the owner's other direct chats, where all are one conversation."""
        if message.group or not self.core.config.gateways.one_conversation:
            return None
        mine = (one for one in await self.rows.all() if not one.person and not one.grouped)
        return next((one.session for one in mine if one.key != key_of(message)), None)

    async def _new_standing(self, person: str) -> Standing:
        folder = await asyncio.to_thread(_folder, self.core.config.gateways.folder, person)
        return replace(here(), cwd=folder)

    def standing(self, session: Session) -> Standing:
        """Where a session stands when something is said in it from a chat."""
        return replace(here(), cwd=session.cwd)


def key_of(message: Inbound) -> str:
    """Which session a message belongs to: a chat's, a thread's, in a group a person's own."""
    target = target_of(message)
    if message.platform == HOOKS:
        return f"{target}#{message.message}"
    return f"{target}|{message.sender}" if message.group and not message.thread else target


def menu() -> tuple[MenuEntry, ...]:
    """The commands of chats, as platforms list them."""
    return tuple(
        MenuEntry(name=one.slash, help=one.help, args=one.args)
        for one in commands.COMMANDS
        if one.slash and "chat" in one.surfaces
    )


def _last_reset(hour: int) -> float:
    now = time.localtime()
    today = time.mktime((now.tm_year, now.tm_mon, now.tm_mday, hour, 0, 0, 0, 0, -1))
    if today <= time.time():
        return today
    return time.mktime((now.tm_year, now.tm_mon, now.tm_mday - 1, hour, 0, 0, 0, 0, -1))


def _folder(where: str, person: str) -> str:
    """The working folder of a new session; somebody else than the owner has one of their own."""
    folder = Path(os.path.expanduser(where))
    if person:
        folder = folder / "guests" / person.replace(":", "-").replace("/", "_")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(folder)
