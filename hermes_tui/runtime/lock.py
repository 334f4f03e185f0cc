"""One core per home, held by an flock: it goes when its process goes, however that ends."""

from __future__ import annotations

import fcntl
import os

from hermes_tui.errors import CoreError
from hermes_tui.home import Home


class CoreLock:
    """The lock of a home. The file's text names the holder, for people only."""

    def __init__(self, home: Home) -> None:
        self.path = home.lock
        self._fd = -1

    def take(self, version: str) -> None:
        """Take the lock or raise CoreError naming the process that has it."""
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(fd, 200).decode("utf-8", "replace").split("\n", 1)[0]
            os.close(fd)
            raise CoreError(
                f"a core is already running for {self.path.parent} ({holder or 'starting'})",
                "`hermes attach` shows it, `hermes daemon stop` ends it",
            ) from None
        os.ftruncate(fd, 0)
        os.write(fd, f"pid {os.getpid()}, version {version}\n".encode())
        self._fd = fd

    def release(self) -> None:
        """Let the lock go."""
        if self._fd >= 0:
            os.ftruncate(self._fd, 0)
            os.close(self._fd)
            self._fd = -1
