"""The agent sends texts and files to chats by a tool: once, and nothing it must not."""

from __future__ import annotations

import asyncio
from pathlib import Path

from hermes_tui.intents import OpenSession, Send, Standing
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.security.vault import Vault
from tests.chats.conftest import Phone
from tests.fakes.scripted_model import ScriptedModel, call, say

WHERE = "use_tool"


def send(**arguments: object):
    return call(WHERE, name="send_message", arguments=arguments)


def folder(core: Core) -> Path:
    made = core.home.path.parent / "chats"
    made.mkdir(exist_ok=True)
    return made


async def test_a_file_goes_to_the_chat_it_is_asked_for_in(
    phone: Phone, scripted: ScriptedModel, core: Core
) -> None:
    (folder(core) / "plan.txt").write_text("the plan")
    scripted.script = [send(text="here it is", files=["plan.txt"]), say("sent")]
    await phone.say("send me the plan")
    await phone.until("here it is")
    got = await phone.until("plan.txt")
    assert await asyncio.to_thread(Path(got.file).read_text) == "the plan"
    await phone.until("sent")


async def test_a_chat_nobody_named_is_asked_about(phone: Phone, scripted: ScriptedModel) -> None:
    scripted.script = [send(text="psst", to="cli:bob"), say("not sent")]
    await phone.say("do something")
    asked = await phone.until("May I?")
    assert "cli:bob" in asked.text
    await phone.say("", pressed=dict(asked.buttons)["Deny"])
    await phone.until("not sent")


async def test_a_file_with_a_stored_secret_is_not_sent(
    phone: Phone, scripted: ScriptedModel, core: Core
) -> None:
    secret = "hunter" + "2-hunter2-hunter2"
    Vault(core.home).put("MY_TOKEN", secret)
    (folder(core) / "notes.txt").write_text(f"the word is {secret}")
    scripted.script = [send(files=["notes.txt"]), say("it was kept in")]
    await phone.say("send me the notes")
    await phone.until("it was kept in")
    told = str(scripted.requests[-1].json["messages"][-1])
    assert "MY_TOKEN" in told
    assert not any(one.file for one in phone.said)


async def test_a_session_without_a_chat_has_to_say_where_to(
    phone: Phone, scripted: ScriptedModel, core: Core
) -> None:
    scripted.script = [send(text="hello"), say("nowhere")]
    screen = LocalClient(core, "ui")
    view = await screen.ask(OpenSession(which="new", standing=Standing(cwd=str(folder(core)))))
    await screen.ask(Send(session=view.info.id, text="tell them"))
    await scripted.until(2)
    assert "in no chat" in str(scripted.requests[-1].json["messages"][-1])
    await screen.close()
