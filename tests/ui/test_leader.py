"""The leader and its popup: every command for hands and terminals without alt."""

from __future__ import annotations

from hermes_tui import commands
from hermes_tui.ui import which_key
from hermes_tui.ui.keys import KeyTable
from hermes_tui.ui.which_key import ChordList, LeaderScreen
from tests.ui.conftest import Stage


def test_whatever_needs_alt_can_also_be_had_after_the_leader() -> None:
    for command in commands.COMMANDS:
        alt = [key for key in command.keys if key.startswith("alt+") and "shift" not in key]
        assert not alt or any(" " in key for key in command.keys), command.id


def test_no_key_after_the_leader_means_two_things() -> None:
    tails = [key for c in commands.COMMANDS for key in c.keys if " " in key]
    assert len(tails) == len(set(tails)) == len(KeyTable().chords())


async def test_a_key_after_the_leader_does_its_command_and_no_popup_is_seen(stage: Stage) -> None:
    async with stage.screen() as screen:
        await screen.press("ctrl+x", "3")
        await screen.until(lambda: screen.app.frame.focused() == "memory")
        assert len(screen.app.screen_stack) == 1


async def test_the_popup_comes_when_nobody_presses_a_key(stage: Stage) -> None:
    assert which_key.PAUSE_S == 0.5
    async with stage.screen() as screen:
        await screen.press("ctrl+x")
        assert not screen.app.screen.query_one(ChordList).display
        await screen.until(lambda: screen.shows("New session", "Zoom the pane"))
        await screen.press("escape")
        assert len(screen.app.screen_stack) == 1


async def test_a_click_in_the_popup_does_the_command(stage: Stage) -> None:
    async with stage.screen() as screen:
        await screen.press("ctrl+x")
        await screen.until(lambda: screen.shows("Skills pane"))
        lines = screen.text.splitlines()
        y = next(i for i, line in enumerate(lines) if "Skills pane" in line)
        await screen.pilot.click(offset=(lines[y].index("Skills pane"), y))
        await screen.until(lambda: screen.app.frame.focused() == "skills")


async def test_a_key_that_does_nothing_says_so(stage: Stage) -> None:
    async with stage.screen() as screen:
        await screen.press("ctrl+x", "j")
        await screen.until(lambda: screen.shows("ctrl+x j does nothing"))
        assert len(screen.app.screen_stack) == 1


async def test_a_hand_still_on_ctrl_gets_the_same_command(stage: Stage) -> None:
    async with stage.screen() as screen:
        await screen.press("ctrl+x", "ctrl+f")
        await screen.until(lambda: screen.shows("find in"))


async def test_selected_text_is_cut_instead(stage: Stage) -> None:
    async with stage.screen() as screen:
        await screen.type("hello")
        await screen.press("f7", "ctrl+x")
        assert not isinstance(screen.app.screen, LeaderScreen)
        assert screen.app.clipboard == "hello"
        assert screen.app.talk.prompt.text == ""


async def test_left_and_right_move_the_divider_until_another_key_comes(stage: Stage) -> None:
    async with stage.screen((120, 35)) as screen:
        frame = screen.app.frame
        before = frame.now.chat
        await screen.press("ctrl+x", "left", "left", "left")
        await screen.until(lambda: frame.now.chat == before - 6)
        await screen.press("right", "escape")
        await screen.until(lambda: frame.now.chat == before - 4)
        assert len(screen.app.screen_stack) == 1
