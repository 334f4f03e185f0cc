"""The screen's driver in a core: a stalled or lost terminal never holds up or ends the agent."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, ClassVar

from hermes_tui.cli.start_memory import imported
from hermes_tui.cli.start_terminal import Terminal
from hermes_tui.ui.paste_input import TerminalDriver

BACKLOG = 2_000_000
_LAST_WORDS_S = 1.0


class Writer:
    """Writes to a terminal from a thread of its own; `write` never waits.

    A terminal that does not keep up gets no more frames once BACKLOG characters wait; when it
    has read what it was given, `caught_up` is called, from the thread. So is `gone`, once, when
    the terminal can't be written to any more.
    """

    def __init__(self, fd: int, gone: Callable[[], None], caught_up: Callable[[], None]) -> None:
        self._fd = os.dup(fd)
        self._gone = gone
        self._caught_up = caught_up
        self._waiting: deque[str] = deque()
        self._size = 0
        self._skipped = False
        self._dead = False
        self._stopping = False
        self._turn = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="terminal-output", daemon=True)
        self._thread.start()

    def write(self, text: str) -> None:
        """Have text written, or leave it out when too much waits already."""
        with self._turn:
            if self._dead or not text:
                return
            if self._size > BACKLOG:
                self._waiting.clear()
                self._size = 0
                self._skipped = True
            self._waiting.append(text)
            self._size += len(text)
            self._turn.notify()

    def abandon(self) -> None:
        """Write nothing more, not even what waits."""
        with self._turn:
            self._dead = True
            self._waiting.clear()
            self._turn.notify()

    def stop(self) -> None:
        """Write what waits, within a second, and end."""
        with self._turn:
            self._stopping = True
            self._turn.notify()
        self._thread.join(_LAST_WORDS_S)
        self._dead = True

    def _run(self) -> None:
        try:
            while self._write_next():
                continue
        except OSError:
            self._dead = True
            self._gone()
        finally:
            os.close(self._fd)

    def _write_next(self) -> bool:
        with self._turn:
            while not self._waiting and not self._stopping and not self._dead:
                self._turn.wait()
            text = "".join(self._waiting)
            self._waiting.clear()
            self._size = 0
            skipped, self._skipped = self._skipped, False
            if not text:
                return not self._stopping and not self._dead
        left = memoryview(text.encode(errors="replace"))
        while left and not self._dead:
            left = left[os.write(self._fd, left) :]
        if skipped and not self._dead:
            self._caught_up()
        return True


def screen_fd() -> int:
    """The descriptor that is the terminal: standard error, unless it was sent elsewhere."""
    return next((fd for fd in (2, 1, 0) if os.isatty(fd)), 2)


class ScreenDriver(TerminalDriver):
    """Textual's driver, told about the launcher and about losing the terminal."""

    terminal: ClassVar[Terminal]

    def __init__(self, app: Any, **more: Any) -> None:
        super().__init__(app, **more)
        self._writer: Writer | None = None
        self._guard()

    def start_application_mode(self) -> None:
        """Take the terminal."""
        self.terminal.screen(True)
        self._writer = Writer(screen_fd(), self._lost, self._repaint)
        self.terminal.on_lost.append(self._writer.abandon)
        self.terminal.close_screen = self._leave
        super().start_application_mode()
        imported()
        self._guard()
        if self.terminal.lost:
            self._writer.abandon()
            self._leave()

    def write(self, data: str) -> None:
        """Send text to the terminal, now or never."""
        if self._writer is not None:
            self._writer.write(data)

    def close(self) -> None:
        """Give the terminal back."""
        super().close()
        self.terminal.close_screen = None
        # Textual would print the story over the shell's screen; it goes to the log instead.
        self.terminal.failure = self._app._exception
        self._app._exit_renderables.clear()
        if self._writer is not None:
            self._writer.stop()
        self.terminal.screen(False)

    def _read(self) -> bytes:
        data = super()._read()
        if not data and not self.exit_event.is_set():
            self._lost()
        return data

    def _guard(self) -> None:
        self.terminal.ignore_stops()
        signal.signal(signal.SIGCONT, lambda signum, frame: self._repaint())

    def _lost(self) -> None:
        """From a thread: there is no terminal any more, though nobody said so."""
        self._loop.call_soon_threadsafe(self.terminal.hung_up)

    def _leave(self) -> None:
        self._loop.call_soon_threadsafe(self._app.exit)

    def _repaint(self) -> None:
        self._loop.call_soon_threadsafe(self._app.refresh)
