"""Run a program where it can do no harm: the sandbox of the local backend.

Three levels: bubblewrap (3), Landlock and seccomp, or sandbox-exec on macOS (2), nothing (1).
Whatever the level, the process is started by `process`; here its surroundings are built.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from hermes_tui.backends import (
    egress_door,
    landlock,
    limits,
    limits_group,
    process,
    sandbox_bwrap,
    sandbox_landlock,
    sandbox_seatbelt,
)
from hermes_tui.backends.egress import Egress
from hermes_tui.backends.process import Confinement, Process, Stdin
from hermes_tui.backends.sandbox_traps import Traps
from hermes_tui.backends.sandbox_view import Profile, Sandbox, View, environment, look, unfit
from hermes_tui.backends.seccomp_broker import Broker
from hermes_tui.errors import ToolError
from hermes_tui.security.grants import Grants, is_within

__all__ = ["Grants", "Profile", "Sandbox", "Streams", "start", "unfit"]

MARK = "HERMES_TUI_SANDBOX"
_DOOR_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Streams:
    """What a program reads and which descriptors it keeps; see `process.start`."""

    stdin: Stdin = None
    pass_fds: tuple[int, ...] = ()
    linger: float | None = process.LINGER


async def start(
    argv: Sequence[str],
    sandbox: Sandbox,
    *,
    cwd: str,
    env: Mapping[str, str],
    streams: Streams = Streams(),
) -> Process:
    """Start a program in a sandbox; raises ToolError or OSError when that can't be done.

    env: what the person's session has; only a whitelist of it goes in. Level 1 and the profile
    `full` surround it with nothing.
    """
    if sandbox.level <= 1 or sandbox.profile == "full":
        return await process.start(
            argv,
            cwd=cwd,
            env=env,
            stdin=streams.stdin,
            pass_fds=streams.pass_fds,
            linger=streams.linger,
        )
    view, folder = await asyncio.to_thread(_look_from, cwd, sandbox, env)
    if sandbox.level >= 3:
        return await _start_in_namespaces(argv, sandbox, view, _Place(folder, env, streams))
    return await _start_confined(argv, sandbox, view, _Place(folder, env, streams))


@dataclass(frozen=True, slots=True)
class _Place:
    cwd: str
    env: Mapping[str, str]
    streams: Streams


def _look_from(cwd: str, sandbox: Sandbox, env: Mapping[str, str]) -> tuple[View, str]:
    """What is visible, and the real working folder, which must be."""
    view = look(sandbox, env)
    folder = os.path.realpath(cwd)
    visible = (*view.write, *view.read, *view.tools)
    seen = any(is_within(folder, one) for one in visible)
    if not seen or any(is_within(folder, one) for one in view.masked):
        raise ToolError(
            f"the folder {folder} can't be seen in the sandbox",
            f"work in {view.workspace}, or have the folder granted",
        )
    return view, folder


# --- level 3 ------------------------------------------------------------------------------


async def _start_in_namespaces(
    argv: Sequence[str], sandbox: Sandbox, view: View, place: _Place
) -> Process:
    files = sandbox_bwrap.Files()
    ours: socket.socket | None = None
    group = limits_group.make(sandbox.limits)
    traps = Traps(sandbox, view)
    ending = _Ending(sandbox, group)
    ending.serves(traps.settle)
    try:
        inside = [*_limited(sandbox, own_namespace=True)]
        made = sandbox_bwrap.arguments(sandbox, view, place.env, files)
        made += ["--setenv", MARK, "3", "--chdir", place.cwd]
        if sandbox.egress is not None:
            ours, theirs = socket.socketpair()
            files.numbers.append(theirs.detach())
            inside += egress_door.arguments(files.numbers[-1])
            proxy = _proxy(f"http://127.0.0.1:{egress_door.PORT}")
            for name, value in {**proxy, **egress_door.QUIET}.items():
                made += ["--setenv", name, value]
        packed = files.add(b"".join(os.fsencode(one) + b"\0" for one in made))
        command = [sandbox_bwrap.program(), "--args", packed, "--", *inside, *argv]
        if group is not None:
            command = ["/bin/sh", "-c", group.entering(), "sh", *command]
        confinement = Confinement(
            pass_fds=(*place.streams.pass_fds, *files.numbers),
            keeper=True,
            ended=ending,
            aftermath=traps.sprung,
        )
        started = await _started(command, confinement, cwd="/", env={}, place=place)
        ending.watch(started, needed=group is None)
    except BaseException:
        if group is not None:
            group.close()
        raise
    finally:
        files.close()
    if sandbox.egress is not None and ours is not None:
        await _open_door(sandbox.egress, ours, started, ending)
    return started


def _limited(sandbox: Sandbox, own_namespace: bool) -> tuple[str, ...]:
    count = limits.kernel_count(sandbox.limits, own_namespace)
    script = limits.shell_script(sandbox.limits, count, first=own_namespace)
    return ("/bin/sh", "-c", script, "sh")


async def _open_door(
    egress: Egress, channel: socket.socket, started: Process, ending: _Ending
) -> None:
    """Take the listening socket that the program made inside, and serve what comes in there."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_reader(channel, _once, ready)
    try:
        async with asyncio.timeout(_DOOR_S):
            await ready
        _, numbers, _, _ = socket.recv_fds(channel, 1, 1)
        if numbers:
            ending.serves((await egress.serve(socket.socket(fileno=numbers[0]))).close)
    except BaseException:
        await started.kill(grace=0)
        raise
    finally:
        loop.remove_reader(channel)
        channel.close()


def _once(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


def _proxy(url: str) -> dict[str, str]:
    """The variables by which programs find their proxy."""
    names = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    own = {"no_proxy": "localhost,127.0.0.1,::1", "NO_PROXY": "localhost,127.0.0.1,::1"}
    return {**dict.fromkeys(names, url), **own, "NODE_USE_ENV_PROXY": "1"}


# --- level 2 ------------------------------------------------------------------------------


async def _start_confined(
    argv: Sequence[str], sandbox: Sandbox, view: View, place: _Place
) -> Process:
    scratch = tempfile.mkdtemp(prefix="tmp-", dir=view.cache)
    ending = _Ending(sandbox, None, scratch)
    mark = secrets.token_hex(12)
    try:
        home = sandbox_landlock.home_of(view)
        env = environment(sandbox, view, place.env, home)
        env |= {"TMPDIR": scratch, MARK: f"2-{mark}"}
        port = await _open_port(sandbox, env, ending)
        command = [*_limited(sandbox, own_namespace=False), *argv]
        confinement = Confinement(
            pass_fds=place.streams.pass_fds,
            strays=lambda: _marked(f"{MARK}=2-{mark}".encode()),
            ended=ending,
            aftermath=Traps(sandbox, view).sprung,
        )
        if sys.platform == "darwin":
            profile = sandbox_seatbelt.profile(sandbox, view, scratch, port)
            command = [sandbox_seatbelt.PROGRAM, "-p", profile, *command]
        else:
            domain = sandbox_landlock.domain(sandbox, view, scratch, port)
            broker = Broker((*view.write, scratch, home), view.masked)
            ending.serves(broker.close)
            enter = partial(_enter, domain, broker)
            confinement = replace(confinement, enter=enter)
        started = await _started(command, confinement, cwd=place.cwd, env=env, place=place)
        ending.watch(started, needed=True)
    except BaseException:
        ending.tidy()
        raise
    return started


def _enter(domain: landlock.Domain, broker: Broker) -> None:
    broker.listen(landlock.enter(domain))


async def _open_port(sandbox: Sandbox, env: dict[str, str], ending: _Ending) -> int:
    """A port of the core's for this one command, behind a password; 0 without network."""
    if sandbox.egress is None:
        return 0
    if sys.platform != "darwin" and landlock.abi() < 4:
        raise ToolError(
            "this kernel's sandbox can give a command no network host by host",
            "run it without network, or have bubblewrap installed",
        )
    listener = socket.create_server(("127.0.0.1", 0))
    port: int = listener.getsockname()[1]
    password = secrets.token_urlsafe(24)
    ending.serves((await sandbox.egress.serve(listener, password)).close)
    env |= _proxy(f"http://hermes:{password}@127.0.0.1:{port}")
    return port


def _marked(mark: bytes) -> list[int]:
    """Living processes that carry a mark in their environment; none where there is no /proc."""
    listed = os.listdir("/proc") if os.path.isdir("/proc/self") else []
    return [int(pid) for pid in listed if pid.isdigit() and mark in _environment_of(pid)]


def _environment_of(pid: str) -> bytes:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""


# --- both ---------------------------------------------------------------------------------


async def _started(
    argv: Sequence[str],
    confinement: Confinement,
    *,
    cwd: str,
    env: Mapping[str, str],
    place: _Place,
) -> Process:
    streams = place.streams
    return await process.start_confined(
        argv, confinement, cwd=cwd, env=env, stdin=streams.stdin, linger=streams.linger
    )


class _Ending:
    """What is to be put away when a command has ended, and why it did."""

    def __init__(
        self, sandbox: Sandbox, group: limits_group.Group | None, scratch: str = ""
    ) -> None:
        self._limits = sandbox.limits
        self._group = group
        self._scratch = scratch
        self._watch: limits.Watch | None = None
        self._closing: list[Callable[[], None]] = []

    def watch(self, started: Process, needed: bool) -> None:
        """Begin to look after a command that no control group holds."""
        if needed and started.running:
            keeper = started.confinement.keeper
            self._watch = limits.Watch(started.pid, self._limits, keeper)

    def serves(self, close: Callable[[], None]) -> None:
        """Something works for this command alone: to be closed with it."""
        self._closing.append(close)

    def tidy(self) -> None:
        """Close and remove what was made for it."""
        if self._watch is not None:
            self._watch.stop()
        while self._closing:
            with suppress(
                OSError
            ):  # whatever can't be closed must not keep the end from being told
                self._closing.pop()()
        if self._scratch:
            asyncio.get_running_loop().run_in_executor(None, shutil.rmtree, self._scratch, True)

    def __call__(self, code: int) -> str:
        """Tidy up; the limit that ended it, in words, or nothing."""
        self.tidy()
        of_group = self._group.close() if self._group is not None else ""
        watched = self._watch.reason if self._watch is not None else ""
        return watched or of_group or limits.of_exit_code(code, self._limits)
