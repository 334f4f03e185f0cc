"""Another user of the machine gets no word out of the core, even past the file modes."""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
from pathlib import Path

import pytest

from hermes_tui.config import Config
from hermes_tui.home import Home
from hermes_tui.runtime.core import Core

NOBODY = 65534


def ask_as_nobody(socket_path: str) -> int:
    """How many bytes a stranger gets for a polite greeting. Runs in a forked child."""
    os.setgroups([])
    os.setuid(NOBODY)
    line = socket.socket(socket.AF_UNIX)
    line.connect(socket_path)
    try:
        line.sendall(b'{"hello":{"protocol":1,"face":"stranger"}}\n')
        return len(line.recv(1000))
    except (ConnectionResetError, BrokenPipeError):
        return 0


@pytest.mark.root
async def test_a_connection_of_another_user_is_closed_without_a_word() -> None:
    with tempfile.TemporaryDirectory() as folder:
        core = await Core(Home(Path(folder) / "home"), Config(), headless=True).start()
        open_modes = {Path(folder): 0o755, core.home.path: 0o755, core.home.socket: 0o666}
        for path, mode in open_modes.items():
            path.chmod(mode)
        child = os.fork()
        if child == 0:
            code = 2
            try:
                code = 1 if ask_as_nobody(str(core.home.socket)) else 0
            finally:
                os._exit(code)  # never back into the test run
        _, status = await asyncio.to_thread(os.waitpid, child, 0)
        await core.end("test over")
    assert os.waitstatus_to_exitcode(status) == 0, "the core answered a stranger"
