"""Level 3: the arguments that make bubblewrap build a view.

Its arguments travel in a nameless file, so that they show in no process list, and bubblewrap
itself is started with an empty environment: what it is given could be read inside.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from functools import cache

from hermes_tui.backends import seccomp
from hermes_tui.backends.sandbox_etc import prepared, shown
from hermes_tui.backends.sandbox_view import (
    Sandbox,
    View,
    environment,
    etc_paths,
    system_folders,
)
from hermes_tui.security.grants import is_within

PATHS = ("/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap")
_HOME_BYTES = 256 << 20
_NAMESPACES = (
    "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
    "--unshare-cgroup-try", "--die-with-parent", "--as-pid-1",
)  # fmt: skip


def program() -> str:
    """Where bubblewrap is; empty when it is not installed."""
    return next((one for one in PATHS if os.access(one, os.X_OK)), "")


class Files:
    """Nameless files that a child reads by number; closed here once it has started."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def add(self, content: bytes) -> str:
        """A file with this content, as the number of its descriptor."""
        number = os.memfd_create("sandbox")
        self.numbers.append(number)
        os.write(number, content)
        os.lseek(number, 0, os.SEEK_SET)
        return str(number)

    def close(self) -> None:
        """Let go of them."""
        for number in self.numbers:
            os.close(number)
        self.numbers.clear()


def arguments(sandbox: Sandbox, view: View, env: Mapping[str, str], files: Files) -> list[str]:
    """Everything but the command itself, with the working folder left to the caller."""
    made = [*_NAMESPACES, *_system(sandbox, view), *_scratch(sandbox, view)]
    made += _visible(sandbox, view, files)
    made += ["--remount-ro", "/dev", "--remount-ro", "/"]
    if seccomp.supported():
        families = (socket.AF_UNIX, socket.AF_NETLINK, socket.AF_INET, socket.AF_INET6)
        kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM)
        blob = seccomp.program(tuple(map(int, families)), tuple(map(int, kinds)))
        made += ["--seccomp", files.add(blob)]
    inside = environment(sandbox, view, env, view.home)
    for name, value in {**inside, "TMPDIR": "/tmp"}.items():
        made += ["--setenv", name, value]
    return made


def _system(sandbox: Sandbox, view: View) -> list[str]:
    etc = etc_paths()
    texts = [pair for pair in view.texts if pair[0].startswith("/etc/")]
    made = [*_system_folders(), "--ro-bind", prepared(etc, texts, sandbox.scratch), "/etc"]
    for path in shown(etc):
        made += ["--ro-bind-try", path, path]
    return [*made, "--proc", "/proc", "--dev", "/dev"]


@cache
def _system_folders() -> tuple[str, ...]:
    made: list[str] = []
    for path in system_folders():
        if os.path.islink(path):
            made += ["--symlink", os.readlink(path), path]
        else:
            made += ["--ro-bind-try", path, path]
    return tuple(made)


def _scratch(sandbox: Sandbox, view: View) -> list[str]:
    size = str(sandbox.limits.scratch)
    small = str(min(_HOME_BYTES, sandbox.limits.scratch))
    return [
        *("--size", size, "--perms", "1777", "--tmpfs", "/tmp"),
        *("--size", small, "--perms", "1777", "--tmpfs", "/dev/shm"),
        *("--symlink", "/tmp", "/var/tmp", "--symlink", "/run", "/var/run", "--dir", "/run"),
        *("--size", small, "--perms", "0700", "--tmpfs", view.home),
        *("--bind", view.cache, f"{view.home}/.cache"),
    ]


def _visible(sandbox: Sandbox, view: View, files: Files) -> list[str]:
    """Outer folders before inner ones: a later mount covers an earlier one."""
    shown = dict.fromkeys((*view.tools, *view.read), "--ro-bind-try")
    shown |= dict.fromkeys(view.write, "--bind")
    if sandbox.profile != "read-only":
        shown |= dict.fromkeys(view.pinned, "--bind-try")
    made: list[str] = []
    for path in sorted(shown):
        made += [shown[path], path, path]
    if sandbox.profile != "read-only":
        made += _frozen(sandbox, view)
    made += _masked(view.masked, sandbox.scratch)
    for path, text in view.texts:
        if not path.startswith("/etc/"):
            made += ["--ro-bind-data", files.add(text), path]
    return [*made, "--bind-try", view.agent, view.agent] if view.agent else made


def _frozen(sandbox: Sandbox, view: View) -> list[str]:
    """Read-only over themselves; a missing folder of hooks becomes an empty one."""
    made: list[str] = []
    for path in view.frozen:
        if any(is_within(path, one) for one in view.masked):
            continue
        source = path if os.path.lexists(path) else _stand_in(sandbox.scratch, folder=True)
        made += ["--ro-bind-try", source, path]
    return made


def _masked(paths: Sequence[str], scratch: str) -> list[str]:
    made: list[str] = []
    for path in paths:
        made += ["--ro-bind", _stand_in(scratch, folder=os.path.isdir(path)), path]
    return made


def _stand_in(scratch: str, folder: bool) -> str:
    """An empty file or folder to be shown in place of another."""
    path = os.path.join(os.path.realpath(scratch), "nothing" if folder else "empty")
    if folder:
        os.makedirs(path, mode=0o500, exist_ok=True)
    elif not os.path.isfile(path):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o400))
    return path
