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
from textual import events
from textual._compositor import LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from hermes_tui.ui import margins
from hermes_tui.ui.frame_diff import Memory, SparingApp, fills_erased
from hermes_tui.ui.margins import MarginsTold
from hermes_tui.ui.paste_input import InputParser

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


class Vt420(pyte.Screen):
    """A terminal that scrolls a column of lines by itself."""

    columns_set: tuple[int, int] | None = None

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        if modes == (69,) and kwargs.get("private"):
            self.columns_set = (0, self.columns)
        super().set_mode(*modes, **kwargs)

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        if modes == (69,) and kwargs.get("private"):
            self.columns_set = None
        super().reset_mode(*modes, **kwargs)

    def set_columns(self, left: int = 1, right: int | None = None) -> None:
        if self.columns_set is not None:
            self.columns_set = (left - 1, right or self.columns)
            self.cursor_position()

    def index(self) -> None:
        bottom = self.margins.bottom if self.margins else self.lines - 1
        if self.columns_set is None or self.cursor.y != bottom:
            super().index()
            return
        left, right = self.columns_set
        assert left <= self.cursor.x < right, "a line feed outside the margins scrolls nothing"
        top = self.margins.top if self.margins else 0
        for y in range(top, bottom + 1):
            for x in range(left, right):
                below = (
                    self.buffer[y + 1][x] if y < bottom else self.cursor.attrs._replace(data=" ")
                )
                self.buffer[y][x] = below
        self.dirty.update(range(top, bottom + 1))


class Vt420Stream(pyte.Stream):
    """pyte knows `CSI s` as saving the cursor alone."""

    csi = pyte.Stream.csi | {"s": "set_columns"}
    events = pyte.Stream.events | {"set_columns"}


class Screen:
    """A terminal of its own beside one that gets everything."""

    def __init__(self, margins: bool = False) -> None:
        self.memory = Memory()
        self.memory.margins = margins
        self.small, self.whole = Vt420(WIDTH, HEIGHT), pyte.Screen(WIDTH, HEIGHT)
        self.streams = [Vt420Stream(self.small), pyte.Stream(self.whole)]

    def show(self, rows: list[Strip], top: int = 0) -> int:
        """Draw rows on both; how many bytes the one with a memory got."""
        return self.show_parts([[row] for row in rows], Region(0, top, WIDTH, len(rows)))

    def show_parts(self, parts: list[list[Strip]], region: Region) -> int:
        """The same for rows of several parts beside each other."""
        update = LayoutUpdate([*parts], region)
        rows, top = [Strip.join(row) for row in parts], region.y
        text = self.memory.lessen(update, CONSOLE, (WIDTH, HEIGHT))
        self.streams[0].feed(text)
        everything = ["\x1b[m"]
        for y, row in enumerate(rows, top):
            everything += [f"\x1b[{y + 1};{region.x + 1}H", row.render(CONSOLE)]
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


COLUMNS = (7, 11, 6)


def part(parts: list[tuple[str, Style]], width: int) -> Strip:
    return Strip([Segment(text, style) for text, style in parts]).adjust_cell_length(width)


def beside(columns: list[list[Strip]]) -> list[list[Strip]]:
    return [list(row) for row in zip(*columns, strict=True)]


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_columns_that_scroll_by_themselves_are_shown_exactly(data: st.DataObject) -> None:
    screen = Screen(margins=True)
    whole = Region(0, 0, WIDTH, HEIGHT)
    some = st.lists(LINE, min_size=HEIGHT, max_size=HEIGHT)
    columns = [[part(line, width) for line in data.draw(some)] for width in COLUMNS]
    screen.show_parts(beside(columns), whole)
    assert screen.same()
    for _ in range(data.draw(st.integers(1, 6))):
        at, by = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 4))
        fresh = [part(data.draw(LINE), COLUMNS[at]) for _ in range(by)]
        columns[at] = [*columns[at][by:], *fresh]
        if data.draw(st.booleans()):  # that part alone, as when nothing else has changed
            region = Region(sum(COLUMNS[:at]), 0, COLUMNS[at], HEIGHT)
            screen.show_parts([[row] for row in columns[at]], region)
        else:
            screen.show_parts(beside(columns), whole)
        assert screen.same()


def test_a_column_that_moves_up_is_scrolled_where_the_terminal_has_margins() -> None:
    spent: dict[bool, int] = {}
    for has in (False, True):
        screen = Screen(has)
        side = [part([(f"side {n}", STYLES[1])], 7) for n in range(HEIGHT)]
        lines = [part([(f"words {n:>5}", STYLES[n % 3])], 17) for n in range(40)]
        screen.show_parts(beside([side, lines[:HEIGHT]]), Region(0, 0, WIDTH, HEIGHT))
        spent[has] = 0
        for n in range(1, 30):
            rows = [[line] for line in lines[n : n + HEIGHT]]
            spent[has] += screen.show_parts(rows, Region(7, 0, 17, HEIGHT))
            assert screen.same()
    assert spent[True] < 29 * 100
    assert spent[True] < spent[False]


def test_a_terminal_is_asked_for_margins_and_its_answer_is_no_typing() -> None:
    parser = InputParser()
    assert margins.question({"TERM": "xterm-256color"})
    for deaf in ({"TERM": "dumb"}, {"TERM": "tmux-256color", "TMUX": "x"}):
        assert not margins.question(deaf)
    for answer, has in (("2", True), ("1", True), ("0", False), ("4", False)):
        for cut in range(1, 9):
            text = f"a\x1b[?69;{answer}$yb"
            got = [*parser.feed(text[:cut]), *parser.feed(text[cut:])]
            keys = [one.character for one in got if isinstance(one, events.Key)]
            told = [one.has for one in got if isinstance(one, MarginsTold)]
            assert keys == ["a", "b"]
            assert told == [has] or cut < 4  # torn so early, it is not understood, nor typed


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
