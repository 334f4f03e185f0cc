"""Calls of other programs: each is a session of its own, answered in the chats of its hook."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hermes_tui.config import Hook
from hermes_tui.errors import HermesError
from hermes_tui.gateways.base import Inbound
from hermes_tui.runtime.chats.people import HOOKS
from hermes_tui.store.chats import Chat

if TYPE_CHECKING:
    from hermes_tui.runtime.chats.chats import Chats

_log = logging.getLogger(__name__)
KEPT_S = 7 * 86_400.0
"""So long a hook's sessions are told in chats."""


class Hooks:
    """The hooks of the settings."""

    def __init__(self, chats: Chats) -> None:
        self._chats = chats

    def named(self, name: str) -> Hook | None:
        """A hook by its name."""
        hooks = self._chats.core.config.webhook.hooks
        return next((one for one in hooks if one.name == name), None)

    async def passed_on(self, message: Inbound) -> bool:
        """Deliver a text as it is, where a hook wants no agent; False where it wants one."""
        hook = self.named(message.chat) if message.platform == HOOKS else None
        if hook is None or hook.agent:
            return False
        for target in hook.deliver:
            key = f"{HOOKS}:{hook.name}#{message.message}>{target}"
            try:
                await self._chats.put(target, message.text, key=key)
            except HermesError as error:
                _log.warning("the hook %s: %s was not told: %s", hook.name, target, error)
        return True

    async def bind(self, chat: Chat) -> None:
        """Have the chats of a hook hear of a session."""
        hook = self.named(chat.target.partition(":")[2])
        for to in hook.deliver if hook is not None else ():
            try:
                target = self._chats.address(to)
            except HermesError as error:
                _log.warning("the hook %s: %s is not told: %s", chat.target, to, error)
                continue
            heard = replace(chat, key=f"{chat.key}>{target}", target=target)
            await self._chats.rows.put(heard)
            self._chats.telling.bind(heard)

    async def forget(self) -> None:
        """Let go of what hooks had long ago; their sessions stay."""
        await self._chats.rows.forget(HOOKS, time.time() - KEPT_S)
