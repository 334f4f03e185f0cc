"""A server's program in the sandbox that commands run in: of the disk what its entry names, of the
network the hosts it names and those a person allows while one of its tools runs.

Where there is no sandbox it runs free and that is told, unless its entry wants one by name or the
settings do: then it is not started.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from hermes_tui.backends import process
from hermes_tui.backends.process import Process
from hermes_tui.errors import ToolError
from hermes_tui.home import Home
from hermes_tui.mcp.servers import Server

if TYPE_CHECKING:
    from hermes_tui.backends.egress import Egress, Wish
    from hermes_tui.backends.sandbox import Sandbox

MayReach = Callable[[str], Awaitable[bool]]
"""Asks a person whether a host may be reached."""
Tell = Callable[[str], None]


async def never(host: str) -> bool:
    """Nobody can be asked."""
    return False


def silent(text: str) -> None:
    """Nobody is told."""


class Contained:
    """Starts one server's program, each time anew. refused: hosts it wanted and did not get."""

    def __init__(
        self,
        name: str,
        server: Server,
        home: Home,
        may_reach: MayReach = never,
        tell: Tell = silent,
    ) -> None:
        self.refused: list[str] = []
        self._name = name
        self._server = server
        self._home = home
        self._may_reach = may_reach
        self._tell = tell

    @property
    def note(self) -> str:
        """What may explain why it does not work; empty when nothing does."""
        if not self.refused:
            return ""
        return f"it was not let through to {', '.join(self.refused[:3])}; `hosts` in mcp.json does"

    async def __call__(self, argv: Sequence[str], env: Mapping[str, str], errors: int) -> Process:
        """Start it; errors: the descriptor it writes to. Raises ToolError or OSError."""
        from hermes_tui.backends import sandbox
        from hermes_tui.backends.sandbox_probe import probe

        level = await probe()
        least = await asyncio.to_thread(_least, self._home)
        why = "; ".join(level.reasons[:1]) or "there is none here"
        if level.number < least:
            raise ToolError(f"the settings want sandbox level {least} for {self._name}: {why}")
        if level.number <= 1:
            return await self._free(argv, env, errors, why)
        box = await asyncio.to_thread(self._box, level.number)
        streams = sandbox.Streams(stdin=process.PIPE, pass_fds=(errors,))
        env = {**env, "PATH": _search_path(self._server.command, env.get("PATH", ""))}
        return await sandbox.start(argv, box, cwd=box.workspace, env=env, streams=streams)

    async def _free(
        self, argv: Sequence[str], env: Mapping[str, str], errors: int, why: str
    ) -> Process:
        if self._server.sandbox:
            raise ToolError(f"the server {self._name} wants a sandbox: {why}")
        self._tell(f"the server {self._name} runs without a sandbox: {why}")
        cwd = _expanded([self._server.cwd or "~"])[0]
        return await process.start(argv, cwd=cwd, env=env, stdin=process.PIPE, pass_fds=(errors,))

    def _box(self, level: int) -> Sandbox:
        from hermes_tui.backends.sandbox import Grants, Sandbox

        one = self._server
        sees, writes = _expanded(one.sees), _expanded(one.writes)
        hidden = (str(self._home.path),)
        workspace = os.path.expanduser(one.cwd)
        if not workspace:
            workspace, hidden = _own_folder(self._home, self._name), ()
            _keep_out(self._home, (*sees, *writes))
        return Sandbox(
            level=level,
            workspace=workspace,
            home=os.path.expanduser("~"),
            scratch=str(self._home.scratch),
            hidden=(*hidden, *_secrets_in((*sees, *writes), workspace)),
            profile="read-only" if one.sandbox == "read-only" else "workspace",
            grants=Grants(read=sees, write=writes, env=tuple(one.env)),
            egress=self._egress(level),
        )

    def _egress(self, level: int) -> Egress | None:
        from hermes_tui.backends import landlock
        from hermes_tui.backends.egress import Egress

        if level == 2 and os.uname().sysname == "Linux" and landlock.abi() < 4:
            if self._server.hosts:
                raise ToolError(f"{self._name} names hosts, and the sandbox here has no network")
            return None
        return Egress(self._server.hosts, ask=self._ask)

    async def _ask(self, wish: Wish) -> bool:
        host = wish.host if wish.port in (80, 443) else f"{wish.host}:{wish.port}"
        if await self._may_reach(host):
            return True
        if host not in self.refused:
            self.refused.append(host)
        return False


def _least(home: Home) -> int:
    """The weakest sandbox that the settings put up with."""
    from hermes_tui.configuration.load import load

    return load(home, os.environ).config.sandbox.level


def _search_path(command: str, path: str) -> str:
    """The search path, a program's own folder before it, so that all it is made of is seen."""
    return f"{os.path.dirname(command)}:{path}" if os.path.isabs(command) else path


def _expanded(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(os.path.expanduser, paths))


def _secrets_in(folders: Sequence[str], workspace: str) -> tuple[str, ...]:
    """Files with secrets in what is shown besides the workspace, which is looked at anyway."""
    from hermes_tui.security.grants import is_within
    from hermes_tui.security.grants_index import index_of

    found: list[str] = []
    for folder in {os.path.realpath(one) for one in folders if os.path.isdir(one)}:
        if not is_within(folder, os.path.realpath(workspace)):
            found += index_of(folder).find().secrets
    return tuple(found)


def _keep_out(home: Home, shown: Sequence[str]) -> None:
    """Make sure that nothing shown holds the agent's own files. Raises ToolError."""
    from hermes_tui.security.grants import is_within

    own = os.path.realpath(home.path)
    for folder in map(os.path.realpath, shown):
        if is_within(own, folder) or is_within(folder, own):
            raise ToolError(f"{folder} holds the agent's own files, which no server is shown")


def _own_folder(home: Home, name: str) -> str:
    folder = home.scratch / "servers" / name
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return str(folder)
