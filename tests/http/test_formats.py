"""Reading what callers send and writing what they get: nothing breaks it, nothing gets lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.events import (
    InputReceived,
    InputTaken,
    ModelFailed,
    Record,
    ReplyReceived,
    TextDelta,
    TurnEnded,
    TurnStarted,
    Usage,
)
from hermes_tui.http import reading, shapes
from hermes_tui.http.base import HttpError
from hermes_tui.http.hearing import Hearing, Piece
from tests.http.test_runs import events

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["role", "content", "type", "text", "input", "messages", "image_url", "url", "n"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)
ABOUT = shapes.About("abc", 1.0, "", "s")


@given(ANY, st.sampled_from([reading.chat, reading.response, reading.run]))
def test_whatever_is_sent_is_understood_or_refused_in_a_sentence(value: Any, read: Any) -> None:
    body = json.dumps(value).encode()
    error = None
    try:
        wanted = read(body)
        assert wanted.text.strip() or wanted.pictures
    except HttpError as refused:
        error = refused
    assert error is None or (error.status == 400 and error.message)


@given(st.binary(max_size=40))
def test_bytes_that_are_no_json_are_refused(body: bytes) -> None:
    with pytest.raises(HttpError):
        reading.chat(body)


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(min_size=1))))
def test_the_last_word_of_the_user_is_said_and_nothing_after_it(said: Any) -> None:
    messages = [{"role": role, "content": text} for role, text in said]
    users = [n for n, (role, text) in enumerate(said) if role == "user"]
    body = json.dumps({"messages": messages}).encode()
    if not users or not said[users[-1]][1].strip():
        with pytest.raises(HttpError):
            reading.chat(body)
        return
    wanted = reading.chat(body)
    at = users[-1]
    assert wanted.text == said[at][1]
    expected = [(role, text) for role, text in said[:at] if text.strip()]
    assert [(one.role, one.text) for one in wanted.history] == expected


STEP = st.lists(st.text(alphabet="ab \n", max_size=5), max_size=4)


def turn(steps: list[list[str]], cut: set[int]) -> list[Record]:
    """The records of a turn; steps in `cut` fail once after half of their pieces."""
    found: list[Any] = [
        InputReceived(input_id="i", text="x"),
        TurnStarted(turn=1),
        InputTaken(input_id="i", turn=1),
    ]
    for n, pieces in enumerate(steps, 1):
        whole = "".join(pieces)
        if n in cut:
            half = pieces[: len(pieces) // 2]
            found += [TextDelta(turn=1, step=n, text=one) for one in half]
            if any(half):
                partial = ReplyReceived(turn=1, step=n, text="".join(half), partial=True)
                found.append(partial)
            found.append(ModelFailed(turn=1, step=n, attempt=1, message="x", retry_in=0.1))
            whole = f"b{whole}"
            pieces = ["b", *pieces]
        found += [TextDelta(turn=1, step=n, text=one) for one in pieces]
        found.append(ReplyReceived(turn=1, step=n, text=whole))
    found.append(TurnEnded(turn=1, usage=Usage(prompt=3, completion=4)))
    return [
        Record(session="s", n=0 if isinstance(one, TextDelta) else n, ts=0.0, event=one)
        for n, one in enumerate(found, 1)
    ]


@given(st.lists(STEP, max_size=4), st.sets(st.integers(1, 4)))
def test_a_stream_is_what_the_whole_answer_and_the_log_say(
    steps: list[list[str]], cut: set[int]
) -> None:
    records = turn(steps, cut)
    live = Hearing("i")
    shape = shapes.ChatStream(ABOUT, usage=False)
    out = [piece for one in records for said in live.hear(one) for piece in shape.more(said)]
    chunks = [json.loads(one.removeprefix(b"data: ")) for one in out]
    streamed = "".join(one["choices"][0]["delta"]["content"] for one in chunks)
    assert streamed.rstrip() == live.text.rstrip()
    later = Hearing("i")
    later.hear_all(one for one in records if one.n)
    assert later.text == live.text
    assert later.over
    assert later.usage == Usage(prompt=3, completion=4)


@given(st.lists(STEP, max_size=4), st.sets(st.integers(1, 4)))
def test_events_of_a_response_add_up_to_its_items(steps: list[list[str]], cut: set[int]) -> None:
    heard = Hearing("i")
    shape = shapes.ResponseStream(ABOUT, {})
    out = list(shape.begin(heard))
    out += [p for one in turn(steps, cut) for said in heard.hear(one) for p in shape.more(said)]
    out += shape.end(heard)
    made = [data for _, _, data in events(b"".join(out).decode())]
    assert [one["sequence_number"] for one in made] == list(range(len(made)))
    assert made[-1]["type"] == "response.completed"
    items = made[-1]["response"]["output"]
    done = [one["item"] for one in made if one["type"] == "response.output_item.done"]
    assert done == items
    for n, item in enumerate(items):
        deltas = [
            one["delta"]
            for one in made
            if one["type"] == "response.output_text.delta" and one["output_index"] == n
        ]
        assert "".join(deltas) == item["content"][0]["text"]


@given(st.text() | st.text(alphabet="a\x85\u2028\u2029\r\n\x0c\x1c"))
def test_an_event_is_one_event_whatever_is_in_it(text: str) -> None:
    made = shapes.sse({"text": text}, "kind", "7").decode()
    assert made.count("\n\n") == 1
    assert len(made.splitlines()) == 4, "also for clients that know many ends of lines"
    [(number, kind, data)] = events(made)
    assert (number, kind, data) == (7, "kind", {"text": text.encode("utf-8", "replace").decode()})


def test_words_of_others_in_the_same_session_are_no_part_of_the_answer() -> None:
    heard = Hearing("i")
    others = [
        TurnStarted(turn=1),
        InputTaken(input_id="other", turn=1),
        InputReceived(input_id="i", text="x"),
        ReplyReceived(turn=1, step=1, text="not yours"),
        TurnEnded(turn=1),
        TurnStarted(turn=2),
        InputTaken(input_id="i", turn=2),
        ReplyReceived(turn=2, step=1, text="yours"),
        TurnEnded(turn=2),
        InputTaken(input_id="later", turn=3),
        ReplyReceived(turn=3, step=1, text="nor this"),
    ]
    heard.hear_all(Record(session="s", n=n, ts=0.0, event=e) for n, e in enumerate(others, 1))
    assert (heard.text, heard.outcome, heard.turn) == ("yours", "done", 2)


def test_a_piece_that_was_missed_is_made_up_for() -> None:
    heard = Hearing("i")
    heard.turn = 1
    record = Record(session="s", n=1, ts=0.0, event=ReplyReceived(turn=1, step=1, text="abc"))
    heard.texts[1] = "a"
    assert list(heard.hear(record)) == [Piece(step=1, text="bc", last=True)]
