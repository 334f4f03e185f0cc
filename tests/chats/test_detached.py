"""What waits when no screen is open is told in the person's own chat."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from hermes_tui.configuration.load import load
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, Send, Standing
from hermes_tui.runtime.chats import calling
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.chats.conftest import settle
from tests.fakes.scripted_model import ScriptedModel, call, say

TELEGRAM = "telegram:\n  owners: ['7']\n  home_chat: '7'\n  enabled: true\n"


@pytest.fixture
async def core(
    home: Home, scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Core]:
    monkeypatch.setattr(calling, "WAIT_S", 0.05)
    settle(home, scripted.url, TELEGRAM)
    core = await Core(home, load(home, {}).config, headless=True).start()
    scripted.script = [call("run_command", command="echo x > there.txt"), say("done")]
    yield core
    await core.end("test over")


async def texts(core: Core, limit_s: float) -> list[str]:
    """What went into the outbox within a while."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        if rows := await core.outside.chats.outbox.list():
            return [row.text for row in rows]
        await asyncio.sleep(0.02)
    return []


async def ask(core: Core, name: str) -> LocalClient:
    client = LocalClient(core, name)
    folder = core.home.path.parent / "work"
    folder.mkdir()
    view = await client.ask(OpenSession(which="new", standing=Standing(cwd=str(folder))))
    await client.ask(Send(session=view.info.id, text="make it"))
    return client


async def test_a_question_nobody_sees_is_told_at_home(core: Core) -> None:
    client = await ask(core, "cli")
    (text,) = await texts(core, 5)
    assert "waits for you" in text
    assert "echo x > there.txt" in text
    await client.close()


async def test_a_question_on_a_screen_is_the_screen_s(core: Core) -> None:
    client = await ask(core, "ui")
    assert await texts(core, 0.5) == []
    await client.close()
