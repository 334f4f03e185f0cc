"""Put paths of a folder back to how they were. Done twice, it does the same as done once.

Every path is reached by open folders from the root, none of them a link, so nothing outside is
ever touched. A path that is neither as it was nor as it shall be has been changed by somebody
else and stays.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from hermes_tui.errors import StoreError
from hermes_tui.faults import point
from hermes_tui.store.blobs import Blobs, digest_of
from hermes_tui.store.checkpoints_scan import FOLDER, is_shut, set_mode
from hermes_tui.store.checkpoints_tree import Entry, Tree, above

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NOT_EMPTY = (errno.ENOTEMPTY, errno.EEXIST)
CHANGED = "changed while it was to be put back"


class _Stays(Exception):
    """A path stays as it is, and why."""


class Restorer:
    """Puts paths back. target: how they shall be; undo: how they are, or were before a crash."""

    def __init__(self, root: str, target: Tree, undo: Tree, blobs: Blobs) -> None:
        self._root = root
        self._target = target
        self._undo = undo
        self._blobs = blobs
        self._stay: dict[str, str] = {}

    def run(self, paths: Sequence[str]) -> dict[str, str]:
        """Do it; which paths stayed as they were, and why. Raises OSError without the root."""
        self._stay = {}
        chosen = set(paths)
        fd = os.open(os.path.realpath(self._root), FOLDER)
        try:
            for path in sorted(chosen, reverse=True):
                self._attempt(self._clear, fd, path)
            for path in sorted(chosen):
                self._attempt(self._make, fd, path)
            folders = {one for path in chosen for one in (path, *above(path))}
            for path in sorted(folders, reverse=True):
                self._attempt(self._settle, fd, path, path in chosen)
        finally:
            os.close(fd)
        return self._stay

    def _attempt(self, step: Callable[..., None], fd: int, path: str, *more: bool) -> None:
        if path in self._stay:
            return
        try:
            step(fd, path, *more)
        except (_Stays, StoreError) as error:
            self._stay[path] = str(error)
        except OSError as error:
            self._stay[path] = error.strerror or str(error)

    # --- the three passes --------------------------------------------------------------------

    def _clear(self, root: int, path: str) -> None:
        """Remove what shall not be there, or shall be of another kind; deepest paths first."""
        want, had = self._target.get(path), self._undo.get(path)
        if had is None or (want is not None and want.kind == had.kind):
            return
        try:
            with _parent(root, path) as (folder, name):
                now = _lstat(folder, name)
                if now is None or (want is not None and _kind(now) == want.kind):
                    return  # an earlier attempt came this far
                self._expect(folder, name, had)
                _open_up(folder, path)
                _remove(folder, name, had)
                point("restore step")
        except FileNotFoundError:
            return

    def _make(self, root: int, path: str) -> None:
        """Make what shall be there; folders before what lies in them."""
        want, had = self._target.get(path), self._undo.get(path)
        if want is None:
            return
        with _parent(root, path) as (folder, name):
            now = _lstat(folder, name)
            if now is not None and _kind(now) != want.kind:
                raise _Stays(CHANGED)
            if want.kind == "dir":
                self._folder(folder, name, now, path)
            elif now is None or not self._same(folder, name, want):
                self._replace(folder, name, path, had if now is not None else None)
            elif want.kind == "file" and stat.S_IMODE(now.st_mode) != want.mode:
                set_mode(folder, name, want.mode)
                point("restore step")

    def _settle(self, root: int, path: str, chosen: bool) -> None:
        """Give a folder its mode, now that nothing is to be done in it any more."""
        entry = self._target.get(path) if chosen else self._undo.get(path)
        entry = entry or self._target.get(path)
        if entry is None or entry.kind != "dir":
            return
        with _parent(root, path) as (folder, name):
            now = _lstat(folder, name)
            if now is None or not stat.S_ISDIR(now.st_mode):
                return
            if stat.S_IMODE(now.st_mode) != entry.mode:
                set_mode(folder, name, entry.mode)

    # --- one path ----------------------------------------------------------------------------

    def _folder(self, folder: int, name: str, now: os.stat_result | None, path: str) -> None:
        if now is not None:
            return
        _open_up(folder, path)
        os.mkdir(name, 0o700, dir_fd=folder)
        point("restore step")

    def _replace(self, folder: int, name: str, path: str, had: Entry | None) -> None:
        """Put the wanted file or link in place of what is there, in one step."""
        want = self._target[path]
        if had is not None:
            self._expect(folder, name, had)
        elif _lstat(folder, name) is not None:
            raise _Stays(CHANGED)
        content = self._blobs.get(want.key) if want.kind == "file" else b""
        _open_up(folder, path)
        temporary = f".put-back-{digest_of(os.fsencode(name))[:16]}.tmp"
        if _lstat(folder, temporary) is not None:
            os.unlink(temporary, dir_fd=folder)
        if want.kind == "link":
            os.symlink(want.key, temporary, dir_fd=folder)
        else:
            _write(folder, temporary, content, want.mode)
        point("restore file written")
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        point("restore step")

    def _expect(self, folder: int, name: str, had: Entry) -> None:
        if not self._same(folder, name, had):
            raise _Stays(CHANGED)

    def _same(self, folder: int, name: str, entry: Entry) -> bool:
        """Whether what lies there has an entry's kind and content; the mode is no part of it."""
        now = _lstat(folder, name)
        if now is None or _kind(now) != entry.kind:
            return False
        if entry.kind == "link":
            return os.readlink(name, dir_fd=folder) == entry.key
        if entry.kind == "dir":
            return True
        if now.st_size != entry.size:
            return False
        try:
            return digest_of(_content(folder, name)) == entry.key
        except PermissionError:
            return True  # of this size, and what was unreadable could only be known by its times


def _kind(info: os.stat_result) -> str:
    if stat.S_ISREG(info.st_mode):
        return "file"
    if stat.S_ISLNK(info.st_mode):
        return "link"
    return "dir" if stat.S_ISDIR(info.st_mode) else "left"


def _lstat(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


@contextmanager
def _parent(root: int, path: str) -> Generator[tuple[int, str], None, None]:
    """The open folder a path lies in, and its name there."""
    *folders, name = path.split("/")
    fd = os.dup(root)
    try:
        for one in folders:
            now = os.stat(one, dir_fd=fd, follow_symlinks=False)
            if stat.S_ISDIR(now.st_mode) and is_shut(now):  # its mode is settled at the end
                set_mode(fd, one, stat.S_IMODE(now.st_mode) | 0o700)
            inner = os.open(one, FOLDER, dir_fd=fd)
            os.close(fd)
            fd = inner
        yield fd, name
    finally:
        os.close(fd)


def _open_up(folder: int, path: str) -> None:
    """Let the owner change what lies in a folder; its mode is settled at the end."""
    mode = stat.S_IMODE(os.fstat(folder).st_mode)
    if "/" in path and mode & 0o300 != 0o300:
        os.fchmod(folder, mode | 0o700)


def _remove(folder: int, name: str, had: Entry) -> None:
    if had.kind != "dir":
        os.unlink(name, dir_fd=folder)
        return
    try:
        os.rmdir(name, dir_fd=folder)
    except OSError as error:
        if error.errno in _NOT_EMPTY:
            raise _Stays("it is not empty: what lies in it is not in the checkpoint") from error
        raise


def _write(folder: int, name: str, content: bytes, mode: int) -> None:
    with os.fdopen(os.open(name, _NEW, 0o600, dir_fd=folder), "wb") as file:
        file.write(content)
        file.flush()
        os.fchmod(file.fileno(), mode)
        os.fsync(file.fileno())


def _content(folder: int, name: str) -> bytes:
    with os.fdopen(os.open(name, _READ, dir_fd=folder), "rb") as file:
        return file.read()
