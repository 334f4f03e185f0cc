"""Setting up through the core: what is found, tried, kept and fetched, by any face."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from hermes_tui.config import Config
from hermes_tui.errors import ConfigError, HermesError, ModelError
from hermes_tui.events import FetchProgress, SettingsChanged
from hermes_tui.home import Home
from hermes_tui.intents import (
    ChosenModel,
    FetchModel,
    FindModels,
    KeepModel,
    ListSettings,
    SetConfig,
    StopFetch,
    TryModel,
)
from hermes_tui.models import catalog, weights
from hermes_tui.runtime.client import CoreClient
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.link import SocketClient
from hermes_tui.runtime.local import LocalClient
from tests.fakes.publisher import DATA, Publisher, publishing
from tests.fakes.scripted_model import ScriptedModel, fail, say

FAKE_KEY = "-".join(("sk", "or", "v1", "0" * 8))


@pytest.fixture
async def publisher(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Publisher]:
    async with publishing(monkeypatch) as served:
        yield served


@pytest.fixture(autouse=True)
def no_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "LOCAL_SERVERS", ())


@pytest.fixture(params=["local", "socket"])
async def client(request: pytest.FixtureRequest, home: Home) -> AsyncIterator[CoreClient]:
    """A face of a core that has nothing set up."""
    core = await Core(home, Config()).start()
    local = LocalClient(core, through_codec=True)
    made: CoreClient = local if request.param == "local" else await SocketClient.connect(home)
    yield made
    await made.close()
    await core.end("test over")


async def test_a_fresh_home_needs_a_model_and_says_what_can_be_fetched(client: CoreClient) -> None:
    found = await client.ask(FindModels())
    assert found.needed
    assert {one.kind for one in found.choices} == {"fetch"}
    assert all(one.size > 1_000_000 and one.fetch for one in found.choices)
    assert (await client.ask(FindModels(look=False))).needed


async def test_a_key_in_the_environment_is_offered_and_is_enough(
    client: CoreClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", FAKE_KEY)
    found = await client.ask(FindModels())
    assert not found.needed
    first = found.choices[0]
    assert (first.kind, first.title) == ("key", "OpenRouter")
    assert first.chosen.key_env == "OPENROUTER_API_KEY"
    assert FAKE_KEY not in repr(found)


async def test_every_model_of_a_server_on_this_machine_is_offered_tried_and_kept(
    client: CoreClient, home: Home, scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "LOCAL_SERVERS", (("Ollama", scripted.url),))
    choice = (await client.ask(FindModels())).choices[0]
    assert (choice.kind, choice.title, choice.chosen.name) == ("server", "Ollama", "scripted")
    scripted.script.append(say("ready"))
    proof = await client.ask(TryModel(chosen=choice.chosen))
    assert (proof.name, proof.text) == ("scripted", "ready")
    assert not home.config.exists(), "nothing is kept before the person says so"
    await client.ask(KeepModel(chosen=choice.chosen))
    assert scripted.url in home.config.read_text()
    assert not (await client.ask(FindModels(look=False))).needed


async def test_a_typed_key_is_sent_to_its_endpoint_and_kept_among_the_secrets_alone(
    client: CoreClient, home: Home, scripted: ScriptedModel
) -> None:
    chosen = ChosenModel(base_url=scripted.url, name="scripted", key="not-a-real-one")
    scripted.script.append(say("ready"))
    await client.ask(TryModel(chosen=chosen))
    assert scripted.requests[-1].headers["authorization"] == "Bearer not-a-real-one"
    assert not home.secrets.exists()
    await client.ask(KeepModel(chosen=chosen))
    assert "not-a-real-one" not in home.config.read_text()
    assert "not-a-real-one" in home.secrets.read_text()
    assert home.secrets.stat().st_mode & 0o077 == 0


async def test_a_model_that_does_not_answer_says_why(
    client: CoreClient, scripted: ScriptedModel
) -> None:
    scripted.script.append(fail(401, "no such key"))
    with pytest.raises(HermesError) as caught:
        await client.ask(TryModel(chosen=ChosenModel(base_url=scripted.url, name="x")))
    assert caught.value.hint


@pytest.mark.parametrize(
    ("chosen", "part"),
    [
        (ChosenModel(), "nothing to try"),
        (ChosenModel(key="who-knows"), "no telling whose key"),
        (ChosenModel(base_url="ollama"), "is not an address"),
    ],
)
async def test_what_can_not_be_a_model_is_refused_with_an_example(
    client: CoreClient, chosen: ChosenModel, part: str
) -> None:
    with pytest.raises(HermesError, match=part) as caught:
        await client.ask(TryModel(chosen=chosen))
    assert "http://127.0.0.1:11434/v1" in caught.value.hint


# --- fetching --------------------------------------------------------------------------------


async def told(client: CoreClient) -> FetchProgress:
    """The next thing that is told of the fetch."""
    async with asyncio.timeout(5):
        async for record in client.events():
            if isinstance(record.event, FetchProgress):
                return record.event
    raise AssertionError("the line was closed")


async def test_a_fetch_tells_how_far_it_is_and_makes_the_model_a_choice(
    client: CoreClient, home: Home, publisher: Publisher
) -> None:
    assert (await client.ask(FindModels())).choices[0].kind == "fetch"
    await client.ask(FetchModel(name="tiny"))
    seen = [await told(client)]
    while not seen[-1].ended:
        seen.append(await told(client))
    assert FetchProgress(name="tiny", done=len(DATA), total=len(DATA)) in seen
    assert (home.models / "tiny.gguf").read_bytes() == DATA
    found = await client.ask(FindModels())
    assert (found.choices[0].kind, found.needed) == ("embedded", False)


async def test_a_stopped_fetch_goes_on_where_it_stopped(
    client: CoreClient, home: Home, publisher: Publisher
) -> None:
    publisher.hold_at = 100_000
    asked = asyncio.ensure_future(client.ask(FetchModel(name="tiny")))
    await publisher.half_way(home)
    await client.ask(StopFetch())
    with pytest.raises(ModelError, match="stopped"):
        await asked
    assert (home.models / "tiny.gguf.part").stat().st_size == 100_000
    publisher.hold_at = len(DATA)
    await client.ask(FetchModel(name="tiny"))
    assert publisher.starts == [0, 100_000]


async def test_a_fetch_goes_on_without_the_screen_that_asked_and_can_be_joined(
    client: CoreClient, home: Home, publisher: Publisher
) -> None:
    publisher.hold_at = 100_000
    asked = asyncio.ensure_future(client.ask(FetchModel(name="tiny")))
    await publisher.half_way(home)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    joined = asyncio.ensure_future(client.ask(FetchModel(name="tiny")))
    await asyncio.sleep(0)
    publisher.go_on.set()
    await joined
    assert publisher.starts == [0]
    assert (home.models / "tiny.gguf").exists()


async def test_a_core_that_ends_ends_its_fetch(home: Home, publisher: Publisher) -> None:
    publisher.hold_at = 100_000
    core = await Core(home, Config()).start()
    client = LocalClient(core)
    asked = asyncio.ensure_future(client.ask(FetchModel(name="tiny")))
    await publisher.half_way(home)
    async with asyncio.timeout(2):
        await core.end("test over")
    with pytest.raises(ModelError):
        await asked


async def test_a_fetch_that_fails_says_why(client: CoreClient, publisher: Publisher) -> None:
    with pytest.raises(ModelError, match="no model huge"):
        await client.ask(FetchModel(name="huge"))
    one = weights.WEIGHTS["tiny"]
    weights.WEIGHTS["tiny"] = msgspec.structs.replace(one, urls=("http://127.0.0.1:1/x",))
    with pytest.raises(ModelError, match="could not be fetched"):
        await client.ask(FetchModel(name="tiny"))


# --- settings --------------------------------------------------------------------------------


async def test_every_setting_is_listed_with_its_value_source_and_help(
    client: CoreClient, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_TUI_MODEL", "from-outside")
    home.config.write_text(
        "# mine\nui:\n  motion: false  # calm\npolicy:\n  allow: [tool a, tool b]\n"
    )
    listed = {one.name: one for one in (await client.ask(ListSettings())).settings}
    assert all(one.help and one.must for one in listed.values())
    motion = listed["ui.motion"]
    assert (motion.kind, motion.value, motion.default) == ("toggle", False, True)
    assert (motion.source, motion.fixed) == ("config.yaml", False)
    assert listed["policy.allow"].value == ["tool a", "tool b"]
    assert listed["agent.mode"].choices == ("ask", "auto-edit", "plan", "yolo")
    name = listed["model.name"]
    assert (name.value, name.source, name.fixed) == ("from-outside", "HERMES_TUI_MODEL", True)


async def test_a_change_is_told_to_every_face_and_keeps_the_comments(
    client: CoreClient, home: Home, tmp_path: Path
) -> None:
    home.config.write_text("# mine\nui:\n  motion: false  # calm\n")
    await client.ask(SetConfig(key="ui.chat_width", value="90"))
    async with asyncio.timeout(5):
        async for record in client.events():
            if isinstance(record.event, SettingsChanged):
                break
    assert "# mine" in home.config.read_text()
    assert "# calm" in home.config.read_text()
    await client.ask(SetConfig(key="ui.motion", value="", reset=True))
    listed = {one.name: one for one in (await client.ask(ListSettings())).settings}
    assert (listed["ui.motion"].value, listed["ui.motion"].source) == (True, "")
    assert listed["ui.chat_width"].value == 90
    assert "# mine" in home.config.read_text()


async def test_a_wrong_value_is_refused_with_what_it_must_be(
    client: CoreClient, home: Home
) -> None:
    with pytest.raises(ConfigError, match="a whole number"):
        await client.ask(SetConfig(key="ui.chat_width", value="wide"))
    assert not home.config.exists()
