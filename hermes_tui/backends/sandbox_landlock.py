"""Level 2: the same view by Landlock and seccomp, for kernels or containers without namespaces.

Landlock only allows: nothing inside an allowed folder can be masked or held still. So a folder
with secrets is not allowed to be read as a whole, but each thing in it that is none; what is
made new in such a folder can be read from the next command on.
"""

from __future__ import annotations

import os
import socket

from hermes_tui.backends import landlock, seccomp
from hermes_tui.backends.landlock import CHANGE, DEVICE, LIST, READ, Domain, Rule
from hermes_tui.backends.sandbox_view import Sandbox, View, etc_paths, plain_etc, system_folders
from hermes_tui.security.grants import is_within

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts")
_ENTRIES = 2_000


def home_of(view: View) -> str:
    """The private home folder of a workspace's commands, with its parts; made if need be."""
    path = os.path.join(view.cache, "home")
    os.makedirs(os.path.join(path, ".cache"), mode=0o700, exist_ok=True)
    for name, text in view.texts:
        if name == f"{view.home}/.gitconfig":
            own = os.path.join(path, ".gitconfig")
            with open(own, "wb") as file:
                file.write(text)
    return path


def domain(sandbox: Sandbox, view: View, scratch: str, port: int) -> Domain:
    """What the command may touch. scratch: its own temporary folder; port: of the egress."""
    rules = landlock.existing((*system_folders(), *plain_etc(), "/proc"), READ)
    rules += landlock.existing((f"/dev/{name}" for name in _DEVICES), DEVICE)
    rules += landlock.existing((scratch, home_of(view)), READ | CHANGE)
    for path in (*etc_paths(), *view.tools, *view.read, *view.write):
        rules += _readable(path, view.masked)
    rules += landlock.existing(view.write, CHANGE)
    if view.agent:
        rules += landlock.existing((view.agent,), DEVICE)
    return Domain(rules=rules, port=port, seccomp=_filter(sandbox, port))


def _filter(sandbox: Sandbox, port: int) -> bytes:
    families = (socket.AF_INET, socket.AF_INET6) if port else ()
    if sandbox.grants.ssh_agent:
        families = (*families, socket.AF_UNIX)
    return seccomp.program(tuple(map(int, families)), (int(socket.SOCK_STREAM),), brokered=True)


def _readable(folder: str, masked: tuple[str, ...]) -> tuple[Rule, ...]:
    """Rules that let a folder be read, but for what is masked in it."""
    if folder in masked:
        return ()
    inside = tuple(one for one in masked if is_within(one, folder))
    if not inside:
        return landlock.existing((folder,), READ)
    rules: list[Rule] = [Rule(folder, LIST)]
    try:
        with os.scandir(folder) as entries:
            names = [entry.path for entry, _ in zip(entries, range(_ENTRIES), strict=False)]
    except OSError:
        return ()
    for path in names:
        if not os.path.islink(path):
            rules += _readable(path, inside)
    return tuple(rules)
