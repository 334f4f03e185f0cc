"""Run shell commands on this machine.

The command reaches the shell as a file behind a descriptor and is read whole before it runs:
it is never quoted into another command line, shows in no process list (so `pkill -f` can't
hit its own shell), and its standard input stays free.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO

from hermes_tui.backends import process
from hermes_tui.backends.process import Process
from hermes_tui.errors import ToolError

if TYPE_CHECKING:
    from hermes_tui.backends.sandbox import Sandbox

_BASH = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash")
_SYNTAX_CHECK_S = 5.0


async def start_command(
    command: str,
    *,
    cwd: str,
    env: Mapping[str, str],
    keep_input: bool = False,
    linger: float | None = process.LINGER,
    sandbox: Sandbox | None = None,
) -> Process:
    """Start a command in bash (sh where there is none); raises ToolError when it can't.

    keep_input: leave standard input open for `Process.write`; otherwise it is empty. sandbox:
    what to surround it with; None for nothing.
    """
    _refuse(command, cwd)
    stdin = process.PIPE if keep_input else None
    try:
        if sandbox is not None:
            return await _start_in(sandbox, command, cwd, env, (stdin, linger))
        return await _start(command, cwd, env, stdin, linger)
    except UnicodeEncodeError as error:
        raise ToolError("the command has a character that can't be encoded") from error
    except OSError as error:
        raise ToolError(f"the command could not be started: {error.strerror}") from error


def _refuse(command: str, cwd: str) -> None:
    if "\0" in command:
        raise ToolError("a command can't contain a NUL character")
    refuse_folder(cwd)


def refuse_folder(cwd: str) -> None:
    """Raises ToolError when a process can't work in a folder."""
    if not os.path.isdir(cwd):
        raise ToolError(f"the folder {cwd} does not exist", "give another one, or make it")


async def _start(
    command: str, cwd: str, env: Mapping[str, str], stdin: process.Stdin, linger: float | None
) -> Process:
    shell = find_shell(env.get("PATH", ""))
    await _refuse_unended(shell, command, env)
    with memory_file(command.encode(errors="surrogateescape")) as script:
        number = script.fileno()
        return await process.start(
            [shell, "-c", _line(shell, number)],
            cwd=cwd,
            env=env,
            stdin=stdin,
            pass_fds=(number,),
            linger=linger,
        )


async def _start_in(
    sandbox: Sandbox,
    command: str,
    cwd: str,
    env: Mapping[str, str],
    keeping: tuple[process.Stdin, float | None],
) -> Process:
    from hermes_tui.backends.sandbox import Streams, start

    shell = find_shell("")
    await _refuse_unended(shell, command, {})
    with memory_file(command.encode(errors="surrogateescape")) as script:
        number = script.fileno()
        streams = Streams(stdin=keeping[0], pass_fds=(number,), linger=keeping[1])
        argv = [shell, "-c", _line(shell, number)]
        return await start(argv, sandbox, cwd=cwd, env=env, streams=streams)


async def _refuse_unended(shell: str, command: str, env: Mapping[str, str]) -> None:
    if "<<" in command and await _runs_off(shell, command, env):
        raise ToolError(
            "the here-document has no end", "its end word must stand alone on a line of its own"
        )


def find_shell(path: str) -> str:
    """The bash of a search path or of the usual places, else sh."""
    named = [os.path.join(folder, "bash") for folder in path.split(":") if folder.startswith("/")]
    return next((one for one in (*named, *_BASH) if os.access(one, os.X_OK)), "/bin/sh")


def _line(shell: str, number: int) -> str:
    """What reads the script and runs it; constant but for the descriptor's number.

    bash closes the descriptor before the script runs; sh knows no numbers over 9, and there
    the script's processes see one more open (read-only) file.
    """
    if shell.endswith("bash"):
        return f'eval "$(</dev/fd/{number})" {number}<&-'
    return f'eval "$(/bin/cat /dev/fd/{number})"'


def memory_file(content: bytes) -> BinaryIO:
    """A nameless file with this content, at its start."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("script")
    else:
        import tempfile

        descriptor, name = tempfile.mkstemp()
        os.unlink(name)
    file = os.fdopen(descriptor, "w+b")
    file.write(content)
    file.seek(0)
    return file


async def _runs_off(shell: str, command: str, env: Mapping[str, str]) -> bool:
    """Whether a here-document swallows the end of the command.

    Shells take the end of input for the end of a here-document, and say nothing or only warn.
    So a lone quote is put after the command: a complete command no longer parses, but an
    unfinished here-document swallows the quote.
    """
    with memory_file(command.encode(errors="surrogateescape") + b"\n'") as script:
        check = await process.start([shell, "-n"], cwd="/", env=env, stdin=script.fileno())
    try:
        while await check.read():
            continue
        return await check.wait() == 0
    finally:
        await check.kill()
