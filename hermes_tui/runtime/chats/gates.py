"""One platform's gate: its gateway, kept connected, and the sender that empties its outbox."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from hermes_tui.errors import HermesError
from hermes_tui.gateways import registry
from hermes_tui.gateways.base import Gateway, Setup
from hermes_tui.gateways.keeper import Keeper
from hermes_tui.gateways.sending import Sender
from hermes_tui.intents import ChatInfo, GatewayInfo
from hermes_tui.runtime.chats.desk import CoreDesk
from hermes_tui.runtime.chats.people import TERMINAL
from hermes_tui.store.chats import Chat
from hermes_tui.store.outbox import Counts

if TYPE_CHECKING:
    from hermes_tui.runtime.chats.chats import Chats

_log = logging.getLogger(__name__)
_AGAIN_S = 30.0
_LATE_S = 600.0


class Gate:
    """What one platform has in this core. Its failures are its own."""

    def __init__(self, chats: Chats, platform: str) -> None:
        self.platform = platform
        self.gateway: Gateway | None = None
        self._chats = chats
        self._keeper: Keeper | None = None
        self._desk: CoreDesk | None = None
        self._sender: Sender | None = None
        self._problem = ""
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def connected(self) -> bool:
        """Whether something can be shown there right now."""
        return self._keeper is not None and self._keeper.state == "on"

    def start(self) -> None:
        """Connect and send. Without an owner nothing is received."""
        if any(not task.done() for task in self._tasks):
            return
        self._problem = ""
        try:
            gateway = self._made()
        except HermesError as error:
            self._problem = f"{error.message}: {error.hint}" if error.hint else error.message
            _log.warning("%s: %s", self.platform, self._problem)
            self._chats.changed(self.platform)
            return
        core = self._chats.core
        self._tasks = [core.spawn(self._send())]
        if self.platform != TERMINAL and not self._chats.people.owners(self.platform):
            self._problem = f"it has no owner: `hermes gateway setup {self.platform}`"
            _log.warning("%s: %s", self.platform, self._problem)
            self._chats.changed(self.platform)
            return
        self._desk = CoreDesk(self.platform, self._chats.house(), self._alive)
        self._keeper = Keeper(gateway, self._desk, lambda: self._chats.changed(self.platform))
        self._tasks.append(core.spawn(self._keeper.run()))
        self._tasks.append(core.spawn(self._watch()))

    def _made(self) -> Gateway:
        if self.gateway is None:
            if self.platform == TERMINAL:
                self.gateway = self._chats.terminal
            else:
                config = getattr(self._chats.core.config, self.platform)
                listener = self._chats.core.outside.listener
                setup = Setup(config=config, secret=self._chats.secret, listener=listener)
                self.gateway = registry.make(self.platform, setup)
        return self.gateway

    def _alive(self) -> None:
        if self._keeper is not None:
            self._keeper.alive()

    async def stop(self) -> None:
        """Receive and send no more; what waits, waits."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=10)
        self._tasks = []
        if self._keeper is not None:
            self._keeper = None
            self._chats.changed(self.platform)

    async def close(self) -> None:
        """Let go of everything."""
        await self.stop()
        if self.gateway is not None:
            await self.gateway.close()
            self.gateway = self._sender = None  # the next start goes by the settings of then

    # --- out -----------------------------------------------------------------------------

    def wake(self) -> None:
        """Something waits."""
        if self._sender is not None:
            self._sender.wake()

    async def once(self) -> None:
        """Send what is due, in a core that does not stay."""
        await self._sending().once()

    def _sending(self) -> Sender:
        if self._sender is None:
            gateway = self._made()
            outbox, park = self._chats.outbox, self._chats.rows.park
            self._sender = Sender(outbox, gateway, gateway=gateway, dead=park)
        return self._sender

    async def _send(self) -> None:
        while True:
            try:
                await self._sending().run()
            except* HermesError as failures:  # the store is damaged or full
                _log.warning("%s: nothing is sent: %s", self.platform, failures.exceptions[0])
            await asyncio.sleep(_AGAIN_S)

    async def _watch(self) -> None:
        """The watchdog of the watchdog: a keeper that stands still is begun anew."""
        while True:
            await asyncio.sleep(_LATE_S / 2)
            keeper = self._keeper
            if keeper is None or keeper.state in ("refused", "conflict", "off"):
                continue
            if time.monotonic() - keeper.beat > _LATE_S:
                _log.error("%s: its keeper stood still and is begun anew", self.platform)
                self._chats.core.spawn(self._anew())
                return

    async def _anew(self) -> None:
        await self.stop()
        self.start()

    # --- how it is -----------------------------------------------------------------------

    def info(self, chats: tuple[Chat, ...], counts: dict[str, Counts]) -> GatewayInfo:
        """How this gateway is."""
        keeper, desk = self._keeper, self._desk
        out = counts.get(self.platform, Counts())
        mine = [one for one in chats if one.target.startswith(f"{self.platform}:")]
        heard = max((one.last_in for one in mine), default=0.0)
        alive = keeper.alive_at if keeper is not None else 0.0
        state = keeper.state if keeper is not None else "refused" if self._problem else "off"
        return GatewayInfo(
            name=self.platform,
            enabled=self.platform in self._chats.platforms(),
            state=state,
            problem=(keeper.problem if keeper is not None else "") or self._problem,
            last_in=max(heard, desk.last_in if desk is not None else 0.0),
            last_out=out.last_out,
            age=round(time.monotonic() - alive, 1) if alive else 0.0,
            waiting=out.waiting,
            failed=out.failed,
            doubtful=out.doubtful,
            owners=self._chats.people.owners(self.platform),
            chats=tuple(map(self._chat_info, mine)),
        )

    def _chat_info(self, chat: Chat) -> ChatInfo:
        session = self._chats.core.sessions.get(chat.session)
        return ChatInfo(
            key=chat.key,
            target=chat.target,
            session=chat.session,
            title=session.conversation.title if session is not None else "",
            person=chat.person,
            group=chat.grouped,
            last_in=chat.last_in,
            parked=chat.parked,
        )
