"""Long output: all of it on disk, its head and tail for the model, a bounded part in memory."""

from __future__ import annotations

import asyncio
import codecs
import time
from collections.abc import Awaitable
from typing import IO, Any, Protocol

from hermes_tui.security import paths
from hermes_tui.tools.base import Context, ToolResult
from hermes_tui.tools.plain_text import LiveText, clean, clean_end, clean_start, is_binary

CAP = 200_000_000
_HEAD_SHARE = 0.4
_NOTE_CHARS = 200
_LIVE_CHARS = 16_384
_LIVE_PAUSE_S = 0.05


class TextStream(Protocol):
    """Hides secrets in a text that comes in pieces; `redact_stream.StreamRedactor`."""

    def feed(self, piece: str) -> str:
        """Take a piece; what can be let out by now."""
        ...

    def pause(self) -> str:
        """What of it may be read before the next piece comes."""
        ...

    def finish(self) -> str:
        """What is held back."""
        ...


class Output:
    """What one call or process puts out. Goes to disk once it is more than the model may see.

    window: characters the model may see; cap: bytes kept on disk; whole: on disk from the
    start, for a reader who does not wait for its end; secrets: hides them in what is kept.
    `size` counts all bytes, kept or not; `path` is empty as long as nothing is on disk.
    """

    def __init__(
        self,
        folder: str,
        name: str,
        window: int,
        *,
        cap: int = CAP,
        whole: bool = False,
        secrets: TextStream | None = None,
    ) -> None:
        self.size = 0
        self.path = ""
        self.problem = ""
        self._folder = folder
        self._name = name
        self._window = window
        self._cap = cap
        self._keep = 4 * window
        self._start = bytearray()
        self._end = bytearray()
        self._file: IO[bytes] | None = None
        self._writing: Awaitable[None] | None = None
        self._secrets = secrets
        self._live = whole
        self._decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
        if whole:
            self._write(b"")

    async def add(self, chunk: bytes) -> None:
        """Take in more output."""
        self.size += len(chunk)
        if self.size <= self._keep and not self.path:
            self._start += chunk
            return
        first = b"" if self.path else bytes(self._start)
        room = max(0, self._keep - len(self._start))
        self._start += chunk[:room]
        self._end += chunk[room:]
        if len(self._end) > 2 * self._keep:
            del self._end[: -self._keep]
        self._writing = asyncio.get_running_loop().run_in_executor(None, self._write, first + chunk)
        await asyncio.shield(self._writing)

    async def close(self) -> None:
        """No more comes. Puts it on disk now if the model will not see all of it."""
        if self._writing is not None:
            await self._writing
        if not self.path and self.cut:
            await asyncio.to_thread(self._write, bytes(self._start))
        if self._file is not None:
            if self._secrets is not None:
                await asyncio.to_thread(self._write, b"", True)
            self._file.close()

    @property
    def cut(self) -> bool:
        """Whether `text` leaves something out."""
        binary = is_binary(bytes(self._start))
        return self.size > 2 * self._keep or binary or len(self._all()) > self._window

    def text(self) -> str:
        """What the model reads: everything, or head, a note on what was left out, and tail."""
        if is_binary(bytes(self._start)):
            start = bytes(self._start[:16]).hex(" ")
            return f"[binary output, {self.size:,} bytes, starting {start}; {self.kept}]"
        limit = max(_NOTE_CHARS, self._window - _NOTE_CHARS - len(self.path))
        head_chars = int(limit * _HEAD_SHARE)
        if self.size <= 2 * self._keep:
            whole = self._all()
            if len(whole) <= self._window:
                return whole
            head, tail = whole[:head_chars], whole[head_chars - limit :]
        else:
            head = clean_start(self._start)[:head_chars]
            tail = clean_end(self._end[-self._keep :])[head_chars - limit :]
        head, tail = _to_line_end(head), _from_line_start(tail)
        cut = f"[… cut: this is the start and the end of {self.size:,} bytes; {self.kept} …]"
        return f"{head}\n{cut}\n{tail}"

    def _all(self) -> str:
        return to_text(self._start + self._end)

    @property
    def kept(self) -> str:
        """Where the whole of it can be read, or why it can't."""
        if self.problem or not self.path:
            return self.problem
        some = f"the first {self._cap:,} bytes are" if self.size > self._cap else "all of it is"
        return f"{some} in {self.path}, which read_file shows in pages"

    def _write(self, data: bytes, last: bool = False) -> None:
        """Append to the file, making it first if need be. Runs in a thread."""
        if self.problem:
            return
        if self._secrets is not None:
            data = self._hidden(self._secrets, data, last)
        try:
            if self._file is None:
                self._file, self.path = paths.create_private(self._folder, self._name)
            room = max(0, self._cap - self._file.tell())
            self._file.write(data[:room])
        except OSError as error:
            self.problem = f"it could not be kept: {error.strerror}"

    def _hidden(self, secrets: TextStream, data: bytes, last: bool) -> bytes:
        """The same without secrets, as far as it can be let out; odd bytes survive."""
        text = secrets.feed(self._decode(data, last))
        if last:
            text += secrets.finish()
        elif self._live:
            text += secrets.pause()
        return text.encode("utf-8", "surrogateescape")


class Progress:
    """Passes output on to the screens as it comes, but never more than a screen can take."""

    def __init__(self, ctx: Context) -> None:
        self._show = ctx.progress
        self._text = LiveText()
        self._seen = b""
        self._since = 0.0
        self._room = 0

    def feed(self, chunk: bytes) -> None:
        """Show a chunk, or its end if it is too much at a time; of binary output, nothing."""
        if len(self._seen) < 1024:
            self._seen += chunk[:1024]
        if is_binary(self._seen):
            return
        now = time.monotonic()
        if now - self._since > _LIVE_PAUSE_S:
            self._since, self._room = now, _LIVE_CHARS
        if self._room <= 0:
            return
        text = self._text.feed(chunk[-self._room :])
        self._room -= len(chunk)
        if text:
            self._show(text)


async def fit(text: str, ctx: Context, details: dict[str, Any] | None = None) -> ToolResult:
    """The result of a tool whose text may be too long for the model; then all of it is kept."""
    output = Output(
        ctx.outputs, f"{ctx.call_id}.txt", ctx.window_chars, secrets=ctx.secrets_hidden()
    )
    try:
        await output.add(text.encode(errors="replace"))
    finally:
        await output.close()
    return ToolResult(
        for_model=output.text(),
        details=details or {},
        output_path=output.path,
        output_bytes=output.size,
    )


def to_text(part: bytes | bytearray) -> str:
    """Bytes of a program as harmless text."""
    return clean(part.decode("utf-8", "replace"))


def _to_line_end(head: str) -> str:
    cut = head.rfind("\n", len(head) * 3 // 4)
    return head if cut < 0 else head[:cut]


def _from_line_start(tail: str) -> str:
    cut = tail.find("\n", 0, len(tail) // 4)
    return tail if cut < 0 else tail[cut + 1 :]
