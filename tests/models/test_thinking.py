"""Thinking and answer are kept apart, across any cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.models.thinking import ThinkingSplitter


def _split(pieces: list[str]) -> tuple[str, str]:
    splitter = ThinkingSplitter()
    parts = [splitter.feed(piece) for piece in pieces] + [splitter.end()]
    return "".join(text for text, _ in parts), "".join(thought for _, thought in parts)


@pytest.mark.parametrize(
    ("whole", "text", "thinking"),
    [
        ("hello", "hello", ""),
        ("<think>hm</think>hello", "hello", "hm"),
        ("\n <think>\nhm\n</think>\n\nhello ", "hello ", "\nhm\n"),
        ("<think>a</think><think>b</think>c", "c", "ab"),
        ("<thinking>a</think>b</thinking>c", "c", "a</think>b"),
        ("<reasoning>a</reasoning>", "", "a"),
        ("<think>never closed </thi", "", "never closed </thi"),
        ("<thin", "<thin", ""),
        ("  ", "  ", ""),
        ("the <think> tag</think>", "the <think> tag</think>", ""),
        ("<thinker>x</thinker>", "<thinker>x</thinker>", ""),
        ("<think></think>", "", ""),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_thinking_is_what_stands_at_the_start(
    whole: str, text: str, thinking: str, size: int
) -> None:
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    assert _split(pieces) == (text, thinking)


FRAGMENTS = st.sampled_from(
    ["<think>", "</think>", "<thinking>", "</thinking>", "<th", "ink>", "</", "a", " ", "\n", "é"]
)


@given(st.lists(FRAGMENTS, max_size=12), st.lists(st.integers(0, 80), max_size=8))
def test_cuts_never_change_what_is_thinking(fragments: list[str], cuts: list[int]) -> None:
    whole = "".join(fragments)
    places = sorted({0, len(whole), *(cut % (len(whole) + 1) for cut in cuts)})
    pieces = [whole[a:b] for a, b in pairwise(places)]
    assert _split(pieces) == _split([whole])


@given(st.text())
def test_text_without_a_tag_at_its_start_is_untouched(text: str) -> None:
    if not text.lstrip().startswith("<"):
        assert _split([text]) == (text, "")
