"""Lines in and out: of any pipe or dumb terminal, or of prompt_toolkit on a real one."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import queue
import select
import sys
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from hermes_tui.paste import clean
from hermes_tui.plain.speech import speakable

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

_LAST_WORDS_S = 2.0
_INTERRUPT = "\x03"  # no line that was read holds a control byte


class Lines(Protocol):
    """Where plain mode reads and writes. echoes: the person sees what is typed."""

    echoes: bool

    def write(self, line: str) -> None:
        """Print one line."""
        ...

    async def read(self, hidden: bool = False) -> str | None:
        """The next text, None at the end of input. Raises KeyboardInterrupt for ctrl+c.

        hidden: it is not shown while it is typed.
        """
        ...

    def interrupt(self) -> None:
        """ctrl+c came as a signal."""
        ...

    def remember(self, texts: Sequence[str]) -> None:
        """Inputs of earlier sessions, newest first."""
        ...

    def close(self) -> None:
        """Give the terminal back."""
        ...


def choose(environment: Mapping[str, str] | None = None) -> Lines:
    """prompt_toolkit where somebody sits at a terminal that can do it, else plain lines."""
    env = os.environ if environment is None else environment
    real = os.isatty(0) and os.isatty(1) and env.get("TERM", "dumb") not in ("", "dumb")
    return PromptLines() if real else PlainLines()


class PlainLines:
    """Lines of two file descriptors, without one escape byte. Neither end can hold up the loop."""

    def __init__(self, read_fd: int = 0, write_fd: int = 1) -> None:
        self.echoes = os.isatty(read_fd)
        self._in, self._out = os.dup(read_fd), os.dup(write_fd)
        self._encoding = sys.stdout.encoding or "utf-8"
        self._loop = asyncio.get_running_loop()
        self._read: asyncio.Queue[str | None] = asyncio.Queue()
        self._write: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stop, self._stopper = os.pipe()
        self._writer = self._thread(self._write_all, "plain-output")
        self._reader = self._thread(self._read_all, "plain-input")

    def write(self, line: str) -> None:
        """Print one line."""
        self._write.put(f"{speakable(line)}\n".encode(self._encoding, "replace"))

    async def read(self, hidden: bool = False) -> str | None:
        """The next line without its newline, None at the end."""
        with _no_echo(self._in) if hidden else contextlib.nullcontext():
            line = await self._read.get()
        if line == _INTERRUPT:
            raise KeyboardInterrupt
        return line

    def interrupt(self) -> None:
        """Have `read` raise KeyboardInterrupt."""
        self._read.put_nowait(_INTERRUPT)

    def remember(self, texts: Sequence[str]) -> None:
        """Nothing to do: a line cannot be recalled here."""

    def close(self) -> None:
        """Write what waits, stop reading."""
        self._write.put(None)
        self._writer.join(_LAST_WORDS_S)
        os.write(self._stopper, b"x")
        self._reader.join(_LAST_WORDS_S)
        if not self._reader.is_alive() and not self._writer.is_alive():
            for fd in (self._in, self._out, self._stop, self._stopper):
                os.close(fd)

    @staticmethod
    def _thread(work: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=work, name=name, daemon=True)
        thread.start()
        return thread

    def _write_all(self) -> None:
        while (data := self._write.get()) is not None:
            left = memoryview(data)
            try:
                while left:
                    left = left[os.write(self._out, left) :]
            except OSError:
                self._give(None)
                return

    def _read_all(self) -> None:
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        held = ""
        while data := self._read_some():
            *lines, held = (held + decode(data)).split("\n")
            for line in lines:
                self._give(clean(line.removesuffix("\r")))
        if held:
            self._give(clean(held))
        self._give(None)

    def _read_some(self) -> bytes:
        ready, _, _ = select.select([self._in, self._stop], [], [])
        if self._stop in ready:
            return b""
        try:
            return os.read(self._in, 1 << 16)
        except OSError:
            return b""

    def _give(self, line: str | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended: nobody wants it any more
            self._loop.call_soon_threadsafe(self._read.put_nowait, line)


class PromptLines:
    """prompt_toolkit: a line one can edit, complete and recall, with output above it."""

    echoes = True

    def __init__(self) -> None:
        from prompt_toolkit.patch_stdout import patch_stdout

        self._stack = contextlib.ExitStack()
        self._stack.enter_context(patch_stdout())
        self._earlier: tuple[str, ...] = ()
        self._session: PromptSession[str] | None = None

    def write(self, line: str) -> None:
        """Print one line above the prompt."""
        print(speakable(line), flush=True)

    async def read(self, hidden: bool = False) -> str | None:
        """What was entered; a paste of many lines is one text."""
        from hermes_tui.plain.terminal_prompt import hidden_line, make_session

        if hidden:
            return await hidden_line()

        if self._session is None:
            self._session = make_session(self._earlier)
        try:
            return clean(await self._session.prompt_async())
        except EOFError:
            return None

    def interrupt(self) -> None:
        """ctrl+c from outside, as if the key had been pressed."""
        if self._session is not None and self._session.app.is_running:
            self._session.app.exit(exception=KeyboardInterrupt())

    def remember(self, texts: Sequence[str]) -> None:
        """What up recalls."""
        self._earlier = tuple(texts)

    def close(self) -> None:
        """Give the terminal back."""
        self._stack.close()


@contextlib.contextmanager
def _no_echo(fd: int) -> Generator[None]:
    """Have a terminal show nothing of what is typed."""
    import termios

    try:
        before = termios.tcgetattr(fd)
    except termios.error:
        yield  # a pipe shows nothing anyway
        return
    quiet = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(fd, termios.TCSADRAIN, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)
