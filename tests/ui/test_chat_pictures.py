"""How edits, folded reads, formulas, links and found text look, at three sizes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from hermes_tui.home import Home
from hermes_tui.ui.blocks_tool import ToolBlock
from hermes_tui.ui.diff_screen import DiffScreen
from tests.fakes import story_edit
from tests.ui.canned_screen import canned, label
from tests.ui.conftest import Screen
from tests.ui.picture import check

SIZES = [(200, 50), (120, 35), (80, 24)]


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--snapshot-update", default=False))


@asynccontextmanager
async def edited(home: Home, size: tuple[int, int]) -> AsyncIterator[Screen]:
    async with canned(home, size, story_edit.view()) as screen:
        yield screen


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
