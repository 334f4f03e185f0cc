"""The status line says what runs, how full the context is and what it cost, and nothing made up."""

from __future__ import annotations

import pytest

from hermes_tui.events import (
    Event,
    KeysChanged,
    ModelAsked,
    Record,
    ReplyReceived,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    Usage,
)
from hermes_tui.ui import figures
from hermes_tui.ui.line import Span
from hermes_tui.ui.status import State, status_left, status_right
from hermes_tui.ui.trace_model import TraceModel


def trace(*made: Event) -> TraceModel:
    model = TraceModel()
    model.load(
        Record(session="s", n=i + 1, ts=100.0 + i, event=event) for i, event in enumerate(made)
    )
    return model


def words(spans: list[Span]) -> str:
    return "".join(span.text for span in spans)


ASKED = ModelAsked(turn=1, step=1, model="m", window=200_000)


def test_an_idle_agent_is_ready() -> None:
    assert words(status_left(State(trace=trace(), now=0.0))).strip() == "● ready"


def test_a_running_tool_is_named_with_its_seconds_and_the_keys_that_matter() -> None:
    running = trace(
        TurnStarted(turn=1), ToolStarted(turn=1, step=1, call_id="c", tool="run_command")
    )
    said = words(status_left(State(trace=running, now=105.0, motion=False)))
    assert "◐ run_command 4.0s" in said
    assert "turn 5.0s" in said
    assert "esc stop" in said
    assert "↵ steer" in said
    assert "alt+↵ queue" in said


def test_a_model_that_thinks_is_shown_as_thinking() -> None:
    said = words(status_left(State(trace=trace(TurnStarted(turn=1), ASKED), now=103.0)))
    assert "thinking 2.0s" in said


def test_a_pending_approval_says_that_it_is_your_turn() -> None:
    state = State(trace=trace(TurnStarted(turn=1)), now=101.0, waiting_for_you=True)
    assert "waiting for you" in words(status_left(state))


def test_context_and_cost_are_shown_as_far_as_they_are_known() -> None:
    usage = Usage(prompt=60_000, completion=2_000, cost=0.42)
    model = trace(TurnStarted(turn=1), ASKED, ReplyReceived(turn=1, step=1, usage=usage))
    said = words(status_right(State(trace=model, now=0.0), 80))
    assert said.split() == ["ctx", "▇▇▇░░░░░░░", "31%", "62.0k", "of", "200k", "$0.42"]
    assert words(status_right(State(trace=model, now=0.0), 20)) == "ctx 31%   $0.42"
    assert not status_right(State(trace=model, now=0.0), 3)


def test_an_unknown_price_is_a_dash_and_an_unknown_window_has_no_bar() -> None:
    usage = Usage(prompt=500, completion=10)
    model = trace(TurnStarted(turn=1), ReplyReceived(turn=1, step=1, usage=usage))
    assert words(status_right(State(trace=model, now=0.0), 80)) == "ctx 510   –"


def test_nothing_is_said_about_tokens_before_there_are_any() -> None:
    assert not status_right(State(trace=trace(TurnStarted(turn=1)), now=0.0), 80)


def test_after_a_turn_nothing_seems_to_run() -> None:
    model = trace(
        TurnStarted(turn=1),
        ToolStarted(turn=1, step=1, call_id="c", tool="x"),
        ToolEnded(turn=1, step=1, call_id="c", tool="x"),
        TurnEnded(turn=1),
    )
    assert "ready" in words(status_left(State(trace=model, now=0.0)))


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.04, "0.0s"), (9.94, "9.9s"), (9.96, "10s"), (59.6, "1m 00s"), (3840, "1h 04m")],
)
def test_seconds_read_well(value: float, said: str) -> None:
    assert figures.seconds(value) == said


@pytest.mark.parametrize(
    ("value", "said"), [(None, "–"), (0.0, "$0.00"), (0.031, "$0.031"), (1.234, "$1.23")]
)
def test_money_is_never_made_up(value: float | None, said: str) -> None:
    assert figures.money(value) == said


@pytest.mark.parametrize(
    ("value", "said"), [(999, "999"), (18_240, "18.2k"), (99_960, "100k"), (1_250_000, "1.2M")]
)
def test_tokens_read_well(value: int, said: str) -> None:
    assert figures.tokens(value) == said


def test_resting_keys_are_counted_until_they_are_ready_again() -> None:
    resting = KeysChanged(whose="openrouter.ai", ready=2, keys=3, until=150.0)
    state = State(trace=trace(), now=100.0, keys=(resting,))
    assert "keys 2/3" in words(status_right(state, 60))
    later = State(trace=trace(), now=151.0, keys=(resting,))
    assert "keys" not in words(status_right(later, 60))
    whole = KeysChanged(whose="openrouter.ai", ready=3, keys=3)
    assert "keys" not in words(status_right(State(trace=trace(), now=1.0, keys=(whole,)), 60))
