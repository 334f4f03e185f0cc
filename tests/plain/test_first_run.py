"""The first run in plain lines: three numbered questions to a model that answers."""

from __future__ import annotations

import asyncio
import os
import pty
import termios
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from hermes_tui.config import Config
from hermes_tui.errors import ModelError
from hermes_tui.events import FetchProgress
from hermes_tui.home import Home
from hermes_tui.intents import (
    ChosenModel,
    Done,
    FetchModel,
    FindModels,
    KeepModel,
    ListSettings,
    ModelChoice,
    ModelChoices,
    ModelProof,
    OpenSession,
    Send,
    SetConfig,
    SettingInfo,
    SettingList,
    Standing,
    StopFetch,
    TryModel,
)
from hermes_tui.models import catalog
from hermes_tui.plain import run_plain
from hermes_tui.plain.terminal import PlainLines
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.setup_text import TASKS
from tests.fakes.fake_client import FakeClient
from tests.fakes.fake_lines import FakeLines
from tests.fakes.scripted_model import ScriptedModel, say
from tests.plain.test_face import Talk, talk

KEYED = ModelChoice(
    kind="key",
    title="OpenRouter",
    note="key in OPENROUTER_API_KEY",
    chosen=ChosenModel(base_url="https://openrouter.ai/api/v1", name="auto"),
)
TINY = ModelChoice(
    kind="fetch",
    title="Tiny, 20 MB",
    fetch="tiny",
    size=20_000_000,
    chosen=ChosenModel(provider="embedded", file="tiny.gguf"),
)


def nothing_set_up(**answers: Any) -> FakeClient:
    client = FakeClient()
    client.answers[FindModels] = ModelChoices(needed=True, choices=(KEYED, TINY))
    client.answers[TryModel] = ModelProof(name="auto", text="ready", seconds=0.8)
    client.answers |= answers
    return client


@asynccontextmanager
async def asked(client: FakeClient) -> AsyncIterator[Talk]:
    """Plain mode that has asked who shall answer."""
    async with talk(client) as face:
        await face.lines.until("0 to skip")
        yield face


async def test_three_answers_lead_from_nothing_to_a_conversation() -> None:
    async with asked(nothing_set_up()) as face:
        assert "1. OpenRouter auto, key in OPENROUTER_API_KEY." in face.lines.printed
        face.lines.type("1")
        await face.lines.until("Yes. auto said after 0.8 seconds: ready")
        assert not face.client.of(KeepModel)
        face.lines.type("")
        await face.lines.until("Question 3 of 3")
        assert face.client.of(KeepModel)[0].chosen == KEYED.chosen
        face.lines.type("1")
        (sent,) = await face.asked(Send)
        assert sent.text == TASKS[0]


async def test_nothing_is_asked_where_a_model_is_set_up_or_nobody_sits_there() -> None:
    ready = nothing_set_up()
    ready.answers[FindModels] = ModelChoices()
    async with talk(ready) as face:
        face.lines.type("hello")
        assert (await face.asked(Send))[0].text == "hello"
    async with talk(nothing_set_up(), echoes=False) as face:
        face.lines.type("hello")
        assert (await face.asked(Send))[0].text == "hello"
        assert not face.client.of(FindModels)


async def test_zero_skips_and_setup_asks_again() -> None:
    async with asked(nothing_set_up()) as face:
        face.lines.type("0")
        await face.lines.until("/setup asks again")
        face.lines.printed.clear()
        face.lines.type("/setup")
        await face.lines.until("Question 1 of 3")


async def test_what_is_no_number_of_the_list_is_asked_for_again() -> None:
    async with asked(nothing_set_up()) as face:
        face.lines.type("7")
        await face.lines.until("a number from 0 to 3")
        face.lines.type("1")
        await face.lines.until("Question 2 of 3")


async def test_a_model_that_does_not_answer_can_be_tried_again_or_changed() -> None:
    client = nothing_set_up()
    client.answers[TryModel] = ModelError("the key is not accepted", "check it")
    async with asked(client) as face:
        face.lines.type("1")
        await face.lines.until("No. the key is not accepted. check it.")
        face.lines.type("")
        await face.asked(TryModel, 2)
        await face.lines.until("2 choose another")
        face.lines.printed.clear()
        face.lines.type("2")
        await face.lines.until("Question 1 of 3")
        assert not face.client.of(KeepModel)


async def test_a_typed_key_is_read_hidden_and_never_printed() -> None:
    async with asked(nothing_set_up()) as face:
        face.lines.type("3")
        await face.lines.until("The address")
        face.lines.type("http://127.0.0.1:9/v1", "", "top-secret-key")
        (tried,) = await face.asked(TryModel)
        assert tried.chosen == ChosenModel(base_url="http://127.0.0.1:9/v1", key="top-secret-key")
        await face.lines.until("Yes.")
        assert "top-secret-key" not in "\n".join(face.lines.printed)
        assert face.lines.hidden[:5] == [False, False, False, True, False]


async def test_a_fetch_says_how_far_it_is_and_zero_stops_it() -> None:
    client = nothing_set_up()
    stopped = asyncio.get_running_loop().create_future()

    async def fetch(intent: Any) -> Done:
        raise await stopped

    real = client.ask

    async def ask(intent: Any) -> Any:
        answer = await real(intent)
        if isinstance(intent, FetchModel):
            return await fetch(intent)
        if isinstance(intent, StopFetch):
            stopped.set_result(ModelError("the fetch was stopped", "what came is kept"))
        return answer

    client.ask = ask  # type: ignore[method-assign]
    async with asked(client) as face:
        face.lines.type("2")
        await face.lines.until("Type 0 to stop")
        for done in (1, 2_100_000, 2_200_000, 4_000_000):
            client.happen(FetchProgress(name="tiny", done=done, total=20_000_000))
        await face.lines.until("20 percent: 4.0 MB of 20 MB")
        assert sum("percent" in line for line in face.lines.printed) == 2
        face.lines.type("0")
        await face.lines.until("No. the fetch was stopped. what came is kept.")


async def test_from_a_server_on_this_machine_to_its_first_answer(
    home: Home, scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "LOCAL_SERVERS", (("Ollama", scripted.url),))
    scripted.script += [say("ready"), say("I can read, write and run things.")]
    core = await Core(home, Config()).start()
    lines = FakeLines()
    request = OpenSession(standing=Standing(cwd=str(home.path)))
    task = asyncio.ensure_future(run_plain(LocalClient(core, "plain"), request, lines=lines))
    await lines.until("1. Ollama scripted")
    lines.type("1")
    await lines.until("Yes. scripted said")
    lines.type("1")
    await lines.until("Question 3 of 3")
    lines.type("1")
    await lines.until("I can read, write and run things.")
    lines.type("/detach")
    await task
    await core.end("test over")


async def test_a_dumb_terminal_shows_nothing_of_a_hidden_line() -> None:
    near, far = pty.openpty()
    lines = PlainLines(far, far)
    try:
        reading = asyncio.ensure_future(lines.read(hidden=True))
        until = time.monotonic() + 2
        while termios.tcgetattr(far)[3] & termios.ECHO:
            assert time.monotonic() < until
            await asyncio.sleep(0.01)
        os.write(near, b"secret\n")
        assert await reading == "secret"
        assert termios.tcgetattr(far)[3] & termios.ECHO
        lines.write("after")
    finally:
        lines.close()
    assert b"secret" not in os.read(near, 1000)
    os.close(near)
    os.close(far)


# --- settings --------------------------------------------------------------------------------

MOTION = SettingInfo(
    name="ui.motion",
    kind="toggle",
    must="true or false",
    help="spinners and other movement",
    value=False,
    default=True,
    source="config.yaml",
)
WIDTH = SettingInfo(name="ui.chat_width", kind="whole", must="a whole number", value=100)


async def test_settings_are_listed_told_and_set_in_lines() -> None:
    client = FakeClient()
    client.answers[ListSettings] = SettingList(settings=(MOTION, WIDTH))
    async with talk(client) as face:
        face.lines.type("/settings movement")
        await face.lines.until("1 setting")
        assert "ui.motion: false" in face.lines.printed
        assert not any("chat_width" in line for line in face.lines.printed)
        face.lines.type("/settings ui.motion")
        await face.lines.until("ui.motion is false, set in config.yaml. Spinners")
        face.lines.type("/settings ui.chat_width 90")
        (first,) = await face.asked(SetConfig)
        assert (first.key, first.value, first.reset) == ("ui.chat_width", "90", False)
        face.lines.type("/settings ui.motion default")
        _, second = await face.asked(SetConfig, 2)
        assert (second.key, second.reset) == ("ui.motion", True)
