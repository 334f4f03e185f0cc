"""How much a sandboxed command may use, and the watch that ends one that uses more.

The kernel holds each process to its memory and file size. The number of processes and the
memory of all together are held by a control group where one can be made, else by looking at
them several times a second: the kernel's own count lets root pass.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import suppress

from msgspec import Struct

_MEGABYTE = 1 << 20
_LEAST_MEMORY = 1024 * _MEGABYTE
_PAGE = os.sysconf("SC_PAGE_SIZE")
_FIRST_S, _LONGEST_S = 0.02, 0.4
_NEAR = 4


def _half_of_memory() -> int:
    return max(_LEAST_MEMORY, os.sysconf("SC_PHYS_PAGES") * _PAGE // 2)


class Limits(Struct, frozen=True, kw_only=True):
    """Of one command with all its children, but for `file`, the size of one file.

    pids: processes and threads; memory, file and scratch (what fits into its /tmp): bytes;
    cpu_s: seconds of computing in one process, 0 for any.
    """

    pids: int = 1024
    memory: int = _half_of_memory()
    file: int = 4096 * _MEGABYTE
    scratch: int = 1024 * _MEGABYTE
    cpu_s: int = 0


def shell_script(limits: Limits, processes: int, first: bool) -> str:
    """A line for sh that takes the limits and runs the program of its arguments.

    processes: what the kernel shall allow this user, 0 for no limit of its own; first: it
    stays as the first process of a namespace, else it becomes the program.
    """
    wanted = [
        ("c", 0),
        ("f", limits.file // 512),
        ("d", limits.memory // 1024),
        ("t", limits.cpu_s),
    ]
    lines = [f"ulimit -{flag} {value}" for flag, value in wanted if value or flag == "c"]
    if processes:
        lines.append(f"ulimit -u {processes} || ulimit -p {processes}")  # dash calls it -p
    last = 'exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); exit $?' if first else 'exec "$@"'
    return f"{{ {'; '.join(lines)}; }} 2>/dev/null; {last}"


def kernel_count(limits: Limits, own_namespace: bool) -> int:
    """What to tell the kernel, which counts all of a user's processes outside a namespace."""
    if own_namespace and _release() >= (5, 14):
        return limits.pids
    try:
        with open("/proc/loadavg", encoding="ascii") as file:
            return limits.pids + int(file.read().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def _release() -> tuple[int, int]:
    major, minor = os.uname().release.split(".")[:2]
    digits = "".join(one for one in minor if one.isdigit())
    return int(major), int(digits or 0)


def members(pid: int) -> list[int]:
    """All descendants of a process, found from parent to child."""
    found: list[int] = []
    left = [pid]
    while left:
        parent = left.pop()
        children = _children(parent)
        found += children
        left += children
    return found


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


def own_memory(pid: int) -> int:
    """Bytes that only this process has in memory, as near as it is quickly told."""
    with suppress(OSError, IndexError), open(f"/proc/{pid}/statm", "rb") as file:
        fields = file.read().split()
        return (int(fields[1]) - int(fields[2])) * _PAGE
    return 0


class Watch:
    """Looks at a command until it has ended; kills it when it is over its limits.

    keeper: the process itself only keeps a namespace, see `process.Confinement`.
    Looking takes well under a millisecond and gets rarer while there is nothing to fear.
    """

    def __init__(self, pid: int, limits: Limits, keeper: bool) -> None:
        self.reason = ""
        self._keeper = keeper
        self._pid = pid
        self._limits = limits
        self._pause = _FIRST_S
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(self._pause, self._look)

    def stop(self) -> None:
        """Look no more."""
        self._timer.cancel()

    def _look(self) -> None:
        began = time.thread_time()
        alive = members(self._pid)
        memory = sum(map(own_memory, alive[: self._limits.pids]))
        if len(alive) > self._limits.pids:
            self._end(f"killed: over {self._limits.pids} processes, its limit", alive)
        elif memory > self._limits.memory:
            self._end(f"killed: over {size(self._limits.memory)} of memory, its limit", alive)
        near = len(alive) * _NEAR > self._limits.pids or memory * _NEAR > self._limits.memory
        cost = time.thread_time() - began
        self._pause = _FIRST_S if near else min(self._pause * 1.3, _LONGEST_S)
        self._timer = self._loop.call_later(max(self._pause, 20 * cost), self._look)

    def _end(self, reason: str, alive: list[int]) -> None:
        self.reason = self.reason or reason
        # One that keeps a namespace ends by itself when its first process has, and clears up.
        for pid in alive if self._keeper else (self._pid, *alive):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def size(count: int) -> str:
    """A number of bytes in words."""
    return f"{count / (1 << 30):.3g} GB" if count >= 1 << 30 else f"{count >> 20} MB"


def of_exit_code(code: int, limits: Limits) -> str:
    """Which limit of the kernel an exit code tells of, in words; else nothing."""
    ended_by = -code if code < 0 else code - 128
    if ended_by == signal.SIGXFSZ:
        return f"killed: a file grew over {size(limits.file)}, its limit"
    if ended_by == signal.SIGXCPU:
        return f"killed: over {limits.cpu_s} s of computing, its limit"
    return ""
