"""The terminal shows exactly each frame, whatever was on it, for as few bytes as possible."""

from __future__ import annotations

from inspect import isawaitable
from typing import Any

import pyte
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from hermes_tui.ui.frame_diff import Memory, SparingApp, fills_erased

CONSOLE = Console(color_system="truecolor", force_terminal=True)
STYLES = [
    Style.null(),
    Style.parse("bold #ff0000 on #000011"),
    Style.parse("#00ff00"),
    Style.parse("on #222222"),
    Style.parse("underline link https://x.test/"),
]
WIDTH, HEIGHT = 24, 8
TEXT = st.text(st.sampled_from("ab .│中文é▇"), max_size=10)
LINE = st.lists(st.tuples(TEXT, st.sampled_from(STYLES)), max_size=5)


def strip(parts: list[tuple[str, Style]]) -> Strip:
    return Strip([Segment(text, style) for text, style in parts]).adjust_cell_length(WIDTH)


class Screen:
    """A terminal of its own beside one that gets everything."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.small, self.whole = pyte.Screen(WIDTH, HEIGHT), pyte.Screen(WIDTH, HEIGHT)
        self.streams = [pyte.Stream(self.small), pyte.Stream(self.whole)]

    def show(self, rows: list[Strip], top: int = 0) -> int:
        """Draw rows on both; how many bytes the one with a memory got."""
        region = Region(0, top, WIDTH, len(rows))
        update = LayoutUpdate([[row] for row in rows], region)
        text = self.memory.lessen(update, CONSOLE, (WIDTH, HEIGHT))
        self.streams[0].feed(text)
        everything = ["\x1b[m"]
        for y, row in enumerate(rows, top):
            everything += [f"\x1b[{y + 1};1H", row.render(CONSOLE)]
        self.streams[1].feed("".join(everything))
        return len(text.encode())

    def same(self) -> bool:
        """Whether both show the same, colours and all."""
        return cells(self.small) == cells(self.whole)


def cells(screen: pyte.Screen) -> list[list[Any]]:
    return [[visible(screen.buffer[y][x]) for x in range(WIDTH)] for y in range(HEIGHT)]


def visible(cell: Any) -> Any:
    """A cell as it is seen: a blank has no colour of its own."""
    if cell.data != " " or cell.underscore or cell.reverse or cell.strikethrough:
        return cell
    return cell._replace(fg="default", bold=False, italics=False)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_any_frames_one_after_the_other_are_shown_exactly(data: st.DataObject) -> None:
    screen = Screen()
    lines = [strip(one) for one in data.draw(st.lists(LINE, min_size=HEIGHT, max_size=HEIGHT))]
    screen.show(lines)
    assert screen.same()
    for _ in range(data.draw(st.integers(1, 5))):
        kind = data.draw(st.sampled_from(["scroll", "change", "part"]))
        if kind == "scroll":
            by = data.draw(st.integers(1, 4))
            lines = [*lines[by:], *(strip(data.draw(LINE)) for _ in range(by))]
        else:
            at = data.draw(st.integers(0, HEIGHT - 1))
            lines = [*lines[:at], strip(data.draw(LINE)), *lines[at + 1 :]]
        top = data.draw(st.integers(0, HEIGHT - 1)) if kind == "part" else 0
        screen.show(lines[top:], top)
        screen.show(lines)
        assert screen.same()


def test_nothing_is_sent_for_what_is_there_already() -> None:
    screen = Screen()
    lines = [strip([(f"line {n}", STYLES[1])]) for n in range(HEIGHT)]
    assert screen.show(lines) > 100
    assert screen.show(lines) == 0
    again = [strip([(f"line {n}", STYLES[1])]) for n in range(HEIGHT)]
    assert screen.show(again) == 0


def test_a_letter_more_costs_a_letter_and_a_move() -> None:
    screen = Screen()
    lines = [strip([(f"line {n}", STYLES[1])]) for n in range(HEIGHT)]
    screen.show(lines)
    screen.show([strip([("line 0x", STYLES[1])]), *lines[1:]])
    assert screen.show([strip([("line 0xy", STYLES[1])]), *lines[1:]]) < 12


def test_what_only_moves_up_is_scrolled_by_the_terminal() -> None:
    screen = Screen()
    lines = [strip([(f"line {n} of many words", STYLES[n % 3])]) for n in range(40)]
    screen.show(lines[:HEIGHT])
    for n in range(1, 30):
        assert screen.show(lines[n : n + HEIGHT]) < 100
        assert screen.same()


def test_after_something_else_has_written_all_is_sent() -> None:
    screen = Screen()
    lines = [strip([(f"line {n}", STYLES[1])]) for n in range(HEIGHT)]
    screen.show(lines)
    screen.streams[0].feed("\x1b[1;1Hgarbage")
    screen.memory.forget()
    screen.show(lines)
    assert screen.same()


async def test_a_resize_and_a_wish_to_draw_anew_send_everything() -> None:
    app: SparingApp[None] = SparingApp()
    async with app.run_test(size=(40, 10)) as pilot:
        for again in (lambda: pilot.resize_terminal(60, 12), app.refresh):
            app._memory._size = (40, 10)
            made = again()
            if isawaitable(made):
                await made
            await pilot.pause()
            assert app._memory._size == (0, 0)


def test_screen_is_known_by_more_than_its_terminals_name() -> None:
    assert fills_erased({"TERM": "xterm-256color"})
    assert not fills_erased({"TERM": "screen-256color"})
    assert fills_erased({"TERM": "screen-256color-bce", "STY": "1.tty"})
    assert not fills_erased({"TERM": "xterm-256color", "STY": "1.tty"})
    assert fills_erased({"TERM": "tmux-256color", "STY": "1.tty", "TMUX": "/x"})
