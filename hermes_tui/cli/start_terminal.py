"""This process's terminal: how the launcher gives it back, how the core lives on without it."""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # this is part of the launcher, which stays small
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

RESET = (
    "\x1b[?2026l"  # a frame that was being drawn
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l"  # the mouse
    "\x1b[?1004l\x1b[?2004l\x1b[?2048l"  # focus, bracketed paste, in-band resize
    "\x1b[<u\x1b[>4;0m"  # extended keys
    "\x1b[?7h\x1b[?1l\x1b[0m"  # line wrap, cursor keys, colours
    "\x1b[?1049l\x1b[?25h"  # back to the shell's screen, with its cursor
)
_REPORTS_ON_THE_WAY_S = 0.05
_WITHOUT_A_TERMINAL = (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)


def remember() -> list[Any] | None:
    """The settings of the terminal on standard input, None when it is none."""
    import termios

    try:
        return termios.tcgetattr(0)
    except termios.error:
        return None


def give_back(settings: list[Any] | None, *, screen: bool) -> None:
    """Put a terminal that a face was torn from back to what the shell left us.

    screen: a full screen was on it. Input that is still unread goes away: mouse reports among
    it would land in the prompt.
    """
    import termios
    import time

    try:
        if screen:
            os.write(1, RESET.encode())
            time.sleep(_REPORTS_ON_THE_WAY_S)
        if settings is not None:
            termios.tcsetattr(0, termios.TCSAFLUSH, settings)
    except (OSError, termios.error):
        return  # the terminal is gone, and with it all that could be restored


class Terminal:
    """The child's side: signals, the line to the launcher, and losing the terminal.

    lost: there is no terminal any more. drawing: the screen holds it. ending: the signal that
    asked this process to end. failure: what broke the screen. on_lost, on_end: called from the
    signal handlers. close_screen: has the screen leave in order, set by the screen.
    """

    def __init__(self, tell: int, alive: int) -> None:
        self._tell = tell
        self.alive = alive
        self.lost = False
        self.ending = ""
        self.drawing = False
        self.failure: Exception | None = None
        self.log: int | None = None
        self.on_lost: list[Callable[[], object]] = []
        self.close_screen: Callable[[], None] | None = None
        self.on_end: Callable[[], object] | None = None

    @classmethod
    def none(cls) -> Terminal:
        """For a process that has neither a terminal nor a launcher."""
        terminal = cls(-1, -1)
        terminal.lost = True
        return terminal

    def guard(self) -> None:
        """Take over the signals; the first thing after the fork."""
        self.ignore_stops()
        signal.signal(signal.SIGHUP, lambda signum, frame: self.hung_up())
        signal.signal(signal.SIGTERM, self._end)
        signal.signal(signal.SIGINT, self._end)

    def ignore_stops(self) -> None:
        """Be stopped by no key and no terminal: a stopped core is a dead one."""
        for one in _WITHOUT_A_TERMINAL:
            signal.signal(one, signal.SIG_IGN)

    def say(self, word: str, text: str = "") -> None:
        """Tell the launcher something, such as `detached`; nothing when it is gone."""
        line = " ".join(f"{word} {text}".split()) + "\n"
        try:
            os.write(self._tell, line.encode())
        except OSError:
            return  # nobody is there to hear it

    def screen(self, drawing: bool) -> None:
        """Say that the screen takes the terminal, or has given it back in order."""
        if self.drawing != drawing and not self.lost:
            self.drawing = drawing
            self.say("screen" if drawing else "released")

    def leave(self) -> None:
        """Live on in a session of our own; standard input, output and error go elsewhere."""
        if self.lost:
            return
        self.lost = True
        if os.getsid(0) != os.getpid():
            os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        out = null if self.log is None else self.log
        os.dup2(null, 0)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.close(null)

    def close(self) -> None:
        """Hang up on the launcher; it then waits for nothing any more."""
        for fd in (self._tell, self.alive):
            if fd >= 0:
                os.close(fd)
        self._tell = self.alive = -1

    def hung_up(self) -> None:
        """The terminal is gone: leave it, say so, and have the screen closed."""
        if self.lost:
            return
        self.leave()
        self.say("detached")
        for tell in self.on_lost:
            tell()

    def _end(self, signum: int, frame: object) -> None:
        if signum == signal.SIGINT and self.drawing:
            return
        self.ending = signal.Signals(signum).name
        if self.on_end is None:
            sys.exit(128 + signum)
        self.on_end()
