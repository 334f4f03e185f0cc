"""A Python script that calls tools: its process, and the line on which it asks for calls.

The script runs wherever commands run, in the sandbox or outside it. It gets one end of a pair
of connected sockets and a module, `hermes_tools`, that speaks lines of JSON on it; nothing has to
be found in the file system, so it works in every sandbox.
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
_ODD = ("PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONHOME", "PYTHONWARNINGS", "PYTHONBREAKPOINT")

BOOTSTRAP = r'''
import json, os, socket, sys, threading, types
line = socket.socket(fileno=int(sys.argv[1]))
with os.fdopen(int(sys.argv[2]), "rb") as file:
    source = file.read().decode("utf-8", "surrogateescape")
with os.fdopen(int(sys.argv[3]), "rb") as file:
    tools = json.loads(file.read().decode())
reader, lock = line.makefile("rb"), threading.Lock()


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
    with lock:
        line.sendall((json.dumps({"tool": tool, "arguments": arguments}) + "\n").encode())
        got = reader.readline()
    if not got:
        raise ToolFailed("the agent is gone", "error")
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
except Exception as error:
    sys.stdout.flush()
    if error.__traceback__ is not None:
        error.__traceback__ = error.__traceback__.tb_next
    traceback.print_exception(type(error), error, error.__traceback__)
    sys.exit(1)
'''


class Wanted(Struct, frozen=True):
    """A call that a script asks for; arguments is JSON text of an object."""

    tool: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")


class Answer(Struct, frozen=True, kw_only=True):
    """What the script gets."""

    status: str
    text: str
    details: dict[str, Any] = {}


Serve = Callable[[str, str], Awaitable[Answer]]


class Script:
    """A running script. `serve` answers what it asks for until the script is done."""

    def __init__(self, started: Process, line: socket.socket) -> None:
        self.process = started
        self._line = line

    async def serve(self, answer: Serve) -> None:
        """Answer calls one after the other; ends with the script's end of the line."""
        self._line.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=self._line, limit=LINE_BYTES)
        try:
            while raw := await _line_of(reader):
                writer.write(msgspec.json.encode(await _answered(raw, answer)) + b"\n")
                await writer.drain()
        except (ConnectionError, BrokenPipeError):
            return  # the script has ended: nobody is left to answer
        finally:
            writer.close()


async def _line_of(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readline()
    except ValueError:
        return b""  # longer than any call may be: the line can't be followed any more


async def _answered(raw: bytes, answer: Serve) -> Answer:
    try:
        wanted = msgspec.json.decode(raw, type=Wanted)
    except msgspec.MsgspecError as error:
        return Answer(status="error", text=f"the call can't be read: {error}")
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
