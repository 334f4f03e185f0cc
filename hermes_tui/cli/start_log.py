"""The core's own log: one file, started anew by size, and where output goes without a terminal."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import TextIO

LIMIT = 5_000_000
TALKATIVE = (
    "httpx",
    "httpx2",
    "httpcore",
    "telegram",
    "discord",
    "slack_sdk",
    "aiohttp.access",
    "apscheduler",
)
"""Libraries that write a line for each call, some with the secret that is in its address."""
_LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class CoreLog:
    """The log, open for appending; `fd` stays the same when the file starts anew.

    limit: bytes at which the file is renamed to `core.log.1` and a new one begins.
    """

    def __init__(self, path: Path, limit: int = LIMIT) -> None:
        self.limit = limit
        self._path = path
        self.fd = self._open()
        self._outputs: tuple[int, ...] = ()
        self.turn_over()

    def catch(self) -> None:
        """Have everything that is logged written here; nothing ever goes to the screen."""
        # Not standard error: a screen is drawn there as long as there is one.
        stream = open(self.fd, "a", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        handler = _Capped(stream, self)
        handler.setFormatter(logging.Formatter(_LINE))
        root = logging.getLogger()
        root.handlers[:] = [handler]
        root.setLevel(logging.INFO)
        for name in TALKATIVE:
            logging.getLogger(name).setLevel(logging.WARNING)

    def take_outputs(self) -> None:
        """Standard output and error are this file from now on."""
        self._outputs = (1, 2)
        self._point()

    def turn_over(self) -> None:
        """Start the file anew when it has grown too large."""
        try:
            large = os.fstat(self.fd).st_size > self.limit
            if large:
                os.replace(self._path, self._path.with_name(self._path.name + ".1"))
                fresh = self._open()
                os.dup2(fresh, self.fd, inheritable=False)
                os.close(fresh)
                self._point()
        except OSError as error:
            print(f"core.log could not be started anew: {error}", file=sys.stderr)

    def _point(self) -> None:
        for fd in self._outputs:
            os.dup2(self.fd, fd)

    def _open(self) -> int:
        return os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


class _Capped(logging.StreamHandler[TextIO]):
    """Writes to a log and looks at its size often enough that a loop of errors fills no disk."""

    def __init__(self, stream: TextIO, log: CoreLog) -> None:
        super().__init__(stream)
        self._log = log
        self._written = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        super().emit(record)
        self._written += 100 + len(record.getMessage())
        if self._written > self._log.limit // 8:
            self._written = 0
            self._log.turn_over()


def last_lines(path: Path, count: int = 1, at_most: int = 65536) -> list[str]:
    """The last lines of a log that are not empty, oldest first."""
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - at_most))
            lines = file.read().decode(errors="replace").splitlines()
    except FileNotFoundError:
        return []
    return [line for line in lines if line.strip()][-count:]
