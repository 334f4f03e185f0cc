"""Changes permissions and times of files for a command that may not do it itself.

Landlock has no say in these, so at level 2 the kernel stops such a call and hands it to the
core. The core reads the path once, opens what it leads to, sees where that really is, and makes
the change on the opened file: nothing the command does meanwhile can move it elsewhere. Owners
stay what they are; giving a file to its owner again is no change.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import stat
import struct
from contextlib import suppress

from hermes_tui.backends import seccomp
from hermes_tui.security.grants import is_within

_RECEIVE, _SEND, _STILL_VALID = 0xC0502100, 0xC0182101, 0x40082102
_REQUEST, _ANSWER = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")
_LONGEST_PATH = 4096
_CURRENT_FOLDER, _NO_FOLLOW, _EMPTY_PATH = -100, 0x100, 0x1000
_SAME = 0xFFFFFFFF
_BY_NUMBER = frozenset(["fchmod", "fchown"])
_IN_FOLDER = frozenset(["fchmodat", "fchmodat2", "futimesat", "utimensat", "fchownat"])
_NOW, _AS_IT_IS = (1 << 30) - 1, (1 << 30) - 2


class Broker:
    """Serves one command. folders: where changes are made, masked: but not to these."""

    def __init__(self, folders: tuple[str, ...], masked: tuple[str, ...]) -> None:
        self._folders = folders
        self._masked = masked
        self._listener = -1
        self._loop = asyncio.get_running_loop()

    def listen(self, listener: int) -> None:
        """Serve the calls that come to a filter's listener; from any thread."""
        self._listener = listener
        os.set_blocking(listener, False)
        self._loop.call_soon_threadsafe(self._begin)

    def close(self) -> None:
        """Serve no more; later calls of what is left of the command fail."""
        if self._listener >= 0:
            self._loop.remove_reader(self._listener)
            os.close(self._listener)
            self._listener = -1

    def _begin(self) -> None:
        if self._listener >= 0:
            self._loop.add_reader(self._listener, self._serve)

    def _serve(self) -> None:
        raw = bytearray(_REQUEST.size)
        try:
            fcntl.ioctl(self._listener, _RECEIVE, raw)
        except OSError as error:
            if error.errno not in (errno.EINTR, errno.EAGAIN):
                self.close()
            return
        key, pid, _, number, _, _, *arguments = _REQUEST.unpack(raw)
        try:
            self._change(key, pid, seccomp.call_named(number), arguments)
            failed = 0
        except OSError as error:
            failed = error.errno or errno.EPERM
        with suppress(OSError):  # its caller may have been killed meanwhile
            fcntl.ioctl(self._listener, _SEND, bytearray(_ANSWER.pack(key, 0, -failed, 0)))

    def _change(self, key: int, pid: int, call: str, arguments: list[int]) -> None:
        wish = _Wish(pid, call, arguments)
        fcntl.ioctl(self._listener, _STILL_VALID, struct.pack("=Q", key))
        opened = wish.open()
        try:
            own = f"/proc/self/fd/{opened}"
            real = os.readlink(own)
            if not any(is_within(real, one) for one in self._folders):
                raise PermissionError(errno.EPERM, "outside the workspace", real)
            if any(is_within(real, one) for one in self._masked):
                raise PermissionError(errno.EACCES, "masked", real)
            status = os.fstat(opened)
            if wish.owner is not None:
                _refuse_other(wish.owner, (status.st_uid, status.st_gid))
            elif stat.S_ISLNK(status.st_mode):
                raise OSError(errno.EOPNOTSUPP, "a link has none", real)
            elif wish.mode is not None:
                os.chmod(own, wish.mode)
            else:
                os.utime(own, ns=wish.times(os.stat(own)))
        finally:
            os.close(opened)


def _refuse_other(wanted: tuple[int, int], present: tuple[int, int]) -> None:
    if any(new not in (_SAME, old) for new, old in zip(wanted, present, strict=True)):
        raise PermissionError(errno.EPERM, "owners stay what they are")


class _Wish:
    """One stopped call: what file it is about and what it would change."""

    def __init__(self, pid: int, call: str, arguments: list[int]) -> None:
        self._pid = pid
        self._folder = _CURRENT_FOLDER
        self.mode: int | None = None
        self.owner: tuple[int, int] | None = None
        rest = list(arguments)
        if call in _BY_NUMBER or call in _IN_FOLDER:
            self._folder = struct.unpack("=i", struct.pack("=I", rest.pop(0) & 0xFFFFFFFF))[0]
        place = 0 if call in _BY_NUMBER else rest.pop(0)
        value = rest.pop(0)
        if "chown" in call:
            self.owner = (value & 0xFFFFFFFF, rest.pop(0) & 0xFFFFFFFF)
        flags = rest.pop(0) if call in _IN_FOLDER - {"fchmodat", "futimesat"} else 0
        self._follow = call != "lchown" and not flags & _NO_FOLLOW
        self._path = self._text(place) if place else b""
        self._by_number = not place or (not self._path and bool(flags & _EMPTY_PATH))
        self._pairs = [(0, _NOW), (0, _NOW)]
        if "chmod" in call:
            self.mode = value & 0o7777
        elif "utime" in call and value:
            self._pairs = self._read_times(call, value)

    def open(self) -> int:
        """A descriptor of the file that is meant, good for nothing but looking and changing."""
        at = f"/proc/{self._pid}/"
        at += "cwd" if self._folder == _CURRENT_FOLDER else f"fd/{self._folder}"
        if self._by_number:
            return os.open(at, os.O_PATH | os.O_CLOEXEC)
        path = os.fsdecode(self._path)
        if not path:
            raise FileNotFoundError(errno.ENOENT, "an empty path")
        joined = os.path.join(os.readlink(at), path)
        if is_within(os.path.normpath(joined), "/proc"):
            raise PermissionError(errno.EPERM, "not through here", joined)
        follow = 0 if self._follow else os.O_NOFOLLOW
        return os.open(joined, os.O_PATH | os.O_CLOEXEC | follow)

    def times(self, status: os.stat_result) -> tuple[int, int]:
        """(accessed, changed) in nanoseconds, for a file that has those of `status` now."""
        import time

        old = (status.st_atime_ns, status.st_mtime_ns)
        made = [
            before if part == _AS_IT_IS else time.time_ns() if part == _NOW else whole + part
            for before, (whole, part) in zip(old, self._pairs, strict=True)
        ]
        return made[0], made[1]

    def _read_times(self, call: str, place: int) -> list[tuple[int, int]]:
        """(nanoseconds of the whole seconds, nanoseconds or a special value), twice."""
        if call == "utime":
            seconds = struct.unpack("=2q", self._memory(place, 16))
            return [(one * 10**9, 0) for one in seconds]
        a, b, c, d = struct.unpack("=4q", self._memory(place, 32))
        if call == "utimensat":
            return [(a * 10**9, b), (c * 10**9, d)]
        return [(a * 10**9 + b * 1000, 0), (c * 10**9 + d * 1000, 0)]

    def _text(self, place: int) -> bytes:
        """The path at a place in the caller's memory; it may end right before a hole."""
        size = _LONGEST_PATH - place % _LONGEST_PATH
        text = self._memory(place, size)
        if b"\0" not in text:
            text += self._memory(place + size, _LONGEST_PATH)
        path, end, _ = text.partition(b"\0")
        if not end or len(path) >= _LONGEST_PATH:
            raise OSError(errno.ENAMETOOLONG, "too long a path")
        return path

    def _memory(self, place: int, size: int) -> bytes:
        with open(f"/proc/{self._pid}/mem", "rb", buffering=0) as file:
            file.seek(place)
            return file.read(size)
