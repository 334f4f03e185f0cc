"""A Python script that calls tools: its process, and the line on which it asks for calls.

The script runs wherever commands run, in the sandbox or outside it. It gets one end of a pair
of connected sockets and a module, `hermes_tools`, that speaks lines of JSON on it; nothing has to
be found in the file system, so it works in every sandbox. When the script is done it says so and
waits; when the other end is let go of, it dies with all it started. So none of it outlives the
agent, however that ended.
"""

from __future__ import annotations

import asyncio
import shutil
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from hermes_tui.backends import process
from hermes_tui.backends.local import memory_file, refuse_folder
from hermes_tui.backends.process import Process
from hermes_tui.errors import ToolError

if TYPE_CHECKING:
    from hermes_tui.backends.sandbox import Sandbox

LINE_BYTES = 4_000_000
_TOO_LONG = b"too long"
_ODD = ("PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONHOME", "PYTHONWARNINGS", "PYTHONBREAKPOINT")

BOOTSTRAP = r'''
import atexit, json, os, select, signal, socket, sys, threading, types, warnings
line = socket.socket(fileno=int(sys.argv[1]))
with os.fdopen(int(sys.argv[2]), "rb") as file:
    source = file.read().decode("utf-8", "surrogateescape")
with os.fdopen(int(sys.argv[3]), "rb") as file:
    tools = json.loads(file.read().decode())
reader, lock = line.makefile("rb"), threading.Lock()
me, code = os.getpid(), 0


def end_with_line():
    """When the agent has let go of the line, or died, kill what was started here, and this."""
    poll = select.poll()
    poll.register(line, getattr(select, "POLLRDHUP", 0))
    poll.poll()
    os.killpg(0, signal.SIGKILL)


def leave():
    """Say that the script has ended, and wait for the agent to let go."""
    if os.getpid() != me:
        return
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            continue
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    lock.acquire(timeout=1)
    try:
        line.sendall((json.dumps({"end": code & 255}) + "\n").encode())
    except OSError:
        os.killpg(0, signal.SIGKILL)
    end_with_line()


atexit.register(leave)
threading.Thread(target=end_with_line, daemon=True).start()
warnings.filterwarnings("ignore", ".*multi-threaded, use of fork", DeprecationWarning)


class ToolFailed(Exception):
    """A tool call failed; status says how: error, denied, limit."""

    def __init__(self, text, status):
        Exception.__init__(self, text)
        self.status = status


class Result(str):
    """What a tool returned: its text; details is what it knows besides."""

    details = {}


def call(tool, **arguments):
    """Call a tool by name and return its text; ToolFailed when it was not done."""
    wanted = (json.dumps({"tool": tool, "arguments": arguments}) + "\n").encode()
    with lock:
        try:
            line.sendall(wanted)
            got = reader.readline()
        except OSError:
            got = b""
    if not got:
        end_with_line()
    made = json.loads(got.decode())
    if made["status"] != "ok":
        raise ToolFailed(made["text"], made["status"])
    result = Result(made["text"])
    result.details = made.get("details") or {}
    return result


def named(tool, names):
    def one(*values, **arguments):
        if len(values) > len(names):
            raise TypeError("%s takes %d arguments: %s" % (tool, len(names), ", ".join(names)))
        return call(tool, **dict(zip(names, values), **arguments))

    one.__name__ = tool
    return one


module = types.ModuleType("hermes_tools")
module.__dict__.update(call=call, ToolFailed=ToolFailed, Result=Result)
module.__dict__.update((tool, named(tool, names)) for tool, names in tools.items())
sys.modules["hermes_tools"] = module
sys.path.insert(0, "")
sys.argv = ["script"]
main = types.ModuleType("__main__")
main.__dict__.update(__file__="script", __builtins__=__builtins__)
sys.modules["__main__"] = main
import linecache, traceback
linecache.cache["script"] = (len(source), None, source.splitlines(True), "script")
try:
    exec(compile(source, "script", "exec"), main.__dict__)
except SystemExit as error:
    code = error.code if isinstance(error.code, int) else int(error.code is not None)
    if code and not isinstance(error.code, int):
        print(error.code, file=sys.stderr)
except BaseException as error:
    code = 1
    sys.stdout.flush()
    if error.__traceback__ is not None:
        error.__traceback__ = error.__traceback__.tb_next
    traceback.print_exception(type(error), error, error.__traceback__)
sys.exit(code)
'''


class Wanted(Struct, frozen=True):
    """A call that a script asks for; arguments is JSON text of an object. end: its exit code."""

    tool: str = ""
    arguments: msgspec.Raw = msgspec.Raw(b"{}")
    end: int | None = None


class Answer(Struct, frozen=True, kw_only=True):
    """What the script gets."""

    status: str
    text: str
    details: dict[str, Any] = {}


Serve = Callable[[str, str], Awaitable[Answer]]


class Script:
    """A running script. exit_code: as it says, else that of its process; None while it runs."""

    def __init__(self, started: Process, line: socket.socket) -> None:
        self.process = started
        self._line = line
        self._told: int | None = None
        self._writer: asyncio.StreamWriter | None = None

    @property
    def exit_code(self) -> int | None:
        """What it ended with."""
        return self.process.exit_code if self._told is None else self._told

    async def run(self, answer: Serve, take: Callable[[bytes], Awaitable[None]]) -> None:
        """Answer its calls and take its output, until it has ended with all it started."""
        reading = asyncio.ensure_future(self._read(take))
        serving = asyncio.ensure_future(self._serve(answer))
        exited = asyncio.ensure_future(self.process.wait())
        try:
            await asyncio.wait({serving, exited}, return_when=asyncio.FIRST_COMPLETED)
            if self._told is None:
                await exited
            await asyncio.wait({reading}, timeout=process.LINGER)
            self._let_go()
            await exited
            await reading
        finally:
            for task in (reading, serving, exited):
                task.cancel()
            await asyncio.gather(reading, serving, exited, return_exceptions=True)

    async def end(self) -> None:
        """End it, and whatever it started."""
        self._let_go()
        await self.process.kill()
        self.process.close()

    def _let_go(self) -> None:
        """Close the line; at that the script kills all it started, and itself."""
        if self._writer is not None:
            self._writer.close()
        else:
            self._line.close()

    async def _read(self, take: Callable[[bytes], Awaitable[None]]) -> None:
        while chunk := await self.process.read():
            await take(chunk)

    async def _serve(self, answer: Serve) -> None:
        """Answer calls one after the other; ends with the script's end."""
        self._line.setblocking(False)
        reader, self._writer = await asyncio.open_connection(sock=self._line, limit=LINE_BYTES)
        try:
            while raw := await _line_of(reader):
                made = await _answered(raw, answer)
                if isinstance(made, int):
                    self._told = made
                    return
                self._writer.write(msgspec.json.encode(made) + b"\n")
                await self._writer.drain()
        except (ConnectionError, BrokenPipeError):
            return  # the script has ended: nobody is left to answer


async def _line_of(reader: asyncio.StreamReader) -> bytes:
    """The next line; `_TOO_LONG` for one that was thrown away; empty at the end."""
    long = False
    while True:
        try:
            raw = await reader.readuntil(b"\n")
        except asyncio.IncompleteReadError:
            return b""
        except asyncio.LimitOverrunError as error:
            long = True
            await reader.readexactly(error.consumed or 1)
            continue
        return _TOO_LONG if long else raw


async def _answered(raw: bytes, answer: Serve) -> Answer | int:
    if raw == _TOO_LONG:
        return Answer(status="error", text=f"a call takes at most {LINE_BYTES:,} bytes")
    try:
        wanted = msgspec.json.decode(raw, type=Wanted)
    except msgspec.MsgspecError as error:
        return Answer(status="error", text=f"the call can't be read: {error}")
    if wanted.end is not None:
        return wanted.end
    return await answer(wanted.tool, bytes(wanted.arguments).decode("utf-8", "replace"))


async def start_script(
    code: str,
    tools: Mapping[str, tuple[str, ...]],
    *,
    cwd: str,
    env: Mapping[str, str],
    sandbox: Sandbox | None = None,
) -> Script:
    """Start a script. tools: names with their arguments in order. Raises ToolError."""
    refuse_folder(cwd)
    clean = {name: value for name, value in env.items() if name not in _ODD}
    ours, theirs = socket.socketpair()
    try:
        with (
            theirs,
            memory_file(code.encode(errors="surrogateescape")) as script,
            memory_file(msgspec.json.encode(tools)) as table,
        ):
            numbers = (theirs.fileno(), script.fileno(), table.fileno())
            argv = [find_python(env.get("PATH", "")), "-c", BOOTSTRAP, *map(str, numbers)]
            started = await _start(argv, numbers, cwd, clean, sandbox)
    except OSError as error:
        ours.close()
        raise ToolError(f"the script could not be started: {error.strerror}") from error
    except BaseException:
        ours.close()
        raise
    return Script(started, ours)


async def _start(
    argv: list[str],
    numbers: tuple[int, ...],
    cwd: str,
    env: Mapping[str, str],
    sandbox: Sandbox | None,
) -> Process:
    if sandbox is None:
        return await process.start(argv, cwd=cwd, env=env, pass_fds=numbers)
    from hermes_tui.backends.sandbox import Streams, start

    return await start(argv, sandbox, cwd=cwd, env=env, streams=Streams(pass_fds=numbers))


def find_python(path: str) -> str:
    """The Python of a search path, else the one this program runs on."""
    folders = ":".join(one for one in path.split(":") if one.startswith("/"))
    return shutil.which("python3", path=folders or None) or sys.executable
