"""Lives of a core with an open HTTP port, each in a process of its own, ended by kill -9.

python -m tests.http.lives HOME

Reads one number a line: a life begins that is killed when so many points are passed, 0 for none;
`end` kills the one that goes on. Everything is imported before the first life.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys

from hermes_tui import faults

_left = 0


def point(name: str) -> None:
    """Die here, if it is the one."""
    global _left
    _left -= 1
    if _left == 0:
        os.kill(os.getpid(), signal.SIGKILL)


faults.point = point  # before anything has taken it by name

from hermes_tui.backends import sandbox_probe  # noqa: E402
from hermes_tui.configuration.load import load  # noqa: E402
from hermes_tui.home import Home  # noqa: E402
from hermes_tui.http import server as _server  # noqa: E402, F401
from hermes_tui.runtime.api import api as _api  # noqa: E402, F401
from hermes_tui.runtime.core import Core  # noqa: E402


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
    try:
        _left = kill_at
        asyncio.run(live(home))
    finally:
        os._exit(1)


def main(path: str) -> None:
    """Lives, as they are asked for."""
    gc.freeze()
    child = 0
    print("ready", flush=True)
    for line in sys.stdin:
        if child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            child = 0
        if line.strip() != "end":
            child = begin(Home(path), int(line))
        print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
