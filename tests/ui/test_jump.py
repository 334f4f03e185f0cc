"""Jump mode: a letter for everything that can be gone to, and the letter goes there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.ui.jump import LETTERS, JumpScreen, Target, labels, targets
from tests.fakes.scripted_model import say
from tests.ui.conftest import Screen, Stage


@given(st.integers(0, 900))
def test_no_label_begins_another_and_there_is_one_for_everything(count: int) -> None:
    made = labels(count)
    assert len(made) == len(set(made)) == min(count, len(LETTERS) ** 2)
    for one in made:
        assert not any(other != one and other.startswith(one) for other in made)


def label_of(screen: Screen, wanted: object) -> str:
    assert isinstance(screen.app.screen, JumpScreen)
    found: dict[str, Target] = screen.app.screen._targets
    return next(label for label, one in found.items() if callable(wanted) and wanted(one))


async def jump(screen: Screen, wanted: object) -> None:
    await screen.press("ctrl+o")
    await screen.press(*label_of(screen, wanted))


async def test_a_letter_gives_the_keys_to_a_pane(stage: Stage) -> None:
    async with stage.screen((200, 50)) as screen:
        await jump(screen, lambda one: one.widget.id == "transcript")
        await screen.until(lambda: screen.app.focused is screen.app.transcript)


async def test_a_letter_presses_a_tab(stage: Stage) -> None:
    async with stage.screen((120, 35)) as screen:
        await screen.press("ctrl+o")
        found = screen.app.screen._targets
        tabs = [label for label, one in found.items() if one.click and one.widget.id == "tabs"]
        assert len(tabs) >= 5  # four panes and the zoom
        await screen.press(*tabs[1])
        await screen.until(lambda: screen.app.frame.focused() == "memory")


async def test_a_letter_opens_a_session_of_the_rail(stage: Stage) -> None:
    async with stage.screen((200, 50)) as screen:
        first = screen.app.session
        await screen.enter("/new Second")
        await screen.until(lambda: screen.shows("Second", "new session"))
        await jump(screen, lambda one: one.row == first)
        await screen.until(lambda: screen.app.session == first)


async def test_a_letter_opens_a_link_of_the_chat(stage: Stage) -> None:
    stage.model.script.append(say("see [the page](https://example.org/there)"))
    async with stage.screen((120, 35)) as screen:
        await screen.enter("where")
        await screen.until(lambda: screen.shows("the page") and not screen.app.shown.busy)
        await jump(
            screen,
            lambda one: one.click is not None and one.click.meta.get("act", ("",))[0] == "link",
        )
        await screen.until(lambda: "https://example.org/there" in screen.app.clipboard)


async def test_another_key_leaves_everything_as_it_was(stage: Stage) -> None:
    async with stage.screen((120, 35)) as screen:
        await screen.type("draft")
        focused = screen.app.focused
        await screen.press("ctrl+o", "escape")
        assert screen.app.focused is focused
        assert screen.app.talk.prompt.text == "draft"
        assert len(screen.app.screen_stack) == 1


@pytest.mark.parametrize("size", [(200, 50), (120, 35), (80, 24), (40, 12), (20, 5)])
async def test_every_target_is_on_the_screen(stage: Stage, size: tuple[int, int]) -> None:
    async with stage.screen(size) as screen:
        found = targets(screen.app.screen)
        assert any(one.widget is screen.app.talk.prompt for one in found)
        assert all(0 <= one.x < size[0] and 0 <= one.y < size[1] for one in found)


async def test_jumping_works_in_dialogs_too(stage: Stage) -> None:
    async with stage.screen((120, 35)) as screen:
        await screen.press("ctrl+p")
        await screen.type("help")
        await screen.until(lambda: screen.shows("Show the commands"))
        await jump(screen, lambda one: one.row == "command:help")
        await screen.until(lambda: screen.shows("Keys of the prompt"))
