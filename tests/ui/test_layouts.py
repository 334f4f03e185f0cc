"""Every terminal size gets a screen that fits it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.ui import layout_memory
from hermes_tui.ui.layout import PANES, RAIL, Wanted, arrange
from hermes_tui.ui.layout_memory import Remembered, Split
from tests.fakes.scripted_model import say
from tests.ui.conftest import Stage

wanted = st.builds(
    Wanted,
    pane=st.sampled_from(PANES),
    shown=st.sampled_from(PANES),
    rail=st.booleans(),
    rail_over=st.booleans(),
    inspector=st.booleans(),
    zoomed=st.booleans(),
    chat_width=st.integers(40, 400),
    rail_width=st.integers(0, 500),
    share=st.integers(0, 1000),
)


@given(columns=st.integers(1, 500), rows=st.integers(1, 200), choice=wanted)
def test_columns_always_add_up_to_the_width_of_the_terminal(
    columns: int, rows: int, choice: Wanted
) -> None:
    got = arrange(columns, rows, choice)
    beside = 0 if got.rail_over else got.rail
    assert beside + got.chat + got.inspector == columns
    assert min(got.chat, got.inspector, got.rail) >= 0
    assert got.chat or got.inspector


@pytest.mark.parametrize(
    ("columns", "shape"),
    [(200, "wide"), (160, "wide"), (159, "medium"), (100, "medium"), (99, "narrow")],
)
def test_breakpoints_are_where_the_design_has_them(columns: int, shape: str) -> None:
    assert arrange(columns, 50, Wanted()).shape == shape


def test_a_wide_screen_has_sessions_chat_and_inspector() -> None:
    got = arrange(200, 50, Wanted())
    assert got.rail == RAIL
    assert got.chat >= 100
    assert got.inspector >= 60


def test_a_medium_screen_splits_sixty_to_forty() -> None:
    got = arrange(120, 35, Wanted())
    assert (got.rail, got.chat, got.inspector) == (0, 72, 48)


def test_a_narrow_screen_shows_one_pane_and_tabs() -> None:
    got = arrange(80, 24, Wanted(shown="memory"))
    assert (got.chat, got.inspector, got.side, got.tabs) == (0, 80, "memory", True)


def test_low_screens_give_up_hints_first_then_the_title() -> None:
    assert arrange(120, 24, Wanted()).hints
    low = arrange(120, 23, Wanted())
    assert (low.hints, low.title) == (False, True)
    assert not arrange(120, 17, Wanted()).title
    assert not arrange(80, 17, Wanted()).tabs


def test_chat_text_never_grows_wider_than_the_setting() -> None:
    assert arrange(400, 50, Wanted(chat_width=100)).chat == 106


# --- on a running screen ---


@pytest.mark.parametrize(
    "size", [(200, 50), (160, 24), (120, 35), (100, 23), (99, 24), (80, 24), (60, 17), (20, 5)]
)
async def test_every_pane_can_be_shown_at_every_size(stage: Stage, size: tuple[int, int]) -> None:
    async with stage.screen(size) as screen:
        for pane in PANES:
            await screen.press(f"alt+{PANES.index(pane) + 1}")
            assert screen.app.query_one(f"#{pane}").size.width > 0
            assert screen.app.frame.focused() == pane
        await screen.press("escape")
        assert screen.app.frame.focused() == "chat"


async def test_resizing_never_breaks_the_screen(stage: Stage) -> None:
    async with stage.screen() as screen:
        stage.model.script.append(say("你好 " * 300))
        await screen.enter("write much")
        await screen.until(lambda: screen.app.shown.trace.turns and not screen.app.shown.busy)
        for size in [(20, 5), (200, 50), (80, 24), (7, 3), (159, 40), (1, 1), (100, 30)]:
            await screen.pilot.resize_terminal(*size)
            await screen.pilot.pause()
            assert all(len(line) <= size[0] for line in screen.text.splitlines())
        await screen.until(lambda: screen.shows("你好", "ready"))


async def test_ctrl_t_and_ctrl_b_step_through_the_panes_of_a_narrow_screen(stage: Stage) -> None:
    async with stage.screen((80, 24)) as screen:
        for pane in ("trace", "memory", "skills", "agents", "chat"):
            await screen.press("ctrl+t")
            assert screen.app.frame.focused() == pane
            assert screen.shows(f"[{pane.title()}]")
        await screen.press("ctrl+b")
        assert screen.app.frame.focused() == "agents"


async def test_ctrl_t_and_ctrl_b_show_and_hide_the_sides_of_a_wide_screen(stage: Stage) -> None:
    async with stage.screen((200, 50)) as screen:
        frame = screen.app.frame
        await screen.press("ctrl+t")
        assert (frame.now.inspector, screen.shows("[Trace]")) == (0, False)
        await screen.press("ctrl+t")
        assert frame.now.inspector > 60
        await screen.press("ctrl+b")
        assert (frame.now.rail, screen.shows("Sessions")) == (0, False)
        await screen.press("ctrl+b")
        assert screen.app.frame.on_rail


async def test_on_a_medium_screen_the_sessions_slide_over_the_chat(stage: Stage) -> None:
    async with stage.screen((120, 35)) as screen:
        before = screen.app.query_one("#chat").size
        await screen.press("ctrl+b")
        await screen.until(lambda: screen.shows("Sessions", "new session"))
        assert screen.app.query_one("#chat").size == before
        await screen.press("escape")
        assert not screen.shows("Sessions")
        assert screen.app.frame.focused() == "chat"


async def test_zoom_gives_the_focused_pane_everything_and_takes_it_back(stage: Stage) -> None:
    async with stage.screen((120, 35)) as screen:
        await screen.press("alt+2", "alt+z")
        assert (screen.app.frame.now.chat, screen.app.frame.now.inspector) == (0, 120)
        await screen.press("alt+z")
        assert screen.app.frame.now.chat == 72
        await screen.press("alt+1", "alt+z")
        assert screen.app.frame.now.chat == 120


async def test_a_click_on_a_tab_shows_its_pane(stage: Stage) -> None:
    async with stage.screen((80, 24)) as screen:
        await screen.pilot.click("#top", offset=(12, 0))
        await screen.pilot.pause()
        assert screen.app.frame.focused() == "trace"


async def test_a_screen_is_made_of_few_widgets(stage: Stage) -> None:
    async with stage.screen((200, 50)) as screen:
        assert len(screen.app.screen.query("*")) < 60


# --- dividers ---


async def test_a_divider_is_dragged_and_stays_where_it_was_put(stage: Stage) -> None:
    async with stage.screen((120, 35)) as screen:
        frame = screen.app.frame
        assert frame.now.inspector == 48
        await screen.pilot.mouse_down("#inspector", offset=(0, 5))
        await screen.pilot.hover(offset=(60, 7))
        await screen.pilot.mouse_up(offset=(60, 7))
        await screen.until(lambda: frame.now.inspector == 60)
        await screen.pilot.resize_terminal(200, 50)
        await screen.until(lambda: frame.now.shape == "wide")
        assert frame.wanted.share == 0
        await screen.pilot.resize_terminal(120, 35)
        await screen.until(lambda: frame.now.inspector == 60)
    async with stage.screen((120, 35)) as screen:
        assert screen.app.frame.now.inspector == 60


async def test_the_rail_is_dragged_too(stage: Stage) -> None:
    async with stage.screen((200, 50)) as screen:
        await screen.pilot.mouse_down("#rail", offset=(28, 9))
        await screen.pilot.hover(offset=(40, 9))
        await screen.pilot.mouse_up(offset=(40, 9))
        await screen.until(lambda: screen.app.frame.now.rail == 41)


async def test_what_was_shown_is_shown_again(stage: Stage) -> None:
    async with stage.screen((120, 35)) as screen:
        await screen.press("alt+4", "ctrl+t")
        assert screen.app.frame.now.inspector == 0
    async with stage.screen((120, 35)) as screen:
        assert screen.app.frame.now.inspector == 0
        await screen.press("ctrl+t")
        assert screen.shows("[Skills]")
        await screen.press("escape", "alt+z")
    async with stage.screen((120, 35)) as screen:
        assert screen.app.frame.wanted.zoomed
        assert screen.app.focused is screen.app.talk.prompt


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"splits": 3}', b"\xff\x00"])
def test_a_broken_file_of_places_is_as_good_as_none(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "ui.json"
    path.write_bytes(text)
    assert layout_memory.load(path) == Remembered()


@given(
    st.builds(Remembered, splits=st.dictionaries(st.text(), st.builds(Split)), rail=st.booleans())
)
def test_places_are_read_as_they_were_kept(remembered: Remembered) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "ui.json"
        layout_memory.save(path, remembered)
        assert layout_memory.load(path) == remembered
        assert [one.name for one in Path(folder).iterdir()] == ["ui.json"]
