"""A living core, asked without asyncio or any package: sockets and JSON, for commands that must
not cost more than the answer.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import sys
import time
from collections import deque
from typing import Any

from hermes_tui import __version__, errors
from hermes_tui.errors import CoreError, HermesError
from hermes_tui.home import Home

PROTOCOL = 1
ANSWER_S = 2.0
_POLL_S = 0.02
_RESTART = "`hermes daemon restart` starts this version"
_AGAIN = "try again"
_ENDED = "the core ended"
_LOCAL_PEERPID = 2  # macOS sys/un.h


class Line:
    """An open line to a core. pid, version: of the core, as it said."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._rest = b""
        self._lines: deque[bytes] = deque()
        self._number = 0
        self.pushed: deque[bytes] = deque()
        self.pid = 0
        self.version = ""

    def greet(self, face: str) -> None:
        """Exchange the first lines; raises CoreError when the core speaks another protocol."""
        self._sock.settimeout(ANSWER_S)
        hello = {"protocol": PROTOCOL, "version": __version__, "face": face}
        self._write({"hello": hello})
        answer = _object(self._read())
        if "error" in answer:
            raise _error(answer["error"])
        theirs = answer.get("hello")
        if theirs is None:
            raise CoreError("what answers on the socket is no core", _RESTART)
        self.pid, self.version = int(theirs.get("pid", 0)), str(theirs.get("version", ""))
        if theirs.get("protocol") != PROTOCOL:
            raise CoreError(
                f"the running core is version {self.version} and speaks protocol "
                f"{theirs.get('protocol')}; this is version {__version__} with {PROTOCOL}",
                _RESTART,
            )

    def ask(self, op: str, wait_s: float | None = None, **args: Any) -> dict[str, Any]:
        """Send an intent and return its reply; events that arrive meanwhile are kept.

        wait_s: longest silence in seconds, None for no limit. Raises the error the core raised.
        """
        self._number += 1
        self._sock.settimeout(wait_s)
        self._write({"id": self._number, "op": op, "args": args})
        while True:
            line = self._read()
            if line.startswith(b'{"event":'):
                self.pushed.append(line)
                continue
            reply = json.loads(line)
            if reply.get("id") == self._number:
                break
        if reply.get("error"):
            raise _error(reply["error"])
        return reply["ok"]

    def tell(self, op: str, **args: Any) -> None:
        """Send an intent and wait for no reply: for requests that outlast this process."""
        self._number += 1
        self._write({"id": self._number, "op": op, "args": args})

    def wait_for_end(self, seconds: float) -> None:
        """Read on until the core hangs up; raises CoreError when it still lives after that."""
        self._sock.settimeout(seconds)
        while True:
            try:
                self._read()
            except CoreError as error:
                if error.message == _ENDED:
                    return
                raise

    def event(self) -> bytes:
        """The next event as the JSON text of its record; waits as long as it takes."""
        self._sock.settimeout(None)
        while not self.pushed:
            line = self._read()
            if line.startswith(b'{"event":'):
                self.pushed.append(line)
        return self.pushed.popleft()[len(b'{"event":') : -1]

    def close(self) -> None:
        """Hang up."""
        self._sock.close()

    def _write(self, message: dict[str, Any]) -> None:
        try:
            self._sock.sendall(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise CoreError("the line to the core was cut", _AGAIN) from error

    def _read(self) -> bytes:
        while not self._lines:
            try:
                chunk = self._sock.recv(65536)
            except TimeoutError as error:
                raise CoreError("the core does not answer", _RESTART) from error
            except OSError as error:
                raise CoreError("the line to the core was cut", _AGAIN) from error
            if not chunk:
                raise CoreError(_ENDED, _AGAIN)
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            self._lines.extend(lines)
        return self._lines.popleft()


def connect(home: Home, face: str = "cli", patience: float = 5.0) -> Line | None:
    """A line to the home's core, None when no core lives.

    While a core is starting or ending it waits up to `patience` seconds. Raises CoreError when
    one lives but can't be talked to.
    """
    until = time.monotonic() + patience
    while True:
        sock = dial(home)
        if sock is None and not held(home):
            return None
        if sock is not None and (line := _greeted(sock, face)) is not None:
            return line
        if time.monotonic() > until:
            raise CoreError("a core holds this home but does not listen", "hermes daemon logs")
        time.sleep(_POLL_S)


def _greeted(sock: socket.socket, face: str) -> Line | None:
    """A line after the greeting, None when the core ended over it."""
    line = Line(sock)
    try:
        line.greet(face)
    except CoreError as error:
        line.close()
        if error.message == _ENDED:
            return None
        raise
    return line


def ask(op: str, args: dict[str, Any], face: str = "cli") -> dict[str, Any] | None:
    """One question to the living core of this home; None when no core lives."""
    line = connect(Home.find(), face)
    if line is None:
        return None
    try:
        return line.ask(op, **args)
    finally:
        line.close()


def dial(home: Home) -> socket.socket | None:
    """A connected socket, None when nobody listens."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.settimeout(ANSWER_S)
    try:
        sock.connect(os.fspath(home.socket))
    except (FileNotFoundError, ConnectionRefusedError):
        sock.close()
        return None
    except OSError as error:
        sock.close()
        raise CoreError(f"the core can't be reached: {error.strerror}", _RESTART) from error
    return sock


def held(home: Home) -> bool:
    """Whether some process holds the home's lock, which only a living core does."""
    try:
        fd = os.open(home.lock, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def wait_until_free(home: Home, seconds: float) -> bool:
    """Wait for the home's core to end, which lets the lock go last; whether it has."""
    until = time.monotonic() + seconds
    while held(home):
        if time.monotonic() > until:
            return False
        time.sleep(_POLL_S)
    return True


def peer(sock: socket.socket) -> int:
    """The pid at the other end of a Unix socket, as the kernel knows it; 0 when it does not."""
    if sys.platform == "darwin":
        return struct.unpack("i", sock.getsockopt(0, _LOCAL_PEERPID, 4))[0]
    raw = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", raw)[0]


def _object(line: bytes) -> dict[str, Any]:
    try:
        got: Any = json.loads(line)
    except ValueError:
        return {}
    return got if isinstance(got, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _error(body: dict[str, Any]) -> HermesError:
    cls = getattr(errors, str(body.get("type", "CoreError")), CoreError)
    known = isinstance(cls, type) and issubclass(cls, HermesError)
    return (cls if known else HermesError)(str(body.get("message")), str(body.get("hint", "")))
