"""Server-sent events are read whole, whatever way their bytes are cut and ended."""

from __future__ import annotations

import json
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.errors import ModelError
from hermes_tui.models import sse
from hermes_tui.models.sse import EventReader

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.lists(st.dictionaries(st.text(), JSON, max_size=4), max_size=6)


def _read(stream: bytes, cuts: list[int]) -> list[bytes]:
    reader = EventReader()
    places = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    found: list[bytes] = []
    for start, end in pairwise(places):
        found += reader.feed(stream[start:end])
    return found + reader.end()


@given(
    OBJECTS,
    st.lists(st.integers(0, 10_000)),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([None, 1]),
    st.booleans(),
)
def test_every_object_comes_out_once_whatever_the_cuts(
    objects: list[dict[str, object]],
    cuts: list[int],
    newline: str,
    indent: int | None,
    noise: bool,
) -> None:
    lines: list[str] = []
    for one in objects:
        text = json.dumps(one, ensure_ascii=False, indent=indent)
        lines += [": comment", "event: message", "id: 1"] if noise else []
        lines += [f"data: {line}" for line in text.split("\n")]
        lines.append("")
    stream = "".join(line + newline for line in lines).encode()
    assert [json.loads(payload) for payload in _read(stream, cuts)] == objects


RECORDED = (
    '\ufeff: hello\n\ndata: {"a":"日本語 🙂 é"}\n\ndata:{"b":[1,2]}\r\n\r\n'
    'event: x\ndata: {"c":\n' + "data: null}\n\ndata: [DONE]\n\n"
).encode()
PAYLOADS = ['{"a":"日本語 🙂 é"}', '{"b":[1,2]}', '{"c":\nnull}', "[DONE]"]


@pytest.mark.parametrize("cut", range(len(RECORDED)))
def test_a_stream_cut_at_any_byte_reads_the_same(cut: int) -> None:
    assert [p.decode() for p in _read(RECORDED, [cut])] == PAYLOADS


def test_a_stream_that_comes_byte_by_byte_reads_the_same() -> None:
    assert [p.decode() for p in _read(RECORDED, list(range(len(RECORDED))))] == PAYLOADS


def test_an_event_is_there_before_its_blank_line() -> None:
    assert EventReader().feed(b'data: {"a":1}\n') == [b'{"a":1}']


def test_events_without_blank_lines_between_them_stay_apart() -> None:
    assert EventReader().feed(b'data: {"a":1}\ndata: {"b":2}\n') == [b'{"a":1}', b'{"b":2}']


def test_a_last_line_without_its_end_is_not_lost() -> None:
    reader = EventReader()
    assert reader.feed(b'data: {"a":1}') == []
    assert reader.end() == [b'{"a":1}']


def test_a_ten_megabyte_line_is_read_and_costs_little() -> None:
    line = b'data: {"a":"' + b"x" * 10_000_000 + b'"}\n\n'
    reader = EventReader()
    started = time.process_time()
    found = [p for at in range(0, len(line), 4096) for p in reader.feed(line[at : at + 4096])]
    assert time.process_time() - started < 1
    assert [len(payload) for payload in found] == [10_000_008]


def test_a_line_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "_LINE_LIMIT", 1000)
    reader = EventReader()
    assert reader.feed(b"x" * 800) == []
    with pytest.raises(ModelError, match="without end"):
        reader.feed(b"x" * 400)
