"""The one answer is picked out of a session that others use too."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hermes_tui.cli.oneshot_answer import Answer


def follow(*events: tuple[str, dict[str, Any]]) -> Answer:
    answer = Answer("s", "mine", every=False)
    for kind, data in events:
        record = {"session": "s", "n": 1, "ts": 0.0, "kind": kind, "v": 1, "data": data}
        if not answer.done:
            answer.take(json.dumps(record).encode())
    return answer


MINE = ("input_received", {"input_id": "mine", "text": "hi"})


def test_turns_of_others_are_not_the_answer(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    answer = follow(
        ("turn_started", {"turn": 1}),
        MINE,
        ("reply_received", {"turn": 1, "text": "to somebody else"}),
        ("turn_ended", {"turn": 1}),
        ("turn_started", {"turn": 2}),
        ("input_taken", {"input_id": "theirs", "turn": 2}),
        ("reply_received", {"turn": 2, "text": "to somebody else again"}),
        ("turn_ended", {"turn": 2, "outcome": "failed", "error": "theirs"}),
        ("turn_started", {"turn": 3}),
        ("input_taken", {"input_id": "mine", "turn": 3}),
        ("reply_received", {"turn": 3, "text": "thinking aloud", "calls": [{"id": "1"}]}),
        ("reply_received", {"turn": 3, "text": "to me"}),
        ("turn_ended", {"turn": 3}),
    )
    assert (answer.done, answer.code) == (True, 0)
    assert capfdbinary.readouterr().out == b"to me\n"


def test_a_turn_that_fails_before_it_begins_is_a_failure(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    answer = follow(
        MINE,
        ("turn_started", {"turn": 1}),
        ("turn_ended", {"turn": 1, "outcome": "failed", "error": "no model", "hint": "setup"}),
    )
    assert (answer.done, answer.code) == (True, 1)
    assert capfdbinary.readouterr().err == b"hermes: no model\n  setup\n"


@pytest.mark.parametrize(
    ("kind", "data", "code"),
    [
        ("core_ending", {"reason": "restart"}, 1),
        ("input_withdrawn", {"input_id": "mine"}, 1),
        ("turn_ended", {"turn": 1, "outcome": "stopped"}, 130),
        ("turn_ended", {"turn": 1, "outcome": "limit", "error": "200 rounds"}, 1),
    ],
)
def test_every_other_end_has_its_exit_code(kind: str, data: dict[str, Any], code: int) -> None:
    taken = ("input_taken", {"input_id": "mine", "turn": 1})
    answer = follow(MINE, ("turn_started", {"turn": 1}), taken, (kind, data))
    assert (answer.done, answer.code) == (True, code)
