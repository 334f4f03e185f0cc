"""Who may talk in chats: owners by the settings, and whoever was let in. No one else is heard."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable

from hermes_tui.config import ChatConfig, Config
from hermes_tui.gateways.base import Inbound
from hermes_tui.store.chats import ALPHABET, CODE_CHARS
from hermes_tui.store.pairing import Pairing, Person, Role

_log = logging.getLogger(__name__)
TERMINAL = "cli"
"""The platform of chats that a terminal of this machine holds."""
HOOKS = "webhook"
"""The platform of calls of other programs."""
_CODE = re.compile(rf"(?:/(?:pair|start)\s+)?([{ALPHABET}]{{{CODE_CHARS}}})", re.IGNORECASE)


class People:
    """Roles by platform and id; names decide nothing. `load` before the first question."""

    def __init__(self, config: Callable[[], Config], pairing: Pairing) -> None:
        self.pairing = pairing
        self._config = config
        self._known: dict[tuple[str, str], Person] = {}

    async def load(self) -> None:
        """Read anew who was let in: whoever was put out is out from now on."""
        self._known = {(one.platform, one.sender): one for one in await self.pairing.people()}

    def settings(self, platform: str) -> ChatConfig:
        """The settings of a platform."""
        found = getattr(self._config(), platform, None)
        return found if isinstance(found, ChatConfig) else ChatConfig(enabled=True)

    def role(self, platform: str, sender: str) -> Role | None:
        """What somebody is here; None for a stranger."""
        if platform == HOOKS:
            named = (one.name for one in self._config().webhook.hooks)
            return "owner" if sender in named else None
        if sender and sender in self.settings(platform).owners:
            return "owner"
        person = self._known.get((platform, sender))
        return person.role if person is not None else None

    def owners(self, platform: str) -> int:
        """How many owners there are; a way in for programs is its own."""
        if platform == HOOKS:
            return len(self._config().webhook.hooks)
        paired = {
            sender
            for (where, sender), one in self._known.items()
            if where == platform and one.role == "owner"
        }
        return len(paired | {one for one in self.settings(platform).owners if one})

    def listens(self, message: Inbound) -> bool:
        """Whether a message of somebody known is meant for the agent."""
        if not message.group:
            return True
        settings = self.settings(message.platform)
        if "*" not in settings.groups and message.chat not in settings.groups:
            return False
        return message.spoken_to or bool(message.pressed) or not settings.mention

    async def stranger(self, message: Inbound) -> Person | None:
        """Somebody unknown wrote: no answer, one line in the log, and a request for the owner.

        Whoever writes a code that an owner handed on, in a direct chat, is let in.
        """
        code = None if message.group else _CODE.fullmatch(message.text.strip())
        where, who = message.platform, message.sender
        if code is not None:
            person = await self.pairing.redeem(where, who, message.name, code.group(1))
            if person is not None:
                await self.load()
                return person
        noted = False
        if self._config().gateways.pairing and not message.group and message.sender:
            noted = await self.pairing.noticed(where, who, message.chat, message.name[:80])
        _log.info("%s: %s is unknown and was not answered%s", where, who, _listed(noted))
        return None


def _listed(noted: bool) -> str:
    return "; `hermes pairing list` has the request" if noted else ""


def person_of(platform: str, sender: str, role: Role) -> str:
    """Whose memory a session draws on: empty for the owner."""
    return "" if role == "owner" else f"{platform}:{sender}"
