"""A control group for one command, where the core may make any: version 1 or 2 of the kernel's.

It holds the number of processes and their memory for root too, and tells what ended them.
"""

from __future__ import annotations

import os
import shlex
import signal
from contextlib import suppress
from functools import cache

from hermes_tui.backends.limits import Limits, size

_ROOT = "/sys/fs/cgroup"
_NAME = "hermes-tui-{}-{}"


class Group:
    """The folders of one command's group: one with version 2, one a controller with version 1."""

    def __init__(self, folders: dict[str, str], limits: Limits) -> None:
        self._folders = folders
        self._limits = limits

    def entering(self) -> str:
        """A line for sh that joins the group and becomes the program of its arguments."""
        files = [shlex.quote(f"{one}/cgroup.procs") for one in sorted(set(self._folders.values()))]
        return "".join(f"echo $$ > {file} || exit 126; " for file in files) + 'exec "$@"'

    def close(self) -> str:
        """End what is left in it and remove it; says which limit was met, or nothing."""
        reason = self._reason()
        for folder in sorted(set(self._folders.values())):
            for pid in _read(f"{folder}/cgroup.procs").split():
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(int(pid), signal.SIGKILL)
            _emptied.add(folder)
        _remove_emptied()
        return reason

    def _reason(self) -> str:
        memory = self._folders.get("memory", "")
        said = _read(f"{memory}/memory.events") + _read(f"{memory}/memory.oom_control")
        if _count(said, "oom_kill"):
            return f"killed: over {size(self._limits.memory)} of memory, its limit"
        if _count(_read(f"{self._folders.get('pids', '')}/pids.events"), "max"):
            return f"it met its limit of {self._limits.pids} processes"
        return ""


_emptied: set[str] = set()
"""Groups that are done with; the kernel keeps one until the last of its dead is gone."""


def _remove_emptied() -> None:
    for folder in list(_emptied):
        with suppress(OSError):
            os.rmdir(folder)
        if not os.path.exists(folder):
            _emptied.discard(folder)


@cache
def _find_emptied(parents: frozenset[str]) -> None:
    """Take over what cores that are gone have left."""
    for parent in parents:
        for name in os.listdir(parent):
            pid = name.removeprefix("hermes-tui-").partition("-")[0]
            is_group = name.startswith("hermes-tui-") and pid.isdigit()
            if is_group and not os.path.exists(f"/proc/{pid}"):
                _emptied.add(f"{parent}/{name}")


def make(limits: Limits) -> Group | None:
    """A new group with these limits; None where none can be made or none holds processes."""
    parents = _parents()
    if "pids" not in parents:
        return None
    _find_emptied(frozenset(parents.values()))
    _remove_emptied()
    name = _NAME.format(os.getpid(), os.urandom(4).hex())
    folders: dict[str, str] = {}
    try:
        for controller, parent in parents.items():
            folder = f"{parent}/{name}"
            os.makedirs(folder, exist_ok=True)
            folders[controller] = folder
            _limit(controller, folder, limits)
    except OSError:
        Group(folders, limits).close()
        return None
    return Group(folders, limits)


def _limit(controller: str, folder: str, limits: Limits) -> None:
    if controller == "pids":
        _write(f"{folder}/pids.max", limits.pids)
    elif os.path.exists(f"{folder}/memory.max"):
        _write(f"{folder}/memory.max", limits.memory)
    else:
        _write(f"{folder}/memory.limit_in_bytes", limits.memory)


@cache
def _parents() -> dict[str, str]:
    """The folder to make groups in, of each controller that lets us."""
    if os.path.exists(f"{_ROOT}/cgroup.controllers"):
        return _unified()
    found: dict[str, str] = {}
    own = dict(_own())
    for controller in ("pids", "memory"):
        for parent in (_ROOT + f"/{controller}" + own.get(controller, ""), f"{_ROOT}/{controller}"):
            if os.path.isdir(parent) and os.access(f"{parent}/cgroup.procs", os.W_OK):
                found[controller] = parent.rstrip("/")
                break
    return found


def _unified() -> dict[str, str]:
    """With version 2: our own group or one above it that hands the controllers down."""
    folder = _ROOT + dict(_own()).get("", "/").rstrip("/")
    while folder.startswith(_ROOT):
        handed = _read(f"{folder}/cgroup.subtree_control").split()
        if "pids" in handed and os.access(f"{folder}/cgroup.procs", os.W_OK):
            return {one: folder for one in ("pids", "memory") if one in handed}
        folder = os.path.dirname(folder)
    return {}


def _own() -> list[tuple[str, str]]:
    """(controller, our group's path) pairs; the controller is empty with version 2."""
    pairs: list[tuple[str, str]] = []
    for line in _read("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        pairs += [(one, path.rstrip("/")) for one in controllers.split(",")]
    return pairs


def _count(text: str, key: str) -> int:
    for line in text.splitlines():
        name, _, value = line.partition(" ")
        if name == key and value.strip().isdigit():
            return int(value)
    return 0


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _write(path: str, value: int) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(str(value))
