"""The launcher's side: wait for the child, and leave the terminal as it was whatever happens."""

from __future__ import annotations

import os
import signal
import sys

from hermes_tui.cli.start_terminal import give_back

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PATIENCE_S = 2


class Watch:
    """Waits for one child. settings: what the terminal was set to before it."""

    def __init__(self, child: int, heard: int, settings: list[Any] | None) -> None:
        self._child = child
        self._heard = heard
        self._settings = settings
        self._drawing = False
        self._asked = 0

    def guard(self) -> None:
        """Take over the signals. Keys that mean the child are not ours; a stopped launcher
        would stop nobody but the shell that waits for it.
        """
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTSTP, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, self._told_to_leave)
        signal.signal(signal.SIGTERM, self._told_to_leave)
        signal.signal(signal.SIGALRM, self._waited_enough)

    def until_left(self) -> int:
        """Listen to the child until it has left the terminal or has ended; the exit code."""
        rest = b""
        while chunk := os.read(self._heard, 4096):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                code = self._hear(line.decode(errors="replace"))
                if code is not None:
                    return code
        return self._ended()

    def _hear(self, line: str) -> int | None:
        word, _, text = line.partition(" ")
        match word:
            case "screen":
                self._drawing = True
            case "released":
                self._drawing = False
            case "detached":
                self._restore()
                if not self._asked and text:
                    print(text)
                return 128 + self._asked if self._asked else 0
            case "failed":
                self._restore()
                print(text, file=sys.stderr)
                return 1
            case "exit":
                return int(text)
            case _:
                return None
        return None

    def _ended(self) -> int:
        _, status = os.waitpid(self._child, 0)
        code = os.waitstatus_to_exitcode(status)
        if code >= 0:
            self._restore()
            return code
        give_back(self._settings, screen=self._drawing)
        name = signal.Signals(-code).name
        print(f"hermes: the agent was ended by {name}; nothing stored is lost", file=sys.stderr)
        print("  `hermes` goes on where it was", file=sys.stderr)
        return 128 - code

    def _restore(self) -> None:
        if self._drawing:
            self._drawing = False
            give_back(self._settings, screen=True)

    def _told_to_leave(self, signum: int, frame: object) -> None:
        self._asked = signum
        signal.alarm(_PATIENCE_S)
        try:
            os.kill(self._child, signal.SIGHUP)
        except ProcessLookupError:
            return  # its end is in the pipe already

    def _waited_enough(self, signum: int, frame: object) -> None:
        self._restore()
        os._exit(128 + self._asked)
