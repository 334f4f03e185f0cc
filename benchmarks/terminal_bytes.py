"""How many bytes an answer costs on the way to the terminal: what makes a slow ssh line usable.

Run it with `python benchmarks/terminal_bytes.py [tokens a second [places]]`; it prints a line a
place and size. Places: `ssh`; `here`, a terminal of this machine; `columns`, one that scrolls
columns by itself; all of them by default.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Sequence
from itertools import product

from measure import HERMES, Bench, tree

TOKENS = 1_500
FACTOR = 4
PLACES = ("ssh", "columns", "here")
_ASKED, _ANSWER = b"\x1b[?69$p", b"\x1b[?69;2$y"
SIZES = ((80, 24), (120, 35), (200, 50))


class Terminal:
    """`hermes` on a pty that counts every byte, and answers at most that it has margins."""

    def __init__(self, bench: Bench, size: tuple[int, int], place: str) -> None:
        self.pid, self._fd = pty.fork()
        if not self.pid:
            os.chdir(bench.folder)
            env = {
                **bench.env,
                **({"SSH_TTY": "/dev/pts/0"} if place == "ssh" else {}),
                "TERM": "xterm-256color",
                "COLORTERM": "truecolor",
            }
            os.execve(HERMES, [HERMES], env)
        shape = struct.pack("HHHH", size[1], size[0], 0, 0)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, shape)
        self.count = 0
        self._asked = place != "columns"
        self.last = b""

    def read(self, seconds: float) -> bool:
        """Take in what comes; False when nothing came in so long."""
        if not select.select([self._fd], [], [], seconds)[0]:
            return False
        chunk = os.read(self._fd, 65_536)
        self.count += len(chunk)
        self.last = (self.last + chunk)[-200_000:]
        if not self._asked and _ASKED in self.last:
            self._asked = True
            os.write(self._fd, _ANSWER)
        return bool(chunk)

    def until(self, words: bytes, limit: float = 60.0) -> None:
        """Read until something was written; raises TimeoutError."""
        end = time.monotonic() + limit
        while words not in self.last:
            if time.monotonic() > end:
                raise TimeoutError(f"{words!r} was not written")
            self.read(0.2)

    def settle(self, quiet: float = 1.5) -> None:
        """Read until nothing comes any more."""
        while self.read(quiet):
            continue

    def type(self, text: str) -> None:
        """Type."""
        os.write(self._fd, text.encode())

    def close(self) -> None:
        """End it with all that it started."""
        for pid in tree(self.pid):
            os.kill(pid, signal.SIGKILL)
        os.close(self._fd)
        os.waitpid(self.pid, 0)


def answer_bytes(
    bench: Bench, size: tuple[int, int], place: str, per_second: float
) -> tuple[int, int]:
    """(bytes written while an answer came, bytes of its text)."""
    bench.new_home()
    terminal = Terminal(bench, size, place)
    try:
        terminal.until("❯".encode())
        terminal.settle()
        delay = 1000 / per_second
        terminal.type(f"go [[tokens={TOKENS} chunk=1 prose=md delay_ms={delay:g}]]")
        terminal.settle()
        before = terminal.count
        began = time.time()
        terminal.type("\r")
        while not finished(bench, began):
            terminal.read(0.2)
        terminal.settle()
        return terminal.count - before, TOKENS * 4
    finally:
        terminal.close()


def finished(bench: Bench, began: float) -> bool:
    """Whether the model has said all it had to say."""
    rows = bench.requests(began)
    return bool(rows) and bool(rows[-1].get("t1"))


def main(per_second: float, places: Sequence[str]) -> None:
    """Measure and print."""
    bench = Bench.open()
    try:
        for place, size in product(places, SIZES):
            spent, text = answer_bytes(bench, size, place, per_second)
            print(
                f"{place} {size[0]}x{size[1]}: {spent:,} bytes for an answer of {text:,}, "
                f"{spent / text:.1f} times its text (limit over ssh {FACTOR})",
                flush=True,
            )
    finally:
        bench.close()


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 100, sys.argv[2:] or PLACES)
