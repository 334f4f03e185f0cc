"""The port of a core: closed when it would not be safe, and told so; open to the right ones."""

from __future__ import annotations

import asyncio
import socket

import pytest

from hermes_tui.configuration.load import load
from hermes_tui.events import Notice
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, Send
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.security.vault import Vault
from tests.fakes.scripted_model import ScriptedModel, say
from tests.http.conftest import Port, free_port, settle, until


async def started(home: Home) -> Core:
    return await Core(home, load(home, {}).config, headless=True).start(listen=False)


async def told(core: Core, model: ScriptedModel) -> list[Notice]:
    """What a person is told with their next turn."""
    model.script.append(say("hello"))
    client = LocalClient(core)
    view = await client.ask(OpenSession(which="new"))
    await client.ask(Send(session=view.info.id, text="hello"))
    await until(lambda: model.requests and not core.sessions[view.info.id].working)
    records = await core.log.read(view.info.id)
    return [one.event for one in records if isinstance(one.event, Notice)]


async def test_without_a_port_there_is_none(home: Home, scripted: ScriptedModel) -> None:
    settle(home, scripted.url, 0)
    core = await started(home)
    assert core.outside.listener is None
    await core.end("test over")


async def test_without_a_key_the_port_stays_closed_and_it_is_said(
    home: Home, scripted: ScriptedModel
) -> None:
    port = free_port()
    settle(home, scripted.url, port)
    Vault(home, lambda: None).remove("HERMES_TUI_HTTP_KEY")
    core = await started(home)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 1)
    [notice] = await told(core, scripted)
    assert "no key" in notice.text
    assert "hermes http key" in notice.hint
    await core.end("test over")


async def test_a_port_that_is_taken_ends_nothing_else(home: Home, scripted: ScriptedModel) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settle(home, scripted.url, int(taken.getsockname()[1]))
        core = await started(home)
        [notice] = await told(core, scripted)
        assert "is taken" in notice.text
        await core.end("test over")


async def test_for_webhooks_alone_there_is_no_api(home: Home, scripted: ScriptedModel) -> None:
    port = free_port()
    settle(home, scripted.url, port, "  api: false\n")
    core = await started(home)
    open_ = Port(core, scripted, f"http://127.0.0.1:{port}")
    async with open_.raw() as raw:
        assert (await raw.get("/health")).status_code == 200
        assert (await raw.get("/v1/models")).status_code == 404
    await core.end("test over")


async def test_a_core_that_ends_tells_who_waits(port: Port) -> None:
    port.model.script.append(say("never", gate="never"))
    async with port.raw() as raw:
        body = {"messages": [{"role": "user", "content": "think"}]}
        asking = asyncio.ensure_future(raw.post("/v1/chat/completions", json=body))
        await port.model.until(1)
        await port.core.end("test over")
        said = await asking
    assert said.status_code == 503
    assert said.headers["x-should-retry"] == "false"
    assert "Idempotency-Key" in said.json()["error"]["message"]
