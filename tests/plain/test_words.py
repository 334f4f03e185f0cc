"""Each event becomes lines that can be read aloud, without drawing and without escape bytes."""

from __future__ import annotations

import re
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui import events
from hermes_tui.events import KINDS, Event, ReplyReceived, TextDelta
from hermes_tui.plain import words
from hermes_tui.plain.reply import ReplyLines
from hermes_tui.plain.speech import duration, one_line, sentence, speakable

WILD = "\x1b[31mred\x1b[0m\r\n┌──┐ ⠋\x07"
SILENT = {
    "event",
    "transient",
    "model_asked",
    "delegated",
    "chat_said",
    "gateways_changed",
    "input_taken",
    "text_delta",
    "tool_output",
    "sessions_changed",
    "settings_changed",
    "fetch_progress",
    "sandbox_found",
    "keys_changed",
    "memory_changed",
    "memory_used",
    "jobs_changed",
    "skills_changed",
}
ASKED = events.ApprovalAsked(
    ask_id="1", turn=1, step=1, call_id="c", tool="run_command", title="delete", detail="rm x",
    detail_kind="command", where="vps2", reason="it runs a command", undo="no",
    rule="run_command rm x",
)  # fmt: skip


def filled(kind: type[Event]) -> Event:
    """An event with wild text in every text field."""
    fields: dict[str, Any] = {}
    for name, hint in kind.__annotations__.items():
        if hint in ("str", "str | None"):
            fields[name] = WILD
        elif hint == "int":
            fields[name] = 3
        elif hint in ("float", "float | None", "int | None"):
            fields[name] = 2
    fixed: dict[str, Any] = {"data": {}, "mode": "ask", "v": 1, "status": "ok", "role": "assistant"}
    fields |= {name: value for name, value in fixed.items() if name in kind.__annotations__}
    if kind is events.ApprovalAnswered:
        fields["verdict"] = "always"
    if kind is events.ProcessEnded:
        fields["status"] = "exited"
    if kind is events.TodoChanged:
        fields["items"] = (events.TodoItem(text=WILD, state="doing"),)
    if kind is events.QuestionAsked:
        fields["options"] = (WILD,)
    return kind(**fields)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_kind_of_event_is_said_in_plain_words(name: str) -> None:
    lines = words.lines(filled(KINDS[name]))
    assert bool(lines) == (name not in SILENT)
    for line in lines:
        assert not re.search("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2500-\u257f\u2800-\u28ff]", line)


@pytest.mark.parametrize("outcome", get_args(events.Outcome))
def test_every_end_of_a_turn_has_its_word(outcome: events.Outcome) -> None:
    ended = events.TurnEnded(
        turn=1, outcome=outcome, error="no model", seconds=41, steps=3,
        usage=events.Usage(prompt=18234, completion=912, cost=0.031),
    )  # fmt: skip
    (line,) = words.lines(ended)
    assert "41 seconds" in line
    assert "18,234 tokens in" in line
    assert "0.0310 dollars" in line
    assert ("no model" in line) == (outcome in ("failed", "limit"))


def test_an_unknown_price_is_not_called_nothing() -> None:
    (line,) = words.lines(events.TurnEnded(turn=1, usage=events.Usage(prompt=9)))
    assert "dollar" not in line


@pytest.mark.parametrize("status", get_args(events.Status))
def test_every_end_of_a_tool_has_its_word(status: events.Status) -> None:
    ended = events.ToolEnded(turn=1, step=1, call_id="c", tool="read_file", status=status)
    assert words.lines(ended)[0].startswith("Tool read_file ")


def test_an_approval_names_place_reason_undo_and_numbered_choices() -> None:
    text = "\n".join(words.lines(ASKED))
    for part in ("run_command on vps2", "Why: it runs a command.", "Undo: no.", "Command: rm x"):
        assert part in text
    assert "3 always, which saves the rule: run_command rm x" in text


def test_an_approval_without_a_rule_offers_no_always() -> None:
    assert "always" not in "\n".join(words.lines(msgspec.structs.replace(ASKED, rule="")))


def test_hidden_characters_of_a_command_are_named() -> None:
    ask = msgspec.structs.replace(ASKED, detail="rm a\u202eb")
    assert "Command: rm a⟨U+202E⟩b" in words.lines(ask)


def test_a_long_diff_says_how_much_is_left_out() -> None:
    ask = msgspec.structs.replace(ASKED, detail="+x\n" * 90, detail_kind="diff")
    assert any("50 more lines" in line for line in words.lines(ask))
    assert len([line for line in words.asked(ask, most=10**6) if line == "    +x"]) == 90


@given(st.text(), st.lists(st.integers(1, 7), max_size=40), st.integers(0, 20))
def test_however_a_reply_is_cut_all_of_it_is_said_once(
    text: str, cuts: list[int], lost: int
) -> None:
    reply, printed, at = ReplyLines(), [], 0
    for size in cuts:
        piece = text[at : at + size]
        at += size
        if piece:
            printed += reply.more(TextDelta(turn=1, step=1, text=piece))
    printed += reply.end(ReplyReceived(turn=1, step=1, text=text))
    whole = speakable(f"Hermes: {text}").split("\n") if text else []
    assert "\n".join(printed).rstrip("\n") == "\n".join(whole).rstrip("\n") or "\r" in text


def test_a_reply_joined_half_way_is_said_whole() -> None:
    reply = ReplyLines()
    assert reply.begin("one\ntw") == ("Hermes: one",)
    assert reply.more(TextDelta(turn=1, step=1, text="o\nth")) == ("two",)
    assert reply.end(ReplyReceived(turn=1, step=1, text="one\ntwo\nthree")) == ("three",)


def test_a_reply_that_turns_out_otherwise_is_said_again() -> None:
    reply = ReplyLines()
    reply.more(TextDelta(turn=1, step=1, text="<tool>\n"))
    end = ReplyReceived(turn=1, step=1, text="Hello", partial=True)
    assert reply.end(end)[0] == "Hermes: Hello"
    assert "dropped" in reply.end(end)[1]


@given(st.text())
def test_nothing_printed_holds_an_escape_or_a_box(text: str) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2500-\u257f]", speakable(text))
    assert "\n" not in one_line(text)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.04, "0 seconds"),
        (1, "1 second"),
        (2.51, "2.5 seconds"),
        (41.2, "41 seconds"),
        (60, "1 minute"),
        (185, "3 minutes 5 seconds"),
        (7384, "2 hours 3 minutes"),
    ],
)
def test_times_are_said_as_one_says_them(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_sentences_end_once() -> None:
    assert sentence("One.", "", "Two", "Three?") == "One. Two. Three?"
