"""The viewer: a text of any size opens at once, scrolls, and copies what is selected."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from hermes_tui.ui.theme import Look, builtin
from hermes_tui.ui.viewer import TextView, paint_text
from tests.ui.conftest import eventually

SPEC = builtin("hermes-night")
assert SPEC is not None


class ViewApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.look = Look(SPEC)

    def compose(self) -> ComposeResult:
        yield TextView(id="view")


@asynccontextmanager
async def viewing(text: str) -> AsyncIterator[TextView]:
    app = ViewApp()
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.query_one(TextView)
        view.show(paint_text(text), text)
        await pilot.pause()
        yield view


def test_a_million_characters_are_ready_at_once() -> None:
    look = Look(SPEC)
    text = "\n".join(str(number) for number in range(150_000))
    began = time.process_time()
    strips = paint_text(text)(100, look)
    assert time.process_time() - began < 0.5
    assert len(strips) == 150_000
    assert strips[149_999].text.rstrip() == "149999"


def test_long_lines_are_wrapped_by_cells_and_nothing_is_lost() -> None:
    look = Look(SPEC)
    text = "日本語テキスト" * 40 + "\n" + "word " * 60
    strips = paint_text(text)(40, look)
    assert all(strip.cell_length == 40 for strip in strips)
    shown = "".join(strip.text.strip() for strip in strips)
    assert shown.count("日本語テキスト"[0]) == 40
    assert shown.count("word") == 60


def test_nothing_in_an_output_can_steer_the_terminal() -> None:
    look = Look(SPEC)
    strips = paint_text("a\x1b[2Jb\x1b]0;title\x07c\rd")(40, look)
    assert all("\x1b" not in strip.text and "\x07" not in strip.text for strip in strips)


async def test_end_shows_the_last_line_and_home_the_first() -> None:
    async with viewing("\n".join(f"line {n}" for n in range(500))) as view:
        view.focus()
        pilot = Pilot(view.app)
        await pilot.press("end")
        await eventually(lambda: "line 499" in view.render_line(view.size.height - 1).text)
        await pilot.press("home")
        await eventually(lambda: view.scroll_offset.y == 0)
        assert "line 0" in view.render_line(0).text


async def test_a_selection_copies_exactly_what_is_under_it() -> None:
    async with viewing("\n".join(f"line {n}" for n in range(500))) as view:
        got = view.get_selection(Selection(Offset(5, 100), Offset(6, 102)))
        assert got is not None
        assert got[0] == "100\nline 101\nline 1"
        whole = view.get_selection(Selection(None, None))
        assert whole is not None
        assert whole[0].startswith("line 0\nline 1\n")


async def test_a_selection_is_drawn_where_it_is() -> None:
    async with viewing("one two three") as view:
        view.screen.selections = {view: Selection(Offset(4, 0), Offset(7, 0))}
        strip = view.render_line(0)
        marked = Look(SPEC)["selection"].bgcolor
        texts = [s.text for s in strip if s.style and s.style.bgcolor == marked]
        assert "".join(texts) == "two"
