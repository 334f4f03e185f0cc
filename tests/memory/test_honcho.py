"""Honcho through its real SDK: it gets the talk, it may answer, and it is never waited for."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hermes_tui.events import Notice, TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import AddFact, AskMemory
from hermes_tui.memory.honcho import HonchoProvider
from hermes_tui.memory.place import Place
from hermes_tui.memory.provider import Heard, ProviderError, ProviderSettings, made
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.fakes.fake_honcho import FakeHoncho
from tests.fakes.scripted_model import ScriptedModel, say
from tests.runtime.conftest import open_in, settled, until
from tests.runtime.conftest import say as tell

pytest.importorskip("honcho", reason="honcho-ai is not installed")
HERE = Place()


@pytest.fixture
async def honcho() -> AsyncIterator[FakeHoncho]:
    async with FakeHoncho() as server:
        yield server


@pytest.fixture
async def core(home: Home, scripted: ScriptedModel, honcho: FakeHoncho) -> AsyncIterator[Core]:
    config = settled(home, scripted.url)
    memory = msgspec.structs.replace(
        config.memory, provider="honcho", url=honcho.url, wait_s=1.0, timeout_s=1.0
    )
    core = await Core(home, msgspec.structs.replace(config, memory=memory), headless=True).start()
    yield core
    await core.end("test over")


async def comes_true(fact: Any, limit_s: float = 5.0) -> None:
    until_ = time.monotonic() + limit_s
    while not fact():
        assert time.monotonic() < until_, "it did not come to be so"
        await asyncio.sleep(0.01)


async def test_every_question_of_the_protocol_reaches_its_route(honcho: FakeHoncho) -> None:
    key = "honcho-" + "key"
    provider = HonchoProvider(ProviderSettings(url=honcho.url, workspace="w", key=key))
    honcho.cards["user"] = ["Name: Ann"]
    honcho.representation = "Ann likes tea"
    honcho.answer = "She likes tea."
    await provider.observe(
        (
            Heard(session="s1", message="s1:2", by="user", text="I like tea", ts=1.0),
            Heard(session="s1", message="s1:5", by="agent", text="Noted", ts=2.0),
        ),
        HERE,
    )
    assert [(m["peer_id"], m["metadata"]) for m in honcho.messages["s1"]] == [
        ("user", {"message": "s1:2"}),
        ("hermes", {"message": "s1:5"}),
    ]
    assert await provider.card(HERE) == ("Name: Ann",)
    assert await provider.context("what to brew?", "s1", HERE) == "Ann likes tea"
    (asked,) = honcho.paths("/representation")
    assert (asked["search_query"], asked["session_id"]) == ("what to brew?", "s1")
    answer = await provider.ask("what does she drink?", "s1", HERE)
    assert answer.text == "She likes tea."
    assert [source.message for source in answer.sources] == ["s1-0"]
    (asked,) = honcho.paths("/chat")
    assert (asked["query"], asked["session_id"]) == ("what does she drink?", "s1")
    assert honcho.keys == {key}
    await provider.close()


async def test_people_are_kept_apart(honcho: FakeHoncho) -> None:
    provider = HonchoProvider(ProviderSettings(url=honcho.url))
    honcho.cards = {"user": ["owner"], "ann-42": ["Ann"]}
    assert await provider.card(Place(person="ann/42")) == ("Ann",)
    assert await provider.card(HERE) == ("owner",)
    await provider.close()


@pytest.mark.parametrize("status", [401, 404, 500])
async def test_an_error_is_a_sentence(honcho: FakeHoncho, status: int) -> None:
    honcho.fail = status
    provider = HonchoProvider(ProviderSettings(url=honcho.url, timeout_s=2))
    with pytest.raises(ProviderError, match="Honcho: "):
        async with asyncio.timeout(5):
            await provider.card(HERE)
    await provider.close()


def test_an_unknown_provider_names_the_known_ones() -> None:
    with pytest.raises(ProviderError, match="no memory provider 'nope'") as raised:
        made("nope", ProviderSettings())
    assert "builtin, honcho" in raised.value.hint


async def test_a_turn_is_handed_over_and_its_words_are_asked_about(
    core: Core, honcho: FakeHoncho, scripted: ScriptedModel, tmp_path: Path
) -> None:
    honcho.representation = "Ann drinks tea from Assam"
    scripted.answer = lambda asked: say("Tea it is.")
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path))
    await tell(client, view, "which tea shall I brew for the guests?")
    await until(client, TurnEnded)
    (asked,) = honcho.paths("/representation")
    assert asked["search_query"] == "which tea shall I brew for the guests?"
    assert asked["session_id"] == view.info.id
    assert "Ann drinks tea from Assam" in json.dumps(scripted.requests[0].json)
    await comes_true(lambda: len(honcho.messages.get(view.info.id, ())) == 2)
    assert [m["content"] for m in honcho.messages[view.info.id]] == [
        "which tea shall I brew for the guests?",
        "Tea it is.",
    ]


async def test_small_words_ask_nothing(
    core: Core, honcho: FakeHoncho, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.answer = lambda asked: say("Fine.")
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path))
    for text in ("ok", "yes", "thanks"):
        await tell(client, view, text)
        await until(client, TurnEnded)
    assert honcho.paths("/representation") == []
    assert honcho.paths("/chat") == []


async def test_a_dead_server_delays_nothing_and_is_told_once(
    core: Core, honcho: FakeHoncho, scripted: ScriptedModel, tmp_path: Path
) -> None:
    honcho.hang = True
    memory = msgspec.structs.replace(core.config.memory, wait_s=0.05, timeout_s=0.1)
    core.settings.config = msgspec.structs.replace(core.config, memory=memory)
    scripted.answer = lambda asked: say("Fine.")
    client = LocalClient(core)
    await client.ask(AddFact(text="The user's editor is Helix"))
    view = await open_in(client, str(tmp_path))
    notices: list[str] = []
    for text in ("please look at the garden plan", "and at the shed plan", "and the pond plan"):
        began = time.monotonic()
        await tell(client, view, text)
        records = await until(client, TurnEnded)
        assert time.monotonic() - began < 2
        notices += [r.event.text for r in records if isinstance(r.event, Notice)]
        await comes_true(lambda: core.memory.memory.beside.trouble)  # type: ignore[union-attr]
    assert len(notices) == 1
    assert "honcho did not answer within 0.1 s" in notices[0]
    answer = (await client.ask(AskMemory(question="Which editor do I use?"))).text
    assert "Helix" in answer
    assert "This is what is noted here" in answer


async def test_what_is_remembered_becomes_a_conclusion_there_and_stays_here(
    core: Core, honcho: FakeHoncho, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.answer = lambda asked: say("Fine.")
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path))
    await tell(client, view, "look at the garden plan")
    await until(client, TurnEnded)
    await client.ask(AddFact(text="The user's editor is Helix"))
    await comes_true(lambda: honcho.conclusions)
    (made_there,) = honcho.conclusions
    assert (made_there["content"], made_there["observed_id"]) == (
        "The user's editor is Helix",
        "user",
    )
    honcho.answer = "Helix, since last year."
    answer = (await client.ask(AskMemory(question="Which editor do I use?"))).text
    assert "Helix, since last year." in answer
    assert "you said so" in answer
