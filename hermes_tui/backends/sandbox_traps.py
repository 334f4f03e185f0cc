"""Notices what a command left in its workspace that makes programs run code later on.

Level 3 holds what is there already read-only, but can't keep new files of such names from being
made; level 2 can't even do that. What is found is for the person to judge.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

from hermes_tui.backends.sandbox_view import Sandbox, View
from hermes_tui.security.grants_git_config import Keeper
from hermes_tui.security.grants_index import Found, index_of

_GIT = ("config", "config.worktree", "commondir", "info/attributes")
_Stamp = tuple[int, int, int]


class Traps:
    """The state of such files before a command, to be compared with the one after it."""

    def __init__(self, sandbox: Sandbox, view: View) -> None:
        self._workspace = view.workspace
        self._idle = sandbox.profile == "read-only"
        self._before = {} if self._idle else dict(_stamps(view.found))
        self._settings = Keeper(view.found.git) if sandbox.grants.git_config else None

    def settle(self) -> None:
        """Take back settings of git that the command had no business with."""
        if self._settings is not None:
            self._settings.settle()

    def sprung(self) -> tuple[str, ...]:
        """Those that are new or were changed since; reads the disk."""
        if self._idle:
            return ()
        after = _stamps(index_of(self._workspace).find())
        return tuple(sorted(path for path, stamp in after if self._before.get(path) != stamp))


def _stamps(found: Found) -> Iterable[tuple[str, _Stamp]]:
    for path in (*found.frozen, *(one for git in found.git for one in _of_git(git))):
        yield from _stamps_of(path)


def _of_git(folder: str) -> list[str]:
    hooks = os.path.join(folder, "hooks")
    names: list[str] = []
    with suppress(OSError):
        names = [one for one in os.listdir(hooks) if not one.endswith(".sample")]
    return [*(os.path.join(hooks, one) for one in names), *(f"{folder}/{one}" for one in _GIT)]


def _stamps_of(path: str) -> Iterable[tuple[str, _Stamp]]:
    """The file, or each file right in the folder."""
    paths = [path]
    if os.path.isdir(path) and not os.path.islink(path):
        with suppress(OSError):
            paths = [entry.path for entry in os.scandir(path)]
    for one in paths:
        with suppress(OSError):
            status = os.stat(one, follow_symlinks=False)
            yield one, (status.st_mtime_ns, status.st_size, status.st_ino)
