"""From a fresh home to a conversation in three screens, over both kinds of client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.events import Paste

from hermes_tui.config import Config
from hermes_tui.events import FetchProgress
from hermes_tui.home import Home
from hermes_tui.models import catalog
from hermes_tui.runtime.core import Core
from hermes_tui.setup_text import TASKS, Pace
from hermes_tui.ui.first_run import FirstRunScreen
from tests.fakes.publisher import Publisher, publishing
from tests.fakes.scripted_model import ScriptedModel, fail, say
from tests.ui.conftest import Screen, Stage

FAKE = Path(__file__).parents[1] / "models" / "fake_llama"


@pytest.fixture(autouse=True)
def no_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "LOCAL_SERVERS", ())


@pytest.fixture
async def publisher(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Publisher]:
    async with publishing(monkeypatch) as served:
        yield served


@pytest.fixture(params=["local", "socket"])
async def fresh(
    request: pytest.FixtureRequest, home: Home, scripted: ScriptedModel, tmp_path: Path
) -> AsyncIterator[Stage]:
    """A core with nothing set up."""
    core = await Core(home, Config()).start()
    made = Stage(core, request.param, scripted, tmp_path)
    yield made
    for client in made.clients:
        await client.close()
    await core.end("test over")


def asks(screen: Screen) -> bool:
    return isinstance(screen.app.screen, FirstRunScreen)


async def paste(screen: Screen, text: str) -> None:
    """Paste into what has the keys."""
    assert screen.app.focused is not None
    screen.app.focused.post_message(Paste(text))
    await screen.pilot.pause()


async def test_a_server_on_this_machine_is_found_tried_kept_and_answers(
    fresh: Stage, scripted: ScriptedModel, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "LOCAL_SERVERS", (("Ollama", scripted.url),))
    scripted.script += [say("ready"), say("I read, write and run things.")]
    async with fresh.screen((80, 24)) as screen:
        await screen.until(lambda: screen.shows("Who shall answer?", "Ollama", "scripted"))
        await screen.press("enter")
        await screen.until(lambda: screen.shows("scripted answers", "«ready»", "2 of 3"))
        assert not home.config.exists()
        await screen.press("enter")
        await screen.until(lambda: screen.shows("What first?", TASKS[0]))
        assert scripted.url in home.config.read_text()
        await screen.press("enter")
        await screen.until(lambda: screen.shows("I read, write and run things."))
        assert not asks(screen)
        assert screen.app.shown.info.title


async def test_the_embedded_model_is_fetched_tried_and_talks(
    fresh: Stage, publisher: Publisher, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(FAKE))
    monkeypatch.setenv("PYTHONPATH", str(FAKE))
    publisher.hold_at = 100_000
    async with fresh.screen((80, 24)) as screen:
        await screen.until(lambda: screen.shows("Tiny, 0.2 MB"))
        await screen.press("enter")
        await publisher.half_way(home)
        await screen.until(lambda: screen.shows("Fetching Tiny", "of 0.2 MB", "░"))
        publisher.go_on.set()
        await screen.until(lambda: screen.shows("answers", "«ready»"))
        await screen.press("enter")
        await screen.until(lambda: screen.shows("What first?"))
        await screen.press("down", "down", "down", "enter")
        await screen.until(lambda: not asks(screen))
        await screen.enter("hi")
        await screen.until(lambda: len(screen.app.shown.trace.turns) == 1)
        await screen.until(lambda: not screen.app.shown.busy)
        assert screen.shows("ready")


async def test_escape_stops_a_fetch_and_the_next_goes_on_from_there(
    fresh: Stage, publisher: Publisher, home: Home
) -> None:
    publisher.hold_at = 100_000
    async with fresh.screen((80, 24)) as screen:
        await screen.until(lambda: screen.shows("Tiny"))
        await screen.press("enter")
        await publisher.half_way(home)
        await screen.press("escape")
        await screen.until(lambda: screen.shows("1 of 3"))
        await screen.until(lambda: fresh.core.fetching._task is None)
        publisher.hold_at = 1_000_000
        await screen.press("enter")
        await screen.until(lambda: screen.shows("2 of 3"))
        await screen.until(lambda: publisher.starts == [0, 100_000])


async def test_a_model_that_does_not_answer_leads_back_to_the_list(
    fresh: Stage, scripted: ScriptedModel, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "LOCAL_SERVERS", (("Ollama", scripted.url),))
    scripted.script += [fail(401, "no such key"), say("ready")]
    async with fresh.screen((80, 24)) as screen:
        await screen.until(lambda: screen.shows("Ollama"))
        await screen.press("enter")
        await screen.until(lambda: screen.shows("does not answer", "Try again"))
        await screen.press("down", "enter")
        await screen.until(lambda: screen.shows("1 of 3", "Ollama"))
        await screen.press("enter")
        await screen.until(lambda: screen.shows("scripted answers"))
        assert not home.config.exists()


async def test_a_typed_key_is_never_shown_and_kept_among_the_secrets_alone(
    fresh: Stage, scripted: ScriptedModel, home: Home
) -> None:
    scripted.script.append(say("ready"))
    async with fresh.screen((80, 24)) as screen:
        await screen.until(lambda: screen.shows("another endpoint"))
        await screen.press("G", "enter")
        await screen.until(lambda: screen.shows("address"))
        await paste(screen, scripted.url)
        await screen.press("enter", "enter")
        await paste(screen, "top-sekrit\n")
        await screen.press("backspace", "T")
        assert screen.shows("••••••••••")
        assert not screen.shows("sekri")
        await screen.press("enter")
        await screen.until(lambda: screen.shows("scripted answers"))
        assert scripted.requests[-1].headers["authorization"] == "Bearer top-sekriT"
        await screen.press("enter")
        await screen.until(lambda: screen.shows("3 of 3"))
        assert "top-sekriT" in home.secrets.read_text()
        assert "top-sekriT" not in home.config.read_text()


async def test_a_wrong_address_can_be_mended(fresh: Stage, scripted: ScriptedModel) -> None:
    scripted.script.append(say("ready"))
    async with fresh.screen((80, 24)) as screen:
        await screen.until(lambda: screen.shows("another endpoint"))
        await screen.press("G", "enter")
        await paste(screen, "nonsense")
        await screen.press("enter", "enter", "enter")
        await screen.until(lambda: screen.shows("is not an address"))
        await screen.press("escape")
        await screen.until(lambda: screen.shows("address", "nonsense"))
        await screen.press("ctrl+u")
        await paste(screen, scripted.url)
        await screen.press("enter", "enter", "enter")
        await screen.until(lambda: screen.shows("scripted answers"))


async def test_escape_skips_and_setup_brings_it_back(fresh: Stage) -> None:
    async with fresh.screen((80, 24)) as screen:
        await screen.until(lambda: screen.shows("another endpoint"))
        await screen.press("escape")
        await screen.until(lambda: not asks(screen))
        await screen.until(lambda: screen.shows("/setup asks again"))
        await screen.enter("/setup")
        await screen.until(lambda: screen.shows("Who shall answer?"))


async def test_it_is_not_shown_where_a_model_is_set_up(stage: Stage) -> None:
    async with stage.screen((80, 24)) as screen:
        await screen.until(lambda: screen.app.main.query("#rail"))
        await screen.pilot.pause(0.1)
        assert not asks(screen)


def test_the_pace_of_a_fetch_is_told_with_what_is_left() -> None:
    pace = Pace()
    assert pace.words() == "connecting …"
    for second in range(11):
        done = second * 10_000_000
        pace.add(FetchProgress(name="x", done=done, total=500_000_000), 100.0 + second)
    assert pace.words() == "100 MB of 500 MB · 10.0 MB/s · 40 s left"
    pace.add(FetchProgress(name="x", done=0, total=500_000_000), 112.0)
    assert pace.words() == "0.0 MB of 500 MB"
    pace.add(FetchProgress(name="x", done=500_000_000, total=500_000_000), 113.0)
    assert pace.words() == "500 MB are here, checking them …"
