"""The core can't be asked any more: every pane, key and dialog says so, and the screen stays."""

from __future__ import annotations

from typing import Any

import pytest

from hermes_tui.errors import CoreError
from hermes_tui.home import Home
from tests.fakes import story
from tests.ui.canned_screen import canned

WAYS = {
    "panes": ("alt+2", "enter", "o", "r", "x", "alt+3", "enter", "e", "alt+4", "enter", "e", "n"),
    "agents": ("alt+5", "enter", "o", "x", "e", "a", "enter", "g"),
    "rail": ("ctrl+b", "ctrl+b", "enter", "p", "a", "r", "enter", "G", "enter", "up", "enter"),
    "jobs": ("ctrl+b", "ctrl+b", "slash", "j", "enter"),
    "palette": ("ctrl+p", "t", "a", "x", "enter"),
    "pickers": ("ctrl+l", "escape", "ctrl+x", "s", "escape", "ctrl+n", "ctrl+pagedown"),
    "settings": ("ctrl+x", "c", "right", "d", "escape"),
    "prompt": ("@", "n", "tab", "escape", "ctrl+r", "escape", "ctrl+s", "shift+tab", "alt+a"),
    "find": ("ctrl+f", "v", "enter", "escape"),
    "chat": ("alt+up", "enter", "o", "f", "c", "y", "l", "escape"),
    "back": ("escape", "escape", "enter", "f", "escape"),
    "sending": ("h", "i", "enter", "alt+enter", "escape"),
}
LINES = ("/jobs", "/effort", "/gateways", "/memory x", "/skills x", "/resume x", "/undo", "/quit")


@pytest.mark.parametrize("way", WAYS)
async def test_a_line_that_is_cut_never_ends_the_screen(home: Home, way: str) -> None:
    async with canned(home, (200, 50), story.view(asking=way == "sending")) as screen:
        await screen.until(lambda: screen.shows("✎ caddy-reload"))
        cut(screen.app.client)
        await screen.press(*WAYS[way])
        await screen.pilot.pause(0.1)
        assert screen.app._exception is None
        assert screen.app.is_running


async def test_commands_over_a_cut_line_are_refused_and_stay_in_the_prompt(home: Home) -> None:
    async with canned(home, (120, 35), story.view(asking=False)) as screen:
        cut(screen.app.client)
        for line in LINES:
            await screen.enter(line)
            await screen.pilot.pause(0.05)
            while len(screen.app.screen_stack) > 1:
                await screen.press("escape")
            assert screen.app._exception is None, line
        assert screen.app.is_running


def cut(client: Any) -> None:
    async def lost(intent: object) -> None:
        raise CoreError("the core is gone", "hermes starts it again")

    client.ask = lost
