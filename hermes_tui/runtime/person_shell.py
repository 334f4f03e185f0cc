"""The person's own shell in a session: one bash that keeps folder, variables and functions."""

from __future__ import annotations

import asyncio
import os
import secrets
import shlex
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from hermes_tui.backends import process
from hermes_tui.backends.local import find_shell
from hermes_tui.backends.process import Process
from hermes_tui.errors import HermesError
from hermes_tui.events import ShellRan
from hermes_tui.tools.output import Output, TextStream
from hermes_tui.tools.plain_text import LiveText

WINDOW = 12_000
_SETUP = b"trap 'return 130' INT\n"
"""ctrl+c ends the whole command, as at a prompt, and not the shell."""


class PersonShell:
    """Runs one command at a time. The shell is started by the first and ends with the core.

    Each command goes to the shell as a file and has no input; a line that can't be guessed
    marks its end and carries exit code and folder.
    """

    def __init__(
        self,
        cwd: str,
        env: Mapping[str, str],
        outputs: str,
        secrets_hidden: Callable[[], TextStream] | None = None,
    ) -> None:
        self.cwd = cwd
        self._secrets_hidden = secrets_hidden
        self._env = env
        self._outputs = outputs
        self._process: Process | None = None
        self._mark = secrets.token_hex(12)
        self._turn = asyncio.Lock()
        self._rest = b""

    async def run(self, command: str, shell_id: str, show: Callable[[str], None]) -> ShellRan:
        """Run a command to its end; `show` gets its output as it comes."""
        async with self._turn:
            began = time.monotonic()
            await self._say(command, shell_id)
            hidden = self._secrets_hidden() if self._secrets_hidden is not None else None
            output = Output(self._outputs, f"shell-{shell_id}.txt", WINDOW, secrets=hidden)
            live = LiveText()
            try:
                code = await self._listen(output, lambda data: show(live.feed(data)))
            finally:
                await output.close()
            return ShellRan(
                shell_id=shell_id,
                command=command,
                output=output.text(),
                exit_code=code,
                cwd=self.cwd,
                seconds=round(time.monotonic() - began, 3),
                output_path=output.path,
                output_bytes=output.size,
            )

    def interrupt(self) -> None:
        """Interrupt what runs, as ctrl+c would."""
        if self._process is not None and self._process.running and self._turn.locked():
            os.killpg(self._process.pid, signal.SIGINT)

    async def close(self) -> None:
        """End the shell and what it started."""
        if self._process is not None:
            await self._process.kill()
            self._process.close()
            self._process = None

    async def _say(self, command: str, shell_id: str) -> None:
        if self._process is None or not self._process.running:
            await self.close()
            shell = find_shell(self._env.get("PATH", ""))
            cwd = _standing(self.cwd, self._env)
            self._process = await process.start(
                [shell, "--noprofile", "--norc"] if shell.endswith("bash") else [shell],
                cwd=cwd,
                env=self._env,
                stdin=process.PIPE,
                linger=None,
            )
            await self._process.write(_SETUP)
        script = await asyncio.to_thread(_script, self._outputs, shell_id, command)
        end = f'printf "\\036{self._mark} %s %s\\036" "$?" "$PWD"'
        path = shlex.quote(script)
        line = f". {path} </dev/null\n{end}\nrm -f {path}\n"
        try:
            await self._process.write(line.encode())
        except BrokenPipeError as error:
            raise HermesError("the shell has ended", "try again; a new one is started") from error

    async def _listen(self, output: Output, show: Callable[[bytes], None]) -> int | None:
        """Output up to the mark; the exit code, None when the shell itself ended."""
        assert self._process is not None
        start, held = b"\x1e" + self._mark.encode() + b" ", self._rest
        while True:
            at = held.find(start)
            if at >= 0 and (end := held.find(b"\x1e", at + 1)) >= 0:
                await self._pass_on(held[:at], output, show)
                self._rest = held[end + 1 :]
                code, _, cwd = held[at + len(start) : end].decode(errors="replace").partition(" ")
                self.cwd = cwd or self.cwd
                return int(code)
            safe = at if at >= 0 else _before_a_mark(held, start)
            await self._pass_on(held[:safe], output, show)
            held = held[safe:]
            chunk = await self._process.read()
            if not chunk:
                await self._pass_on(held, output, show)
                self._rest = b""
                return None
            held += chunk

    async def _pass_on(self, data: bytes, output: Output, show: Callable[[bytes], None]) -> None:
        if data:
            show(data)
            await output.add(data)


def _before_a_mark(held: bytes, start: bytes) -> int:
    """How much can be shown although the rest may be the beginning of a mark."""
    at = held.rfind(b"\x1e")
    return at if at >= 0 and start.startswith(held[at:]) else len(held)


def _standing(cwd: str, env: Mapping[str, str]) -> str:
    return cwd if os.path.isdir(cwd) else env.get("HOME", "/")


def _script(folder: str, shell_id: str, command: str) -> str:
    path = Path(folder)
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = path / f".shell-{shell_id}"
    file.touch(mode=0o600)
    file.write_text(command, "utf-8")
    return str(file)
