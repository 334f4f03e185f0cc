"""Every terminal size gets a screen that fits it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.ui.layout import PANES, RAIL, Wanted, arrange

wanted = st.builds(
    Wanted,
    pane=st.sampled_from(PANES),
    shown=st.sampled_from(PANES),
    rail=st.booleans(),
    rail_over=st.booleans(),
    inspector=st.booleans(),
    zoomed=st.booleans(),
    chat_width=st.integers(40, 400),
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
