"""A server that is a program: its input and output as the streams that the SDK wants.

It is started like every child, by `backends.process`: a session of its own, no descriptor of
ours, an environment of a few harmless names and those that its entry gives. What it writes to
standard error is no part of the protocol; the end of it is kept for when something goes wrong.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Coroutine,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

from hermes_tui.backends import process
from hermes_tui.errors import ToolError

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

_LONGEST_LINE = 64_000_000
_ENDS_ITSELF_S = 1.5
_SAID = 4_000
_NAMES = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR"),
    *("XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "NVM_DIR"),
)
_WITH_ERRORS_ASIDE = 'n=$1; shift; exec 2>"/dev/fd/$n"; exec "$@"'


class Within(Protocol):
    """Starts a program inside something. note: why that may be what keeps it from working."""

    @property
    def note(self) -> str:
        """A sentence, or nothing."""
        ...

    def __call__(
        self, argv: Sequence[str], env: Mapping[str, str], errors: int, /
    ) -> Awaitable[process.Process]:
        """Start it; errors: the descriptor for what it writes there."""
        ...


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """What a server's program sees: harmless names, and those its entry gives."""
    kept = {name: os.environ[name] for name in _NAMES if os.environ.get(name)}
    kept |= {name: value for name, value in os.environ.items() if name.startswith("LC_")}
    return {**kept, **more}


class Child:
    """A program to talk to. `lost` is set when it says no more; `said` is the end of its errors."""

    def __init__(
        self, argv: list[str], cwd: str, env: Mapping[str, str], within: Within | None = None
    ) -> None:
        self.lost = asyncio.Event()
        self.pid = 0
        self._argv = argv
        self._cwd = cwd or os.path.expanduser("~")
        self._env = dict(env)
        self._within = within
        self._errors = bytearray()

    @property
    def said(self) -> str:
        """The last it wrote to standard error."""
        text = bytes(self._errors).decode("utf-8", "replace")
        lines = [line for line in text.splitlines() if line.strip()]
        note = self._within.note if self._within is not None else ""
        return "\n".join([*lines, *([note] if note else [])])[-_SAID:]

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[tuple[Any, Any]]:
        """Start it, give what comes in and where to put what goes out, and end it."""
        import anyio

        incoming, reader = anyio.create_memory_object_stream[Any](0)
        writer, outgoing = anyio.create_memory_object_stream[Any](0)
        async with self._running() as running, _tasks() as start:
            start(self._read(running, incoming))
            start(self._write(running, outgoing))
            try:
                yield reader, writer
            finally:
                for stream in (reader, writer):
                    stream.close()
        for stream in (incoming, outgoing):
            stream.close()

    @asynccontextmanager
    async def _running(self) -> AsyncGenerator[process.Process]:
        """The program, from its start to its end, with an ear for its errors."""
        near, far = os.pipe()
        try:
            running = await self._start(far)
        except BaseException:
            os.close(near)
            raise
        finally:
            os.close(far)
        self.pid = running.pid
        loop = asyncio.get_running_loop()
        os.set_blocking(near, False)
        loop.add_reader(near, self._hear, near, loop)
        try:
            yield running
        finally:
            self.lost.set()
            await asyncio.shield(_end(running))
            loop.remove_reader(near)
            os.close(near)

    async def _start(self, errors: int) -> process.Process:
        argv = ["/bin/sh", "-c", _WITH_ERRORS_ASIDE, "sh", str(errors), *self._argv]
        try:
            if self._within is not None:
                return await self._within(argv, self._env, errors)
            return await process.start(
                argv, cwd=self._cwd, env=self._env, stdin=process.PIPE, pass_fds=(errors,)
            )
        except OSError as error:
            raise ToolError(f"{self._argv[0]} could not be started: {error.strerror}") from error

    def _hear(self, descriptor: int, loop: asyncio.AbstractEventLoop) -> None:
        try:
            chunk = os.read(descriptor, 65_536)
        except BlockingIOError:
            return
        if not chunk:
            loop.remove_reader(descriptor)
        self._errors += chunk
        del self._errors[: -2 * _SAID]

    async def _read(self, running: process.Process, incoming: Any) -> None:
        """Pass on what the program says, until it ends or nobody listens any more."""
        import anyio

        rest = bytearray()
        try:
            while (chunk := await running.read()) and len(rest) < _LONGEST_LINE:
                rest += chunk
                *lines, last = rest.split(b"\n")
                rest = bytearray(last)
                await _pass_on(lines, incoming)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            return
        finally:
            self.lost.set()
            incoming.close()

    async def _write(self, running: process.Process, outgoing: Any) -> None:
        try:
            async for sent in outgoing:
                text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                await running.write(text.encode() + b"\n")
        except (BrokenPipeError, ConnectionError, ValueError):
            self.lost.set()
        finally:
            outgoing.close()


async def _pass_on(lines: list[bytearray], incoming: Any) -> None:
    """Lines as messages; what is none is noise and passed over."""
    for line in lines:
        if (message := _message(bytes(line))) is not None:
            await incoming.send(message)


@asynccontextmanager
async def _tasks() -> AsyncGenerator[Callable[[Coroutine[Any, Any, None]], None]]:
    """Tasks that are cancelled when the block ends."""
    started: list[asyncio.Task[None]] = []
    async with asyncio.TaskGroup() as group:
        try:
            yield lambda work: started.append(group.create_task(work))
        finally:
            for one in started:
                one.cancel()


def _message(line: bytes) -> SessionMessage | None:
    import mcp_types
    from mcp.shared.message import SessionMessage

    if not line.strip():
        return None
    with suppress(ValueError):
        message = mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        return SessionMessage(message)
    return None


async def _end(running: process.Process) -> None:
    """Close its input, which tells it to end, and end it if it does not."""
    running.close_input()
    if running.running:
        with suppress(TimeoutError):
            async with asyncio.timeout(_ENDS_ITSELF_S):
                await running.wait()
    await running.kill()
    running.close()
