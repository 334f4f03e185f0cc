"""The chat keeps its place: while it grows, is resized, gets older messages, or is selected."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from hermes_tui.events import ToolEnded, ToolStarted
from hermes_tui.ui.blocks import Block, ReplyBlock, UserBlock
from hermes_tui.ui.blocks_tool import ToolBlock
from hermes_tui.ui.find_search import Search
from hermes_tui.ui.theme import Look, builtin
from hermes_tui.ui.transcript import Transcript
from hermes_tui.ui.transcript_heights import Heights

NIGHT = builtin("hermes-night")
assert NIGHT
LOOK = Look(NIGHT)
LONG = "Some words that wrap on a narrow screen, and **bold** ones as well. " * 4


class Chat(App[None]):
    CSS = "Screen { layout: vertical; }"

    def __init__(self) -> None:
        super().__init__()
        self.transcript = Transcript(LOOK)
        self.actions: list[Transcript.BlockAction] = []
        self.copied: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.transcript

    def on_transcript_block_action(self, message: Transcript.BlockAction) -> None:
        self.actions.append(message)

    def copy_to_clipboard(self, text: str) -> None:
        self.copied.append(text)


@asynccontextmanager
async def chat(size: tuple[int, int] = (100, 40)) -> AsyncIterator[tuple[Transcript, Pilot[Any]]]:
    app = Chat()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app.transcript, pilot


def reply(text: str, number: int = 0) -> ReplyBlock:
    block = ReplyBlock(head=False, number=number)
    block.text = text
    return block


def messages(count: int, text: str = LONG) -> list[Block]:
    return [
        reply(f"reply {n}\n\n- {text}\n- two\n\n```py\nx = {n}\n```", n)
        if n % 2
        else UserBlock(f"message {n}", n, 1.0)
        for n in range(count)
    ]


def screen(transcript: Transcript) -> list[str]:
    """The lines on the screen as text."""
    rows = transcript.size.height
    return [transcript.render_line(y).text.rstrip() for y in range(rows)]


def first(transcript: Transcript) -> Block:
    """The first block on the screen."""
    row = transcript.column.row(round(transcript.scroll_y))
    assert row
    return row.block


def whole(transcript: Transcript) -> list[str]:
    """All lines, drawn block by block without the widget."""
    lines: list[str] = []
    column = transcript.column
    for index, block in enumerate(column.blocks):
        lines += [""] * column.gap(index)
        for number, line in enumerate(block.lines(column.sheet)):
            left = "".join(s.text for s in block.left(number, column.sheet).segments)
            lines.append((" " * transcript._margin + left + line.text).rstrip())
    return lines


async def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < end, "it never came true"
        await asyncio.sleep(0.005)


# --- heights ---


@given(st.lists(st.integers(0, 9), max_size=60), st.data())
def test_heights_agree_with_a_plain_list(values: list[int], data: st.DataObject) -> None:
    split = data.draw(st.integers(0, len(values)))
    heights = Heights(values[:split])
    for value in values[split:]:
        heights.append(value)
    plain = list(values)
    if plain:
        at = data.draw(st.integers(0, len(plain) - 1))
        plain[at] = data.draw(st.integers(0, 9))
        heights.set(at, plain[at])
    assert heights.total == sum(plain)
    for index in range(len(plain) + 1):
        assert heights.before(index) == sum(plain[:index])
    owners = [(i, n) for i, value in enumerate(plain) for n in range(value)]
    for line, owner in enumerate(owners):
        assert heights.find(line) == owner


# --- keeping its place ---


async def test_it_follows_the_end_while_the_reader_is_there() -> None:
    async with chat() as (transcript, _):
        transcript.append(*messages(30))
        transcript.flush()
        assert screen(transcript) == whole(transcript)[-40:]
        block = reply("start")
        block.open = True
        transcript.append(block)
        for n in range(40):
            block.text += f"\n\nparagraph {n}"
            transcript.update(block)
            transcript.flush()
        assert "paragraph 39" in screen(transcript)[-1]
        assert not transcript.new_below


async def test_the_end_stays_the_end_when_the_room_changes_before_what_is_new_is_drawn() -> None:
    async with chat() as (transcript, pilot):
        transcript.append(*messages(40))
        await until(lambda: transcript.max_scroll_y > 0)
        await pilot.pause()
        assert transcript.following
        transcript.append(*messages(3))  # not drawn yet
        transcript.scroll_to(y=transcript.max_scroll_y, animate=False)
        await pilot.pause(0.1)
        assert transcript.following
        assert transcript.new_below == 0
        assert round(transcript.scroll_y) == transcript.column.total - transcript._rows
        transcript.scroll_to(y=transcript.max_scroll_y - 1, animate=False)
        assert not transcript.following


async def test_reading_above_is_not_disturbed_by_what_comes_below() -> None:
    async with chat() as (transcript, _):
        transcript.append(*messages(60))
        transcript.flush()
        transcript.scroll_relative(y=-50, animate=False)
        before = screen(transcript)
        block = reply("start")
        block.open = True
        transcript.append(block)
        for n in range(60):
            block.text += f"\n\nparagraph {n}"
            transcript.update(block)
            transcript.flush()
        assert screen(transcript) == before
        assert transcript.new_below == 1
        transcript.to_end()
        assert "paragraph 59" in screen(transcript)[-1]
        assert transcript.new_below == 0


async def test_the_chip_says_how_many_are_new_and_a_click_goes_there() -> None:
    async with chat() as (transcript, pilot):
        transcript.append(*messages(30))
        transcript.flush()
        transcript.scroll_relative(y=-30, animate=False)
        transcript.append(*messages(12))
        transcript.flush()
        await pilot.pause()
        assert "↓ 12 new" in transcript.render_lines(transcript.size.region)[-1].text
        await pilot.click(Transcript, offset=(transcript.size.width - 5, 39))
        assert transcript.following
        assert transcript.new_below == 0


async def test_the_first_visible_message_stays_first_when_the_terminal_is_resized() -> None:
    async with chat((100, 40)) as (transcript, pilot):
        blocks = messages(200)
        transcript.append(*blocks)
        transcript.flush()
        transcript.show_block(blocks[120])
        assert first(transcript) is blocks[120]
        for width, height in ((60, 20), (160, 50), (100, 40), (30, 10)):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            assert first(transcript) is blocks[120]
            assert transcript.size.width == width
            lines = [line.text for line in transcript.render_lines(transcript.size.region)]
            assert all(len(line) == width for line in lines)


async def test_the_line_in_a_long_message_stays_first_when_resized() -> None:
    async with chat((100, 30)) as (transcript, pilot):
        text = "\n\n".join(f"word{n} " + LONG for n in range(80))
        transcript.append(*messages(20), reply(text), *messages(20))
        transcript.flush()
        transcript.show_block(transcript.blocks[20], text.index("word40"))
        assert "word40" in screen(transcript)[0]
        for size in ((60, 20), (160, 50), (100, 30)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert "word40" in screen(transcript)[0]


async def test_scrolling_line_by_line_shows_every_line_once() -> None:
    async with chat((60, 20)) as (transcript, _):
        transcript.append(*messages(60))
        transcript.flush()
        seen = screen(transcript)[::-1]
        for _ in range(5_000):
            before = transcript.scroll_y
            transcript.scroll_relative(y=-1, animate=False)
            if transcript.scroll_y == 0 == before:
                break
            seen.append(screen(transcript)[0])
        assert seen[::-1] == whole(transcript)


async def test_jumps_and_pages_end_where_they_should() -> None:
    async with chat() as (transcript, pilot):
        transcript.append(*messages(300))
        transcript.flush()
        transcript.focus()
        await pilot.press("home")
        await pilot.pause()
        assert screen(transcript) == whole(transcript)[:40]
        await pilot.press("pagedown")
        await pilot.pause()
        assert screen(transcript)[0] == whole(transcript)[40]
        await pilot.press("end")
        await pilot.pause()
        assert screen(transcript) == whole(transcript)[-40:]
        assert transcript.following


async def test_older_messages_come_in_above_without_a_jump() -> None:
    async with chat() as (transcript, _):
        transcript.append(*messages(30))
        transcript.flush()
        transcript.scroll_relative(y=-20, animate=False)
        before = screen(transcript)
        transcript.prepend(messages(500))
        transcript.flush()
        assert screen(transcript) == before
        transcript.scroll_to(y=0, animate=False)
        assert "message 0" in " ".join(screen(transcript)[:3])


async def test_what_is_measured_in_idle_time_moves_nothing() -> None:
    async with chat() as (transcript, _):
        transcript.append(*messages(300))
        transcript.flush()
        transcript.show_block(transcript.blocks[50])
        before = screen(transcript)
        at = transcript.scroll_y
        await until(lambda: transcript._idle is None and transcript.column.is_exact(0))
        assert screen(transcript) == before
        assert transcript.scroll_y != at


async def test_an_idle_chat_runs_no_timer() -> None:
    async with chat() as (transcript, _):
        transcript.append(*messages(50))
        await until(lambda: transcript._idle is None and transcript._timer is None)
        await asyncio.sleep(0.1)
        assert transcript._idle is None
        assert transcript._timer is None


async def test_many_changes_are_drawn_at_most_twenty_times_a_second() -> None:
    async with chat() as (transcript, _):
        block = reply("x")
        block.open = True
        transcript.append(block)
        drawn: list[float] = []
        settle = transcript._settle
        transcript._settle = lambda: (drawn.append(time.monotonic()), settle())[1]
        began = time.monotonic()
        while time.monotonic() - began < 0.5:
            block.text += " more"
            transcript.update(block)
            await asyncio.sleep(0.002)
        await until(lambda: transcript._timer is None)
        gaps = [b - a for a, b in pairwise(drawn)]
        assert len(drawn) <= 12
        assert all(gap > 0.03 for gap in gaps[1:])
        assert "more" in screen(transcript)[0]


async def test_unfolding_at_the_end_keeps_the_head_in_view() -> None:
    async with chat((80, 20)) as (transcript, pilot):
        tool = finished("make", "\n".join(f"line {n}" for n in range(100)))
        transcript.append(*messages(20), tool)
        transcript.flush()
        y = next(n for n, line in enumerate(screen(transcript)) if "make" in line)
        await pilot.click(Transcript, offset=(10, y))
        assert tool.expanded
        assert "make" in screen(transcript)[y]
        await pilot.click(Transcript, offset=(10, y))
        assert not tool.expanded


def finished(command: str, output: str) -> ToolBlock:
    tool = ToolBlock("c", "run_command")
    name: dict[str, Any] = {"turn": 1, "step": 1, "call_id": "c", "tool": "run_command"}
    arguments = '{"command": "' + command + '"}'
    tool.start(ToolStarted(summary=command, arguments=arguments, **name))
    tool.end(ToolEnded(for_model=output, seconds=1.0, **name))
    return tool


# --- copying ---


async def drag(pilot: Pilot[Any], start: tuple[int, int], end: tuple[int, int]) -> str:
    await pilot.mouse_down(Transcript, offset=start)
    await pilot.hover(Transcript, offset=end)
    await pilot.mouse_up(Transcript, offset=end)
    await pilot.pause()
    return pilot.app.screen.get_selected_text() or ""


async def test_selecting_with_the_mouse_copies_markdown() -> None:
    async with chat((60, 20)) as (transcript, pilot):
        transcript.append(
            UserBlock("hello there"), reply("Some **bold** words\n\n- `x = 1`\n- two")
        )
        transcript.flush()
        await pilot.pause()
        lines = screen(transcript)
        top = next(n for n, line in enumerate(lines) if "bold" in line)
        x = lines[top].index("bold")
        assert await drag(pilot, (x, top), (x + 3, top)) == "**bold**"
        text = await drag(pilot, (0, top), (50, top + 3))
        assert text == "Some **bold** words\n\n- `x = 1`\n- two"
        text = await drag(pilot, (0, 0), (50, top))
        assert text == "hello there\n\nSome **bold** words"


async def test_a_selection_stays_on_its_text_when_older_messages_come() -> None:
    async with chat((60, 20)) as (transcript, pilot):
        transcript.append(*messages(10), reply("Some **bold** words"))
        transcript.flush()
        await pilot.pause()
        lines = screen(transcript)
        top = next(n for n, line in enumerate(lines) if "bold" in line)
        x = lines[top].index("bold")
        await drag(pilot, (x, top), (x + 3, top))
        transcript.prepend(messages(40))
        transcript.flush()
        assert pilot.app.screen.get_selected_text() == "**bold**"


async def test_all_of_it_copies_as_source() -> None:
    async with chat((60, 20)) as (transcript, pilot):
        transcript.append(UserBlock("hi"), reply("**one**"), finished("make all", "lots of it"))
        transcript.flush()
        pilot.app.screen.selections = {transcript: transcript_all()}
        assert pilot.app.screen.get_selected_text() == "hi\n\n**one**\n\nmake all"


def transcript_all() -> Any:
    from textual.selection import SELECT_ALL

    return SELECT_ALL


async def test_the_block_cursor_opens_and_copies() -> None:
    async with chat((80, 20)) as (transcript, pilot):
        tool = finished("make all", "lots of it")
        transcript.append(UserBlock("hi"), tool, reply("**done**"))
        transcript.flush()
        transcript.focus()
        transcript.cursor_up()
        assert transcript.cursor is transcript.blocks[2]
        await pilot.press("c")
        transcript.cursor_up()
        await pilot.press("enter", "c")
        assert tool.expanded
        assert "lots of it" in "\n".join(screen(transcript))
        assert pilot.app.copied == ["**done**", "make all"]


async def test_clicks_on_code_and_links_do_what_they_say() -> None:
    async with chat((80, 20)) as (transcript, pilot):
        transcript.append(reply("```py\nx = 1\ny = 2\n```\n\nsee https://x.test/a"))
        transcript.flush()
        await pilot.pause()
        lines = screen(transcript)
        row = next(n for n, line in enumerate(lines) if "copy" in line)
        await pilot.click(Transcript, offset=(lines[row].index("copy") + 1, row))
        assert pilot.app.copied == ["x = 1\ny = 2"]
        row = next(n for n, line in enumerate(lines) if "https" in line)
        await pilot.click(Transcript, offset=(lines[row].index("https") + 1, row))
        await pilot.pause()
        action = pilot.app.actions[-1]
        assert (action.action, action.value) == ("link", "https://x.test/a")


# --- finding ---


async def test_finding_looks_at_everything_and_unfolds_what_hides_it() -> None:
    async with chat((80, 20)) as (transcript, _):
        tool = finished("make all", "\n".join(f"needle {n}" for n in range(50)))
        transcript.append(UserBlock("a needle"), *messages(100), tool, *messages(100))
        transcript.flush()
        transcript.highlight(re.compile("needle"))
        search = Search(transcript, re.compile("needle"))
        while not search.slice():
            continue
        matches = search.matches
        assert len(matches) == 51
        transcript.reveal(matches[20])
        assert tool.expanded
        assert "needle 29" in "\n".join(screen(transcript))
        transcript.reveal(matches[-1])
        assert "a needle" in "\n".join(screen(transcript))


@pytest.mark.parametrize("size", [(20, 5), (3, 2), (1, 1), (200, 3)])
async def test_no_terminal_is_too_small(size: tuple[int, int]) -> None:
    async with chat((80, 24)) as (transcript, pilot):
        transcript.append(*messages(10), finished("make", "x\ny"))
        await pilot.resize_terminal(*size)
        await pilot.pause()
        transcript.scroll_relative(y=-3, animate=False)
        assert len(screen(transcript)) == transcript.size.height


async def test_a_calm_screen_turns_pages_and_loses_no_line() -> None:
    app = Chat()
    app.CSS = "Transcript { width: 60; }"
    async with app.run_test(size=(100, 12)) as pilot:
        await pilot.pause()
        transcript = app.transcript
        transcript.styles.width = 60
        transcript.calm = True
        await pilot.pause()
        transcript.append(*messages(8))
        transcript.flush()
        assert screen(transcript) == whole(transcript)[-12:]
        block = reply("start")
        block.open = True
        transcript.append(block)
        seen: list[str] = []
        tops: set[int] = set()
        for n in range(30):
            block.text += f"\n\nparagraph {n}"
            transcript.update(block)
            transcript.flush()
            shown = screen(transcript)
            assert any(f"paragraph {n}" in line for line in shown)
            seen += [line for line in shown if line.strip() and line not in seen]
            tops.add(round(transcript.scroll_y))
        assert len(tops) < 12
        assert all(any(f"paragraph {n}" in line for line in seen) for n in range(30))
        assert transcript.following
