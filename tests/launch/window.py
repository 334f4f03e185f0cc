"""A terminal window as a person has it: a pty, a screen, keys, and a way to close it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

import pyte

from tests.launch.hermes import PATIENCE_S

MOUSE = ("1000", "1002", "1003", "1006", "1015", "1016")
_MODE = re.compile(rb"\x1b\[\?([\d;]+)([hl])")
_NOT_FOR_PYTE = re.compile(
    rb"\x1b[_P][^\x1b]*\x1b\\\\|\x1b\[16t|\x1b\[[<>=][\d;]*[a-z]|\x1b\[\?[\d;]*\$p|\x1b\[\?[\d;]*u"
)


class Window:
    """Runs a program as the leader of a session on a terminal of its own."""

    def __init__(
        self,
        argv: list[str],
        env: Mapping[str, str],
        cwd: Path,
        size: tuple[int, int] = (120, 35),
    ) -> None:
        self.raw = b""
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self._code: int | None = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execve(argv[0], argv, dict(env))
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.before = termios.tcgetattr(self.fd)

    def __enter__(self) -> Window:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        if self._code is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
            except ProcessLookupError:
                return

    # --- what is seen ----------------------------------------------------------------------

    def read(self, seconds: float = 0.02) -> bool:
        """Take in what was written; False when the window is closed or nobody writes."""
        if self.fd < 0 or not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            return False
        self.raw += data
        self._stream.feed(_NOT_FOR_PYTE.sub(b"", data))
        return bool(data)

    @property
    def text(self) -> str:
        """The screen as it is seen."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    @property
    def modes(self) -> set[str]:
        """Private modes that are on: `1049` the alternate screen, `25` the cursor, …"""
        on = {"25"}
        for numbers, switch in _MODE.findall(self.raw):
            for one in numbers.decode().split(";"):
                (on.add if switch == b"h" else on.discard)(one)
        return on

    def until(self, what: str | Callable[[], object], seconds: float = PATIENCE_S) -> None:
        """Read until a text is on the screen, or until something is true."""
        deadline = time.monotonic() + seconds
        while not (what in self.text if isinstance(what, str) else what()):
            assert time.monotonic() < deadline, f"waited for {what!r}; the screen:\n{self.text}"
            self.read()

    def rest(self, seconds: float) -> None:
        """Only look on for a while, as somebody does who reads before pressing a key."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.read()

    # --- what is done ----------------------------------------------------------------------

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self.fd, text.encode())

    def close(self) -> None:
        """Close the window: everything on it is hung up."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def ended(self, seconds: float = PATIENCE_S) -> int:
        """Wait for the program to end; its exit code, negative for a signal."""
        deadline = time.monotonic() + seconds
        while self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._code = os.waitstatus_to_exitcode(status)
                break
            assert time.monotonic() < deadline, f"it goes on; the screen:\n{self.text}"
            self.read()
        while self.read():
            continue
        return self._code

    @property
    def settings_as_before(self) -> bool:
        """Whether the terminal is set up as it was when the program started."""
        return termios.tcgetattr(self.fd) == self.before
