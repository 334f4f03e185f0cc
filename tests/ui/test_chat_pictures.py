"""How edits, folded reads, formulas, links and found text look, at three sizes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest

from hermes_tui.config import UiConfig
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, Standing
from hermes_tui.ui.blocks_tool import ToolBlock
from hermes_tui.ui.diff_screen import DiffScreen
from tests.fakes import story, story_edit
from tests.fakes.canned_client import CannedClient
from tests.ui.conftest import Screen, eventually
from tests.ui.picture import check

SIZES = [(200, 50), (120, 35), (80, 24)]


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--snapshot-update", default=False))


@asynccontextmanager
async def edited(home: Home, size: tuple[int, int]) -> AsyncIterator[Screen]:
    from hermes_tui.ui.app import HermesApp
    from hermes_tui.ui.rail import Rail

    config = msgspec.structs.replace(UiConfig(), motion=False)
    request = OpenSession(standing=Standing(cwd="/home/mia/blog"))
    app = HermesApp(CannedClient(story_edit.view()), request, home, config, embedded=True)
    app.clock = lambda: story.NOW
    async with app.run_test(size=size) as pilot:
        await eventually(lambda: app.session)
        screen = Screen(app, pilot)
        await screen.until(lambda: app.query_one(Rail).sessions)
        yield screen


def label(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_a_chat_with_an_edit(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with edited(home, size) as screen:
        edit = next(b for b in screen.app.transcript.blocks if "zone.py" in b.source)
        assert isinstance(edit, ToolBlock)
        screen.app.transcript.open(edit)
        await screen.pilot.pause()
        await check(f"chat_shows_an_edit_{label(size)}", screen.app, update)


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_a_diff_over_the_screen(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with edited(home, size) as screen:
        diff = story_edit.unified(story_edit.OLD, story_edit.NEW, "src/zone.py")
        await screen.app.push_screen(DiffScreen("edit_file  src/zone.py", diff))
        await screen.pilot.pause()
        await check(f"diff_{label(size)}", screen.app, update)


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_finding_in_the_chat(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with edited(home, size) as screen:
        await screen.press("ctrl+f")
        await screen.type("ttl")
        await screen.until(lambda: screen.shows("in the trace"))
        await check(f"find_marks_every_place_{label(size)}", screen.app, update)


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_a_filtered_trace(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with edited(home, size) as screen:
        await screen.press("alt+2", "slash")
        await screen.type("status:failed")
        await screen.press("enter", "down", "space", "enter")
        await screen.until(lambda: screen.shows("environment"))
        await check(f"trace_filtered_{label(size)}", screen.app, update)
