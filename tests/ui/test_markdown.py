"""Markdown on the screen: what it reads as, that it fits, and that copying gives the source."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.ui.markdown import render
from hermes_tui.ui.markdown_table import share
from hermes_tui.ui.text import cells
from hermes_tui.ui.text_lines import Line, plain
from hermes_tui.ui.theme import Look, builtin
from tests.ui.test_stream import BLOCKS, TEXTS

NIGHT = builtin("hermes-night")
assert NIGHT
LOOK = Look(NIGHT)


def shown(text: str, width: int = 40) -> str:
    return plain(render(text, width, LOOK))


def copied(text: str, width: int, words: str) -> str:
    """What copying `words`, as they stand on one line of the screen, gives."""
    for line in render(text, width, LOOK):
        x = line.strip.text.find(words)
        if x >= 0:
            start, end = line.cut(x, x + len(words))
            return text[start:end]
    raise AssertionError(f"{words!r} is not on the screen")


def test_lists_nest_count_and_tick() -> None:
    text = "- one\n- two\n  - deep\n\n9. nine\n1. ten\n\n- [ ] open\n- [x] done\n"
    assert shown(text) == "• one\n• two\n  ◦ deep\n\n 9. nine\n10. ten\n\n☐ open\n☑ done"


def test_a_loose_list_keeps_its_blank_lines() -> None:
    assert shown("- one\n\n- two\n\n  more\n") == "• one\n\n• two\n\n  more"


def test_long_items_hang_under_their_text() -> None:
    assert shown("10. some words that wrap here", 16) == "10. some words\n    that wrap\n    here"


def test_quotes_have_a_bar_on_every_line() -> None:
    assert shown("> one two three\n>\n> - x", 14) == "▎ one two\n▎ three\n▎\n▎ • x"


def test_code_is_shown_as_it_is_and_broken_at_a_space_or_cut_where_it_is_too_long() -> None:
    text = "```py\nif x:\n\treturn '0123456789'\n0123456789012345678\n```"
    assert shown(text, 18) == (
        " py          copy\n if x:\n     return\n '0123456789'\n 0123456789012345\n 678"
    )


def test_code_has_colours_once_its_fence_is_closed() -> None:
    def colours(text: str) -> set[str]:
        return {str(s.style) for line in render(text, 40, LOOK)[1:] for s in line.strip}

    assert len(colours("```py\ndef f(): return 'x'\n")) == 1
    assert len(colours("```py\ndef f(): return 'x'\n```\n")) > 2
    assert len(colours("```nolanguage\ndef f(): return 'x'\n```\n")) == 1


def test_columns_with_han_and_emoji_stay_straight() -> None:
    text = "| 名称 | n |\n|:--|--:|\n| 数据库 | 1 |\n| 👨‍👩‍👧 ok | 300 |\n| a | 22 |\n"
    lines = shown(text).split("\n")
    assert lines[0] == "名称   │   n"
    assert lines[3] == "👨‍👩‍👧 ok  │ 300"
    edges = {cells(line.split("│")[0]) for line in lines if "│" in line}
    assert edges == {7}


def test_a_table_too_wide_for_columns_becomes_records() -> None:
    head = "|" + "|".join(f"name{i}" for i in range(9)) + "|\n" + "|-" * 9 + "|\n"
    text = head + "|" + "|".join(f"value{i}" for i in range(9)) + "|\n"
    assert shown(text, 30).startswith("name0: value0\nname1: value1\n")


@given(st.lists(st.integers(0, 60), min_size=1, max_size=8), st.integers(8, 100))
def test_shared_columns_fit_and_small_ones_stay_whole(natural: list[int], room: int) -> None:
    widths = share(natural, room)
    assert sum(widths) <= max(room, len(natural))
    fair = max(1, room // len(natural))
    for size, width in zip(natural, widths, strict=True):
        assert width >= min(size, fair)


def test_html_is_shown_literally() -> None:
    assert shown("<b>x</b> & <script>\n\n<!-- note -->") == "<b>x</b> & <script>\n\n<!-- note -->"


def test_a_line_break_between_han_adds_no_space() -> None:
    assert shown("你好\n世界 and\nmore") == "你好世界 and more"


def test_emphasis_closes_beside_han_punctuation() -> None:
    assert shown("**注意：**请重启。") == "注意：请重启。"
    assert shown("他说**“好”**。") == "他说“好”。"


def test_hard_breaks_and_links() -> None:
    assert shown("one  \ntwo\\\nthree [text](http://x.test)") == "one\ntwo\nthree text"
    line = render("see https://x.test/a_(b). [t](http://y.test)", 60, LOOK)[0]
    acts = [s.style.meta["act"] for s in line.strip if s.style and "act" in s.style.meta]
    assert acts == [("link", "https://x.test/a_(b)"), ("link", "http://y.test")]


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.integers(4, 90))
def test_every_line_fits_and_knows_a_part_of_the_source(text: str, width: int) -> None:
    last = 0
    for line in render(text, width, LOOK):
        assert line.strip.cell_length <= width
        if line.start < 0:
            continue
        assert 0 <= line.start <= len(text)
        assert line.start <= line.end <= len(text)
        assert line.end >= last or line.start <= last
        last = line.end


PROSE = st.lists(
    st.sampled_from([block for block in BLOCKS if not set(block) & set("[~`&|")])
    | st.text("abc *_#>-:\n\t.)", max_size=12)
).map("".join)


@settings(max_examples=150, deadline=None)
@given(PROSE, st.integers(12, 90))
def test_no_word_is_lost_on_the_way_to_the_screen(text: str, width: int) -> None:
    seen = "".join(char for char in shown(text, width) if char.isalpha())
    assert seen == "".join(char for char in text if char.isalpha())


@pytest.mark.parametrize(
    ("text", "words", "source"),
    [
        ("a **bold `x` end** b", "bold x end", "**bold `x` end**"),
        ("a **bold** b", "old", "old"),
        ("a `co de` b", "co de", "`co de`"),
        ("a \\* &amp; b", "* &", "\\* &amp;"),
        ("see [the docs](http://x.test/a_(b)) now", "the docs", "[the docs](http://x.test/a_(b))"),
        ("- one **two**\n- three", "three", "three"),
        ("> q *r*\n> s", "q r", "q *r*"),
        ("> q *r*\n> s", "▎ q r", "> q *r*"),
        ("| a | b |\n|---|---|\n| banana | **a** |", "│ a", "**a** |"),
        ("```sh\nrm -rf build\n```", "rm -rf build", "rm -rf build"),
    ],
)
def test_copying_words_gives_their_markdown(text: str, words: str, source: str) -> None:
    assert copied(text, 60, words) == source


def test_copying_whole_lines_gives_their_marks_too() -> None:
    text = "## Head\n\n- one\n- [x] two\n\n> quote"
    lines = [line for line in render(text, 40, LOOK) if line.start >= 0]
    assert [text[line.start : line.end] for line in lines] == [
        "## Head",
        "- one",
        "- [x] two",
        "> quote",
    ]


def test_every_place_of_a_line_maps_into_its_source() -> None:
    text = "Some **bold** text, `code`, 你好 [link](http://x.test) and a\nsecond line \\* &lt; done"

    def check(line: Line) -> None:
        for x in range(len(line.strip.text) + 1):
            start, end = line.source(x, ends=False), line.source(x, ends=True)
            assert start == -1 or line.start <= start <= line.end
            assert end == -1 or line.start <= end <= line.end

    for line in render(text, 24, LOOK):
        check(line)
