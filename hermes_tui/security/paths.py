"""The one place that resolves and opens files for tools."""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import suppress
from typing import IO

from hermes_tui.errors import ToolError

_SECRET_PROC = re.compile(
    r"/proc/(kcore|[^/]+(/task/[^/]+)?/(environ|mem|auxv|pagemap|maps|smaps))$"
)


_TO_READ = ("outputs", "skills")
"""Folders in the agent's own that tools may read: long outputs, and skills with their parts."""


def resolve(path: str, cwd: str, home: str = "") -> str:
    """The real absolute path of what a tool was asked for, links followed.

    `~` is `home`, or the home folder of whoever runs this. Raises ToolError for what no file
    can be called.
    """
    if not path:
        raise ToolError("the path is empty")
    if "\0" in path:
        raise ToolError("a path can't contain a NUL character")
    if path == "~" or path.startswith("~/"):
        path = (home or os.path.expanduser("~")) + path[1:]
    try:
        return os.path.realpath(os.path.join(cwd, path))
    except (OSError, UnicodeEncodeError, ValueError) as error:
        raise ToolError(f"{path!r} is not a usable path: {error}") from error


def resolve_for_writing(path: str, cwd: str, home: str, decided: tuple[str, ...] = ()) -> str:
    """The same for a file to be changed: only what the approval resolved to as well.

    decided: the real paths that the policy decided about; none: it was not asked. Where a link
    leads elsewhere by now, ToolError says so.
    """
    real = resolve(path, cwd, home)
    if real != resolve(path, cwd):
        raise ToolError(f"~ is {home} in this session", "give the full path instead")
    if decided and real not in decided:
        raise ToolError(f"{path} leads to another place than when it was decided", "try again")
    return real


def read_descriptor(real: str, protected: tuple[str, ...] = ()) -> int:
    """Open an ordinary file for reading; ToolError says what else it is, or why not.

    real: as `resolve` gave it. Where a link has come into it since, it is not followed.
    protected: files and folders no tool may touch.
    """
    from hermes_tui.security import file_places

    refuse_protected(real, protected, reading=True)
    if why := file_places.secret(real):
        raise ToolError(f"{why} and is out of bounds for tools")
    try:
        _refuse_special(os.stat(real).st_mode, real)
        folder, name = _folder_of(real)
        try:
            # Not blocking, should it have become a pipe since.
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(name, flags, dir_fd=folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise _sentence(error, real) from error
    try:
        _refuse_special(os.fstat(descriptor).st_mode, real)
    except ToolError:
        os.close(descriptor)
        raise
    return descriptor


def read_bytes(real: str, protected: tuple[str, ...] = (), limit: int = 50_000_000) -> bytes:
    """A whole ordinary file; ToolError when it is longer than `limit` bytes."""
    with os.fdopen(read_descriptor(real, protected), "rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise ToolError(f"{real} is over {limit:,} bytes", "change it with a command instead")
    return content


def replace_file(real: str, content: bytes, protected: tuple[str, ...] = ()) -> None:
    """Write a file so that it is either all new or untouched, keeping its mode; sync it to disk.

    Missing folders are made. Where a link has come into the path since it was resolved, it is
    not followed. Raises ToolError; whatever goes wrong, the old file stays.
    """
    refuse_protected(real, protected)
    try:
        folder, name = _folder_of(real, make=True)
        try:
            old = _mode(name, folder, real)
            temporary = f".new-{os.urandom(6).hex()}.tmp"
            _write_new(temporary, folder, content, old)
            try:
                os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                os.unlink(temporary, dir_fd=folder)
                raise
            _sync_folder(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise _sentence(error, real) from error


def create_private(folder: str, name: str) -> tuple[IO[bytes], str]:
    """A new unbuffered file only its owner can read, and its path; raises OSError.

    The name may come from anywhere: what is no letter, digit, `-` or `_` is replaced, and a
    name that is taken gets a number.
    """
    os.makedirs(folder, mode=0o700, exist_ok=True)
    stem, suffix = os.path.splitext(name)
    stem = re.sub(r"[^A-Za-z0-9_-]", "_", stem)[:80] or "output"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    for number in range(1, 10_000):
        tag = f"-{number}" if number > 1 else ""
        path = os.path.join(folder, f"{stem}{tag}{suffix}")
        try:
            return os.fdopen(os.open(path, flags, 0o600), "wb", buffering=0), path
        except FileExistsError:
            continue
    raise FileExistsError(errno.EEXIST, "too many files of one name", folder)


def refuse_protected(real: str, protected: tuple[str, ...], *, reading: bool = False) -> None:
    """Raise ToolError for what no tool may touch.

    reading: what the agent keeps for itself to read, in a protected folder, is open.
    """
    if not is_open(real, protected, reading=reading):
        raise ToolError(f"{real} is out of bounds for tools")
    if _SECRET_PROC.match(real):
        raise ToolError(f"{real} holds the memory of a process and is out of bounds for tools")


def is_open(real: str, protected: tuple[str, ...], *, reading: bool = True) -> bool:
    """Whether a path lies in none of the protected files and folders."""
    for one in map(os.path.realpath, protected):
        if real != one and not real.startswith(one + os.sep):
            continue
        shown = reading and any(real.startswith(f"{one}/{name}/") for name in _TO_READ)
        if not shown:
            return False
    return True


_WAY = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def _folder_of(real: str, *, make: bool = False) -> tuple[int, str]:
    """A handle of the folder a file is in, reached without following any link; and its name.

    make: missing folders on the way are made. Raises OSError.
    """
    *folders, name = real.split(os.sep)[1:]
    handle = os.open(os.sep, _WAY)
    try:
        for folder in folders:
            below = _enter(handle, folder, make)
            os.close(handle)
            handle = below
    except OSError:
        os.close(handle)
        raise
    return handle, name


def _enter(handle: int, folder: str, make: bool) -> int:
    try:
        return os.open(folder, _WAY, dir_fd=handle)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):
        os.mkdir(folder, dir_fd=handle)
    return os.open(folder, _WAY, dir_fd=handle)


def _mode(name: str, folder: int, real: str) -> int | None:
    """The permissions of an ordinary file, None when there is none yet."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    _refuse_special(mode, real)
    return stat.S_IMODE(mode)


def _write_new(name: str, folder: int, content: bytes, mode: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, 0o666 if mode is None else 0o600, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if mode is not None:
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
    except OSError:
        os.unlink(name, dir_fd=folder)
        raise


def _sync_folder(folder: int) -> None:
    # The file is in place by now; some file systems can't sync a folder.
    with suppress(OSError):
        descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


_KINDS = (
    (stat.S_ISLNK, "a link that was not there before"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def _refuse_special(mode: int, real: str) -> None:
    for is_kind, name in _KINDS:
        if is_kind(mode):
            raise ToolError(f"{real} is {name}, not a file")


def _sentence(error: OSError, real: str) -> ToolError:
    if error.errno in (errno.ELOOP, errno.ENOTDIR) and _moved(real):
        return ToolError(f"{real} has become a link to another place", "look at it again")
    if isinstance(error, FileNotFoundError):
        return ToolError(f"there is no file {real}", _neighbours(real))
    return ToolError(f"{real}: {error.strerror or error}")


def _moved(real: str) -> bool:
    try:
        return os.path.realpath(real) != real
    except OSError:  # it is being moved right now
        return True


def _neighbours(real: str) -> str:
    """A hint that names the nearest folder there is and what it holds."""
    folder = os.path.dirname(real)
    while not os.path.isdir(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    names: list[str] = []
    with suppress(OSError):
        names = sorted(name for name in os.listdir(folder) if not name.startswith("."))[:12]
    return f"{folder} holds: {', '.join(names)}" if names else ""
