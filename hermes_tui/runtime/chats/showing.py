"""What a chat sees of a turn before its end: that somebody is writing, and the answer as it grows.

A growing answer is one message that is changed, never oftener than the platform bears. Its row
in the outbox is there before the message: the finished text goes into that message.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import TYPE_CHECKING

from hermes_tui.errors import HermesError
from hermes_tui.events import TextDelta
from hermes_tui.gateways.base import Address, Gateway, Message, SendError
from hermes_tui.store.chats import Chat
from hermes_tui.store.outbox import Fresh

if TYPE_CHECKING:
    from hermes_tui.runtime.chats.chats import Chats

_log = logging.getLogger(__name__)
FIRST_S = 1.0
"""An answer that is whole before that is sent as it is."""
TYPING_S = 4.0
MOST_SHOWN = 1500
"""Characters of a growing answer that are shown; the rest comes with its end."""


class Showing:
    """Drafts and typing signs, by the keys of chats."""

    def __init__(self, chats: Chats) -> None:
        self._chats = chats
        self._typing: dict[str, asyncio.Task[None]] = {}
        self._drafts: dict[str, _Draft] = {}

    def begin(self, chat: Chat) -> None:
        """A turn began: show that somebody is writing until it ends."""
        gateway = self._chats.gateway(chat.target)
        if gateway is not None and gateway.able.typing and chat.key not in self._typing:
            to = Address.of(chat.target)
            self._typing[chat.key] = self._chats.core.spawn(_typing(gateway, to))

    def end(self, chat: Chat) -> None:
        """The turn is over."""
        if task := self._typing.pop(chat.key, None):
            task.cancel()

    def more(self, chat: Chat, delta: TextDelta) -> None:
        """More of a reply came."""
        gateway = self._chats.gateway(chat.target)
        settings = self._chats.people.settings(chat.target.partition(":")[0])
        if not delta.text or gateway is None or not (gateway.able.edits and settings.stream):
            return
        draft = self._drafts.get(chat.key)
        if draft is None or (draft.turn, draft.step) != (delta.turn, delta.step):
            draft = _Draft(self._chats, chat, gateway, delta)
            self._drafts[chat.key] = draft
        draft.text += delta.text

    async def settle(self, chat: Chat) -> None:
        """Change the growing message no more; its end goes by the outbox."""
        draft = self._drafts.pop(chat.key, None)
        if draft is not None:
            await draft.end()

    async def close(self) -> None:
        """End everything."""
        for task in self._typing.values():
            task.cancel()
        for draft in list(self._drafts.values()):
            await draft.end()


class _Draft:
    """One growing answer in one chat."""

    def __init__(self, chats: Chats, chat: Chat, gateway: Gateway, first: TextDelta) -> None:
        self.turn, self.step = first.turn, first.step
        self.text = ""
        self._chats = chats
        self._chat = chat
        self._gateway = gateway
        self._over = asyncio.Event()
        self._task = chats.core.spawn(self._run())

    async def end(self) -> None:
        """Stop, once a message that is on its way has arrived."""
        self._over.set()
        await asyncio.wait([self._task], timeout=30)

    async def _run(self) -> None:
        from hermes_tui.runtime.chats.telling import reply_key

        if await self._pause(FIRST_S) or await self._chats.outbox.waiting(self._chat.target):
            return
        rank = 1 if self._chat.person else 0
        key = reply_key(self._chat, self.turn, self.step)
        try:
            row = Fresh(key=key, target=self._chat.target, text=self.text, rank=rank)
            number = await self._chats.outbox.draft(row)
            if number is None:
                return
            to = Address.of(self._chat.target)
            shown = self._shown()
            proof = await self._gateway.send(to, self._message(shown), f"{key}#0")
            await self._chats.outbox.drafted(number, proof)
            await self._grow(to, proof, shown)
        except SendError as error:
            _log.info("%s: the answer is shown when it is whole: %s", self._chat.target, error)
        except HermesError as error:
            _log.warning("%s: %s", self._chat.target, error)

    async def _grow(self, to: Address, proof: str, shown: str) -> None:
        wait = self._gateway.able.edit_s
        while not await self._pause(wait):
            fresh = self._shown()
            if fresh == shown:
                continue
            began = time.monotonic()
            try:
                await self._gateway.edit(to, proof, self._message(fresh))
            except SendError as error:
                wait = max(wait * 2, error.retry_after)
            else:
                shown = fresh
                wait = max(self._gateway.able.edit_s, 2 * (time.monotonic() - began))

    def _shown(self) -> str:
        clean = self._chats.core.surroundings.redactor.redact(self.text, "outgoing-message").text
        return clean[:MOST_SHOWN].rstrip() + " …"

    def _message(self, text: str) -> Message:
        return self._gateway.messages(text)[0]

    async def _pause(self, seconds: float) -> bool:
        """Wait; True when the answer is whole."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._over.wait()
        return self._over.is_set()


async def _typing(gateway: Gateway, to: Address) -> None:
    while True:
        try:
            await gateway.typing(to)
        except SendError as error:
            _log.debug("no typing sign: %s", error)
            return
        await asyncio.sleep(TYPING_S)
