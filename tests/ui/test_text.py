"""Width, clusters, wrapping and safety of text, for every script people write."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.ui.text import (
    break_lines,
    cells,
    chop,
    clip,
    clip_left,
    fit,
    graphemes,
    one_line,
    output,
    safe,
    wrap,
)

PIECES = st.sampled_from(
    [
        *"abc XYZ 019 .,-_*`",
        "  ",
        "word ",
        "你",
        "好，",
        "（中文）。",
        "ｱ",
        "한글",
        unicodedata.normalize("NFD", "한글"),
        "👨‍👩‍👧",
        "👁️",
        "👍🏽",
        "🇯🇵",
        "1️⃣",
        "ทำไม",
        "กี่กุ",
        "e\u0301",
        "नमस्ते",
        "العربية",
        "https://example.test/a/b",
    ]
)
TEXTS = st.lists(PIECES, max_size=30).map("".join)
ANY = st.text(max_size=200) | TEXTS


@pytest.mark.parametrize(
    ("text", "width", "clusters"),
    [
        ("你好，世界", 10, 5),
        ("👨‍👩‍👧", 2, 1),
        ("👁️", 2, 1),
        ("👁", 1, 1),
        ("👍🏽", 2, 1),
        ("🇯🇵", 2, 1),
        ("1️⃣", 2, 1),
        ("ทำไม", 4, 3),
        ("กี่กุ", 2, 2),
        ("e\u0301", 1, 1),
        ("ｱｲｳ", 3, 3),
        ("한글", 4, 2),
        (unicodedata.normalize("NFD", "한글"), 4, 2),
    ],
)
def test_every_script_has_the_width_and_clusters_a_reader_sees(
    text: str, width: int, clusters: int
) -> None:
    assert cells(text) == width
    assert len(graphemes(text)) == clusters


@given(ANY)
def test_clusters_joined_are_the_text(text: str) -> None:
    assert "".join(graphemes(text)) == text


@given(ANY, st.integers(2, 40))
def test_wrapped_lines_fit_and_lose_nothing_but_spaces(text: str, width: int) -> None:
    text = safe(text).replace("\n", " ").replace("\t", " ")
    spans = wrap(text, width)
    assert spans
    last = 0
    for start, end in spans:
        assert last <= start <= end <= len(text)
        assert text[last:start].strip(" ") == ""
        assert cells(text[start:end]) <= width
        last = end
    assert text[last:].strip(" ") == ""


@given(TEXTS, st.integers(2, 12))
def test_no_line_break_splits_a_cluster(text: str, width: int) -> None:
    starts: set[int] = {0}
    for cluster in graphemes(text):
        starts.add(max(starts) + len(cluster))
    for start, end in [*wrap(text, width), *chop(text, width), *break_lines(text, width)]:
        assert start in starts
        assert end in starts


@given(TEXTS, st.integers(1, 40))
def test_chopped_parts_are_the_text_in_order(text: str, width: int) -> None:
    assert "".join(text[a:b] for a, b in chop(text, width)) == text


def test_words_stay_whole_and_closing_marks_never_begin_a_line() -> None:
    def lines(text: str, width: int) -> list[str]:
        return [text[a:b] for a, b in wrap(text, width)]

    assert lines("hello world this is long", 10) == ["hello", "world this", "is long"]
    assert lines("你好世界。再见", 8) == ["你好世", "界。再见"]
    assert lines("supercalifragilistic", 8) == ["supercal", "ifragili", "stic"]


@given(ANY, st.integers(0, 30))
def test_clipped_and_fitted_text_has_the_room_it_was_given(text: str, width: int) -> None:
    text = one_line(text)
    assert cells(clip(text, width)) <= width
    assert cells(clip_left(text, width)) <= width
    assert cells(fit(text, width)) == width


def test_a_clipped_path_shows_its_telling_end() -> None:
    assert clip_left("/home/me/projects/blog/index.md", 14) == "…blog/index.md"


@given(st.text(max_size=300) | st.binary(max_size=300).map(lambda b: b.decode("latin-1")))
def test_nothing_shown_can_steer_the_terminal(text: str) -> None:
    for shown in (safe(text), output(text), one_line(text)):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
        shown.encode()


@given(st.text(max_size=300))
def test_making_text_safe_keeps_every_position(text: str) -> None:
    assert len(safe(text)) == len(text)


def test_lone_surrogates_are_shown_not_raised() -> None:
    assert safe("a\ud83d!") == "a\ufffd!"


def test_program_output_reads_as_it_stood_on_the_terminal() -> None:
    assert output("a\x1b[31mred\x1b[0m\r\n10%\r20%\r\n") == "ared\n20%\n"
    assert output("ab\b\bcd") == "cd"
    assert output("\x1b]8;;http://x.test\x07link\x1b]8;;\x07 \x1b[2Jx") == "link x"
    assert output("a\tb") == "a       b"


def test_a_joiner_counts_only_between_emoji() -> None:
    assert cells(safe("a\u200db")) == 2
    assert safe("👨‍👩‍👧") == "👨‍👩‍👧"


@given(TEXTS, st.integers(1, 30))
def test_lines_broken_at_spaces_are_the_text_in_order(text: str, width: int) -> None:
    spans = list(break_lines(text, width))
    assert "".join(text[a:b] for a, b in spans) == text
    assert all(a < b for a, b in spans)


def test_what_is_compared_is_broken_at_words_where_that_is_possible() -> None:
    def parts(text: str, width: int) -> list[str]:
        return [text[a:b] for a, b in break_lines(text, width)]

    assert parts("one two three four", 10) == ["one two ", "three four"]
    assert parts("über zwei drei vier", 10) == ["über zwei ", "drei vier"]
    assert parts("https://example.org/a/b", 10) == ["https://ex", "ample.org/", "a/b"]
    assert parts("a https://example.org", 10)[0] == "a https://"
    assert parts("比较两台主机上的校验和", 10) == ["比较两台主", "机上的校验", "和"]
