"""Which face a person gets, the full screen or plain lines, and how it is opened and left."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.cli.start_memory import imported
from hermes_tui.cli.start_options import Options
from hermes_tui.cli.start_terminal import Terminal
from hermes_tui.config import UiConfig
from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession
from hermes_tui.runtime.client import CoreClient
from hermes_tui.runtime.standing import here

Leave = Literal["detach", "quit"] | None
"""Only an explicit quit ends the core; everything else leaves it running."""

CLOSING_S = 2.0

Reconnect = Callable[[], Awaitable[CoreClient]]


class Visit(Struct, frozen=True):
    """What a face needs besides the core: the command line, the terminal, home and settings."""

    options: Options
    terminal: Terminal
    home: Home
    ui: UiConfig

    def wanted(self, otherwise: str = "last-or-new") -> OpenSession:
        """The session the command line asks for, seen from where this process stands."""
        options = self.options
        return OpenSession(
            which=options.which(otherwise),
            standing=replace(here(), cwd=options.folder, env={}) if options.folder else here(),
            mode=options.mode,
            model=options.model,
            face="plain" if self.plain else "ui",
        )

    @property
    def plain(self) -> bool:
        """Lines instead of a screen: asked for, or the terminal can't show one."""
        dumb = os.environ.get("TERM", "dumb") in ("", "dumb")
        return self.options.plain or dumb or not (os.isatty(0) and os.isatty(1))


async def show(
    client: CoreClient, visit: Visit, *, embedded: bool, reconnect: Reconnect | None = None
) -> Leave:
    """Show the core behind a client until the person leaves."""
    if visit.terminal.lost:
        return "detach"
    if visit.plain:
        return await _plain(client, visit, embedded)
    return await _full(client, visit, embedded, reconnect)


async def _full(
    client: CoreClient, visit: Visit, embedded: bool, reconnect: Reconnect | None
) -> Leave:
    from hermes_tui.cli.start_driver import ScreenDriver
    from hermes_tui.ui.app import Host, run_app

    ScreenDriver.terminal = visit.terminal
    host = Host(reconnect=reconnect, driver=ScreenDriver)
    leave = await run_app(client, visit.wanted(), visit.home, visit.ui, embedded, host)
    if visit.terminal.failure is not None:
        raise visit.terminal.failure
    return leave


async def _plain(client: CoreClient, visit: Visit, embedded: bool) -> Leave:
    from hermes_tui.plain import run_plain

    imported()
    return await run_plain(client, visit.wanted(), embedded)


class Left(Struct, frozen=True):
    """How a face was left: by choice, by being closed (both None), or by a failure."""

    leave: Leave = None
    failure: BaseException | None = None


async def until_left(
    face: Coroutine[Any, Any, Leave], close: asyncio.Event, terminal: Terminal
) -> Left:
    """Run a face to its end. `close` has it leave in order, and does not wait for ever."""
    shown = asyncio.create_task(face, name="face")
    closed = asyncio.create_task(close.wait(), name="close the face")
    try:
        await asyncio.wait({shown, closed}, return_when=asyncio.FIRST_COMPLETED)
        if not shown.done() and terminal.close_screen is not None:
            terminal.close_screen()
            await asyncio.wait({shown}, timeout=CLOSING_S)
    finally:
        closed.cancel()
        shown.cancel()
        await asyncio.wait({shown}, timeout=CLOSING_S)
    if not shown.done() or shown.cancelled():
        return Left()
    failure = shown.exception()
    return Left(failure=failure) if failure else Left(leave=shown.result())


def told(failure: BaseException) -> str:
    """A failure in one line, for people."""
    if isinstance(failure, HermesError):
        return failure.message
    return " ".join(f"{type(failure).__name__}: {failure}".split())
