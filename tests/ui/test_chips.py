"""Waiting inputs are visible, say when they arrive, and can be taken back one by one."""

from __future__ import annotations

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


async def test_a_click_takes_back_the_one_that_was_clicked() -> None:
    app = PromptApp()
    async with app.run_test(size=(100, 24)) as pilot:
        app.chips.show(waiting(3))
        await pilot.pause()
        await pilot.click(app.chips, offset=(5, 1))
        assert [m.input_id for m in app.posted if isinstance(m, Chips.TakeBack)] == ["1"]


async def test_a_wide_or_wild_text_stays_on_its_line() -> None:
    app = PromptApp()
    async with app.run_test(size=(30, 24)) as pilot:
        app.chips.show((InputReceived(input_id="1", text="你好\x1b[2J" * 90, how="steer"),))
        await pilot.pause()
        (line,) = shown(app)
        assert "\x1b" not in line
        assert app.chips.render_line(0).cell_length == app.chips.content_size.width
