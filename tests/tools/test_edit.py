"""An edit finds what was meant, keeps the file's own form, and never guesses between places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.errors import ToolError
from hermes_tui.tools.edit import edit

words = st.text("abcdef(){}=. ", min_size=1, max_size=12).map(str.strip).filter(bool)


@st.composite
def programs(draw: st.DrawFn) -> tuple[list[str], int, int]:
    """Indented lines that are all different, and a span of them."""
    bare = draw(st.lists(words, min_size=2, max_size=12, unique=True))
    lines = [" " * 4 * draw(st.integers(0, 3)) + line for line in bare]
    first = draw(st.integers(0, len(lines) - 1))
    return lines, first, draw(st.integers(first + 1, len(lines)))


@given(programs(), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_an_exact_edit_replaces_the_span_alone(
    program: tuple[list[str], int, int], end: str, closed: bool
) -> None:
    lines, first, last = program
    text = end.join(lines) + (end if closed else "")
    old = "\n".join(lines[first:last])
    if text.replace("\r\n", "\n").count(old) > 1:
        return
    made = edit(text, old, "NEW 1\nNEW 2")
    expected = text.replace(old.replace("\n", end), f"NEW 1{end}NEW 2")
    assert made.text == expected


@given(programs(), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.data())
def test_a_span_with_other_space_and_ends_is_found_and_the_rest_untouched(
    program: tuple[list[str], int, int], end: str, closed: bool, data: st.DataObject
) -> None:
    lines, first, last = program
    text = end.join(lines) + (end if closed else "")
    indents = [len(line) - len(line.lstrip()) for line in lines[first:last]]
    shift = data.draw(st.integers(-min(indents), 6))
    trailing = data.draw(st.sampled_from(["", " ", "\t"]))
    given_lines = [
        " " * (indent + shift) + line.strip() + trailing
        for indent, line in zip(indents, lines[first:last], strict=True)
    ]
    old = "\n".join(given_lines)
    change = data.draw(st.integers(0, len(given_lines) - 1))
    changed = [*given_lines]
    changed[change] = " " * (indents[change] + shift) + "NEW"
    bare = [line.strip() for line in lines]
    span = bare[first:last]
    if sum(bare[n : n + len(span)] == span for n in range(len(bare))) > 1 or old in text:
        return
    made = edit(text, old, "\n".join(changed))
    expected = [*lines]
    expected[first + change] = " " * indents[change] + "NEW"
    assert made.text == end.join(expected) + (end if closed else "")


@pytest.mark.parametrize(
    ("text", "old"),
    [("a\na\n", "a"), ("aaa", "aa"), ("x = 1\nx = 1 \n", "x = 1  "), ("\tx\n  x\n", "x \n")],
)
def test_two_possible_places_are_refused_with_their_number(text: str, old: str) -> None:
    with pytest.raises(ToolError, match="in 2 places"):
        edit(text, old, "new")


def test_every_place_is_replaced_when_asked() -> None:
    assert edit("a b a", "a", "c", replace_all=True).text == "c b c"
    made = edit("if x:\n    y\nif z:\n        y\n", "  y ", "w", replace_all=True)
    assert (made.text, made.places) == ("if x:\n  w\nif z:\n      w\n", 2)


def test_the_new_text_is_indented_as_the_old_was() -> None:
    text = "class A:\n    def f(self):\n        return 1\n"
    made = edit(text, "def f(self):\n    return 1\n", "def f(self):\n    x = 2\n    return x\n")
    assert made.text == "class A:\n    def f(self):\n        x = 2\n        return x\n"
    assert made.tolerance == "indentation"


def test_tabs_in_the_file_stay_tabs() -> None:
    text = "f() {\n\tif a {\n\t\tb\n\t}\n}\n"
    made = edit(text, "    if a {\n        b\n    }", "    if a {\n        c\n        b\n    }")
    assert made.text == "f() {\n\tif a {\n\t\tc\n\t\tb\n\t}\n}\n"


def test_lines_the_edit_keeps_are_kept_byte_for_byte() -> None:
    text = "one  \ntwo\t\nthree\n"
    assert edit(text, "one\ntwo\nthree", "one\ntwo\n3").text == "one  \ntwo\t\n3\n"


def test_an_edit_of_one_line_keeps_windows_line_ends() -> None:
    assert edit("a\r\nb\r\n", "b", "c\nd").text == "a\r\nc\r\nd\r\n"


def test_mixed_line_ends_elsewhere_are_left_alone() -> None:
    assert edit("a\r\nb\nc\r\n", "b", "B").text == "a\r\nB\nc\r\n"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [("", "x", "write_file"), ("a", "a", "same"), ("zzz", "x", "not in the file")],
)
def test_an_edit_that_means_nothing_is_a_sentence(old: str, new: str, said: str) -> None:
    with pytest.raises(ToolError) as caught:
        edit("a\n", old, new)
    assert said in str(caught.value)


def test_what_is_not_there_is_answered_with_the_nearest_line() -> None:
    with pytest.raises(ToolError) as caught:
        edit("import os\nvalue = compute(1)\n", "value = compute(2)\n", "x")
    assert "line 2 is nearest: value = compute(1)" in caught.value.hint


@given(
    st.text("ab\n\r \t", max_size=30), st.text("ab\n\r ", max_size=8), st.text("ab\n ", max_size=8)
)
def test_an_edit_either_changes_the_text_or_says_why_not(text: str, old: str, new: str) -> None:
    try:
        made = edit(text, old, new)
    except ToolError:
        return
    assert made.text != text
    assert made.places == 1


def test_blank_lines_with_other_line_ends_are_replaced() -> None:
    assert edit(" ", " \r", "").text == ""
