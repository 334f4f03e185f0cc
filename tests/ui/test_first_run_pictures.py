"""The screens of the first run and of the settings look as it was decided, at three sizes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest

from hermes_tui.config import UiConfig
from hermes_tui.errors import ConfigError
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, SetConfig, Standing
from tests.fakes import story
from tests.fakes.story_setup import SetupClient
from tests.ui.conftest import Screen, eventually
from tests.ui.picture import check

SIZES = [(200, 50), (120, 35), (80, 24)]


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--snapshot-update", default=False))


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    return request.param


@asynccontextmanager
async def canned(
    home: Home, size: tuple[int, int], client: SetupClient | None = None
) -> AsyncIterator[Screen]:
    from hermes_tui.ui.app import HermesApp

    config = msgspec.structs.replace(UiConfig(), motion=False)
    request = OpenSession(standing=Standing(cwd="/home/mia/blog"))
    app = HermesApp(client or SetupClient(), request, home, config, embedded=True)
    app.clock = lambda: story.NOW
    async with app.run_test(size=size) as pilot:
        await eventually(lambda: app.session)
        await pilot.pause()
        yield Screen(app, pilot)


def name(what: str, size: tuple[int, int]) -> str:
    return f"{what}_{size[0]}x{size[1]}"


async def test_snapshot_of_everything_that_could_answer(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with canned(home, size) as screen:
        await screen.app.commands.setup.first_run()
        await screen.until(lambda: screen.shows("another endpoint"))
        await check(name("setup_lists_who_could_answer", size), screen.app, update)


async def test_snapshot_of_an_endpoint_of_ones_own(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with canned(home, size) as screen:
        await screen.app.commands.setup.first_run()
        await screen.until(lambda: screen.shows("another endpoint"))
        await screen.press("G", "enter", "x", "enter", "enter", "s", "e", "c", "r", "e", "t")
        await check(name("setup_hides_the_key_that_is_typed", size), screen.app, update)


async def test_snapshot_of_a_model_that_is_being_fetched(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with canned(home, size) as screen:
        await screen.app.commands.setup.first_run()
        await screen.until(lambda: screen.shows("another endpoint"))
        await screen.press("G", "up", "enter")
        await screen.until(lambda: screen.shows("212 MB of 491 MB"))
        await check(name("setup_shows_how_far_the_fetch_is", size), screen.app, update)


async def test_snapshot_of_a_model_that_answers_and_of_the_first_tasks(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with canned(home, size) as screen:
        await screen.app.commands.setup.first_run()
        await screen.until(lambda: screen.shows("another endpoint"))
        await screen.press("down", "down", "enter")
        await screen.until(lambda: screen.shows("qwen3:8b answers"))
        await check(name("setup_says_that_it_answers", size), screen.app, update)
        await screen.press("enter")
        await screen.until(lambda: screen.shows("What first?"))
        await check(name("setup_offers_three_tasks", size), screen.app, update)


async def test_snapshot_of_the_settings(home: Home, size: tuple[int, int], update: bool) -> None:
    async with canned(home, size) as screen:
        await screen.app.commands.setup.settings()
        await screen.until(lambda: screen.shows("12 settings"))
        await screen.press("enter", "down")
        await check(name("settings_by_group_with_their_source", size), screen.app, update)


async def test_snapshot_of_a_setting_with_a_wrong_value(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    class Refusing(SetupClient):
        async def ask(self, intent: object) -> object:
            if isinstance(intent, SetConfig):
                raise ConfigError("ui.chat_width must be a whole number, not '100x'")
            return await super().ask(intent)

    async with canned(home, size, Refusing()) as screen:
        await screen.app.commands.setup.settings("chat_width")
        await screen.until(lambda: screen.shows("widest chat text"))
        await screen.press("enter", "enter", "x", "enter")
        await screen.until(lambda: screen.shows("❯ 100x", "not '100x'"))
        await check(name("settings_say_what_is_wrong_beside_the_field", size), screen.app, update)
