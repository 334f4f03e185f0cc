"""A small world for sandbox tests: a person's home with keys in it, and a workspace."""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from hermes_tui.backends import sandbox_probe
from hermes_tui.backends.limits import Limits
from hermes_tui.backends.local import start_command
from hermes_tui.backends.process import Process
from hermes_tui.backends.sandbox import Sandbox

CANARY = "canary-" + "7f3a91c2"
LIMITS = Limits(pids=64, memory=512 << 20, file=8 << 20, scratch=8 << 20)
KEYS = (
    ".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/gh/hosts.yml",
    ".mozilla/firefox/key4.db", ".bash_history", ".cargo/credentials.toml",
)  # fmt: skip
_works: dict[int, str] = {}


class Ran(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    process: Process


def need(level: int) -> None:
    """Skip, by name, where a level does not work."""
    if level not in _works:
        _works[level] = _in_thread(level)
    if _works[level]:
        pytest.skip(_works[level])


def _in_thread(level: int) -> str:
    said: list[str] = []

    def ask() -> None:
        missing = sandbox_probe._missing(level)
        said.append(missing or asyncio.run(sandbox_probe._trial(level)))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    return said[0]


class World:
    """Folders of one test. The workspace lies in the home, as it mostly does."""

    def __init__(self, top: Path) -> None:
        self.home = top / "person"
        self.work = self.home / "projects" / "shop"
        self.state = self.home / ".hermes-tui"
        self.scratch = top / "scratch"
        for folder in (self.work, self.state, self.scratch):
            folder.mkdir(parents=True)
        for name in (*KEYS, ".hermes-tui/secrets.env"):
            file = self.home / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{CANARY}\n")
        (self.home / ".bashrc").write_text("# as it was\n")
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home)}

    def sandbox(self, level: int = 3, **changes: Any) -> Sandbox:
        made = Sandbox(
            level=level,
            workspace=str(self.work),
            home=str(self.home),
            scratch=str(self.scratch),
            hidden=(str(self.state),),
            limits=LIMITS,
        )
        return msgspec.structs.replace(made, **changes)

    async def start(
        self, command: str, sandbox: Sandbox, env: Mapping[str, str] | None = None, **more: Any
    ) -> Process:
        place = more.pop("cwd", str(self.work))
        return await start_command(
            command, cwd=place, env={**self.env, **(env or {})}, sandbox=sandbox, **more
        )

    async def run(
        self, command: str, sandbox: Sandbox, env: Mapping[str, str] | None = None, **more: Any
    ) -> Ran:
        child = await self.start(command, sandbox, env, **more)
        return await finish(child)

    def digest(self) -> str:
        """Names, modes and contents of all of the home but the workspace."""
        made = hashlib.sha256()
        for folder, folders, files in os.walk(self.home):
            folders[:] = sorted(one for one in folders if Path(folder, one) != self.work)
            for name in sorted(files):
                file = Path(folder, name)
                made.update(f"{file} {file.lstat().st_mode}".encode() + file.read_bytes())
            made.update(" ".join(folders).encode())
        return made.hexdigest()


async def finish(child: Process) -> Ran:
    """Read a command to its end."""
    parts = b""
    try:
        while chunk := await child.read():
            parts += chunk
        code = await child.wait()
    finally:
        await child.kill()
    return Ran(code, parts.decode(errors="replace"), child)
