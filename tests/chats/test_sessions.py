"""Which session a chat is in: its own, a linked one, a new one when the old is over."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from hermes_tui.configuration.load import load
from hermes_tui.gateways.base import Inbound
from hermes_tui.home import Home
from hermes_tui.intents import LinkChat, OpenSession, RunCommand, Send, Standing
from hermes_tui.runtime.chats.chats import key_of
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.chats.conftest import Phone, settle
from tests.fakes.scripted_model import ScriptedModel, say

TELEGRAM = "telegram:\n  owners: ['7', '8']\n  home_chat: '7'\n  enabled: true\n"


@pytest.fixture
async def core(home: Home, scripted: ScriptedModel) -> AsyncIterator[Core]:
    settle(home, scripted.url, TELEGRAM)
    core = await Core(home, load(home, {}).config, headless=True).start()
    scripted.answer = lambda asked: say("fine")
    yield core
    await core.end("test over")


def said(**more: object) -> Inbound:
    more = {"chat": "7", "message": "1", "sender": "7", "text": "hi", **more}
    return Inbound(platform="telegram", **more)  # type: ignore[arg-type]


def change(core: Core, **gateways: object) -> None:
    config = core.config
    core.settings.config = replace(config, gateways=replace(config.gateways, **gateways))


def reset(core: Core, **telegram: object) -> None:
    config = core.config
    core.settings.config = replace(config, telegram=replace(config.telegram, **telegram))


def test_keys_tell_chats_threads_and_people_in_groups_apart() -> None:
    assert key_of(said()) == "telegram:7"
    assert key_of(said(thread="3")) == "telegram:7:3"
    assert key_of(said(chat="-1", group=True)) == "telegram:-1|7"
    assert key_of(said(chat="-1", group=True, sender="8")) == "telegram:-1|8"
    assert key_of(said(chat="-1", group=True, thread="3")) == "telegram:-1:3"


async def test_a_chat_stays_in_its_session(core: Core) -> None:
    chats = core.outside.chats
    await chats.start()
    first = await chats.chat_for(said())
    again = await chats.chat_for(said(message="2"))
    other = await chats.chat_for(said(chat="8", sender="8"))
    assert first.session == again.session != other.session


async def test_a_quiet_chat_begins_anew_where_that_is_wanted(core: Core) -> None:
    chats = core.outside.chats
    await chats.start()
    first = await chats.chat_for(said())
    await chats.rows.put(replace(first, last_in=time.time() - 3 * 86_400))
    assert (await chats.chat_for(said(message="2"))).session == first.session
    reset(core, reset="idle", idle_minutes=60)
    anew = await chats.chat_for(said(message="3"))
    assert anew.session != first.session
    assert (await chats.chat_for(said(message="4"))).session == anew.session


async def test_a_day_begins_anew_at_its_hour(core: Core) -> None:
    chats = core.outside.chats
    await chats.start()
    first = await chats.chat_for(said())
    reset(core, reset="daily", reset_hour=time.localtime().tm_hour)
    start = time.time() - (time.time() % 3600)
    await chats.rows.put(replace(first, last_in=start - 1))
    assert (await chats.chat_for(said(message="2"))).session != first.session
    second = await chats.chat_for(said(message="3"))
    await chats.rows.put(replace(second, last_in=start + 1))
    assert (await chats.chat_for(said(message="4"))).session == second.session


async def test_a_session_that_was_deleted_is_begun_anew(core: Core) -> None:
    chats = core.outside.chats
    await chats.start()
    first = await chats.chat_for(said())
    await core.log.delete(first.session)
    core.shelf.forget(first.session)
    assert (await chats.chat_for(said(message="2"))).session != first.session


async def test_own_direct_chats_can_be_one_conversation_and_a_guest_s_is_not_in_it(
    core: Core,
) -> None:
    change(core, one_conversation=True)
    chats = core.outside.chats
    await chats.start()
    first = await chats.chat_for(said())
    second = await chats.chat_for(said(chat="8", sender="8"))
    group = await chats.chat_for(said(chat="-1", group=True))
    guest = await chats.chat_for(said(chat="9", sender="9"))
    assert first.session == second.session
    assert len({first.session, group.session, guest.session}) == 3


async def test_groups_and_guests_have_a_memory_of_their_own(core: Core) -> None:
    chats = core.outside.chats
    await chats.start()
    mine = await core.session((await chats.chat_for(said())).session)
    group = await core.session((await chats.chat_for(said(chat="-1", group=True))).session)
    guest = await core.session((await chats.chat_for(said(chat="9", sender="9"))).session)
    places = [
        (one.conversation.person, one.conversation.chat, one.conversation.group)
        for one in (mine, group, guest)
    ]
    assert places == [
        ("", "", False),
        ("", "telegram:-1", True),
        ("telegram:9", "telegram:9", False),
    ]
    assert guest.cwd.endswith("guests/telegram-9")


async def test_a_screen_s_session_is_handed_to_the_phone_and_parted_again(
    core: Core, scripted: ScriptedModel
) -> None:
    screen = LocalClient(core, "ui")
    view = await screen.ask(OpenSession(which="new", standing=Standing(cwd=str(core.home.path))))
    await screen.ask(Send(session=view.info.id, text="plan the garden"))
    await scripted.until(1)
    linked = await screen.ask(LinkChat(session=view.info.id, target="telegram", handoff=True))
    assert linked.target == "telegram:7"
    chats = core.outside.chats
    texts = [row.text for row in await chats.outbox.list()]
    assert any("goes on here" in text for text in texts)
    assert (await chats.chat_for(said())).session == view.info.id
    shown = await screen.ask(RunCommand(session=view.info.id, command="link"))
    assert "telegram:7" in shown.text
    await screen.ask(LinkChat(session=view.info.id, target="telegram", off=True))
    assert (await chats.chat_for(said(message="2"))).session != view.info.id
    await screen.close()


async def test_a_chat_goes_on_with_another_session_and_with_a_new_one(
    core: Core, scripted: ScriptedModel
) -> None:
    phone = Phone(core, "ann")
    await phone.say("hello")
    await phone.until("fine")
    chats = core.outside.chats
    first = (await chats.rows.all())[0].session
    await phone.say("/new garden")
    await phone.until("A new session")
    await phone.say("hello again")
    await phone.until("fine")
    await phone.say(f"/resume {first}")
    await phone.until("This chat goes on with")
    assert (await chats.rows.all())[0].session == first
    await phone.say("/resume nothing-like-it")
    await phone.until("no session")
    await phone.close()


async def test_a_gate_that_is_closed_sends_by_its_new_gateway(core: Core) -> None:
    chats = core.outside.chats
    await chats.start()
    gate = chats.gate("telegram")
    first = gate.gateway
    await gate.close()
    gate.start()
    await chats.put("telegram:7", "hello")
    await chats.settled(1, 1.0)
    assert gate.gateway is not first
    assert gate._sending()._transport is gate.gateway
