"""Commands that outlived the agent they ran for: found by their environment, and ended.

Only what a killed agent left can be there: one that ends in order ends its commands. What runs in
bubblewrap dies with the agent anyway, and what was begun in the background is meant to stay.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping

from hermes_tui.backends.family import signal_all

MARK = "HERMES_TUI_SESSION"
"""In the environment of a foreground command: the session it runs for."""


def marked(env: Mapping[str, str], session: str) -> dict[str, str]:
    """The environment with the session in it."""
    return {**env, MARK: session}


def end_of(session: str) -> int:
    """Kill what is left of a session's commands; how many there were. Blocks for milliseconds."""
    found = _processes_of(f"{MARK}={session}".encode())
    signal_all(found, signal.SIGKILL)
    return len(found)


def _processes_of(entry: bytes) -> list[int]:
    """Processes with an entry in the environment they were started with; none without /proc."""
    try:
        names = [name for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:
        return []
    return [int(name) for name in names if entry in _environment(name) and int(name) != os.getpid()]


def _environment(pid: str) -> list[bytes]:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []  # another user's, or gone by now
