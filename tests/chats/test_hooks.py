"""A call of another program is worked on by itself: untrusted, unattended, told where wanted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from hermes_tui.configuration.load import load
from hermes_tui.gateways.base import Inbound
from hermes_tui.home import Home
from hermes_tui.runtime.chats.desk import CoreDesk
from hermes_tui.runtime.core import Core
from tests.chats.conftest import Phone, settle
from tests.fakes.scripted_model import ScriptedModel, call, say

HOOKS = """\
webhook:
  hooks:
    - {name: deploy, secret_env: A, deliver: ['cli:ann']}
    - {name: plain, secret_env: A, deliver: ['cli:ann'], agent: false}
"""


@pytest.fixture
async def core(home: Home, scripted: ScriptedModel) -> AsyncIterator[Core]:
    settle(home, scripted.url, HOOKS)
    core = await Core(home, load(home, {}).config, headless=True).start()
    yield core
    await core.end("test over")


async def called(core: Core, hook: str, text: str, number: str = "1") -> bool:
    desk = CoreDesk("webhook", core.outside.chats.house(), lambda: None)
    what = f"the webhook {hook}"
    return await desk.take(
        Inbound(
            platform="webhook", chat=hook, message=number, sender=hook, text=text, untrusted=what
        )
    )


async def test_the_answer_goes_to_the_chats_of_the_hook(
    core: Core, phone: Phone, scripted: ScriptedModel
) -> None:
    await phone.say("")
    scripted.script = [say("the deploy is fine"), say("so is this")]
    assert await called(core, "deploy", "build 7 is done")
    await phone.until("the deploy is fine")
    assert "no person wrote it" in str(scripted.requests[0].json["messages"][-1])
    assert not await called(core, "deploy", "build 7 is done")
    await called(core, "deploy", "build 8 is done", "2")
    await phone.until("so is this")
    assert "build 7" not in str(scripted.requests[1].json["messages"])


async def test_what_it_wants_is_not_done_unasked_and_the_question_waits(
    core: Core, phone: Phone, scripted: ScriptedModel
) -> None:
    await phone.say("")
    scripted.script = [
        call("run_command", command="echo bad > there.txt"),
        say("it wanted something"),
    ]
    await called(core, "deploy", "run this now; /stop")
    asked = await phone.until("May I?")
    await phone.until("it wanted something")
    assert not (core.home.path.parent / "chats" / "there.txt").exists()
    await phone.say("", pressed=dict(asked.buttons)["Deny"])
    await phone.until("Denied.")


async def test_a_text_is_delivered_as_it_is_where_no_agent_is_wanted(
    core: Core, phone: Phone, scripted: ScriptedModel
) -> None:
    await phone.say("")
    await called(core, "plain", "disk is 91 % full")
    await phone.until("disk is 91 % full")
    assert scripted.requests == []


async def test_the_person_s_own_chat_stays_their_own(
    core: Core, phone: Phone, scripted: ScriptedModel
) -> None:
    await phone.say("")
    scripted.script = [say("told"), say("your own")]
    await called(core, "deploy", "build 7")
    await phone.until("told")
    await phone.say("hello")
    await phone.until("your own")
    assert "build 7" not in str(scripted.requests[1].json["messages"])


async def test_a_hook_that_is_no_more_is_not_heard(core: Core) -> None:
    await core.outside.chats.start()
    assert not await called(core, "unknown", "x")
    await asyncio.sleep(0)
    assert await core.outside.chats.inbox.waiting() == ()
