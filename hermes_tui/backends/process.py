"""Start, read, wait for and kill child processes: the one place in the tree that makes any.

Every child leads a session of its own, inherits no descriptor but those it is given, and has
exactly the environment it is given. Linux tells of an exit through a pidfd, other systems
through a waiting thread; either way the exit is noted from the wait status at once, so that
no zombie stays behind whether or not anybody waits.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from hermes_tui.backends.family import Family, group_alive, signal_all

READ = 65_536
LINGER = 0.3
GRACE = 1.2
_AFTER_KILL = 0.5
_LEFT_IN_PIPE = 1 << 20
_HUNTS = 20

Stdin = int | None
"""What a child reads: a descriptor, `process.PIPE`, or None for nothing at all."""
PIPE = subprocess.PIPE


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """What is different about a child in a sandbox.

    pass_fds: descriptors it keeps, under their own numbers; enter: confines the thread that
    starts it (which then ends); keeper: its main process only holds the others together and has
    to end last; strays: processes of it that left its family; ended: called with the exit code,
    says which limit ended it, or nothing; aftermath: what it left in its workspace that makes
    programs run code later on.
    """

    pass_fds: tuple[int, ...] = ()
    enter: Callable[[], None] | None = None
    keeper: bool = False
    strays: Callable[[], Sequence[int]] | None = None
    ended: Callable[[int], str] | None = None
    aftermath: Callable[[], tuple[str, ...]] | None = None


FREE = Confinement()


class Process:
    """A running child. `pid` is also its process group; output is stdout and stderr as one.

    linger: seconds to go on reading after the main process ended while another one still
    holds the pipe; None reads on until the last holder is gone. stopped_by: the limit of its
    sandbox that ended it, in words.
    """

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        linger: float | None,
        confinement: Confinement = FREE,
    ) -> None:
        self.confinement = confinement
        self.stopped_by = ""
        self.pid = popen.pid
        self.started = time.monotonic()
        self.seconds = 0.0
        self._popen = popen
        self._linger = linger
        self._loop = asyncio.get_running_loop()
        self._exited: asyncio.Future[int] = self._loop.create_future()
        self._waiter: asyncio.Future[None] | None = None
        self._left: int | None = None
        self._empty = False
        for pipe in (popen.stdout, popen.stdin):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
        self._watch()

    @property
    def running(self) -> bool:
        """Whether the main process still runs."""
        return not self._exited.done()

    @property
    def exit_code(self) -> int | None:
        """Exit code, negative for the signal that ended it, None while it runs."""
        return self._exited.result() if self._exited.done() else None

    @property
    def alive(self) -> bool:
        """Whether anything of its process group still runs."""
        if self.running:
            return True
        self._empty = self._empty or not group_alive(self.pid)
        return not self._empty

    async def wait(self) -> int:
        """The exit code, as soon as the main process has ended."""
        return await asyncio.shield(self._exited)

    async def read(self, size: int = READ) -> bytes:
        """More output, at most `size` bytes; empty at its end. Lets the loop breathe each time."""
        await asyncio.sleep(0)
        pipe = self._popen.stdout
        while pipe is not None and not pipe.closed and self._left != 0:
            try:
                chunk = os.read(pipe.fileno(), size)
            except BlockingIOError:
                if self._left is not None:
                    break
                await self._ready(pipe, self._loop.add_reader, self._loop.remove_reader)
                continue
            if not chunk:
                break
            if self._left is not None:
                self._left = max(0, self._left - len(chunk))
            return chunk
        if pipe is not None:
            pipe.close()
        return b""

    async def write(self, data: bytes) -> None:
        """Give it input (started with `stdin=PIPE`); BrokenPipeError when it reads no more."""
        pipe = self._popen.stdin
        if pipe is None or pipe.closed:
            raise BrokenPipeError("the process has no open input")
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(pipe.fileno(), rest) :]
            except BlockingIOError:
                await self._ready(pipe, self._loop.add_writer, self._loop.remove_writer)

    def close_input(self) -> None:
        """Let it see the end of its input."""
        if self._popen.stdin is not None:
            self._popen.stdin.close()

    async def kill(self, grace: float = GRACE) -> bool:
        """End all that is left of it: TERM, then KILL after `grace` seconds, never over 2 s.

        False when nothing was left. What it wrote by then can still be read. Processes that
        moved to another session are found as long as their parents live.
        """
        if not self.running and await self._gone(0.1):
            return self._end_strays()
        family = Family(self.pid)
        try:
            if family.empty or not self.confinement.keeper:
                self._signal(signal.SIGTERM)
            family.signal(signal.SIGTERM)
            await self._gone(grace, family)
        finally:
            family.grow()
            if family.empty or not self.confinement.keeper:
                self._signal(signal.SIGKILL)
            family.signal(signal.SIGKILL)
            family.close()
        self._end_strays()
        if not await self._gone(_AFTER_KILL) and self.confinement.keeper:
            self._signal(signal.SIGKILL)
        self._stop_reading()
        return True

    def close(self) -> None:
        """Let go of its input and output; the process itself goes on."""
        for pipe in (self._popen.stdin, self._popen.stdout):
            if pipe is not None:
                pipe.close()

    def _end_strays(self) -> bool:
        """Kill what slipped out of its family, as often as that has young; whether any did."""
        found = False
        for _ in range(_HUNTS):
            strays = self.confinement.strays() if self.confinement.strays else ()
            if not strays:
                break
            found = True
            signal_all(strays, signal.SIGKILL)
        return found

    def _signal(self, number: signal.Signals) -> None:
        try:
            if self.alive:
                os.killpg(self.pid, number)
        except ProcessLookupError:
            self._empty = not self.running
        except PermissionError:
            return  # what is left belongs to another user: nothing we may do

    async def _gone(self, seconds: float, family: Family | None = None) -> bool:
        """Wait until the whole group (and family) is gone, or the time is up."""
        end = self._loop.time() + seconds
        pause = 0.002
        while self.alive or (family is not None and family.alive):
            if self._loop.time() >= end:
                return False
            if self.running:
                await asyncio.wait([self._exited], timeout=end - self._loop.time())
            else:
                await asyncio.sleep(pause)
                pause = min(pause * 2, 0.05)
        return True

    async def _ready(
        self, pipe: IO[bytes], add: Callable[..., Any], remove: Callable[[int], Any]
    ) -> None:
        """Wait until a pipe can be used, or is not to be used any more."""
        self._waiter = self._loop.create_future()
        descriptor = pipe.fileno()
        add(descriptor, _finish, self._waiter)
        try:
            await self._waiter
        finally:
            remove(descriptor)

    def _watch(self) -> None:
        try:
            pidfd = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            threading.Thread(target=self._wait_in_thread, daemon=True).start()
        else:
            self._loop.add_reader(pidfd, self._ended_by_pidfd, pidfd)

    def _wait_in_thread(self) -> None:
        self._popen.wait()
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ended)

    def _ended_by_pidfd(self, pidfd: int) -> None:
        self._loop.remove_reader(pidfd)
        os.close(pidfd)
        self._ended()

    def _ended(self) -> None:
        self.seconds = time.monotonic() - self.started
        code = self._popen.poll() or 0
        if self.confinement.ended is not None:
            self.stopped_by = self.confinement.ended(code)
        if not self._exited.done():
            self._exited.set_result(code)
        if self._linger is not None:
            self._loop.call_later(self._linger, self._stop_reading)

    def _stop_reading(self) -> None:
        """Take what is in the pipe by now, but wait for no more."""
        self._left = _LEFT_IN_PIPE
        if self._waiter is not None:
            _finish(self._waiter)


def _finish(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


async def start(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    stdin: Stdin = None,
    pass_fds: Sequence[int] = (),
    linger: float | None = LINGER,
) -> Process:
    """Start a program; raises OSError when it or the folder can't be used.

    pass_fds: descriptors the child keeps, under their own numbers.
    """
    popen = _popen(argv, cwd, env, (stdin, subprocess.PIPE), pass_fds)
    return Process(popen, linger)


async def start_confined(
    argv: Sequence[str],
    confinement: Confinement,
    *,
    cwd: str,
    env: Mapping[str, str],
    stdin: Stdin = None,
    linger: float | None = LINGER,
) -> Process:
    """The same for a program in a sandbox; the work of building one is in `sandbox`."""

    def make() -> subprocess.Popen[bytes]:
        return _popen(argv, cwd, env, (stdin, subprocess.PIPE), confinement.pass_fds)

    popen = make() if confinement.enter is None else _made_within(confinement.enter, make)
    return Process(popen, linger, confinement)


def _made_within(
    enter: Callable[[], None], make: Callable[[], subprocess.Popen[bytes]]
) -> subprocess.Popen[bytes]:
    """Start a program from a thread that confines itself first, and ends with that."""
    made: list[subprocess.Popen[bytes] | OSError] = []

    def confined() -> None:
        try:
            enter()
            made.append(make())
        except OSError as error:
            made.append(error)

    thread = threading.Thread(target=confined, name="sandboxed start")
    thread.start()
    thread.join()
    if not made:
        raise OSError(0, "the sandbox could not be entered")
    if isinstance(made[0], OSError):
        raise made[0]
    return made[0]


def spawn_detached(argv: Sequence[str], *, cwd: str, env: Mapping[str, str], log: str) -> int:
    """Start a program that outlives this one, its output appended to a file; the pid.

    Needs no event loop. The file is made readable by its owner alone.
    """
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        popen = _popen(argv, cwd, env, (None, descriptor), ())
    finally:
        os.close(descriptor)
    _detached.append(popen)
    return popen.pid


def run_in_terminal(argv: Sequence[str], *, env: Mapping[str, str]) -> int:
    """Run a program that takes over this terminal, such as an editor; its exit code.

    The one child that shares terminal and session with this process, and is waited for.
    """
    return subprocess.call(list(argv), env=dict(env))


_detached: list[subprocess.Popen[bytes]] = []
"""Kept, because a collected Popen warns of the child it leaves running."""


def _popen(
    argv: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    streams: tuple[Stdin, int],
    pass_fds: Sequence[int],
) -> subprocess.Popen[bytes]:
    # No preexec_fn: without one the child is made by vfork, which costs 1 ms whatever the
    # size of this process.
    stdin, stdout = streams
    return subprocess.Popen(
        list(argv),
        bufsize=0,
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        stdout=stdout,
        stderr=subprocess.STDOUT,
        cwd=cwd,
        env=dict(env),
        start_new_session=True,
        close_fds=True,
        pass_fds=tuple(pass_fds),
    )
