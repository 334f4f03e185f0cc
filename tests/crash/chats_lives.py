"""Lives of a core with chats, each in a process of its own, ended by kill -9 at any point.

python -m tests.crash.chats_lives HOME PLATFORM

Reads a number and a home a line: a life begins there that is killed when so many points are
passed, 0 for never. HOME is only looked at for what has to be imported.
Writes the name of the point when that life ends. The line `end` kills the life that goes on, if
one does, and is answered with `over`. Everything is imported before the first life, so that a life
takes no time.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import select
import signal
import sys

from hermes_tui import faults

_left = 0


def point(name: str) -> None:
    """Die here, if it is the one."""
    global _left
    if _left:
        _left -= 1
        if not _left:
            os.write(1, f"{name}\n".encode())
            os.kill(os.getpid(), signal.SIGKILL)


faults.point = point  # before anything has taken it by name

from hermes_tui.backends import sandbox_probe  # noqa: E402
from hermes_tui.configuration.load import load  # noqa: E402
from hermes_tui.gateways import registry  # noqa: E402
from hermes_tui.gateways.base import Setup  # noqa: E402
from hermes_tui.home import Home  # noqa: E402
from hermes_tui.http import server  # noqa: E402
from hermes_tui.runtime.api import listening  # noqa: E402
from hermes_tui.runtime.chats import chats  # noqa: E402
from hermes_tui.runtime.core import Core  # noqa: E402

WARM = (server, listening, chats)
"""What a core would import when it is wanted."""


async def live(home: Home) -> None:
    """A core as a daemon is one."""
    logging.basicConfig(level=logging.WARNING)
    sandbox_probe._known = sandbox_probe.Level(number=1, name="none")
    core = await Core(home, load(home, dict(os.environ)).config, headless=True).start(listen=False)
    await core.run()


def begin(home: Home, kill_at: int) -> int:
    """A life in a child; its pid."""
    global _left
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        _left = kill_at
        asyncio.run(live(home))
        code = 0
    finally:
        os._exit(code)


def main(path: str, platform: str) -> None:
    """Lives, as they are asked for."""
    home = Home(path)
    config = getattr(load(home, dict(os.environ)).config, platform)
    registry.make(platform, Setup(config=config, secret=lambda name: os.environ.get(name, "")))
    gc.freeze()
    child = 0
    print("ready", flush=True)
    while line := _line(child):
        if line == "end":
            if child:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                child = 0
            print("over", flush=True)
        elif line == "died":
            child = 0
        else:
            if child:  # it has said where it dies, and may still be at it
                os.waitpid(child, 0)
            kill_at, _, where = line.partition(" ")
            child = begin(Home(where), int(kill_at))
    if child:
        os.kill(child, signal.SIGKILL)


def _line(child: int) -> str:
    """The next line; `died` when the child has ended by itself."""
    while not select.select([0], [], [], 0.01)[0]:
        if child:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
                    print(f"ended {status}", flush=True)
                return "died"
    return sys.stdin.readline().strip()


if __name__ == "__main__":
    main(*sys.argv[1:])
