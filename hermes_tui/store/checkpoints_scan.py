"""Look at a folder and keep what changed in it since the last look; links are never followed."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from hermes_tui.errors import HermesError
from hermes_tui.store.blobs import Blobs
from hermes_tui.store.checkpoints_ignore import MADE_ANEW, MARKS, Ignored
from hermes_tui.store.checkpoints_tree import Entry

if TYPE_CHECKING:
    from collections.abc import Generator

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_SECONDS = 20.0
_DEEPEST = 100
_IGNORED_FILE = 256 * 1024
_IGNORED_FOLDER = (200, 2_000_000)
_GIT_OBJECTS = (2_000, 10_000_000)
_TICK_NS = 20_000_000
_COARSE_NS = 2_000_000_000


class NoCheckpoint(HermesError):
    """This folder is not kept; the message says why."""


class Limits(Struct, frozen=True, kw_only=True):
    """files: paths in the folder; file_bytes: of one file; total_bytes: of all files kept."""

    files: int = 20_000
    file_bytes: int = 10_000_000
    total_bytes: int = 200_000_000


class Seen(NamedTuple):
    """How a file was when its content was read last, and that content's digest."""

    size: int
    mtime_ns: int
    ctime_ns: int
    ino: int
    digest: str


class Snapshot(Struct, kw_only=True):
    """What one look found. seen: for the next look; read: files whose content was read."""

    tree: dict[str, Entry] = {}
    seen: dict[str, Seen] = {}
    total: int = 0
    read: int = 0


class Scanner:
    """One look at a folder.

    own: the agent's home, which is left out wherever it lies. A file is read only when size,
    times or inode differ from `seen`; what changed too recently to tell by its times is read
    again next time.
    """

    def __init__(self, root: str, limits: Limits, blobs: Blobs, own: str = "") -> None:
        self._root = root
        self._limits = limits
        self._blobs = blobs
        self._own = _identity(own) if own else None
        self._seen: Mapping[str, Seen] = {}
        self._count = 0
        self._until = 0.0
        self._device = 0
        self.found = Snapshot()

    def run(self, seen: Mapping[str, Seen]) -> Snapshot:
        """Look. Raises NoCheckpoint, or OSError when contents can't be kept."""
        self._seen, self.found, self._count = seen, Snapshot(), 0
        self._until = time.monotonic() + _SECONDS
        try:
            fd = os.open(os.path.realpath(self._root), FOLDER)
        except OSError as error:
            raise NoCheckpoint(f"{self._root} can't be read: {error.strerror}") from error
        try:
            self._device = os.fstat(fd).st_dev
            self._folder(fd, "", None, 0)
        finally:
            os.close(fd)
        return self.found

    # --- folders -----------------------------------------------------------------------------

    def _folder(self, fd: int, path: str, outer: Ignored | None, depth: int) -> None:
        with os.scandir(fd) as found:
            entries = list(found)
        names = {one.name for one in entries}
        if path and not MARKS.isdisjoint(names):
            self._leave(path, "can be made anew")
            return
        if time.monotonic() > self._until:
            raise NoCheckpoint(f"reading {self._root} takes over {_SECONDS:.0f} seconds")
        ignored = self._patterns(fd, path, outer) if ".gitignore" in names else outer
        prefix = path + "/" if path else ""
        for entry in entries:
            self._one(fd, prefix + entry.name, entry, ignored, depth)

    def _one(
        self, fd: int, path: str, entry: os.DirEntry[str], ignored: Ignored | None, depth: int
    ) -> None:
        self._count += 1
        if self._count > self._limits.files:
            raise NoCheckpoint(f"{self._root} holds more than {self._limits.files:,} files")
        try:
            info = entry.stat(follow_symlinks=False)
            target = os.readlink(entry.name, dir_fd=fd) if stat.S_ISLNK(info.st_mode) else ""
        except FileNotFoundError:
            return
        except OSError:
            self._leave(path, "not readable")
            return
        if target:
            self.found.tree[path] = Entry("link", 0, 0, target)
        elif stat.S_ISREG(info.st_mode):
            self._file(fd, path, info, ignored)
        elif stat.S_ISDIR(info.st_mode):
            self._subfolder(fd, path, info, ignored, depth)
        else:
            self._leave(path, "a pipe, socket or device")

    def _subfolder(
        self, fd: int, path: str, info: os.stat_result, ignored: Ignored | None, depth: int
    ) -> None:
        name = path.rpartition("/")[2]
        why = self._why_closed(path, name, info, depth)
        if why:
            self._leave(path, why)
            return
        mode, shut = stat.S_IMODE(info.st_mode), is_shut(info)
        try:
            if shut:  # for as long as it takes, or what lies in it could not be brought back
                set_mode(fd, name, mode | 0o500)
            inner = os.open(name, FOLDER, dir_fd=fd)
        except PermissionError:
            self._leave(path, "not readable")
            return
        except OSError:
            return  # it has gone, or is no folder any more
        try:
            if why := self._why_heavy(inner, path, name, ignored):
                self._leave(path, why)
                return
            self.found.tree[path] = Entry("dir", mode)
            self._folder(inner, path, ignored, depth + 1)
        finally:
            if shut:
                os.fchmod(inner, mode)
            os.close(inner)

    def _why_closed(self, path: str, name: str, info: os.stat_result, depth: int) -> str:
        if name in MADE_ANEW:
            return "can be made anew"
        if (info.st_dev, info.st_ino) == self._own:
            return "the agent's own folder"
        if info.st_dev != self._device:
            return "another file system"
        if name == "lfs" and ".git" in path.split("/"):
            return "git's own store"
        return "too deep" if depth >= _DEEPEST else ""

    def _why_heavy(self, fd: int, path: str, name: str, ignored: Ignored | None) -> str:
        if is_git_object(path + "/") and name == "objects":
            return "" if _small(fd, *_GIT_OBJECTS) else "git's own store, which is large"
        if ignored is not None and ignored.covers(path, True) and not _small(fd, *_IGNORED_FOLDER):
            return "ignored by .gitignore, and large"
        return ""

    def _patterns(self, fd: int, path: str, outer: Ignored | None) -> Ignored | None:
        try:
            with _reading(".gitignore", fd) as file:
                text = os.read(file, 1_000_000).decode("utf-8", "surrogateescape")
        except OSError:
            return outer
        return Ignored(path, text, outer)

    def _leave(self, path: str, why: str) -> None:
        self.found.tree[path] = Entry("left", 0, 0, why)

    # --- files -------------------------------------------------------------------------------

    def _file(self, fd: int, path: str, info: os.stat_result, ignored: Ignored | None) -> None:
        size = info.st_size
        if size > self._limits.file_bytes:
            self._leave(path, f"over {self._limits.file_bytes // 1_000_000} MB")
            return
        if size > _IGNORED_FILE and ignored is not None and ignored.covers(path, False):
            self._leave(path, "ignored by .gitignore, and large")
            return
        self.found.total += size
        if self.found.total > self._limits.total_bytes:
            most = self._limits.total_bytes // 1_000_000
            raise NoCheckpoint(f"the files in {self._root} are more than {most} MB")
        seen = self._seen.get(path)
        if seen is None or seen[:4] != (size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino):
            self._read(fd, path, info)
            return
        self.found.seen[path] = seen
        self.found.tree[path] = Entry("file", stat.S_IMODE(info.st_mode), size, seen.digest)

    def _read(self, fd: int, path: str, info: os.stat_result) -> None:
        now = time.time_ns()
        try:
            with _reading(path.rpartition("/")[2], fd) as file:
                before = os.fstat(file)
                content = _all_of(file, self._limits.file_bytes + 1)
                after = os.fstat(file)
        except FileNotFoundError:
            return
        except OSError:
            self._unreadable(path, info)
            return
        if not stat.S_ISREG(after.st_mode) or len(content) > self._limits.file_bytes:
            self._leave(path, "changed while it was read")
            return
        digest = self._blobs.put(content)
        self.found.read += 1
        entry = Entry("file", stat.S_IMODE(after.st_mode), len(content), digest)
        self.found.tree[path] = entry
        if _stamp(before) == _stamp(after) and not _recent(after, now):
            self.found.seen[path] = Seen(*_stamp(after), digest)

    def _unreadable(self, path: str, info: os.stat_result) -> None:
        """A file whose mode was taken away is known by what else it was, as long as that fits."""
        seen = self._seen.get(path)
        if seen is None or (seen.size, seen.mtime_ns, seen.ino) != (
            info.st_size,
            info.st_mtime_ns,
            info.st_ino,
        ):
            self._leave(path, "not readable")
            return
        self.found.tree[path] = Entry("file", stat.S_IMODE(info.st_mode), seen.size, seen.digest)
        self.found.seen[path] = seen


def is_git_object(path: str) -> bool:
    """Whether a path lies in the objects of a git repository: they never change, only come."""
    parts = path.split("/")
    return ".git" in parts and "objects" in parts[parts.index(".git") + 1 : -1]


def _stamp(info: os.stat_result) -> tuple[int, int, int, int]:
    return info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino


def _recent(info: os.stat_result, now: int) -> bool:
    """Whether another change could come to the same times, at Unix time `now` in ns."""
    latest = max(info.st_mtime_ns, info.st_ctime_ns)
    grain = _COARSE_NS if info.st_ctime_ns % 1_000_000 == 0 else _TICK_NS
    return latest > now - grain


@contextmanager
def _reading(name: str, fd: int) -> Generator[int]:
    """A file of an open folder, to read; closed again."""
    file = os.open(name, _FILE, dir_fd=fd)
    try:
        yield file
    finally:
        os.close(file)


def _all_of(file: int, limit: int) -> bytes:
    parts: list[bytes] = []
    left = limit
    while left > 0 and (part := os.read(file, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _small(fd: int, files: int, size: int) -> bool:
    """Whether a folder holds at most so many files and bytes."""
    left = _remaining(fd, files, size, 0)
    return left is not None


def _remaining(fd: int, files: int, size: int, depth: int) -> tuple[int, int] | None:
    """What is left of both allowances; None when either is used up."""
    with os.scandir(fd) as found:
        entries = list(found)
    files -= len(entries)
    for entry in entries:
        if files < 0 or size < 0 or depth > _DEEPEST:
            return None
        try:
            info = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(info.st_mode):
                size -= info.st_size
            if not stat.S_ISDIR(info.st_mode):
                continue
            inner = os.open(entry.name, FOLDER, dir_fd=fd)
        except OSError:
            continue
        try:
            below = _remaining(inner, files, size, depth + 1)
        finally:
            os.close(inner)
        if below is None:
            return None
        files, size = below
    return (files, size) if files >= 0 and size >= 0 else None


def set_mode(folder: int, name: str, mode: int) -> None:
    """Set a mode without following a link that has come between. Raises OSError."""
    if os.chmod in os.supports_follow_symlinks:
        os.chmod(name, mode, dir_fd=folder, follow_symlinks=False)
        return
    fd = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        if not stat.S_ISLNK(os.fstat(fd).st_mode):
            os.chmod(f"/proc/self/fd/{fd}", mode)
    finally:
        os.close(fd)


def is_shut(info: os.stat_result) -> bool:
    """Whether a folder's owner, who is us, may not look into it just now."""
    return info.st_mode & 0o500 != 0o500 and info.st_uid == os.geteuid()


def _identity(path: str) -> tuple[int, int] | None:
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_dev, info.st_ino
