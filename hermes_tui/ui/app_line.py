"""The line to the core: events in, and the way back when it was lost."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hermes_tui.errors import HermesError
from hermes_tui.events import CoreEnding
from hermes_tui.intents import OpenSession
from hermes_tui.runtime.client import CoreClient
from hermes_tui.ui.notify import Notifier
from hermes_tui.ui.rail import Rail

if TYPE_CHECKING:
    from hermes_tui.ui.app import HermesApp

Reconnect = Callable[[], Awaitable[CoreClient]]
_SLICE_S = 0.012
_WAITS_S = (0.2, 0.5, 1.0, 2.0, 5.0)
_GIVE_UP_S = 600.0


class Line:
    """Follows the core of an app for as long as the app runs."""

    def __init__(self, app: HermesApp, request: OpenSession, reconnect: Reconnect | None) -> None:
        self._app = app
        self._request = request
        self._reconnect = reconnect

    @cached_property
    def notifier(self) -> Notifier:
        """Who calls a person back to the terminal."""
        return Notifier(self._app)

    async def live(self) -> None:
        """Open the first session, then take in events until the core is gone for good."""
        app = self._app
        try:
            await app.open(self._request)
        except HermesError as error:
            self._give_up(str(error))
            return
        app.do(app.talk.begin)
        app.do(app.commands.setup.begin)
        app.main.query_one(Rail).ask_again()
        self.notifier.begin()
        try:
            await self._stay()
        finally:
            self.notifier.close()
            app.terminal.gallery.clear()

    async def _stay(self) -> None:
        app = self._app
        while True:
            reason = await self._follow()
            if app.left:
                return
            if self._reconnect is None:
                self._give_up(f"The core has ended: {reason}")
                return
            if not await self._come_back(self._reconnect, reason):
                self._give_up(f"The core is gone: {reason}")
                return

    async def _follow(self) -> str:
        """Take in events until the core ends or the line is cut; why."""
        began = time.monotonic()
        async for record in self._app.client.events():
            if isinstance(record.event, CoreEnding):
                return record.event.reason
            if self._app.left:
                return ""
            self._app.handle(record)
            self._app.main.query_one(Rail).heard(record.event)
            self._app.commands.setup.heard(record)
            self.notifier.heard(record)
            if time.monotonic() - began > _SLICE_S:
                await asyncio.sleep(0)  # a flood of events must not hold up a key
                began = time.monotonic()
        return "the line to the core was closed"

    async def _come_back(self, reconnect: Reconnect, reason: str) -> bool:
        until = time.monotonic() + _GIVE_UP_S
        for wait in itertools.chain(_WAITS_S, itertools.repeat(_WAITS_S[-1])):
            self._app.banner(f"{reason} · trying again in {wait:g} s · ctrl+q leaves")
            await asyncio.sleep(wait)
            if await self._try(reconnect):
                self._app.banner("")
                self._app.refresh_session()
                self._app.main.query_one(Rail).ask_again()
                return True
            if time.monotonic() > until:
                return False
        return False

    async def _try(self, reconnect: Reconnect) -> bool:
        app = self._app
        request = replace(self._request, which=app.shown.id, mode="", model="")
        try:
            app.client = await reconnect()
            await app.shown.resume(replace(request, after=app.shown.number))
        except HermesError:
            return False
        return True

    def _give_up(self, goodbye: str) -> None:
        self._app.goodbye = goodbye
        self._app.leave("detach")
