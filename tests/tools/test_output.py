"""Long output: everything is in the file, and what the model sees is whole characters."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.tools.output import Output, fit
from hermes_tui.tools.plain_text import LiveText, clean, is_binary
from tests.fakes.context import FakeContext

CUT = "[… cut:"


async def collect(folder: str, chunks: list[bytes], window: int) -> Output:
    output = Output(folder, "c.txt", window)
    for chunk in chunks:
        await output.add(chunk)
    await output.close()
    return output


texts = st.lists(st.text("aé€😀\n", max_size=400), max_size=40).map("".join)


@settings(max_examples=60, deadline=None)
@given(texts, st.integers(1, 700), st.integers(1000, 1500))
def test_head_and_tail_split_no_character_and_the_file_has_everything(
    text: str, step: int, window: int
) -> None:
    data = (text * 4).encode()
    chunks = [data[at : at + step] for at in range(0, len(data), step)]
    with tempfile.TemporaryDirectory() as folder:
        output = asyncio.run(collect(folder, chunks, window))
        shown = output.text()
        assert output.size == len(data)
        if len(text * 4) <= window:
            assert shown == text * 4
            assert not output.path
            return
        assert Path(output.path).read_bytes() == data
    head, _, rest = shown.partition(CUT)
    tail = rest.partition("…]\n")[2]
    assert len(shown) <= window
    assert "\ufffd" not in shown
    assert (text * 4).startswith(head.removesuffix("\n"))
    assert (text * 4).endswith(tail)
    assert len(tail) + len(head) >= (window - 200 - len(output.path)) // 2


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=3000), max_size=12))
def test_any_bytes_at_all_are_kept_and_become_text_that_can_be_sent(chunks: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        output = asyncio.run(collect(folder, chunks, 1000))
        shown = output.text()
        shown.encode()
        assert not any(ord(c) < 32 and c not in "\n\t" for c in shown)
        if output.path:
            assert Path(output.path).read_bytes() == b"".join(chunks)


@pytest.mark.parametrize("shift", range(12))
@pytest.mark.parametrize("colours", [2, 30])
def test_output_that_is_mostly_colours_is_cut_at_whole_characters_too(
    tmp_path: Path, shift: int, colours: int
) -> None:
    xs = "x" * shift
    data = (xs + ("\x1b[1m" * colours + "😀") * 4000 + xs).encode()
    shown = asyncio.run(collect(str(tmp_path), [data], 1000)).text()
    head, _, rest = shown.partition("\n" + CUT)
    assert set(head) <= {"x", "😀"}
    assert "\ufffd" not in rest
    assert rest.endswith("😀" + xs)


def test_a_cut_falls_between_lines_where_it_can(tmp_path: Path) -> None:
    lines = b"".join(b"%05d\n" % n for n in range(5000))
    shown = asyncio.run(collect(str(tmp_path), [lines], 1000)).text()
    head, _, rest = shown.partition("\n" + CUT)
    assert all(len(line) == 5 for line in head.split("\n"))
    assert all(len(line) == 5 for line in rest.partition("…]\n")[2].rstrip().split("\n"))


def test_output_kept_up_to_the_cap_says_so(tmp_path: Path) -> None:
    async def flood() -> Output:
        output = Output(str(tmp_path), "c.txt", 1000, cap=50_000)
        for _ in range(20):
            await output.add(b"0123456789" * 1000)
        await output.add(b"the very end")
        await output.close()
        return output

    output = asyncio.run(flood())
    assert os.path.getsize(output.path) == 50_000
    assert output.size == 200_012
    assert "the first 50,000 bytes are in" in output.text()
    assert output.text().endswith("the very end")


def test_a_tool_result_that_is_too_long_is_kept_whole(tmp_path: Path) -> None:
    ctx = FakeContext(tmp_path, window_chars=1000)
    text = "wörd " * 5000
    result = asyncio.run(fit(text, ctx, {"n": 1}))
    assert Path(result.output_path).read_text() == text
    assert len(result.for_model) <= 1000
    assert asyncio.run(fit("short", ctx)).for_model == "short"


ESCAPES = "\x1b[1;31m", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\", "\x1bM", "\x1b(B", "\x9b2J"


@given(st.lists(st.one_of(st.sampled_from(ESCAPES), st.text("aé\n ", max_size=5)), max_size=20))
def test_escape_sequences_leave_nothing_behind_however_they_are_split(parts: list[str]) -> None:
    plain = "".join(part for part in parts if part not in ESCAPES)
    data = "".join(parts).encode()
    assert clean("".join(parts)) == plain
    live = LiveText()
    assert "".join(live.feed(data[n : n + 1]) for n in range(len(data))) + live.feed(b"") == plain


@given(st.text(max_size=200))
def test_cleaned_text_has_no_control_characters(text: str) -> None:
    assert not any(c < " " and c not in "\n\t" for c in clean(text))
    assert not any("\x7f" <= c <= "\x9f" for c in clean(text))


@pytest.mark.parametrize(
    ("raw", "shown"),
    [("10%\r50%\r100%\n", "100%\n"), ("a\r\nb\r\n", "a\nb\n"), ("b\bbo\bold", "bold")],
)
def test_what_is_overwritten_is_gone(raw: str, shown: str) -> None:
    assert clean(raw) == shown


@pytest.mark.parametrize(
    ("start", "binary"),
    [
        (b"", False),
        (b"plain", False),
        ("日本語".encode() * 3000, False),
        (b"caf\xe9 au lait", False),
        (b"\x1b[31mred\x1b[0m " * 9, False),
        (b"a\0b", True),
        (bytes(range(128, 256)) * 4, True),
    ],
)
def test_binary_is_told_from_text(start: bytes, binary: bool) -> None:
    assert is_binary(start) == binary


def test_a_very_long_line_without_an_end_is_cleaned_in_no_time() -> None:
    assert len(clean("x" * 200_000 + "\r" + "\x1b[" * 50_000 + "é" * 100_000)) > 0
