"""Pasted text arrives whole and harmless."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from hermes_tui.paste import clean, is_long, line_count
from hermes_tui.ui.keys import KeyTable
from hermes_tui.ui.paste_input import InputParser

PLAIN = st.text(st.characters(exclude_categories=("Cc", "Cs")))
SEQUENCES = st.sampled_from(
    [
        "\x1b[31m",
        "\x1b[0m",
        "\x1b[2J",
        "\x1b[<35;101;48M",
        "\x1b]0;title\x07",
        "\x1b]8;;http://a\x1b\\",
        "\x1b(B",
        "\x9b1m",
        "\x00",
        "\x07",
        "\x7f",
        "\x1b",
    ]
)


def read(*parts: str) -> list[tuple[str, str]]:
    """What the parser makes of input that arrives in these parts."""
    parser = InputParser()
    out = [one for part in parts for one in parser.feed(part)]
    return [
        (type(one).__name__, one.key if isinstance(one, events.Key) else getattr(one, "text", ""))
        for one in out
    ]


@given(st.text())
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(st.text())
def test_no_control_byte_survives(text: str) -> None:
    kept = clean(text)
    assert not [c for c in kept if (ord(c) < 32 and c not in "\t\n") or 0x7F <= ord(c) < 0xA0]
    kept.encode()


@given(st.lists(PLAIN))
def test_plain_text_is_kept_to_the_byte_with_every_line(lines: list[str]) -> None:
    for newline in ("\n", "\r\n", "\r"):
        assert clean(newline.join(lines)) == "\n".join(lines)


@given(st.lists(PLAIN), SEQUENCES)
def test_no_sequence_swallows_a_line(lines: list[str], sequence: str) -> None:
    kept = clean("\n".join(line + sequence for line in lines))
    assert kept.count("\n") == max(0, len(lines) - 1)


@pytest.mark.parametrize(
    "sequence", ["\x1b[31m", "\x1b]0;x\x07", "\x1b[<35;101;48M", "\x1b]8;;u\x1b\\", "\x9b1m"]
)
def test_colours_titles_and_mouse_reports_leave_no_trace(sequence: str) -> None:
    assert clean(f"a{sequence}b") == "ab"


def test_a_million_characters_are_cleaned_in_two_seconds() -> None:
    text = ("some \x1b[31mred\x1b[0m words and ünïcode\r\n" * 30_000)[:1_000_000]
    began = time.process_time()
    kept = clean(text)
    assert time.process_time() - began < 2
    assert kept.count("\n") == text.count("\r\n")


def test_a_paste_is_long_over_eight_lines_or_eight_hundred_characters() -> None:
    assert not is_long("x\n" * 8)
    assert is_long("x\n" * 9)
    assert not is_long("x" * 800)
    assert is_long("x" * 801)
    assert line_count("a\nb") == line_count("a\nb\n") == 2


# --- from the terminal ---------------------------------------------------------------------


def test_escape_sequences_in_a_paste_press_no_keys() -> None:
    text = "rm \x1b[31mred\x1b[0m\r\x1b[201 more\rlast"
    assert read(f"\x1b[200~{text}\x1b[201~x") == [("Paste", text), ("Key", "x")]


@given(st.text(), st.lists(st.integers(0, 200), max_size=6))
def test_a_paste_is_one_event_however_it_is_cut(text: str, cuts: list[int]) -> None:
    text = text.replace("\x1b[201~", "")
    stream = f"a\x1b[200~{text}\x1b[201~b"
    edges = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    parts = [stream[i:j] for i, j in itertools.pairwise(edges)]
    assert read(*parts) == [("Key", "a"), ("Paste", text), ("Key", "b")]


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        ("\x1b\r", "alt+enter"),
        ("\x1b[27;2;13~", "shift+enter"),
        ("\x1b[13;2u", "shift+enter"),
        ("\x1b[27;3;13~", "alt+enter"),
        ("\r", "enter"),
        ("\n", "ctrl+j"),
    ],
)
def test_every_way_terminals_send_enter_is_told_apart(sent: str, key: str) -> None:
    assert read(sent) == [("Key", key)]


@given(st.integers(1, 12))
def test_a_torn_mouse_report_types_nothing(cut: int) -> None:
    report = "\x1b[<35;101;48M"
    kinds = [kind for kind, _ in read("a", report[:cut], report[cut:], "b")]
    assert kinds == ["Key", "MouseMove", "Key"]


def test_committed_text_and_enter_in_one_read_keep_their_order() -> None:
    assert [key for _, key in read("分析\r")] == ["分", "析", "enter"]


@pytest.mark.parametrize(
    ("sent", "key"),
    [("\x1b[97:65;2u", "shift+a"), ("\x1b[1;4:1A", "alt+shift+up"), ("\x1b[57414::1u", "enter")],
)
def test_keys_with_finer_numbers_are_the_keys_they_refine(sent: str, key: str) -> None:
    for cut in range(2, len(sent)):
        assert read(sent[:cut], sent[cut:])[-1][1] == key


@given(st.text("0123456789:;<=>?", max_size=12), st.sampled_from("ABCDHFuRZ~MmItyhl"))
def test_no_sequence_ends_the_reading_of_keys(numbers: str, final: str) -> None:
    parser = InputParser()
    list(parser.feed(f"\x1b[{numbers}{final}"))
    typed = [*parser.feed("x" * 40), *parser.feed("y")]
    assert [one.key for one in typed if isinstance(one, events.Key)][-1] == "y"


@pytest.mark.parametrize(
    ("arrived", "keys"),
    [
        ("\x1b1\x1b[1;3B", ["alt+1", "alt+down"]),
        ("\x1bz\x1b[A", ["alt+z", "up"]),
        ("x\x1bA\x1ba\x1b[B", ["x", "alt+shift+a", "alt+a", "down"]),
        ("\x1bb\x1bf\x1b[B", ["ctrl+left", "ctrl+right", "down"]),
    ],
)
def test_alt_and_a_key_are_one_key_however_closely_the_next_one_follows(
    arrived: str, keys: list[str]
) -> None:
    KeyTable()  # its module unlearns what one system types with alt and a digit
    assert [key for _, key in read(arrived)] == keys


@pytest.mark.parametrize(
    "typed", ["list all the files that are in this folder", "a b c d e", "to 文字 and so on"]
)
def test_what_comes_in_one_piece_after_an_escape_is_typed_as_it_stands(typed: str) -> None:
    parser = InputParser()
    got = [*parser.feed("\x1b"), *parser.feed(typed)]
    keys = [one for one in got if isinstance(one, events.Key)]
    assert keys[0].key == "escape"
    assert "".join(one.character or "" for one in keys[1:]) == typed
