"""Something waits on a screen and nobody looks: the person's own chat is told, and can answer."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

import pytest

from hermes_tui.configuration.load import load
from hermes_tui.home import Home
from hermes_tui.intents import CallHome, GetStatus, OpenSession, Send, Standing
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.fakes.scripted_model import ScriptedModel, call, say
from tests.gateways.contract import until
from tests.gateways.rig_telegram import TelegramRig
from tests.gateways.rig_telegram import rig as made_rig
from tests.gateways.test_telegram_core import sent, settle


@pytest.fixture
async def rig() -> AsyncIterator[TelegramRig]:
    async with made_rig() as made:
        yield made


@pytest.mark.parametrize("home_chat", [True, False])
async def test_what_waits_unseen_is_told_at_home_once_and_answered_there(
    home: Home,
    scripted: ScriptedModel,
    rig: TelegramRig,
    monkeypatch: pytest.MonkeyPatch,
    home_chat: bool,
) -> None:
    settle(home, scripted, rig, monkeypatch, f"  home_chat: '{rig.chat}'\n" * home_chat)
    core = await Core(home, load(home, dict(os.environ)).config, headless=True).start()
    try:
        scripted.script = [call("run_command", command="echo made"), say("done at last")]
        client = LocalClient(core)
        view = await client.ask(
            OpenSession(which="new", title="Garden", standing=Standing(cwd=str(home.path)))
        )
        session = core.sessions[view.info.id]
        await client.ask(Send(session=session.id, text="go", input_id="i"))
        await until(lambda: session.conversation.approvals, "it asks", 5)
        wish = CallHome(session=session.id, asks=(*session.conversation.approvals, "unknown"))
        await client.ask(wish)
        await client.ask(wish)
        if not home_chat:
            await client.ask(GetStatus())
            assert rig.sent() == []
            return
        asked = await sent(rig, "May I?")
        assert "Garden" in asked.text
        assert asked.chat == rig.chat
        yes = next(value for label, value in asked.buttons if label == "Allow once")
        await rig.presses(asked.proof, yes)
        await until(lambda: not session.working, "the turn goes on", 5)
        assert "made" in str(scripted.requests[-1].json["messages"])
        assert sum("May I?" in one.text for one in rig.sent()) == 1
    finally:
        await core.end("test over")
