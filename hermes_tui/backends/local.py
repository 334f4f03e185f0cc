"""Run shell commands on this machine.

The command reaches the shell as a file behind a descriptor and is read whole before it runs:
it is never quoted into another command line, shows in no process list (so `pkill -f` can't
hit its own shell), and its standard input stays free.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import BinaryIO

from hermes_tui.backends import process
from hermes_tui.backends.process import Process
from hermes_tui.errors import ToolError

_BASH = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash")
_SYNTAX_CHECK_S = 5.0


async def start_command(
    command: str,
    *,
    cwd: str,
    env: Mapping[str, str],
    keep_input: bool = False,
    linger: float | None = process.LINGER,
) -> Process:
    """Start a command in bash (sh where there is none); raises ToolError when it can't.

    keep_input: leave standard input open for `Process.write`; otherwise it is empty.
    """
    _refuse(command, cwd)
    try:
        return await _start(command, cwd, env, keep_input, linger)
    except UnicodeEncodeError as error:
        raise ToolError("the command has a character that can't be encoded") from error
    except OSError as error:
        raise ToolError(f"the command could not be started: {error.strerror}") from error


def _refuse(command: str, cwd: str) -> None:
    if "\0" in command:
        raise ToolError("a command can't contain a NUL character")
    if not os.path.isdir(cwd):
        raise ToolError(f"the folder {cwd} does not exist", "give another one, or make it")


async def _start(
    command: str, cwd: str, env: Mapping[str, str], keep_input: bool, linger: float | None
) -> Process:
    shell = find_shell(env.get("PATH", ""))
    if "<<" in command and await _runs_off(shell, command, env):
        raise ToolError(
            "the here-document has no end", "its end word must stand alone on a line of its own"
        )
    with _file(command.encode(errors="surrogateescape")) as script:
        number = script.fileno()
        return await process.start(
            [shell, "-c", _line(shell, number)],
            cwd=cwd,
            env=env,
            stdin=process.PIPE if keep_input else None,
            pass_fds=(number,),
            linger=linger,
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


def _file(content: bytes) -> BinaryIO:
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
    with _file(command.encode(errors="surrogateescape") + b"\n'") as script:
        check = await process.start([shell, "-n"], cwd="/", env=env, stdin=script.fileno())
    try:
        while await check.read():
            continue
        return await check.wait() == 0
    finally:
        await check.kill()
