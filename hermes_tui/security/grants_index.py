"""Finds the secret and the code-running files of a workspace, quickly each time it is asked.

A folder is read again only when its modification time says that names in it have changed;
files whose secrecy depends on what they hold are looked at again when they were written.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Set
from contextlib import suppress

from msgspec import Struct

from hermes_tui.security import grants_names as names
from hermes_tui.security.grants import is_within

_FOLDERS = 20_000
_SETTLED_NS = 2_000_000_000
_STATES = 20


class Found(Struct, frozen=True, kw_only=True):
    """Absolute paths. secrets: to be hidden; frozen: not to be changed; git: repositories'
    folders; complete: whether every folder was looked at.
    """

    secrets: tuple[str, ...] = ()
    frozen: tuple[str, ...] = ()
    git: tuple[str, ...] = ()
    complete: bool = True


class _Folder(Struct):
    changed: int
    settled: bool
    folders: list[str] = []
    secrets: list[str] = []
    doubtful: list[str] = []
    frozen: list[str] = []
    git: list[str] = []
    closed: list[str] = []


_Key = tuple[int, int]


class Index:
    """What is known of one workspace. One thread at a time may use it."""

    def __init__(self, top: str) -> None:
        self._top = top
        self._folders: dict[str, _Folder] = {}
        self._verdicts: dict[str, tuple[tuple[int, int, int], bool]] = {}
        self._known: dict[_Key, str] = {}
        self._telling: list[_Folder] = []
        self._complete = True
        self._lock = threading.Lock()

    def find(self, by_number: bool = False) -> Found:
        """The present state of the workspace.

        by_number: a file that was secret once stays so under any name, as long as this process
        lives; needed where a command could rename one.
        """
        with self._lock:
            return self._find(by_number)

    def _find(self, by_number: bool) -> Found:
        if not self._is_unchanged():
            self._walk()
        secrets = [one for folder in self._telling for one in folder.secrets]
        doubtful = [one for folder in self._telling for one in folder.doubtful]
        secrets += [one for one in doubtful if self._is_secret(one)]
        if by_number:
            secrets += self._moved(secrets, self._folders)
        frozen = [one for folder in self._telling for one in folder.frozen]
        git = [one for folder in self._telling for one in folder.git]
        return Found(
            secrets=tuple(sorted(one for one in secrets if is_within(one, self._top))),
            frozen=tuple(sorted(frozen)),
            git=tuple(sorted(one for one in git if is_within(one, self._top))),
            complete=self._complete,
        )

    def _is_unchanged(self) -> bool:
        """Whether no folder has got or lost a name; kept short, for it looks at every folder."""
        look = os.lstat
        try:
            for path, folder in self._folders.items():
                if look(path).st_mtime_ns != folder.changed or not folder.settled:
                    return False
        except OSError:
            return False
        return bool(self._folders)

    def _walk(self) -> None:
        seen: dict[str, _Folder] = {}
        left = [self._top]
        while left and len(seen) < _FOLDERS:
            path = left.pop()
            folder = self._folder(path)
            if folder is not None:
                seen[path] = folder
                left += folder.folders
        self._folders = seen
        self._complete = not left
        self._telling = [
            one for one in seen.values() if one.secrets or one.doubtful or one.frozen or one.git
        ]

    def _folder(self, path: str) -> _Folder | None:
        try:
            changed = os.stat(path, follow_symlinks=False).st_mtime_ns
        except OSError:
            return None
        known = self._folders.get(path)
        if known is not None and known.settled and known.changed == changed:
            return known
        return _read(path, changed)

    def _moved(self, secrets: list[str], seen: dict[str, _Folder]) -> list[str]:
        """Files that were secret under another name; each is looked for until it is found."""
        present = {key: path for path in secrets if (key := _key_of(path)) is not None}
        lost = {key: path for key, path in self._known.items() if key not in present}
        still = {key: path for key, path in lost.items() if _key_of(path) == key}
        away = lost.keys() - still.keys()
        if away:
            still |= _search(away, seen)
        self._known = {**present, **still}
        return list(still.values())

    def _is_secret(self, path: str) -> bool:
        try:
            status = os.stat(path, follow_symlinks=False)
        except OSError:
            return False
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        known = self._verdicts.get(path)
        if known is None or known[0] != stamp:
            known = (stamp, names.holds_secret(path))
            self._verdicts[path] = known
        return known[1]


def _key_of(path: str) -> _Key | None:
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _search(keys: Set[_Key], seen: dict[str, _Folder]) -> dict[_Key, str]:
    """Find files by their number, in the searched folders and in those that mostly are not."""
    numbers = {number for _, number in keys}
    found: dict[_Key, str] = {}
    left = [*seen, *(one for folder in seen.values() for one in folder.closed)]
    while left:
        files, folders = _numbered(left.pop(), numbers)
        left += [one for one in folders if one not in seen]
        found |= {key: path for path in files if (key := _key_of(path)) is not None}
    return {key: path for key, path in found.items() if key in keys}


def _numbered(path: str, numbers: set[int]) -> tuple[list[str], list[str]]:
    """(files with one of these numbers, all folders) in a folder."""
    files: list[str] = []
    folders: list[str] = []
    with suppress(OSError), os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.inode() in numbers:
                files.append(entry.path)
    return files, folders


def _read(path: str, changed: int) -> _Folder:
    # A change within the clock's step of the last one would go unseen: read again next time.
    folder = _Folder(changed=changed, settled=time.time_ns() - changed > _SETTLED_NS)
    with suppress(OSError), os.scandir(path) as entries:
        for entry in entries:
            _sort(entry, folder)
    return folder


def _sort(entry: os.DirEntry[str], folder: _Folder) -> None:
    if entry.is_symlink():
        _sort_link(entry, folder)
    elif entry.name == ".git":
        (folder.git if entry.is_dir(follow_symlinks=False) else folder.frozen).append(entry.path)
    elif entry.is_dir(follow_symlinks=False):
        if names.is_frozen_folder(entry.name):
            folder.frozen.append(entry.path)
        known = folder.folders if names.is_searched(entry.name) else folder.closed
        known.append(entry.path)
    else:
        sort = names.sort_of_file(entry.name)
        lists = {"secret": folder.secrets, "doubtful": folder.doubtful, "frozen": folder.frozen}
        if sort:
            lists[sort].append(entry.path)


def _sort_link(entry: os.DirEntry[str], folder: _Folder) -> None:
    """What a link of a telling name leads to is what its name says."""
    if entry.name == ".git":
        folder.git.append(os.path.realpath(entry.path))
    elif names.sort_of_file(entry.name) == "secret":
        folder.secrets.append(os.path.realpath(entry.path))


_indexes: dict[str, Index] = {}


def index_of(top: str) -> Index:
    """The index of a workspace, kept for the next command."""
    if top not in _indexes:
        while len(_indexes) >= _STATES:
            del _indexes[next(iter(_indexes))]
        _indexes[top] = Index(top)
    return _indexes[top]
