"""A conversation in a chat: what is said arrives once, what is asked can be answered there."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from hermes_tui.intents import OpenSession, Send, Standing
from hermes_tui.runtime.chats import commands as chat_commands
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.chats.conftest import Phone
from tests.fakes.scripted_model import ScriptedModel, call, say


async def test_a_text_is_answered_in_its_chat(phone: Phone, scripted: ScriptedModel) -> None:
    scripted.script = [say("good morning")]
    await phone.say("hello")
    await phone.until("good morning")
    assert "hello" in scripted.requests[0].json["messages"][-1]["content"]


async def test_the_same_message_twice_is_one_turn(phone: Phone, scripted: ScriptedModel) -> None:
    scripted.script = [say("once"), say("twice")]
    await phone.say("hello", message="m1")
    await phone.say("hello", message="m1")
    await phone.until("once")
    await phone.say("hello", message="m1")
    await asyncio.sleep(0.1)
    assert len(scripted.requests) == 1


async def test_pieces_that_come_at_once_are_one_input(
    phone: Phone, scripted: ScriptedModel, core: Core
) -> None:
    slower = replace(core.config.gateways, gather_s=0.4)
    core.settings.config = replace(core.config, gateways=slower)
    scripted.script = [say("read both")]
    await asyncio.gather(phone.say("first half"), phone.say("second half"))
    await phone.until("read both")
    told = scripted.requests[0].json["messages"][-1]["content"]
    assert "first half\nsecond half" in told


async def test_an_approval_is_answered_by_a_button_that_works_once(
    phone: Phone, scripted: ScriptedModel, core: Core
) -> None:
    scripted.script = [call("run_command", command="echo made > there.txt"), say("done")]
    await phone.say("make it")
    asked = await phone.until("May I?")
    assert "echo made > there.txt" in asked.text
    yes = dict(asked.buttons)["Allow once"]
    await phone.say("", pressed=yes)
    await phone.until("Allowed.")
    await phone.until("done")
    await phone.say("", pressed=yes)
    await phone.until("answered already")


async def test_a_code_denies_with_a_reason(phone: Phone, scripted: ScriptedModel) -> None:
    scripted.script = [call("run_command", command="echo made > there.txt"), say("then not")]
    await phone.say("make it")
    asked = await phone.until("May I?")
    code = asked.text.split("/deny ")[1][:8]
    await phone.say(f"/deny {code} not today")
    await phone.until("Denied.")
    await phone.until("then not")
    assert "not today" in str(scripted.requests[-1].json["messages"])


async def test_a_button_of_one_chat_is_of_no_use_in_another(
    phone: Phone, scripted: ScriptedModel, core: Core
) -> None:
    scripted.script = [call("run_command", command="echo made > there.txt"), say("x")]
    await phone.say("make it")
    asked = await phone.until("May I?")
    other = Phone(core, "bob")
    await other.say("", pressed=dict(asked.buttons)["Allow once"])
    await other.until("answered already, or is over")
    assert not scripted.requests[1:]
    await other.close()


async def test_screen_and_phone_are_one_conversation(
    phone: Phone, scripted: ScriptedModel, core: Core
) -> None:
    scripted.script = [say("on the phone"), say("on both")]
    await phone.say("hello")
    await phone.until("on the phone")
    session = core.outside.chats.telling.bound
    chat = (await core.outside.chats.rows.all())[0]
    assert session(chat.session)
    screen = LocalClient(core, "ui")
    await screen.ask(OpenSession(which=chat.session, standing=Standing()))
    await screen.ask(Send(session=chat.session, text="typed at the desk"))
    await phone.until("*on the screen:* typed at the desk")
    await phone.until("on both")
    await screen.close()


async def test_a_guest_has_few_tools_and_no_commands_of_the_owner(
    core: Core, scripted: ScriptedModel
) -> None:
    guest = Phone(core, "eve", "guest")
    scripted.script = [say("hello guest")]
    await guest.say("/usage")
    await guest.until("Only the owner")
    await guest.say("hello")
    await guest.until("hello guest")
    tools = {one["function"]["name"] for one in scripted.requests[0].json.get("tools", [])}
    assert not tools & {"run_command", "read_file", "run_code"}
    await guest.close()


async def test_what_was_said_while_nobody_looked_waits_for_the_terminal(
    core: Core, scripted: ScriptedModel
) -> None:
    scripted.script = [say("late but here")]
    first = Phone(core, "ann")
    await first.say("hello")
    await first.close()
    await asyncio.wait_for(_asked(scripted), 5)
    again = Phone(core, "ann")
    await again.say("")
    await again.until("late but here")
    await again.close()


async def test_a_defect_in_a_command_ends_nothing_but_the_command(
    phone: Phone, scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(talk: object, args: str) -> str:
        raise ZeroDivisionError

    monkeypatch.setitem(chat_commands.HANDLERS, "session.list", broken)
    scripted.script = [say("still here")]
    await phone.say("/sessions")
    await phone.until("failed inside")
    await phone.say("hello")
    await phone.until("still here")


async def _asked(scripted: ScriptedModel) -> None:
    while not scripted.requests:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
