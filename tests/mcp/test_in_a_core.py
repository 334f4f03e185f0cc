"""Servers and packages in a running core: found, asked about, run, shown, and told of."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from hermes_tui.events import (
    ApprovalAsked,
    Notice,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from hermes_tui.home import Home
from hermes_tui.intents import AnswerApproval, RunCommand
from hermes_tui.mcp import accepted, servers
from hermes_tui.mcp.accepted import Definition, Offer
from hermes_tui.mcp.servers import Server
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.fakes.scripted_model import Call, Reply, ScriptedModel, call, say
from tests.mcp.conftest import alive, own_server
from tests.mcp.conftest import until as becomes
from tests.runtime.conftest import open_in, settled, until
from tests.runtime.conftest import say as tell

GREET = Definition(
    name="greet",
    description="Greets somebody by name.",
    schema={"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
)
DIE = Definition(
    name="die",
    description="Ends the server in the middle of the call.",
    schema={"type": "object", "properties": {}},
)


def accept_own(home: Home, folder: Path, reads: tuple[str, ...] = ()) -> None:
    server = own_server(folder, reads=reads)
    servers.put(home, "own", server)
    accepted.put(home, "own", Offer(launch=server.digest, tools=(GREET, DIE)))


@pytest.fixture
async def core(home: Home, scripted: ScriptedModel) -> AsyncIterator[Core]:
    core = await Core(home, settled(home, scripted.url), headless=True).start()
    yield core
    await core.end("test over")


def use(tool: str, **arguments: object) -> Reply:
    return call("use_tool", name=tool, arguments=arguments)


async def test_a_server_is_found_asked_about_and_used_under_its_real_name(
    core: Core, home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    accept_own(home, tmp_path)
    find = call("find_tools", need="say hello to a person")
    scripted.script = [find, use("own.greet", name="Ada"), say("greeted")]
    client = LocalClient(core, through_codec=True)
    view = await open_in(client, str(tmp_path))
    await tell(client, view, "greet Ada with own")
    (*_, asked) = await until(client, ApprovalAsked)
    assert isinstance(asked.event, ApprovalAsked)
    assert asked.event.tool == "own.greet"
    assert asked.event.detail == '{\n  "name": "Ada"\n}'
    assert asked.event.rule == "own.greet mcp:own"
    yes = AnswerApproval(session=view.info.id, ask_id=asked.event.ask_id, verdict="session")
    await client.ask(yes)
    records = await until(client, TurnEnded)
    started = [r.event for r in records if isinstance(r.event, ToolStarted)]
    assert [(one.tool, one.arguments) for one in started] == [("own.greet", '{"name":"Ada"}')]
    (ended,) = (r.event for r in records if isinstance(r.event, ToolEnded))
    assert (ended.tool, ended.status, ended.for_model) == ("own.greet", "ok", "Hello Ada!")
    situation = core.sessions[view.info.id].situation()
    assert situation.taint == "the server own"

    scripted.script = [use("own.greet", name="Bob"), say("again")]
    await tell(client, view, "and Bob")
    kinds = [r.event for r in await until(client, TurnEnded)]
    assert not any(isinstance(one, ApprovalAsked) for one in kinds)


async def test_the_prompt_is_the_same_bytes_whatever_servers_come(
    core: Core, home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [say("one"), say("two")]
    client = LocalClient(core, through_codec=True)
    view = await open_in(client, str(tmp_path))
    await tell(client, view, "hello")
    await until(client, TurnEnded)
    accept_own(home, tmp_path)
    await tell(client, view, "hello again")
    await until(client, TurnEnded)
    first, second = scripted.requests
    assert first.json["tools"] == second.json["tools"]
    assert first.json["messages"][0] == second.json["messages"][0]
    other = await open_in(client, str(tmp_path))
    scripted.script = [say("three")]
    await tell(client, other, "hello")
    await until(client, TurnEnded)
    assert scripted.requests[2].json["tools"] == first.json["tools"]
    assert "tools of: own" in scripted.requests[2].json["messages"][0]["content"]


async def test_a_hello_stays_within_its_budget(
    core: Core, home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    server = own_server(tmp_path)
    servers.put(home, "own", server)
    many = tuple(
        Definition(name=f"tool_{n}", description="Does a thing. " * 20, schema=GREET.schema)
        for n in range(60)
    )
    accepted.put(home, "own", Offer(launch=server.digest, tools=many))
    scripted.script = [say("hi")]
    client = LocalClient(core, through_codec=True)
    view = await open_in(client, str(tmp_path))
    await tell(client, view, "hello")
    await until(client, TurnEnded)
    (request,) = scripted.requests
    sent = msgspec.json.encode([request.json["messages"], request.json["tools"]])
    assert len(sent) <= 16_000
    assert len(sent) / 4 <= 4_000
    assert len(request.json["tools"]) <= 12
    agent = await core.agent_for(core.sessions[view.info.id])
    assert len(agent.tools) >= 60


async def test_a_planted_server_is_told_of_once_and_never_started(
    core: Core, home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    servers.put(home, "planted", Server(command="touch", args=(str(tmp_path / "ran"),)))
    scripted.script = [say("one"), say("two")]
    client = LocalClient(core, through_codec=True)
    view = await open_in(client, str(tmp_path))
    told: list[str] = []
    for text in ("hello", "again"):
        await tell(client, view, text)
        records = await until(client, TurnEnded)
        told += [r.event.text for r in records if isinstance(r.event, Notice)]
    assert len(told) == 1
    assert "planted is new and not accepted" in told[0]
    assert not (tmp_path / "ran").exists()


async def test_a_server_that_dies_in_a_call_costs_the_call_and_not_the_turn(
    core: Core, home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    accept_own(home, tmp_path, reads=("greet", "die"))
    both = (
        Call("use_tool", {"name": "own.die", "arguments": {}}),
        Call("use_tool", {"name": "own.gone", "arguments": {}}),
    )
    scripted.script = [Reply(calls=both), use("own.greet", name="Ada"), say("done")]
    client = LocalClient(core, through_codec=True)
    view = await open_in(client, str(tmp_path))
    await tell(client, view, "go")
    ended = [r.event for r in await until(client, TurnEnded) if isinstance(r.event, ToolEnded)]
    said = {one.tool: (one.status, one.for_model) for one in ended}
    assert "effect unknown" in said["own.die"][1]
    assert "there is no tool 'own.gone'" in said["own.gone"][1]
    assert said["own.greet"] == ("ok", "Hello Ada!")


async def test_a_core_that_ends_leaves_no_server_behind(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    accept_own(home, tmp_path, reads=("greet",))
    scripted.script = [use("own.greet", name="Ada"), say("done")]
    core = await Core(home, settled(home, scripted.url), headless=True).start()
    client = LocalClient(core, through_codec=True)
    view = await open_in(client, str(tmp_path))
    await tell(client, view, "go")
    await until(client, TurnEnded)
    pids = own_processes()
    assert pids
    await core.end("over")
    await becomes(lambda: not any(map(alive, pids)))


async def test_servers_and_their_tools_are_listed_on_request(
    core: Core, home: Home, tmp_path: Path
) -> None:
    accept_own(home, tmp_path)
    servers.put(home, "other", Server(command="true"))
    client = LocalClient(core, through_codec=True)
    view = await open_in(client, str(tmp_path))
    listed = (await client.ask(RunCommand(session=view.info.id, command="mcp"))).text
    assert "`own` idle, 2 tools" in listed
    assert "`other` new, 0 tools: true" in listed
    tools = (await client.ask(RunCommand(session=view.info.id, command="tools"))).text
    assert "`own.greet` Greets somebody by name." in tools.partition("Found when needed")[2]


def own_processes() -> list[int]:
    return [int(one.name) for one in Path("/proc").iterdir() if is_own(one)]


def is_own(process: Path) -> bool:
    """Whether a process is a server that this test process started."""
    try:
        line = (process / "cmdline").read_bytes()
        parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
    except (OSError, IndexError):
        return False
    return b"own_server.py" in line and int(parent) == os.getpid()


PACKAGE = '''
from typing import Any
from hermes_tui.tools.base import ToolResult, tool

@tool(words="moon tide")
async def tide_table(harbour: str, *, ctx: Any) -> ToolResult:
    """When the water is high at a harbour."""
    return ToolResult(for_model=f"high at {harbour}: 12:00")
'''


async def test_a_tool_of_a_package_works_and_a_broken_one_is_told_of(
    home: Home, scripted: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    info = site / "tides-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "tides_for_hermes.py").write_text(PACKAGE)
    lines = ["[hermes_tui.tools]", "tides = tides_for_hermes:tide_table", "bad = no_such_module:x"]
    (info / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.setattr(sys, "path", [*sys.path, str(site)])
    core = await Core(home, settled(home, scripted.url), headless=True).start()
    find = call("find_tools", need="when is the water high")
    scripted.script = [find, use("tide_table", harbour="Ghent"), say("at noon")]
    client = LocalClient(core, through_codec=True)
    view = await open_in(client, str(tmp_path))
    await tell(client, view, "tide?")
    events = [r.event for r in await until(client, TurnEnded)]
    await core.end("over")
    ended = [one.for_model for one in events if isinstance(one, ToolEnded)]
    assert "tide_table (from tides)" in ended[0]
    assert ended[1] == "high at Ghent: 12:00"
    told = [one.text for one in events if isinstance(one, Notice)]
    assert len(told) == 1
    assert "tides: its tool 'bad' can't be used: ModuleNotFoundError" in told[0]
    assert [one.outcome for one in events if isinstance(one, TurnEnded)] == ["done"]


_DIES = """
import asyncio, os, signal, sys
from hermes_tui.home import Home
from hermes_tui.mcp.hub import line_to
from hermes_tui.mcp.link import Link
from tests.mcp.conftest import Lines, own_server, shown
from pathlib import Path

async def main():
    folder = sys.argv[1]
    server = own_server(Path(folder), sandbox=sys.argv[2], **shown(folder))
    home = Home(folder + ".home").ensure()
    async with asyncio.TaskGroup() as group:
        lines = Lines(line_to("own", server, home))
        link = Link("own", server, lines, group.create_task)
        await link.ready()
        print(lines.pids[0], flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


@pytest.mark.parametrize("sandbox", ["", "off"])
async def test_a_killed_core_leaves_no_server_behind(tmp_path: Path, sandbox: str) -> None:
    place = tmp_path / "place"
    await asyncio.to_thread(place.mkdir)
    running = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _DIES, str(place), sandbox),
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await running.communicate()
    assert running.returncode == -9
    await becomes(lambda: not alive(int(said)))
