"""The background processes of a core: they outlive the turn that started them, not the core."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from hermes_tui.backends.local import start_command
from hermes_tui.backends.process import Process
from hermes_tui.errors import NotFoundError, ToolError
from hermes_tui.tools.output import CAP, Output, TextStream

if TYPE_CHECKING:
    from hermes_tui.backends.sandbox import Sandbox
    from hermes_tui.tools.watch_output import Watch

_KEPT_ENDED = 200
_IDLE_S = 0.3
_SETTLE_S = 2.0


class Background:
    """One background process. `ended` is Unix time in seconds, 0 while it runs.

    seen: bytes of its output the model has been shown; finished: set once its end is known
    and its output is on disk.
    """

    def __init__(self, process: Process, output: Output, about: tuple[str, str, str]) -> None:
        self.id, self.session, self.command = about
        self.pid = process.pid
        self.started = time.time()
        self.ended = 0.0
        self.process = process
        self.output = output
        self.seen = 0
        self.killed = False
        self.watched: Watch | None = None
        self.finished = asyncio.Event()

    @property
    def exit_code(self) -> int | None:
        """Its exit code; None while it runs, and when a signal ended it."""
        code = self.process.exit_code
        return None if code is None or code < 0 else code

    @property
    def status(self) -> str:
        """`running`, `exited`, `killed` (by us), or the signal that ended it."""
        code = self.process.exit_code
        if code is None:
            return "running"
        if self.killed:
            return "killed"
        return "exited" if code >= 0 else f"ended by {signal_name(-code)}"

    def line(self) -> str:
        """Id, state, age and command in one line."""
        code = "" if self.exit_code is None else f" {self.exit_code}"
        age = (self.ended or time.time()) - self.started
        left = ", with children still running" if self.ended and self.process.alive else ""
        command = " ".join(self.command.split())[:120]
        matched = self.watched.matched if self.watched else 0
        watch = f", {matched:,} lines matched {self.watched.pattern!r}" if self.watched else ""
        return f"{self.id} {self.status}{code}{left}, {age:.0f} s{watch}: {command}"


OnChange = Callable[[Background], None]
OnMatch = Callable[[Background, str], None]


class Processes:
    """All of them. `on_change` is called when one starts and when its wait status says it ended.

    on_match: called with the lines of a watched process that match; never often.
    """

    def __init__(
        self,
        on_change: OnChange,
        on_match: OnMatch | None = None,
        secrets_hidden: Callable[[], TextStream] | None = None,
    ) -> None:
        self._on_change = on_change
        self._secrets_hidden = secrets_hidden
        self._on_match = on_match
        self._all: dict[str, Background] = {}
        self._watchers: dict[str, asyncio.Task[None]] = {}
        self._closing = False

    async def start(
        self,
        command: str,
        *,
        session: str,
        cwd: str,
        env: Mapping[str, str],
        outputs: str,
        sandbox: Sandbox | None = None,
    ) -> Background:
        """Start a shell command; its output goes to a file in `outputs`. Raises ToolError."""
        if self._closing:
            raise ToolError("the core is ending; nothing more is started")
        process = await start_command(
            command, cwd=cwd, env=env, keep_input=True, linger=None, sandbox=sandbox
        )
        name = self._free_id()
        hidden = self._secrets_hidden() if self._secrets_hidden is not None else None
        output = Output(outputs, f"{name}.log", 1000, cap=CAP, whole=True, secrets=hidden)
        started = Background(process, output, (name, session, command))
        self._all[name] = started
        self._watchers[name] = asyncio.create_task(self._watch(started), name=f"process {name}")
        self._on_change(started)
        return started

    def watch(self, one: Background, watch: Watch) -> None:
        """Tell of lines that match, from what it writes now on; in place of an earlier watch."""
        if one.watched is not None:
            one.watched.stop()
        one.watched = watch
        if self._on_match is not None:
            watch.start(partial(self._on_match, one))

    def get(self, process_id: str, session: str) -> Background:
        """One of a session's processes; NotFoundError names those there are."""
        found = self._all.get(process_id.strip())
        if found is None or found.session != session:
            known = ", ".join(one.id for one in self.list(session))
            raise NotFoundError(
                f"there is no process {process_id!r}", f"there are: {known}" if known else ""
            )
        return found

    def list(self, session: str | None = None) -> list[Background]:
        """A session's processes, or all, oldest first; ended ones are kept for a while."""
        return [one for one in self._all.values() if session in (None, one.session)]

    def running(self) -> list[Background]:
        """Those that have not ended."""
        return [one for one in self._all.values() if one.process.running]

    async def kill(self, one: Background) -> None:
        """End a process and its children, within 2 s."""
        one.killed = one.killed or one.process.running
        await one.process.kill()
        with suppress(TimeoutError):
            await asyncio.wait_for(one.finished.wait(), 0.5)

    async def close(self) -> None:
        """End them all; the core is ending. Within 2 s, whatever they do."""
        self._closing = True
        await asyncio.gather(*(self.kill(one) for one in self._all.values() if one.process.alive))
        watchers = list(self._watchers.values())
        if watchers:
            _, late = await asyncio.wait(watchers, timeout=0.5)
            for watcher in late:
                watcher.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _watch(self, one: Background) -> None:
        """Keep its output, and say when it has ended."""
        reading = asyncio.create_task(self._keep(one), name=f"output of {one.id}")
        try:
            await one.process.wait()
            await _settle(one, reading)
            one.ended = time.time()
            if one.watched is not None:
                one.watched.end()
            self._on_change(one)
            one.finished.set()
            await reading
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            one.process.close()
            await one.output.close()
            self._watchers.pop(one.id, None)
            self._forget_old()

    async def _keep(self, one: Background) -> None:
        while chunk := await one.process.read():
            if one.watched is not None:
                one.watched.feed(chunk)
            await one.output.add(chunk)

    def _free_id(self) -> str:
        while (name := "p" + os.urandom(2).hex()) in self._all:
            continue
        return name

    def _forget_old(self) -> None:
        ended = [one for one in self._all.values() if one.id not in self._watchers]
        for one in ended[:-_KEPT_ENDED]:
            del self._all[one.id]


async def _settle(one: Background, reading: asyncio.Task[None]) -> None:
    """Wait until what a process wrote before it ended is kept; a child may hold its pipe on."""
    size = -1
    end = time.monotonic() + _SETTLE_S
    while not reading.done() and size != one.output.size and time.monotonic() < end:
        size = one.output.size
        await asyncio.wait([reading], timeout=_IDLE_S)


def signal_name(number: int) -> str:
    """SIGTERM and the like."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
