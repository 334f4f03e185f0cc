"""Streamed Markdown is, at every moment, what drawing the whole text so far would show."""

from __future__ import annotations

import time

from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.style import Style

from hermes_tui.ui.markdown import render
from hermes_tui.ui.stream import Stream
from hermes_tui.ui.text_lines import Line
from hermes_tui.ui.theme import Look, builtin

NIGHT = builtin("hermes-night")
assert NIGHT
LOOK = Look(NIGHT)

BLOCKS = [
    "# Heading *one*\n",
    "A paragraph with **bold** and `code` and more words.\n",
    "second line\n",
    "- item\n- other\n",
    "  - nested\n",
    "1. first\n2. second\n",
    "> quote\n> more\n",
    "```py\nx = 1\n\ny = 2\n```\n",
    "```\nopen\n",
    "~~~\ntilde\n~~~\n",
    "  ```\n  in\n  ```\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "| 数 | b |\n|--:|---|\n",
    "---\n",
    "===\n",
    "    indented code\n",
    "[ref]: http://x.test\n",
    "see [ref] there\n",
    "<div>\n",
    "\n",
    "\n\n",
    "\r\n",
    "你好，世界。\n",
    "👨‍👩‍👧 family\n",
    "trailing  \nbreak\n",
    "\\* escaped &amp; entity\n",
    "* * *\n",
    "2. not one\n",
    "\t tab\n",
    "http://x.test/a_b\n",
]
TEXTS = st.lists(st.sampled_from(BLOCKS) | st.text("ab `*_#>-|~[]:\n\r\t1.)", max_size=12)).map(
    "".join
)


def facts(lines: list[Line]) -> list[object]:
    """All that a line is, comparable."""

    def style(one: Style | None) -> object:
        return (str(one), one.meta) if one else None

    return [
        ([(s.text, style(s.style)) for s in line.strip], line.pieces, line.start, line.end)
        for line in lines
    ]


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.lists(st.integers(1, 40), min_size=1), st.sampled_from([12, 33, 80]))
@example("para\n\n```py\na\n\nb\n``", [1], 33)
@example("```\na\r\nb\r\n```\r\nafter", [1], 33)
@example("a [x] b\n\nc\n\n[x]: http://y.test\n", [3], 80)
def test_any_chunks_show_what_the_whole_text_shows(text: str, sizes: list[int], width: int) -> None:
    stream = Stream()
    at = turn = 0
    while at < len(text):
        at += sizes[turn % len(sizes)]
        turn += 1
        shown = stream.lines(text[:at], width, LOOK)
        assert facts(shown) == facts(render(text[:at], width, LOOK))


ITEMS = st.lists(
    st.sampled_from(
        [
            "- item\n",
            "- \n",
            "- [ ] task\n",
            "* other mark\n",
            " - a little in\n",
            "1. first\n",
            "7) seventh\n",
            "99. ninety-nine\n",
            "  - nested\n",
            "   1. deep\n",
            "      - deeper\n",
            "  more of it\n",
            "lazy\n",
            "  ```\n  code\n  ```\n",
            "  > quoted\n",
            "\n",
            "  \n",
            "para\n",
            "# head\n",
            "---\n",
            "[x]: http://y.test\n",
            "- [x] it\n",
        ]
    ),
    min_size=2,
    max_size=30,
).map("".join)


@settings(max_examples=300, deadline=None)
@given(ITEMS, st.lists(st.integers(1, 25), min_size=1, max_size=4), st.sampled_from([14, 60]))
@example("1. a\n" * 12 + "\n1. b\n1. c\n", [3], 60)
def test_lists_that_grow_item_by_item_are_those_of_the_whole(
    text: str, sizes: list[int], width: int
) -> None:
    stream = Stream()
    at = turn = 0
    while at < len(text):
        at += sizes[turn % len(sizes)]
        turn += 1
        shown = stream.lines(text[:at], width, LOOK)
        assert facts(shown) == facts(render(text[:at], width, LOOK))


def test_a_long_list_costs_its_last_item_and_not_all_of_them() -> None:
    for item in ("- an item of `some` words\n", "1. numbered\n\n", "- outer\n  - inner\n"):
        text = item * 2000
        stream = Stream()
        stream.lines(text, 80, LOOK)
        stream.lines(text + item, 80, LOOK)
        before = time.thread_time()
        for n in range(20):
            stream.lines(text + item * (n + 2), 80, LOOK)
        grown = time.thread_time() - before
        before = time.thread_time()
        render(text, 80, LOOK)
        assert grown < (time.thread_time() - before) / 2


def test_a_long_mixed_text_in_small_chunks_is_the_same_at_the_end() -> None:
    text = ("".join(BLOCKS[:14]).replace("```\nopen\n", "") * 40)[:17_550]
    stream = Stream()
    for at in range(8, len(text) + 8, 8 * 40):
        stream.lines(text[:at], 100, LOOK)
    assert facts(stream.lines(text, 100, LOOK)) == facts(render(text, 100, LOOK))


def test_another_width_or_text_starts_anew() -> None:
    stream = Stream()
    text = "one two three\n\nfour five six\n\nseven"
    stream.lines(text, 40, LOOK)
    assert facts(stream.lines(text, 10, LOOK)) == facts(render(text, 10, LOOK))
    assert facts(stream.lines("other", 10, LOOK)) == facts(render("other", 10, LOOK))


def test_a_step_costs_the_open_block_not_the_whole_text() -> None:
    """Twenty steps at the end of a long text against drawing that text once."""
    text = "A paragraph of some words.\n\n" * 2000 + "```py\n" + "x = 1\n" * 5000
    stream = Stream()
    stream.lines(text, 80, LOOK)
    stream.lines(text + "y", 80, LOOK)
    before = time.thread_time()
    for n in range(20):
        stream.lines(text + "y" * (n + 2), 80, LOOK)
    grown = time.thread_time() - before
    before = time.thread_time()
    render(text, 80, LOOK)
    assert grown < (time.thread_time() - before) / 2
