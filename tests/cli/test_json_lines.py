"""Commands that answer a question a line: a bad line is told of in a sentence, the rest goes on."""

from __future__ import annotations

import io
import json
from contextlib import suppress

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.cli.json_lines import questions
from hermes_tui.cli.policy import Question
from tests.cli.conftest import Hermes

BAD = (
    "no json",
    "[]",
    "{}",
    "5",
    "null",
    '{"id": "x"}',
    '{"id": "x", "command": 5, "url": 5, "text": 5}',
    '{"id": "x", "command": "\\ud800", "url": "\\ud800", "text": "\\ud800"}',
)
COMMANDS = (("policy", "check", "--level", "3"), ("policy", "url"), ("redact",))
GOOD = {"command": "ls", "url": "http://127.0.0.1/", "text": "plain"}


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("bad", BAD)
def test_a_bad_line_is_one_sentence_and_the_others_are_answered(
    hermes: Hermes, words: tuple[str, ...], bad: str
) -> None:
    lines = [json.dumps({"id": 1, **GOOD}), bad, "", json.dumps({"id": "last", **GOOD})]
    done = hermes(*words, "--jsonl", stdin="\n".join(lines))
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == [1, "last"]
    assert done.code == 1
    assert done.err.startswith("hermes: line 2 can't be used: ")
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("words", COMMANDS)
def test_good_lines_alone_end_well(hermes: Hermes, words: tuple[str, ...]) -> None:
    done = hermes(*words, "--jsonl", stdin=json.dumps({"id": 1, **GOOD}) + "\n")
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(
    ("words", "given"), [(("policy", "check"), "ls"), (("policy", "url"), "a")]
)
def test_a_question_is_asked_in_one_way_at_a_time(
    hermes: Hermes, words: tuple[str, ...], given: str
) -> None:
    done = hermes(*words, "--jsonl", given)
    assert done.code == 2
    assert "standard input" in done.err


@given(st.lists(st.text(max_size=40), max_size=5))
def test_no_input_is_too_odd_to_be_read(lines: list[str]) -> None:
    typed = io.TextIOWrapper(io.BytesIO("\n".join(lines).encode("utf-16")))
    with pytest.MonkeyPatch.context() as patch, suppress(typer.Exit):
        patch.setattr("sys.stdin", typed)
        assert list(questions(Question, "fields")) == []
