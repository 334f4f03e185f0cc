"""Waiting inputs are visible, say when they arrive, and can be taken back one by one."""

from __future__ import annotations

import pytest

from hermes_tui.events import InputReceived
from hermes_tui.ui.chips import Chips
from tests.fakes.prompt_app import PromptApp


def waiting(count: int) -> tuple[InputReceived, ...]:
    return tuple(
        InputReceived(input_id=str(n), text=f"text {n}\nmore", how="steer" if n % 2 else "queue")
        for n in range(count)
    )


def shown(app: PromptApp) -> list[str]:
    return [app.chips.render_line(y).text for y in range(app.chips.content_size.height)]


async def test_each_waiting_input_has_a_line_that_says_when_it_arrives() -> None:
    app = PromptApp()
    async with app.run_test(size=(100, 24)) as pilot:
        app.chips.show(waiting(2))
        await pilot.pause()
        first, second = shown(app)
        assert "… queue «text 0 more»" in first
        assert "after this turn" in first
        assert "⇢ steer «text 1 more»" in second
        assert "after this tool" in second
        assert "take back" in second


async def test_no_waiting_input_takes_no_room() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.chips.show(waiting(1))
        await pilot.pause()
        app.chips.show(())
        await pilot.pause()
        assert not app.chips.display


async def test_many_waiting_inputs_are_counted() -> None:
    app = PromptApp()
    async with app.run_test(size=(100, 24)) as pilot:
        app.chips.show(waiting(9))
        await pilot.pause()
        assert len(shown(app)) == 4
        assert "+5 before" in shown(app)[0]


def posted(app: PromptApp) -> list[tuple[str, ...]]:
    """What was asked of which input."""
    asked = [one for one in app.posted if isinstance(one, Chips.Chosen)]
    return [(type(one).__name__, one.input_id, getattr(one, "before", "")) for one in asked]


@pytest.mark.parametrize(
    ("x", "asked"), [(3, "Toggle"), (30, "Change"), (90, "TakeBack")], ids=["way", "text", "end"]
)
async def test_a_click_does_what_is_written_where_it_lands(x: int, asked: str) -> None:
    app = PromptApp()
    async with app.run_test(size=(100, 24)) as pilot:
        app.chips.show(waiting(3))
        await pilot.pause()
        await pilot.click(app.chips, offset=(x, 1))
        assert posted(app) == [(asked, "1", "")]


async def test_down_from_the_prompt_reaches_the_chips_and_letters_lead_back() -> None:
    app = PromptApp()
    async with app.run_test(size=(100, 24)) as pilot:
        app.chips.show(waiting(3))
        await pilot.press("down")
        await pilot.pause()
        assert app.chips.has_focus
        assert "alt+shift" in shown(app)[-1]
        await pilot.press("down", "enter", "tab", "delete")
        assert posted(app) == [("Change", "1", ""), ("Toggle", "1", ""), ("TakeBack", "1", "")]
        await pilot.press("h", "escape", "up", "up")
        left = [one for one in app.posted if isinstance(one, Chips.Left)]
        assert [(one.key, one.character) for one in left] == [("h", "h"), ("", None), ("", None)]


async def test_a_chip_is_moved_before_or_behind_its_neighbour() -> None:
    app = PromptApp()
    async with app.run_test(size=(100, 24)) as pilot:
        app.chips.show(waiting(3))
        await pilot.pause()
        assert app.chips.move(-1)
        assert not app.chips.move(1) or app.chips.at < 2
        await pilot.pause()
        assert posted(app)[0] == ("Move", "2", "1")
        app.chips.take_focus()
        assert not app.chips.move(-1)
        assert app.chips.move(1)
        await pilot.pause()
        assert posted(app)[-1] == ("Move", "0", "2")


async def test_the_keys_go_back_to_the_prompt_when_nothing_waits_any_more() -> None:
    app = PromptApp()
    async with app.run_test(size=(100, 24)) as pilot:
        app.chips.show(waiting(1))
        await pilot.press("down")
        app.chips.show(())
        await pilot.pause()
        assert any(isinstance(one, Chips.Left) for one in app.posted)


async def test_a_wide_or_wild_text_stays_on_its_line() -> None:
    app = PromptApp()
    async with app.run_test(size=(30, 24)) as pilot:
        app.chips.show((InputReceived(input_id="1", text="你好\x1b[2J" * 90, how="steer"),))
        await pilot.pause()
        (line,) = shown(app)
        assert "\x1b" not in line
        assert app.chips.render_line(0).cell_length == app.chips.content_size.width


async def test_the_one_that_is_being_changed_says_so() -> None:
    app = PromptApp()
    async with app.run_test(size=(100, 24)) as pilot:
        app.chips.show(waiting(2), changing="0")
        await pilot.pause()
        first, second = shown(app)
        assert first.startswith("✎ queue")
        assert "in the prompt" in first
        assert "⇢ steer" in second
