"""A real core with a Telegram bot: what the owner writes is done, answered, asked and shown."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator

import httpx2
import pytest

from hermes_tui.configuration.load import load
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, Send, Standing
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.fakes.scripted_model import ScriptedModel, call, say
from tests.gateways.contract import Sent, until
from tests.gateways.rig_telegram import HOOK, HOOK_SECRET, OWNER, TelegramRig
from tests.gateways.rig_telegram import rig as made_rig


@pytest.fixture
async def rig() -> AsyncIterator[TelegramRig]:
    async with made_rig() as made:
        yield made


def settle(
    home: Home,
    scripted: ScriptedModel,
    rig: TelegramRig,
    monkeypatch: pytest.MonkeyPatch,
    more: str = "",
) -> None:
    """A home whose owner has a bot."""
    for name, value in rig.environment().items():
        monkeypatch.setenv(name, value)
    home.config.write_text(
        f"model:\n  name: scripted\n  base_url: {scripted.url}\n"
        f"gateways:\n  folder: {home.path.parent / 'chats'}\n  gather_s: 0.02\n"
        f"telegram:\n  enabled: true\n  owners: ['{rig.owner}']\n  groups: ['{rig.group}']\n"
        f"  base_url: {rig.api.url}\n{more}"
    )


@pytest.fixture
async def core(
    home: Home, scripted: ScriptedModel, rig: TelegramRig, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Core]:
    settle(home, scripted, rig, monkeypatch)
    core = await Core(home, load(home, dict(os.environ)).config, headless=True).start()
    yield core
    await core.end("test over")


async def sent(rig: TelegramRig, text: str) -> Sent:
    """The first message that holds a text."""
    await until(lambda: any(text in one.text for one in rig.sent()), f"{text!r} is sent", 5)
    return next(one for one in rig.sent() if text in one.text)


async def test_the_owner_is_answered_and_a_stranger_hears_nothing(
    rig: TelegramRig, core: Core, scripted: ScriptedModel
) -> None:
    scripted.script = [say("good **morning**")]
    await rig.says("let me in", sender=rig.stranger)
    await rig.says("hello")
    got = await sent(rig, "good morning")
    assert (got.chat, len(rig.sent())) == (rig.chat, 1)
    assert rig.api.got[0]["entities"] == [{"type": "bold", "offset": 5, "length": 7}]
    assert "let me in" not in str(scripted.requests[0].json)


async def test_a_question_comes_with_buttons_and_one_press_answers_it(
    rig: TelegramRig, core: Core, scripted: ScriptedModel
) -> None:
    scripted.script = [call("run_command", command="echo made > there.txt"), say("it is done")]
    await rig.says("make it")
    asked = await sent(rig, "echo made > there.txt")
    yes = next(value for label, value in asked.buttons if label == "Allow once")
    query = await rig.presses(asked.proof, yes)
    await sent(rig, "it is done")
    assert rig.acknowledged(query)


async def test_in_a_topic_of_a_group_the_one_who_names_it_is_answered_there(
    rig: TelegramRig, core: Core, scripted: ScriptedModel
) -> None:
    scripted.script = [say("in the topic")]
    await rig.says("among people", chat=rig.group, thread=rig.thread)
    await rig.says("what is this", chat=rig.group, thread=rig.thread, mention=True)
    got = await sent(rig, "in the topic")
    assert (got.chat, got.thread) == (rig.group, rig.thread)
    assert "among people" not in str(scripted.requests[0].json)


async def test_a_command_with_the_name_of_the_bot_is_a_command(
    rig: TelegramRig, core: Core, scripted: ScriptedModel
) -> None:
    await until(rig.menu, "the menu is listed")
    assert {"status", "new", "stop"} <= set(rig.menu())
    said = rig.message(OWNER, rig.chat, "/status@hermes_bot")
    said["entities"] = [{"type": "bot_command", "offset": 0, "length": 18}]
    await rig.tell(message=said)
    await until(rig.sent, "it is answered")
    assert not scripted.requests


async def test_an_answer_grows_in_one_message(
    rig: TelegramRig, core: Core, scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.runtime.chats.showing.FIRST_S", 0.02)
    whole = "a long answer " * 20 + "and its end"
    scripted.script = [say(whole, gate="half", gate_at=8)]
    await rig.says("tell me")
    await until(lambda: rig.sent(), "its beginning is shown", 5)
    assert rig.typed() >= 1
    scripted.open("half")
    await until(lambda: any("and its end" in text for _, text in rig.edited()), "all of it", 5)
    assert len(rig.sent()) == 1


async def test_screen_and_phone_are_one_conversation(
    rig: TelegramRig, core: Core, scripted: ScriptedModel
) -> None:
    scripted.script = [say("on the phone"), say("on both")]
    await rig.says("hello")
    await sent(rig, "on the phone")
    chat = next(one for one in await core.outside.chats.rows.all())
    screen = LocalClient(core, "ui")
    await screen.ask(OpenSession(which=chat.session, standing=Standing()))
    await screen.ask(Send(session=chat.session, text="typed at the desk"))
    await sent(rig, "typed at the desk")
    await sent(rig, "on both")
    await screen.close()


async def test_a_file_is_named_to_the_agent(
    rig: TelegramRig, core: Core, scripted: ScriptedModel
) -> None:
    scripted.script = [say("I have it")]
    await rig.says("read this", files=(("file", "notes.txt", b"remember the milk"),))
    await sent(rig, "I have it")
    told = str(scripted.requests[0].json["messages"][-1])
    assert "read this" in told
    assert "notes.txt" in told


async def test_called_by_its_webhook_over_the_cores_own_port(
    home: Home, scripted: ScriptedModel, rig: TelegramRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settle(home, scripted, rig, monkeypatch, f"  webhook_url: {HOOK}\nhttp:\n  port: {port}\n")
    monkeypatch.setenv("HERMES_TUI_HTTP_KEY", "k" * 40)
    monkeypatch.setenv("TELEGRAM_WEBHOOK_SECRET", HOOK_SECRET)
    scripted.script = [say("you called")]
    core = await Core(home, load(home, dict(os.environ)).config, headless=True).start()
    try:
        await until(lambda: rig.api.webhook["url"] == HOOK, "the webhook is set", 5)
        update = {"update_id": 1, "message": rig.message(OWNER, rig.chat, "hello")}
        named = "X-Telegram-Bot-Api-Secret-Token"
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}") as server:
            stranger = await server.post("/telegram", json=update, headers={named: "guess"})
            told = await server.post("/telegram", json=update, headers={named: HOOK_SECRET})
            again = await server.post("/telegram", json=update, headers={named: HOOK_SECRET})
        assert (stranger.status_code, told.status_code, again.status_code) == (403, 200, 200)
        await sent(rig, "you called")
    finally:
        await core.end("test over")
    assert (len(rig.sent()), len(scripted.requests)) == (1, 1)
