"""Servers for tests: small ones of our own, over pipes and over loopback."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from hermes_tui.home import Home
from hermes_tui.mcp.hub import line_to
from hermes_tui.mcp.link import Line, Link, Times
from hermes_tui.mcp.servers import Server
from tests.fakes.context import FakeContext

OWN = Path(__file__).with_name("own_server.py")
QUICK = Times(connect=15, call=10, look=30, idle=60)


def own_server(folder: Path, *more: str, **fields: object) -> Server:
    """The entry of the server in `own_server.py`, which keeps its state in `folder`."""
    args = (str(OWN), str(folder), *more)
    return Server(command=sys.executable, args=args, **fields)  # type: ignore[arg-type]


def shown(folder: str | Path) -> dict[str, tuple[str, ...]]:
    """What the server in `own_server.py` needs in a sandbox: this code, its state, libraries."""
    seen = str(OWN.parents[2]), *(one for one in sys.path if "site-packages" in one)
    return {"sees": seen, "writes": (str(folder),)}


class Lines:
    """Makes lines and remembers them, so that a test can kill what they lead to."""

    def __init__(self, make: Callable[[], Line]) -> None:
        self._make = make
        self.made: list[Line] = []

    def __call__(self) -> Line:
        self.made.append(self._make())
        return self.made[-1]

    @property
    def pids(self) -> list[int]:
        return [getattr(one, "pid", 0) for one in self.made]


class Bench:
    """Links in a task group that ends with the test."""

    def __init__(self, home: Home, group: asyncio.TaskGroup) -> None:
        self.home = home
        self.group = group
        self.links: list[Link] = []

    def link(self, name: str, server: Server, times: Times = QUICK) -> tuple[Link, Lines]:
        lines = Lines(line_to(name, server, self.home))
        link = Link(name, server, lines, self.group.create_task, times)
        self.links.append(link)
        return link, lines


@pytest.fixture
async def bench(home: Home) -> AsyncIterator[Bench]:
    async with asyncio.TaskGroup() as group:
        made = Bench(home, group)
        yield made
        for one in made.links:
            await one.close()


@pytest.fixture
def ctx(tmp_path: Path) -> FakeContext:
    return FakeContext(tmp_path)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


async def until(true: Callable[[], bool], limit_s: float = 8.0) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(limit_s):
        while not true():  # noqa: ASYNC110 - processes and files set no event
            await asyncio.sleep(0.01)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
