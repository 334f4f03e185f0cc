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


def resolve_for_writing(path: str, cwd: str, home: str) -> str:
    """The same for a file to be changed: only what the approval resolved to as well."""
    real = resolve(path, cwd, home)
    if real != resolve(path, cwd):
        raise ToolError(f"~ is {home} in this session", "give the full path instead")
    return real


def read_descriptor(real: str, protected: tuple[str, ...] = ()) -> int:
    """Open an ordinary file for reading; ToolError says what else it is, or why not.

    protected: files and folders no tool may touch.
    """
    refuse_protected(real, protected)
    try:
        _refuse_special(os.stat(real).st_mode, real)
        # Not blocking, should it have become a pipe since.
        descriptor = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
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

    Missing folders are made. Raises ToolError; whatever goes wrong, the old file stays.
    """
    refuse_protected(real, protected)
    folder = os.path.dirname(real)
    try:
        os.makedirs(folder, exist_ok=True)
        old = _mode(real)
        temporary = os.path.join(folder, f".new-{os.urandom(6).hex()}.tmp")
        _write_new(temporary, content, old)
        try:
            os.replace(temporary, real)
        except OSError:
            os.unlink(temporary)
            raise
        _sync_folder(folder)
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


def refuse_protected(real: str, protected: tuple[str, ...]) -> None:
    """Raise ToolError for what no tool may touch."""
    kept = [os.path.realpath(one) for one in protected]
    if any(real == one or real.startswith(one + os.sep) for one in kept):
        raise ToolError(f"{real} is out of bounds for tools")
    if _SECRET_PROC.match(real):
        raise ToolError(f"{real} holds the memory of a process and is out of bounds for tools")


def _mode(real: str) -> int | None:
    """The permissions of an ordinary file, None when there is none yet."""
    try:
        mode = os.stat(real).st_mode
    except FileNotFoundError:
        return None
    _refuse_special(mode, real)
    return stat.S_IMODE(mode)


def _write_new(path: str, content: bytes, mode: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if mode is not None:
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
    except OSError:
        os.unlink(path)
        raise


def _sync_folder(folder: str) -> None:
    # The file is in place by now; some file systems can't sync a folder.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


_KINDS = (
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
    if isinstance(error, FileNotFoundError):
        return ToolError(f"there is no file {real}", _neighbours(real))
    return ToolError(f"{real}: {error.strerror or error}")


def _neighbours(real: str) -> str:
    """A hint that names the nearest folder there is and what it holds."""
    folder = os.path.dirname(real)
    while not os.path.isdir(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    names: list[str] = []
    with suppress(OSError):
        names = sorted(name for name in os.listdir(folder) if not name.startswith("."))[:12]
    return f"{folder} holds: {', '.join(names)}" if names else ""
