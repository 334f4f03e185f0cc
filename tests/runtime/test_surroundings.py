"""What the first command needs is made ready while the model is asked, once."""

from __future__ import annotations

import asyncio

import pytest

from hermes_tui.backends import sandbox_probe
from hermes_tui.config import Config
from hermes_tui.events import SandboxFound, TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, Send, Standing
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.runtime.surroundings import Surroundings
from hermes_tui.security.secrets import contains_mask
from tests.fakes.scripted_model import ScriptedModel, call, say

KEY = "zq" + "-live-" + "7d2k9mQ4xT8pLw6R"


class Owner:
    """As much of a core as it takes."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.config = Config()


class Trials:
    """Counts the trials of a machine without a sandbox."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self.begun = asyncio.Event()
        monkeypatch.setattr(sandbox_probe, "_known", None)
        monkeypatch.setattr(sandbox_probe, "_probe", self._try)

    async def _try(self, scratch: str) -> sandbox_probe.Level:
        self.count += 1
        self.begun.set()
        await asyncio.sleep(0)
        return sandbox_probe.Level(number=1, name="none: each command asks", reasons=("no",))


async def test_the_machine_is_tried_once_however_many_wait(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials = Trials(monkeypatch)
    around = Surroundings(Owner(home))
    around.prepare()
    assert around.level is None
    levels = await asyncio.gather(*(around.probe() for _ in range(5)))
    assert {one.number for one in levels} == {1}
    assert trials.count == 1
    assert around.place(str(home.path), "").why == "there is no sandbox here: no"


async def test_it_is_tried_though_nobody_waits_once_the_request_has_left(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.runtime.surroundings._REQUEST_LEAVES_S", 0.01)
    trials = Trials(monkeypatch)
    around = Surroundings(Owner(home))
    around.prepare()
    assert trials.count == 0
    async with asyncio.timeout(5):
        await trials.begun.wait()
    await around.close()


async def test_a_trial_nobody_waits_for_ends_with_the_core(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    Trials(monkeypatch)
    around = Surroundings(Owner(home))
    around.prepare()
    await asyncio.wait_for(around.close(), 5)


async def test_a_session_is_told_of_the_sandbox_though_it_was_tried_before_it_was_needed(
    core: Core, scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials = Trials(monkeypatch)
    scripted.script = [call("run_command", command="echo hi"), say("ok")]
    client = LocalClient(core)
    standing = Standing(cwd=str(core.home.path.parent))
    view = await client.ask(OpenSession(which="new", standing=standing, mode="yolo"))
    await client.ask(Send(session=view.info.id, text="go"))
    seen: list[object] = []
    async with asyncio.timeout(8):
        async for record in client.events():
            seen.append(record.event)
            if isinstance(record.event, TurnEnded):
                break
    assert [one.level for one in seen if isinstance(one, SandboxFound)] == [1]
    assert trials.count == 1
    await client.close()


def test_a_key_stored_meanwhile_is_hidden_from_then_on(home: Home) -> None:
    around = Surroundings(Owner(home.ensure()))
    assert not contains_mask(around.redactor.redact(f"it says {KEY[::-1]}").text)
    home.secrets.write_text(f"SOME_SERVICE={KEY[::-1]}\n")
    assert contains_mask(around.redactor.redact(f"it says {KEY[::-1]}").text)


def test_a_key_of_the_environment_is_hidden(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SERVICE_TOKEN", KEY[::-1])
    around = Surroundings(Owner(home))
    assert contains_mask(around.redactor.redact(f"it says {KEY[::-1]}").text)
