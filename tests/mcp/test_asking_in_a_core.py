"""A server asks for the model in a running core: a person sees it whole, the account pays."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.configuration.load import load
from hermes_tui.events import ApprovalAsked, Record, ToolEnded, TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import AnswerApproval, ShowSpend
from hermes_tui.mcp import accepted, servers
from hermes_tui.mcp.accepted import Definition, Offer
from hermes_tui.mcp.servers import Server
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.fakes.scripted_model import ScriptedModel, call, say
from tests.mcp.conftest import OWN, free_port, own_server
from tests.mcp.conftest import until as becomes
from tests.mcp.test_in_a_core import own_processes
from tests.runtime.conftest import open_in, until
from tests.runtime.conftest import say as tell

KEY = "kq8-" + "Zx71Vbn30Plm" * 2
ASK = Definition(
    name="ask_model",
    description="Has the client's model answer.",
    schema={"type": "object", "properties": {}},
)
HANG = Definition(name="hang", description="Never answers.", schema=ASK.schema)
GREET = Definition(
    name="greet",
    description="Greets somebody by name.",
    schema={"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
)
READS = ("ask_model", "hang", "greet")


@contextmanager
def over_http(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """The same server behind an address of loopback, in a process of its own."""
    argv = [sys.executable, str(OWN), str(folder), "http", str(port)]
    running = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _until_it_listens(port)
        yield running
    finally:
        running.kill()
        running.wait(5)


def _until_it_listens(port: int) -> None:
    end = time.monotonic() + 15
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError("the server never listened")


@pytest.fixture(params=["pipes", "http"])
def server(request: pytest.FixtureRequest, home: Home, tmp_path: Path) -> Iterator[Any]:
    """An accepted server that asks back; over HTTP, what restarts it is given."""
    if request.param == "pipes":
        _accept(home, own_server(tmp_path, reads=READS))
        yield None
        return
    port = free_port()
    _accept(home, Server(url=f"http://127.0.0.1:{port}/mcp", reads=READS))
    with over_http(tmp_path, port):
        yield lambda: over_http(tmp_path, port)


def _accept(home: Home, server: Server) -> None:
    servers.put(home, "own", server)
    accepted.put(home, "own", Offer(launch=server.digest, tools=(ASK, HANG, GREET)))


@asynccontextmanager
async def awake(home: Home, url: str, **spend: int) -> AsyncIterator[Core]:
    caps = "".join(f"  {name}: {value}\n" for name, value in spend.items())
    text = f"model:\n  name: scripted\n  base_url: {url}\n"
    home.config.write_text(text + (f"spend:\n{caps}" if caps else ""))
    home.secrets.write_text(f"SOME_SERVICE={KEY}\n")
    home.secrets.chmod(0o600)
    core = await Core(home, load(home, {}).config, headless=True).start(listen=False)
    yield core
    await core.end("test over")


def use(tool: str, **arguments: object) -> Any:
    return call("use_tool", name=f"own.{tool}", arguments=arguments)


def outcome(records: list[Record]) -> ToolEnded:
    (ended,) = [one.event for one in records if isinstance(one.event, ToolEnded)]
    return ended


async def test_a_person_sees_all_of_it_the_account_pays_and_no_secret_leaves(
    home: Home, server: Any, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [use("ask_model"), say(f"green, and the key is {KEY}"), say("done")]
    async with awake(home, scripted.url) as core:
        client = LocalClient(core, through_codec=True)
        view = await open_in(client, str(tmp_path))
        await tell(client, view, "which colour?")
        asked = (await until(client, ApprovalAsked))[-1].event
        assert isinstance(asked, ApprovalAsked)
        assert (asked.tool, asked.detail) == ("own.sampling", "[user]\nName a colour.")
        assert (asked.where, asked.rule) == ("the server own", "")
        assert len(scripted.requests) == 1
        yes = AnswerApproval(session=view.info.id, ask_id=asked.ask_id, verdict="once")
        await client.ask(yes)
        ended = outcome(await until(client, TurnEnded))
        assert ended.status == "ok"
        assert "the model says green" in ended.for_model
        assert KEY not in ended.for_model
        sampling = scripted.requests[1]
        assert [one["content"] for one in sampling.messages] == ["Name a colour."]
        assert sampling.tools == []
        spent = await client.ask(ShowSpend(by=("task",), session=view.info.id))
        calls = {one.name: one.calls for one in spent.groups["task"]}
        assert calls == {"chat": 2, "mcp": 1}


async def test_a_refusal_asks_no_model_and_the_server_hears_of_it(
    home: Home, server: Any, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [use("ask_model"), say("done")]
    async with awake(home, scripted.url) as core:
        client = LocalClient(core, through_codec=True)
        view = await open_in(client, str(tmp_path))
        await tell(client, view, "which colour?")
        asked = (await until(client, ApprovalAsked))[-1].event
        assert isinstance(asked, ApprovalAsked)
        no = AnswerApproval(session=view.info.id, ask_id=asked.ask_id, verdict="deny")
        await client.ask(no)
        ended = outcome(await until(client, TurnEnded))
        assert "not answered: the person refused" in ended.for_model
        assert len(scripted.requests) == 2


async def test_with_nobody_there_the_model_is_not_asked(
    home: Home, server: Any, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [use("ask_model"), say("done")]
    async with awake(home, scripted.url) as core:
        client = LocalClient(core, through_codec=True)
        view = await open_in(client, str(tmp_path))
        await tell(client, view, "which colour?", attended=False)
        ended = outcome(await until(client, TurnEnded))
        assert "not answered: nobody is here to approve it" in ended.for_model
        assert len(scripted.requests) == 2


async def test_a_cap_that_is_reached_stops_what_servers_ask_for_too(
    home: Home, server: Any, scripted: ScriptedModel, tmp_path: Path
) -> None:
    much = {"prompt_tokens": 8_000, "completion_tokens": 2_000}
    scripted.script = [replace(use("ask_model"), usage=much), say("never said")]
    async with awake(home, scripted.url, session_tokens=10_000) as core:
        client = LocalClient(core, through_codec=True)
        view = await open_in(client, str(tmp_path))
        await tell(client, view, "which colour?")
        asked = (await until(client, ApprovalAsked))[-1].event
        assert isinstance(asked, ApprovalAsked)
        yes = AnswerApproval(session=view.info.id, ask_id=asked.ask_id, verdict="once")
        await client.ask(yes)
        ended = outcome(await until(client, TurnEnded))
        assert "not answered" in ended.for_model
        assert "cap is reached: 10,000 of 10,000 tokens" in ended.for_model
        assert len(scripted.requests) == 1


async def test_a_server_killed_in_mid_use_is_back_for_the_next_call(
    home: Home, server: Any, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [use("hang"), use("greet", name="Ada"), say("done")]
    async with awake(home, scripted.url) as core:
        client = LocalClient(core, through_codec=True)
        view = await open_in(client, str(tmp_path))
        await tell(client, view, "hang, then greet")
        calls = tmp_path / "calls.txt"
        await becomes(calls.exists)
        with contextlib.ExitStack() as again:
            for pid in own_processes():
                os.kill(pid, signal.SIGKILL)
            if server is not None:
                await asyncio.to_thread(again.enter_context, server())
            records = await until(client, TurnEnded)
        lost, greeted = [r.event for r in records if isinstance(r.event, ToolEnded)]
        assert "effect unknown" in lost.for_model
        assert (greeted.status, greeted.for_model) == ("ok", "Hello Ada!")
