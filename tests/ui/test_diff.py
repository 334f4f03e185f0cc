"""Diffs: nothing is lost however one is drawn, changed words stand out, long ones are quick."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.app import App
from textual.color import Color
from textual.pilot import Pilot

from hermes_tui.tools.diff import unified
from hermes_tui.ui import diff_model
from hermes_tui.ui.diff_draw import DiffLines, Page
from hermes_tui.ui.diff_screen import DiffScreen, DiffView
from hermes_tui.ui.diff_words import changed, partners
from hermes_tui.ui.text import cells, safe
from hermes_tui.ui.theme import SYNTAX, Look, builtin
from tests.ui.test_theme import contrast

NIGHT = builtin("hermes-night")
assert NIGHT
LOOK = Look(NIGHT)
LINES = st.lists(
    st.text(st.sampled_from("ab +-@\\注é\t\u200d"), max_size=12)
    | st.sampled_from(["--- x", "+++ y"]),
    max_size=14,
)


def lines(text: str, width: int = 60, **more: Any) -> DiffLines:
    return DiffLines(diff_model.parse(text), Page(width, LOOK, **more))


def words(drawn: DiffLines) -> list[str]:
    return [line.text.rstrip() for line in drawn]


def applied(old: list[str], diff: str) -> list[str]:
    """The lines of a text after the change that a diff tells."""
    made: list[str] = []
    at = 0
    rows = [row for one in diff_model.parse(diff) for hunk in one.hunks for row in hunk.rows]
    for row in rows:
        if row.kind in ("same", "del"):
            made += old[at : row.old - 1]
            at = row.old
            assert old[row.old - 1] == row.text
        if row.kind in ("same", "add"):
            made += old[at : at + row.new - 1 - len(made)]
            at += max(0, row.new - 1 - len(made))
            made.append(row.text)
            assert len(made) == row.new
    return made + old[at:]


@settings(deadline=None)
@given(LINES, LINES)
def test_a_diff_gives_the_new_text_out_of_the_old(old: list[str], new: list[str]) -> None:
    before, after = ([safe(line) for line in one] for one in (old, new))
    for end in ("", "\n"):
        texts = ["\n".join(one) + end if one else "" for one in (before, after)]
        old_lines, new_lines = (text.splitlines() for text in texts)
        assert applied(old_lines, unified(*texts, "a.txt")) == new_lines


@settings(deadline=None)
@given(st.text(st.sampled_from("+-@ \n12,ab注\\"), max_size=200))
def test_any_text_can_be_read_as_a_diff_and_every_line_is_shown(text: str) -> None:
    rows = [row for one in diff_model.parse(text) for hunk in one.hunks for row in hunk.rows]
    for row in rows:
        assert text[row.at : row.at + len(row.text)] == row.text
    for split in (False, True):
        for line in lines(text, 40, split=split):
            assert cells(line.text) <= 40


@settings(deadline=None, max_examples=60)
@given(LINES, LINES, st.integers(8, 150), st.booleans())
def test_drawn_lines_fit_and_show_every_character(
    old: list[str], new: list[str], width: int, split: bool
) -> None:
    diff = safe(unified("\n".join(old), "\n".join(new), "a.py"))
    drawn = lines(diff, width, split=split)
    seen = set()
    for line in drawn:
        assert cells(line.text) <= max(width, 22 if split else 8)
        for piece in line.pieces:
            seen |= set(range(piece.src, piece.src + piece.size))
    for one in drawn.hunks:
        for row in one.rows:
            hidden = 0 if not split else row.at if row.kind == "same" else -1
            if hidden <= 0:
                assert set(range(row.at, row.at + len(row.text))) <= seen


DIFF = unified(
    "def add(a, b):\n    return a + b\n\n\nprint(add(1, 2))\n" + "x\n" * 20 + "end\n",
    "def add(a, b, c=0):\n    return a + b + c\n\n\nprint(add(1, 2))\n" + "x\n" * 20 + "fin\n",
    "/home/mia/add.py",
)


def test_one_column_has_numbers_signs_and_counts() -> None:
    assert words(lines(DIFF)) == [
        "/home/mia/add.py  +3 -3",
        "▾ lines 1-5  +2 -2",
        " 1 - def add(a, b):",
        " 2 -     return a + b",
        " 1 + def add(a, b, c=0):",
        " 2 +     return a + b + c",
        " 3",
        " 4",
        " 5   print(add(1, 2))",
        "▾ lines 23-26  +1 -1",
        "23   x",
        "24   x",
        "25   x",
        "26 - end",
        "26 + fin",
    ]


def test_two_columns_put_what_became_of_a_line_beside_it() -> None:
    shown = words(lines(DIFF, 80, split=True))
    assert any("def add(a, b):" in one and "def add(a, b, c=0):" in one for one in shown)
    assert any("26 - end" in one and "26 + fin" in one for one in shown)


def test_changed_words_stand_out_and_the_rest_of_the_line_does_not() -> None:
    line = next(one for one in lines(DIFF) if "c=0" in one.text)
    strong = LOOK["diff.add.word"].bgcolor
    marked = "".join(s.text for s in line.segments if s.style and s.style.bgcolor == strong)
    assert marked == ", c=0"


def test_lines_with_nothing_in_common_are_not_picked_apart() -> None:
    assert changed("import os", "return value + 1") == ([], [])
    assert changed("添加文件", "添加文档") == ([(3, 4)], [(3, 4)])


def test_a_rewrite_of_hundreds_of_lines_is_not_paired() -> None:
    rows = diff_model.parse(unified("a\n" * 500, "b\n" * 500, "x"))[0].hunks[0].rows
    assert partners(rows) == {}


def test_a_diff_that_was_cut_short_says_so_and_shows_what_there_is() -> None:
    cut = DIFF[:120] + "\n[… 300 more characters of this diff …]\n"
    shown = words(lines(cut))
    assert "300 more characters" in shown[-1]


def test_a_removed_line_that_looks_like_a_header_is_a_line() -> None:
    diff = unified("-- old\nx\n", "x\n", "q.sql")
    (one,) = diff_model.parse(diff)
    assert [(row.kind, row.text) for row in one.hunks[0].rows] == [("del", "-- old"), ("same", "x")]


def test_diffs_of_several_files_name_each() -> None:
    two = (
        "diff --git a/x.py b/x.py\nindex 1..2 100644\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"
    )
    two += "--- /dev/null\n+++ b/y.md\n@@ -0,0 +1 @@\n+new\n"
    shown = words(lines(two))
    assert shown[0] == "x.py  +1 -1"
    assert "y.md  +1 -0  new" in shown


def test_a_diff_of_thousands_of_lines_is_drawn_at_once() -> None:
    old = "\n".join(f"def f{n}(x):  # 注释 {n}\n    return x + {n}" for n in range(1300))
    diff = unified(old, old.replace("x +", "y -"), "a.py")
    assert diff.count("\n") > 5000
    lines(DIFF)[0]
    for split in (False, True):
        began = time.thread_time()
        drawn = lines(diff, 160, split=split)
        assert len(drawn[:50]) == 50
        assert drawn[-1].text
        assert time.thread_time() - began < 0.15


@pytest.mark.parametrize(("theme", "least"), [("hermes-night", 4.5), ("high-contrast", 7)])
def test_code_in_a_diff_is_readable_on_its_ground(theme: str, least: float) -> None:
    spec = builtin(theme)
    assert spec
    look = Look(spec)
    for kind in ("add", "del"):
        ground = look[f"diff.{kind}.line"].bgcolor
        assert ground
        for name in (f"diff.{kind}", *(f"diff.syntax.{one}" for one in SYNTAX)):
            color = look[name].color
            assert color
            assert contrast(color.name, ground.name) >= least, (name, kind)


# --- on the screen ---


class Host(App[None]):
    look = LOOK

    def say(self, text: str, level: str = "info") -> None:
        self.said = text

    def copy_to_clipboard(self, text: str) -> None:
        self.copied = text


@asynccontextmanager
async def shown(width: int) -> AsyncIterator[tuple[DiffView, Pilot[Any]]]:
    app = Host()
    async with app.run_test(size=(width, 12)) as pilot:
        await app.push_screen(DiffScreen("edit add.py", DIFF))
        await pilot.pause()
        yield app.screen.query_one(DiffView), pilot


def text_of(view: DiffView) -> list[str]:
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


async def test_keys_of_the_diff_screen_do_what_its_last_line_says() -> None:
    async with shown(80) as (view, pilot):
        assert not view.is_split
        assert view.current == 0
        await pilot.press("n")
        assert view.current == 1
        await pilot.press("p", "enter")
        assert "▸ lines 1-" in "\n".join(text_of(view))
        assert "def add(a, b):" not in "\n".join(text_of(view))
        await pilot.press("enter", "s")
        assert view.is_split
        await pilot.press("z")
        assert view.folded == {0, 1}
        await pilot.press("z", "c")
        assert not view.folded
        assert pilot.app.copied == DIFF
        await pilot.press("escape")
        assert len(pilot.app.screen_stack) == 1


async def test_a_wide_screen_shows_old_and_new_side_by_side() -> None:
    async with shown(140) as (view, _):
        assert view.is_split
        assert any("def add(a, b):" in one and "c=0" in one for one in text_of(view))


async def test_a_click_on_a_hunks_header_folds_it() -> None:
    async with shown(80) as (view, pilot):
        row = next(n for n, one in enumerate(text_of(view)) if "▾ lines" in one)
        await pilot.click(DiffView, offset=(5, row + 1))
        assert view.folded == {0}


def test_the_tint_is_part_of_both_colours() -> None:
    night = Color.parse(NIGHT.colors["background"])
    ground = LOOK["diff.add.line"].bgcolor
    assert ground
    assert Color.parse(ground.name) != night
