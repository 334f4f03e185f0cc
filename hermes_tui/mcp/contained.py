"""A server's program in the sandbox that commands run in: no network, and of the disk what its
entry names.

Where there is no sandbox it is not started: an entry that wants one never runs without.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hermes_tui.backends import process
from hermes_tui.backends.process import Process
from hermes_tui.errors import ToolError
from hermes_tui.home import Home
from hermes_tui.mcp.servers import Server

if TYPE_CHECKING:
    from hermes_tui.backends.sandbox import Sandbox


async def start(
    name: str, server: Server, home: Home, argv: Sequence[str], env: Mapping[str, str], errors: int
) -> Process:
    """Start it; errors: the descriptor it writes its errors to. Raises ToolError or OSError."""
    from hermes_tui.backends import sandbox
    from hermes_tui.backends.sandbox_probe import probe

    level = await probe()
    if level.number <= 1 or server.sandbox == "off":
        why = "; ".join(level.reasons[:2]) or "there is none"
        raise ToolError(f"the server {name} wants a sandbox: {why}")
    box = await asyncio.to_thread(_box, name, server, home, level.number)
    streams = sandbox.Streams(stdin=process.PIPE, pass_fds=(errors,))
    return await sandbox.start(argv, box, cwd=box.workspace, env=env, streams=streams)


def _box(name: str, server: Server, home: Home, level: int) -> Sandbox:
    from hermes_tui.backends.sandbox import Grants, Sandbox

    return Sandbox(
        level=level,
        workspace=os.path.expanduser(server.cwd) or _own_folder(home, name),
        home=os.path.expanduser("~"),
        scratch=str(home.scratch),
        hidden=(str(home.path),),
        profile="read-only" if server.sandbox == "read-only" else "workspace",
        grants=Grants(read=tuple(map(os.path.expanduser, server.sees)), env=tuple(server.env)),
    )


def _own_folder(home: Home, name: str) -> str:
    folder = home.scratch / "servers" / name
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return str(folder)
