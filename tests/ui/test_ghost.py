"""A dim guess goes on from what was typed before; it is text only once it is taken."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.ui.prompt_ghost import ghost
from tests.fakes.prompt_app import PromptApp


async def test_the_newest_fitting_input_is_guessed_and_right_takes_it() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.prompt.set_history(("fix the test\nand more", "fix the docs", "fix the old docs"))
        await pilot.press(*"fix")
        assert app.prompt.render_line(0).text.startswith("❯ fix the docs")
        assert app.prompt.text == "fix"
        await pilot.press("right", "enter")
        assert app.sent == [("fix the docs", "auto")]


async def test_a_guess_that_is_not_taken_is_never_sent() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.prompt.set_history(("fix the docs",))
        await pilot.press(*"fix", "enter")
        assert app.sent == [("fix", "auto")]


async def test_there_is_no_guess_away_from_the_end_of_the_text() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.prompt.set_history(("fix the docs",))
        await pilot.press(*"fix", "left")
        assert app.prompt.ghost == ""
        await pilot.press("right")
        assert app.prompt.text == "fix"
        assert app.prompt.ghost == " the docs"


async def test_the_choices_of_a_command_are_guessed() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"/mode", "space", "p")
        assert app.prompt.ghost == "lan"
        await pilot.press("right", "enter")
        assert app.sent == [("/mode plan", "auto")]


async def test_taking_a_guess_can_be_undone() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.prompt.set_history(("fix the docs",))
        await pilot.press(*"fix", "right", "ctrl+z")
        assert app.prompt.text == "fix"


@given(st.text(max_size=20), st.lists(st.text(max_size=30), max_size=5))
def test_a_guess_only_ever_continues_something_typed_before(raw: str, lines: list[str]) -> None:
    guess = ghost(raw, lines)
    assert "\n" not in guess
    assert not guess or raw.startswith("/") or raw + guess in lines
