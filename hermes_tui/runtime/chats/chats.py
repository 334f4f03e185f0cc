"""The core's side of chats: what goes out is kept, sent, and known to have arrived."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from typing import TYPE_CHECKING

from hermes_tui.errors import HermesError
from hermes_tui.gateways.sending import Sender
from hermes_tui.gateways.telegram import Telegram, target
from hermes_tui.security.vault import Vault
from hermes_tui.store.outbox import Outbox, Outgoing

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

_log = logging.getLogger(__name__)
_AGAIN_S = 30.0
_POLL_S = 0.05


class Chats:
    """The outbox and who empties it. `start` in a core that stays; `close` before the store."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._outbox = Outbox(core.db)
        self._telegram = Telegram(self._token, core.config.telegram.base_url)
        self._sender = Sender(self._outbox, self._telegram)
        self._recovered = False
        self._task: asyncio.Task[None] | None = None

    async def put(self, to: str, text: str, *, key: str = "") -> int:
        """Keep a text for a chat and return its number. Raises HermesError."""
        where = target(to, self._core.config.telegram.home_chat)
        if where.partition(":")[0] != self._telegram.platform:
            raise HermesError(f"no gateway of {where!r} is set up", "such as telegram:12345")
        number = await self._outbox.put(where, text, key=key)
        self._sender.wake()
        return number

    async def start(self) -> None:
        """Send what an earlier core left, and what comes."""
        if self._task is None:
            self._task = self._core.spawn(self._run())

    async def settled(self, number: int, limit_s: float) -> Outgoing | None:
        """A text as it stands when it went out, was refused, failed once, or the time is over."""
        until = time.monotonic() + limit_s
        while True:
            if self._task is None:
                await self._once()
            row = await self._outbox.row(number)
            open_ = row is not None and row.state in ("waiting", "sending") and not row.error
            if not open_ or time.monotonic() > until:
                return row
            await asyncio.sleep(_POLL_S)

    async def row(self, number: int) -> Outgoing | None:
        """A text as it stands."""
        return await self._outbox.row(number)

    async def close(self) -> None:
        """Stop sending; what is left waits for the next core."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task], timeout=5)
        await self._telegram.close()

    async def _run(self) -> None:
        while True:
            try:
                await self._recover()
                await self._sender.run()
            except* HermesError as failures:  # the store is damaged or full: nothing else fails
                _log.warning("nothing is sent for now: %s", failures.exceptions[0])
            await asyncio.sleep(_AGAIN_S)

    async def _once(self) -> None:
        await self._recover()
        await self._sender.once()

    async def _recover(self) -> None:
        if not self._recovered:
            await self._outbox.recover()
            self._recovered = True

    def _token(self) -> str:
        name = self._core.config.telegram.token_env
        return os.environ.get(name, "") or Vault(self._core.home).values().get(name, "")
