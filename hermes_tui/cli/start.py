"""A core's process: with its screen until that is left, and alone from then on."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import time
from typing import TYPE_CHECKING

from hermes_tui.cli import quick
from hermes_tui.cli.attach import COME_BACK, visit_running
from hermes_tui.cli.daemon import RESTART, command, launch
from hermes_tui.cli.start_face import Visit, show, told, until_left
from hermes_tui.cli.start_log import CoreLog
from hermes_tui.cli.start_memory import give_back_memory, imported
from hermes_tui.cli.start_notify import Notifier
from hermes_tui.cli.start_terminal import Terminal
from hermes_tui.configuration.load import load
from hermes_tui.errors import CoreError, HermesError
from hermes_tui.home import Home
from hermes_tui.runtime import installed
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.link import SocketClient
from hermes_tui.runtime.local import LocalClient

if TYPE_CHECKING:
    from hermes_tui.cli.start_options import Options
    from hermes_tui.config import Config

SPLIT = "HERMES_TUI_SPLIT"
"""Set to 1: the core gets a process of its own from the start, and the screen is attached."""

PATIENCE_S = 10.0
_LOG_CHECK_S = 60.0
_POLL_S = 0.03

_log = logging.getLogger(__name__)


def screen(options: Options, terminal: Terminal) -> int:
    """`hermes`: the screen of the core of this home, which starts in this process if need be."""
    home = Home.find().ensure()
    if os.environ.get(SPLIT) == "1" and not quick.held(home):
        launch(home).close()
    return asyncio.run(_screen(options, terminal, home))


def headless() -> int:
    """`hermes daemon start`: the core alone, in a process that has no terminal."""
    home = Home.find().ensure()
    terminal = Terminal.none()
    terminal.guard()
    return asyncio.run(_headless(terminal, home))


async def _screen(options: Options, terminal: Terminal, home: Home) -> int:
    config = load(home, os.environ).config
    found = await core_or_client(home, config)
    visit = Visit(options, terminal, home, config.ui)
    if isinstance(found, SocketClient):
        return await visit_running(found, visit)
    life = Life(found, terminal, CoreLog(home.log, config.core.log_bytes))
    return await life.run(visit)


async def core_or_client(home: Home, config: Config) -> Core | SocketClient:
    """The home's core, started here, or a line to the one that lives elsewhere.

    Waits for one that is just starting or ending. Raises CoreError when that takes too long.
    """
    until = time.monotonic() + PATIENCE_S
    while True:
        line = quick.connect(home, "probe")
        if line is not None:
            line.close()
        found = await (_living(home) if line else _own(home, config))
        if found is not None:
            return found
        if time.monotonic() > until:
            raise CoreError("cores come and go in this home", "`hermes daemon logs` may say why")
        await asyncio.sleep(_POLL_S)


async def _living(home: Home) -> SocketClient | None:
    try:
        return await SocketClient.connect(home)
    except CoreError:
        return None  # it has just ended


async def _own(home: Home, config: Config) -> Core | None:
    core = Core(home, config)
    core.remember_files()
    try:
        await core.start()
    except CoreError:
        if quick.held(home):
            return None  # another was quicker to take the lock
        raise
    return core


async def _headless(terminal: Terminal, home: Home) -> int:
    config = load(home, os.environ).config
    await asyncio.to_thread(quick.wait_until_free, home, PATIENCE_S)
    core = Core(home, config, headless=True)
    core.remember_files()
    log = CoreLog(home.log, config.core.log_bytes)
    log.take_outputs()
    await core.start()
    imported()
    os.chdir(home.path)
    return await Life(core, terminal, log).run()


class Life:
    """What happens around a core in its process: signals, the screen, the log, the end."""

    def __init__(self, core: Core, terminal: Terminal, log: CoreLog) -> None:
        self._core = core
        self._terminal = terminal
        self._log = log
        self._loop = asyncio.get_running_loop()
        self._told = asyncio.Event()
        self._close_screen = asyncio.Event()
        terminal.log = log.fd
        log.catch()
        installed.hold(str(core.home.replaced))
        terminal.on_end = lambda: self._later(self._told)
        terminal.on_lost.append(lambda: self._later(self._close_screen))
        if terminal.ending:
            self._told.set()
        if terminal.lost:
            self._close_screen.set()

    async def run(self, visit: Visit | None = None) -> int:
        """Live until the core has ended, with a face first if there is a visit; the exit code."""
        async with asyncio.TaskGroup() as group:
            # One task ends the core, whenever it is told to: an end must not be cut short.
            ending = group.create_task(self._end_when_told())
            turning = group.create_task(self._turn_log_over())
            notifier = Notifier()
            notifier.tell("READY=1")
            living = group.create_task(notifier.live())
            if visit is not None:
                await self._with_face(visit)
            await self._core.ended.wait()
            notifier.tell("STOPPING=1" if self._core.end_reason != RESTART else "RELOADING=1")
            # The lock is let go last, when the store is closed.
            await asyncio.to_thread(quick.wait_until_free, self._core.home, PATIENCE_S)
            for task in (ending, turning, living):
                task.cancel()
        if self._core.end_reason == RESTART:
            self._become_the_installed_version()
        ending_signal = self._terminal.ending
        return 128 + signal.Signals[ending_signal] if ending_signal else 0

    async def _with_face(self, visit: Visit) -> None:
        """Show a face, then end the core or let it go on alone."""
        self._watch_launcher()
        client = LocalClient(self._core, "plain" if visit.plain else "ui")
        closing = asyncio.create_task(self._close_screen_with_the_core())
        face = show(client, visit, embedded=True)
        left = await until_left(face, self._close_screen, self._terminal)
        closing.cancel()
        await client.close()
        if left.leave == "quit":
            await self._core.end("quit")
        elif not self._core.end_reason:
            self._detach(left.failure)
        elif isinstance(left.failure, HermesError) and self._core.end_reason != RESTART:
            print(f"hermes: {left.failure.message}", file=sys.stderr)

    def _later(self, event: asyncio.Event) -> None:
        self._loop.call_soon_threadsafe(event.set)

    def _watch_launcher(self) -> None:
        def gone() -> None:
            self._loop.remove_reader(self._terminal.alive)
            self._close_screen.set()

        self._loop.add_reader(self._terminal.alive, gone)

    async def _end_when_told(self) -> None:
        await self._told.wait()
        await self._core.end(self._terminal.ending)

    async def _close_screen_with_the_core(self) -> None:
        await self._core.ended.wait()
        self._close_screen.set()

    def _detach(self, failure: BaseException | None) -> None:
        os.chdir(self._core.home.path)
        self._loop.remove_reader(self._terminal.alive)
        self._terminal.leave()
        self._log.take_outputs()
        if failure is None:
            self._terminal.say("detached", COME_BACK)
        else:
            _log.error("the screen failed", exc_info=failure)
            self._terminal.say("failed", f"hermes: the screen failed: {told(failure)}. {COME_BACK}")
        self._terminal.close()
        self._core.headless = True
        give_back_memory()

    async def _turn_log_over(self) -> None:
        while True:
            self._log.turn_over()
            await asyncio.sleep(_LOG_CHECK_S)

    def _become_the_installed_version(self) -> None:
        self._terminal.leave()
        self._terminal.say("detached", "The agent has restarted. `hermes` brings the screen back.")
        sys.stdout.flush()
        os.execve(sys.executable, command(), os.environ)
