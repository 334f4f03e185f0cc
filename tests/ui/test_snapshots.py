"""Every pane looks as it was decided to look, at three sizes and in a light theme."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from hermes_tui.home import Home
from tests.fakes import story
from tests.ui.canned_screen import canned as canned_screen
from tests.ui.canned_screen import label
from tests.ui.conftest import Screen
from tests.ui.picture import check

SIZES = [(200, 50), (120, 35), (80, 24)]


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--snapshot-update", default=False))


@asynccontextmanager
async def canned(
    home: Home, size: tuple[int, int], asking: bool = False, **ui: Any
) -> AsyncIterator[Screen]:
    async with canned_screen(home, size, story.view(asking), **ui) as screen:
        yield screen


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_a_chat_that_waits_for_approval(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with canned(home, size, asking=True) as screen:
        await screen.pilot.pause()
        await check(f"chat_asks_before_it_changes_dns_{label(size)}", screen.app, update)


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_the_trace_with_a_steps_details(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with canned(home, size) as screen:
        await screen.press("alt+2", "down", "down", "down", "enter")
        await screen.pilot.pause(0.1)
        await check(f"trace_shows_what_took_how_long_{label(size)}", screen.app, update)


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_a_memory_search(home: Home, size: tuple[int, int], update: bool) -> None:
    async with canned(home, size) as screen:
        await screen.press("alt+3")
        await screen.type("caddy")
        await screen.until(lambda: screen.shows(" hits", "m7 · fact"))
        await check(f"memory_finds_what_was_said_{label(size)}", screen.app, update)


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_what_is_remembered(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with canned(home, size) as screen:
        await screen.press("alt+3")
        await screen.until(lambda: screen.shows("Always ask before touching DNS"))
        await screen.press("enter")
        await screen.until(lambda: screen.shows("recalled in 9 turns"))
        await check(f"memory_says_where_a_fact_is_from_{label(size)}", screen.app, update)


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_the_skills(home: Home, size: tuple[int, int], update: bool) -> None:
    async with canned(home, size) as screen:
        await screen.press("alt+4", "down", "down")
        await screen.until(lambda: screen.shows("Deploy a static site"))
        await check(f"skills_are_listed_and_read_{label(size)}", screen.app, update)


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_an_edit_to_be_reviewed(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with canned(home, size) as screen:
        await screen.press("alt+4")
        await screen.until(lambda: screen.shows("because", "accept all"))
        await screen.press("enter", "alt+z", "space")
        await screen.until(lambda: screen.shows("replay", "reject"))
        await check(f"skills_show_a_proposed_edit_{label(size)}", screen.app, update)


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_a_version_of_a_skill(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with canned(home, size) as screen:
        await screen.press("alt+4", "down")
        await screen.until(lambda: screen.shows("Deploy a static site"))
        await screen.press("left_square_bracket")
        await screen.until(lambda: screen.shows("version 2", "bring it back"))
        await check(f"skills_say_what_a_version_changed_{label(size)}", screen.app, update)


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_a_skill_being_written(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with canned(home, size) as screen:
        await screen.press("alt+4", "down", "down")
        await screen.until(lambda: screen.shows("Deploy a static site"))
        await screen.press("e")
        await screen.until(lambda: screen.shows("name 'deploy-static-site' differs", "1 to fix"))
        screen.app.screen.query_one("#skill-text").cursor_blink = False
        await screen.pilot.pause()
        await check(f"skills_are_checked_while_written_{label(size)}", screen.app, update)


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_the_palette(home: Home, size: tuple[int, int], update: bool) -> None:
    async with canned(home, size) as screen:
        await screen.press("ctrl+p")
        await screen.type("ses")
        await screen.until(lambda: screen.shows("Tax receipts"))
        await check(f"palette_finds_commands_and_sessions_{label(size)}", screen.app, update)


async def test_snapshot_of_help(home: Home, update: bool) -> None:
    async with canned(home, (120, 35)) as screen:
        await screen.press("f1")
        await screen.until(lambda: screen.shows("Commands"))
        await check("help_lists_every_command", screen.app, update)


async def test_snapshot_of_quitting_with_work_running(home: Home, update: bool) -> None:
    from hermes_tui.ui.dialogs import quit_dialog

    async with canned(home, (80, 24)) as screen:
        lines = ["working: Move blog to VPS", "background process: npm run dev"]
        await screen.app.push_screen(quit_dialog(lines))
        await screen.pilot.pause()
        await check("quit_says_what_would_be_cut_off", screen.app, update)


@pytest.mark.parametrize("theme", ["hermes-paper", "high-contrast", "mono"])
async def test_snapshot_of_the_other_themes(home: Home, theme: str, update: bool) -> None:
    async with canned(home, (120, 35), asking=True, theme=theme) as screen:
        await screen.pilot.pause()
        await check(f"theme_{theme}", screen.app, update)


async def test_snapshot_of_a_very_small_terminal(home: Home, update: bool) -> None:
    async with canned(home, (40, 12), asking=True) as screen:
        await screen.pilot.pause()
        await check("a_small_terminal_keeps_chat_card_and_prompt", screen.app, update)


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_what_runs_in_the_background(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with canned(home, size) as screen:
        await screen.press("alt+5")
        await screen.until(lambda: screen.shows("48 of 2,311 files"))
        await check(f"agents_says_what_runs_on_its_own_{label(size)}", screen.app, update)


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_the_keys_after_the_leader(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with canned(home, size) as screen:
        await screen.press("ctrl+x")
        await screen.until(lambda: screen.shows("Zoom the pane"))
        await check(f"leader_shows_its_keys_{label(size)}", screen.app, update)


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_jumping(home: Home, size: tuple[int, int], update: bool) -> None:
    async with canned(home, size) as screen:
        await screen.press("ctrl+o")
        await check(f"jump_puts_letters_on_everything_{label(size)}", screen.app, update)


@pytest.mark.parametrize("size", SIZES, ids=label)
async def test_snapshot_of_help_on_what_has_the_keys(
    home: Home, size: tuple[int, int], update: bool
) -> None:
    async with canned(home, size) as screen:
        await screen.press("alt+2", "f1")
        await screen.until(lambda: screen.shows("Help · the trace"))
        await check(f"help_begins_with_what_has_the_keys_{label(size)}", screen.app, update)


async def test_snapshot_of_renaming_in_the_rail(home: Home, update: bool) -> None:
    async with canned(home, (120, 35)) as screen:
        await screen.press("ctrl+b", "down", "r")
        await check("rail_renames_in_place", screen.app, update)


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light"])
async def test_snapshot_of_the_ansi_themes(home: Home, theme: str, update: bool) -> None:
    async with canned(home, (120, 35), asking=True, theme=theme) as screen:
        await screen.pilot.pause()
        await check(f"theme_{theme}", screen.app, update)
