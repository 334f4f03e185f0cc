"""The protocol's own reference servers, over both ways, killed and revived in mid-use.

They are programs of Node: `npm install --global @modelcontextprotocol/server-everything
@modelcontextprotocol/server-filesystem @modelcontextprotocol/server-memory`.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.backends.sandbox_probe import probe
from hermes_tui.errors import ToolError
from hermes_tui.mcp.asking import Said, Wanted
from hermes_tui.mcp.link import Link, Times
from hermes_tui.mcp.servers import Server
from hermes_tui.mcp.tools import RESOURCES, McpTool, ResourceTool
from tests.fakes.context import FakeContext
from tests.mcp.conftest import Bench, alive, free_port, until

pytestmark = pytest.mark.slow
TIMES = Times(connect=20, call=15, look=60, idle=300)
_LOCAL_ONLY = """
const net = require("net");
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...given) {
  const done = given.find((one) => typeof one === "function");
  const port = typeof given[0] === "object" ? given[0].port : Number(given[0]);
  return listen.call(this, { port, host: "127.0.0.1" }, done);
};
"""


def program(name: str) -> str:
    path = shutil.which(f"mcp-server-{name}")
    if shutil.which("node") is None or path is None:
        pytest.skip(f"npm install --global @modelcontextprotocol/server-{name}")
    return path


async def ask(link: Link, tool: str, ctx: FakeContext, **arguments: object) -> str:
    await link.ready()
    definition = link.offer.tool(tool)
    assert definition is not None, [one.name for one in link.offer.tools]
    made = McpTool(link, definition, lambda _: None)
    parsed = made.parse(json.dumps(arguments))
    return (await made.run(parsed, ctx)).for_model


def kill(pid: int) -> None:
    os.killpg(pid, signal.SIGKILL)


Place = Callable[..., dict[str, Any]]


@pytest.fixture(params=["sandbox", "off"])
async def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Where a server's program runs: in the best sandbox there is, seeing a folder, or free."""
    if request.param == "off":
        return lambda *folders: {"sandbox": "off"}
    monkeypatch.setattr("hermes_tui.backends.sandbox_probe._known", None)
    level = await probe()
    if level.number <= 1:
        pytest.skip("; ".join(level.reasons))
    return lambda *folders: {"sandbox": "workspace", "writes": tuple(map(str, folders))}


async def test_files_written_by_one_process_are_read_by_the_next(
    bench: Bench, tmp_path: Path, ctx: FakeContext, place: Place
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    server = Server(command=program("filesystem"), args=(str(work),), **place(work))
    link, lines = bench.link("files", server, TIMES)
    note = str(work / "note.txt")
    await ask(link, "write_file", ctx, path=note, content="first\nsecond\n")
    assert "[FILE] note.txt" in await ask(link, "list_directory", ctx, path=str(work))
    kill(lines.pids[0])
    await until(lambda: not alive(lines.pids[0]))
    edits = [{"oldText": "second", "newText": "third"}]
    await ask_again(link, "edit_file", ctx, path=note, edits=edits)
    assert "third" in await ask(link, "read_text_file", ctx, path=note)
    assert "denied" in await ask(link, "read_text_file", ctx, path="/etc/passwd")
    assert len(lines.made) == 2


async def ask_again(link: Link, tool: str, ctx: FakeContext, **arguments: object) -> str:
    """As the model would: a call that met the lost connection is made once more."""
    with suppress(ToolError):
        return await ask(link, tool, ctx, **arguments)
    return await ask(link, tool, ctx, **arguments)


async def test_a_graph_outlives_its_server(
    bench: Bench, tmp_path: Path, ctx: FakeContext, place: Place
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    env = {"MEMORY_FILE_PATH": str(work / "graph.jsonl")}
    server = Server(command=program("memory"), env=env, **place(work))
    link, lines = bench.link("graph", server, TIMES)
    ada = {"name": "Ada", "entityType": "person", "observations": ["likes engines"]}
    await ask(link, "create_entities", ctx, entities=[ada])
    kill(lines.pids[0])
    await until(lambda: not alive(lines.pids[0]))
    assert "likes engines" in await ask_again(link, "search_nodes", ctx, query="Ada")
    await ask(link, "delete_entities", ctx, entityNames=["Ada"])
    assert "Ada" not in await ask(link, "read_graph", ctx)


async def everything(link: Link, ctx: FakeContext) -> None:
    """A session over most of what the protocol has."""
    assert await ask(link, "echo", ctx, message="grüße 你好") == "Echo: grüße 你好"
    assert "42" in await ask(link, "get-sum", ctx, a=17, b=25)
    assert "image/png" in await ask(link, "get-tiny-image", ctx)
    assert "emperature" in await ask(link, "get-structured-content", ctx, location="Chicago")
    long = await ask(link, "trigger-long-running-operation", ctx, duration=1, steps=3)
    assert "completed" in long
    assert "of 3" in "".join(ctx.shown)
    resources, read = (ResourceTool(link, one, lambda _: None) for one in RESOURCES)
    listed = (await resources.run({}, ctx)).for_model
    assert "://" in listed
    uri = next(line.split()[0] for line in listed.splitlines() if "{" not in line.split()[0])
    assert uri in (await read.run({"uri": uri}, ctx)).for_model


async def asks_back(link: Link, ctx: FakeContext) -> None:
    """The server asks for the model and for the person."""

    async def complete(wanted: Wanted) -> Said:
        return Said(text=f"sampled {wanted.messages[-1][1][-5:]}", model="small")

    link.asking.complete = complete
    assert "sampled" in await ask(link, "trigger-sampling-request", ctx, prompt="a fish")
    ctx.answers = ["refuse"]
    assert "decline" in (await ask(link, "trigger-elicitation-request", ctx)).lower()


async def test_everything_over_pipes(bench: Bench, ctx: FakeContext, place: Place) -> None:
    server = Server(command=program("everything"), args=("stdio",), **place())
    link, lines = bench.link("all", server, TIMES)
    await everything(link, ctx)
    await asks_back(link, ctx)
    under_way = asyncio.ensure_future(
        ask(link, "trigger-long-running-operation", ctx, duration=30, steps=10)
    )
    await until(lambda: len(ctx.shown) > 3)
    kill(lines.pids[0])
    with pytest.raises(ToolError, match="effect unknown"):
        await under_way
    assert await ask(link, "echo", ctx, message="back") == "Echo: back"
    assert len(lines.made) == 2


@contextmanager
def over_http(port: int, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    patch = folder / "local.cjs"
    patch.write_text(_LOCAL_ONLY)
    env = {**os.environ, "PORT": str(port), "NODE_OPTIONS": f"--require={patch}"}
    argv = [program("everything"), "streamableHttp"]
    running = subprocess.Popen(
        argv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        assert running.stderr is not None
        end = time.monotonic() + 15
        while time.monotonic() < end and b"listening" not in running.stderr.readline():
            continue
        yield running
    finally:
        running.kill()
        running.wait(5)


async def test_everything_over_http(bench: Bench, tmp_path: Path, ctx: FakeContext) -> None:
    port = free_port()
    server = Server(url=f"http://127.0.0.1:{port}/mcp")
    link, lines = bench.link("all", server, TIMES)
    with over_http(port, tmp_path):
        await everything(link, ctx)
        await asks_back(link, ctx)
    with pytest.raises(ToolError, match=r"\w"):
        await ask(link, "echo", ctx, message="gone")
    with over_http(port, tmp_path):
        assert await ask_again(link, "echo", ctx, message="back") == "Echo: back"
    assert len(lines.made) >= 2
