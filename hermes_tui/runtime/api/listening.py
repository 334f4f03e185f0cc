"""The HTTP port of a core: its key, its paths, what is told when it can't be listened on."""

from __future__ import annotations

import asyncio
import logging
import os
from typing import TYPE_CHECKING

from hermes_tui import __version__
from hermes_tui.errors import HermesError
from hermes_tui.gateways.base import Answer, Call
from hermes_tui.home import Home
from hermes_tui.http.base import as_json
from hermes_tui.http.listener import HttpListener
from hermes_tui.security.vault import Vault

if TYPE_CHECKING:
    from hermes_tui.runtime.api.api import Api
    from hermes_tui.runtime.core import Core

_log = logging.getLogger(__name__)


class Key:
    """The key callers have to show. It is read anew when the stored secrets have changed."""

    def __init__(self, home: Home, name: str) -> None:
        self._home = home
        self._name = name
        self._mark: tuple[int, int] | None = None
        self._value = ""

    async def current(self) -> str:
        """The key as it is now; empty when there is none."""
        if set_ := os.environ.get(self._name, "").strip():
            return set_
        mark = self._home.secrets_mark()
        if mark != self._mark:
            found = await asyncio.to_thread(Vault(self._home).get, self._name)
            self._mark, self._value = mark, (found or "").strip()
        return self._value


def listener_of(core: Core) -> HttpListener:
    """The listener of a core, which does not listen yet."""
    config = core.config.http
    listener = HttpListener(
        config, Key(core.home, config.key_env).current, lambda: bool(core.end_reason)
    )
    listener.serve("GET", "/health", _health, kind="open")
    return listener


def api_of(core: Core, listener: HttpListener) -> Api | None:
    """The API on a listener; None where only webhooks are wanted."""
    if not core.config.http.api:
        return None
    from hermes_tui.runtime.api.api import Api

    api = Api(core)
    api.add_to(listener)
    return api


async def start(listener: HttpListener, api: Api | None) -> tuple[tuple[str, str], ...]:
    """Listen; what a person should be told if that can't be done, and what to do then."""
    try:
        await listener.start()
        if api is not None:
            await api.start()
    except HermesError as error:
        text = f"the HTTP port is closed: {error.message}"
        _log.warning("%s (%s)", text, error.hint)
        return ((text, error.hint),)
    return ()


async def _health(call: Call, parts: dict[str, str]) -> Answer:
    return as_json({"status": "ok", "version": __version__})
