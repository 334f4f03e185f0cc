"""Every command that is offered in chats is answered there, in each gateway, with a sentence."""

from __future__ import annotations

import os
import re
from importlib import import_module

import pytest

from hermes_tui.configuration.load import load
from hermes_tui.home import Home
from hermes_tui.runtime.chats.chats import menu
from hermes_tui.runtime.core import Core
from tests.chats.conftest import Phone
from tests.crash.chats_runs import settle, shown
from tests.fakes.scripted_model import ScriptedModel, say
from tests.gateways.contract import RIGS, until

COMMANDS = tuple(entry.name for entry in menu())
ARGUMENTS = {
    "queue": "and then this",
    "steer": "rather so",
    "bg": "look at it",
    "btw": "what was that",
    "approve": "ABCD2345",
    "deny": "ABCD2345 no",
    "new": "another thing",
    "resume": "no such session",
    "title": "what this is about",
    "mode": "plan",
    "effort": "low",
    "memory": "tea",
    "remember": "I drink tea",
    "forget": "nothing of the kind",
    "me": "what do I drink",
    "compress": "the plan",
    "cron": "next every day at 9",
    "help": "stop",
    "link": "nowhere",
    "handoff": "nowhere",
    "model": "no-such-model",
    "sessions": "tea",
    "fork": "a copy",
    "skills": "no-such-skill",
}
"""What a person might write behind a command; the others are for themselves."""
BROKEN = re.compile(r"Traceback|\b[A-Z]\w+(Error|Exception)\b|object at 0x|<hermes_tui|^None$")


def lines() -> list[str]:
    """Each command alone, and with arguments where it takes some."""
    alone = [f"/{name}" for name in COMMANDS]
    return alone + [f"/{name} {ARGUMENTS[name]}" for name in COMMANDS if name in ARGUMENTS]


def test_every_argument_is_of_a_command_that_is_there() -> None:
    assert set(ARGUMENTS) <= set(COMMANDS)
    taking = {entry.name for entry in menu() if entry.args}
    assert taking <= set(ARGUMENTS), "say what a person might write behind it"


@pytest.mark.parametrize("line", lines())
async def test_in_a_terminals_chat(phone: Phone, scripted: ScriptedModel, line: str) -> None:
    scripted.answer = lambda asked: say("fine, I have done it.")
    await phone.say(line)
    await until(lambda: phone.said, f"{line} is answered", 5)
    assert_sentence(line, phone.said[0].text)


@pytest.mark.slow
@pytest.mark.parametrize("platform", [name for name in RIGS if "_" not in name])
async def test_in_each_gateway(
    home: Home, scripted: ScriptedModel, platform: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted.answer = lambda asked: say("fine, I have done it.")
    async with import_module(RIGS[platform]).rig() as rig:
        settle(home, scripted.url, rig)
        for name, value in rig.environment().items():
            monkeypatch.setenv(name, value)
        core = await Core(home, load(home, dict(os.environ)).config, headless=True).start()
        try:
            for name in COMMANDS:
                before = dict(shown(rig))
                await rig.says(f"/{name}")
                await until(lambda: shown(rig) != before, f"/{name} is answered", 10)  # noqa: B023
                for proof, text in shown(rig).items():
                    if before.get(proof) != text:
                        assert_sentence(name, text)
        finally:
            await core.end("test over")


def assert_sentence(line: str, text: str) -> None:
    """Words of a language, and nothing of a program that has failed."""
    assert len(text.strip()) >= 3, f"{line}: {text!r}"
    assert not BROKEN.search(text), f"{line}: {text}"
    assert any(letter.isalpha() for letter in text), f"{line}: {text!r}"
