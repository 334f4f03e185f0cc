"""A real core on a temporary home, and both kinds of client to talk to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec
import pytest

from hermes_tui.config import Config
from hermes_tui.configuration.load import load
from hermes_tui.events import Event, Record
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, Send, SessionView, Standing
from hermes_tui.runtime.client import CoreClient
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.link import SocketClient
from hermes_tui.runtime.local import LocalClient
from tests.fakes.scripted_model import ScriptedModel

Connect = Callable[[], Awaitable[CoreClient]]


def config_for(url: str, **agent: Any) -> Config:
    config = Config()
    model = msgspec.structs.replace(config.model, name="scripted", base_url=url)
    return msgspec.structs.replace(
        config, model=model, agent=msgspec.structs.replace(config.agent, **agent)
    )


def settled(home: Home, url: str) -> Config:
    """The configuration of a home whose file names the scripted model."""
    home.config.write_text(f"model:\n  name: scripted\n  base_url: {url}\n")
    return load(home, {}).config


@pytest.fixture
async def core(home: Home, scripted: ScriptedModel) -> AsyncIterator[Core]:
    core = await Core(home, settled(home, scripted.url), headless=True).start()
    yield core
    await core.end("test over")


@pytest.fixture(params=["local", "socket"])
async def connect(request: pytest.FixtureRequest, core: Core) -> AsyncIterator[Connect]:
    made: list[CoreClient] = []

    async def one() -> CoreClient:
        if request.param == "local":
            made.append(LocalClient(core, through_codec=True))
        else:
            made.append(await SocketClient.connect(core.home))
        return made[-1]

    yield one
    for client in made:
        await client.close()


async def open_in(client: CoreClient, cwd: str, which: str = "new", **more: Any) -> SessionView:
    standing = Standing(cwd=cwd, env={"PATH": "/usr/bin:/bin"})
    return await client.ask(OpenSession(which=which, standing=standing, **more))


async def say(client: CoreClient, view: SessionView, text: str, **more: Any) -> None:
    await client.ask(Send(session=view.info.id, text=text, **more))


async def until(client: CoreClient, kind: type[Event]) -> list[Record]:
    """Records up to and with the first of a kind."""
    records: list[Record] = []
    async with asyncio.timeout(8):
        async for record in client.events():
            records.append(record)
            if isinstance(record.event, kind):
                return records
    raise AssertionError(f"the line ended before {kind.__name__}: {records}")
