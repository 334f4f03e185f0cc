"""Who belongs to a process: its group, and its descendants in whatever session they are.

Read from /proc where there is one; elsewhere only the group itself is known.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple


class Family:
    """The living descendants of a process, each held by a pidfd so that none is mistaken."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._held: dict[int, int] = {}
        self.grow()

    def grow(self) -> None:
        """Take in descendants that were born since."""
        for pid in _descendants({self._pid, *self._held}):
            with suppress(OSError):
                self._held[pid] = os.pidfd_open(pid)

    @property
    def empty(self) -> bool:
        """Whether there never was one."""
        return not self._held

    @property
    def alive(self) -> bool:
        """Whether one of them still runs."""
        return len(self._ended()) < len(self._held)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to those that still run."""
        ended = self._ended()
        for pidfd in self._held.values():
            if pidfd not in ended:
                with suppress(ProcessLookupError, PermissionError):
                    signal.pidfd_send_signal(pidfd, number)

    def close(self) -> None:
        """Let go of them."""
        for pidfd in self._held.values():
            os.close(pidfd)
        self._held.clear()

    def _ended(self) -> set[int]:
        if not self._held:
            return set()
        poll = select.poll()
        for pidfd in self._held.values():
            poll.register(pidfd, select.POLLIN)
        return {pidfd for pidfd, _ in poll.poll(0)}


def signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to processes, but for those that are gone or not ours."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def group_alive(group: int) -> bool:
    """Whether a process group has a member that is more than a zombie nobody reaps."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    if not os.path.isdir("/proc/self"):
        return True
    return any(group == one.group for one in _processes().values())


class _Process(NamedTuple):
    parent: int
    group: int


def _processes() -> dict[int, _Process]:
    """All processes by pid, but for zombies and the dead."""
    found: dict[int, _Process] = {}
    if not os.path.isdir("/proc/self"):
        return found
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
            state, parent, group = file.read().rpartition(b")")[2].split()[:3]
            if state not in (b"Z", b"X"):
                found[int(pid)] = _Process(int(parent), int(group))
    return found


def _descendants(pids: set[int]) -> set[int]:
    processes = _processes()
    family = set(pids)
    while new := {pid for pid, one in processes.items() if one.parent in family} - family:
        family |= new
    return family - pids
