"""The waterfall tells the same story live and from history, however the history is paged."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    ModelAsked,
    ModelFailed,
    Record,
    ReplyReceived,
    TextDelta,
    ToolCall,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    Usage,
)
from hermes_tui.ui.trace_model import TraceModel, Turn, add


def turn_events(number: int, steps: int, tools: int, cost: float | None) -> list[Event]:
    made: list[Event] = [TurnStarted(turn=number)]
    for step in range(1, steps + 1):
        made.append(ModelAsked(turn=number, step=step, model="m", size=900, window=1000))
        calls = tuple(ToolCall(id=f"{number}.{step}.{i}", tool="run_command") for i in range(tools))
        usage = Usage(prompt=100 * step, cached=50, completion=10, cost=cost)
        made.append(ReplyReceived(turn=number, step=step, model="m", calls=calls, usage=usage))
        for call in calls:
            ask = f"ask{call.id}"
            made.append(
                ApprovalAsked(
                    ask_id=ask, turn=number, step=step, call_id=call.id, tool=call.tool, title="x"
                )
            )
            made.append(ApprovalAnswered(ask_id=ask, verdict="once"))
            made.append(ToolStarted(turn=number, step=step, call_id=call.id, tool=call.tool))
            made.append(
                ToolEnded(turn=number, step=step, call_id=call.id, tool=call.tool, seconds=1.0)
            )
    total = Usage(prompt=100 * steps, completion=10 * steps, cost=cost)
    made.append(TurnEnded(turn=number, usage=total, seconds=9.0))
    return made


def records(events: list[Event]) -> list[Record]:
    return [
        Record(session="s", n=i + 1, ts=1000.0 + i, event=event) for i, event in enumerate(events)
    ]


def story(turns: list[Turn]) -> list[object]:
    return [
        (t.number, t.start, t.end, t.outcome, [(s.key, s.start, s.end, s.state, s.name) for s in
         t.steps.values()], t.usage())
        for t in turns
    ]  # fmt: skip


@given(
    shape=st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2)), min_size=1, max_size=4),
    cuts=st.lists(st.integers(0, 60), max_size=4),
    unfinished=st.integers(0, 5),
)
def test_any_paging_of_history_gives_the_same_waterfall(
    shape: list[tuple[int, int]], cuts: list[int], unfinished: int
) -> None:
    events = [e for i, (s, t) in enumerate(shape) for e in turn_events(i + 1, s, t, 0.5)]
    every = records(events)[: len(events) - unfinished]
    live = TraceModel()
    for record in every:
        live.apply(record)
    edges = sorted({0, len(every), *(c for c in cuts if c < len(every))})
    pages = [every[a:b] for a, b in itertools.pairwise(edges)]
    paged = TraceModel()
    paged.load(pages.pop() if pages else [])
    for page in reversed(pages):
        paged.prepend(page)
    assert story(paged.turns) == story(live.turns)


def test_a_waterfall_shows_what_ran_while_and_how_long() -> None:
    model = TraceModel()
    model.load(records(turn_events(1, 2, 1, None)))
    (turn,) = model.turns
    kinds = [step.kind for step in turn.steps.values()]
    assert kinds == ["model", "wait", "tool", "model", "wait", "tool"]
    tool = turn.steps["t1.1.0"]
    assert tool.seconds(0) == 1.0
    assert not turn.running


def test_an_unknown_price_is_never_shown_as_free() -> None:
    known = Usage(prompt=1, completion=1, cost=0.25)
    unknown = Usage(prompt=1, completion=1)
    assert add([known, known]).cost == 0.5
    assert add([known, unknown]).cost is None
    assert add([known, Usage()]).cost == 0.25
    assert add([]).cost is None


def test_the_fill_of_the_context_is_that_of_the_newest_prompt() -> None:
    model = TraceModel()
    model.load(records([*turn_events(1, 1, 0, None), *turn_events(2, 3, 0, None)]))
    assert model.context() == (310, 1000)


def test_a_failed_try_stays_with_the_step_that_then_worked() -> None:
    model = TraceModel()
    model.load(
        records(
            [
                TurnStarted(turn=1),
                ModelAsked(turn=1, step=1, model="m"),
                ModelFailed(turn=1, step=1, attempt=1, message="503", retry_in=2.0),
                ReplyReceived(turn=1, step=1, model="m", text="hi"),
            ]
        )
    )
    step = model.turns[0].steps["m1"]
    assert [f.message for f in step.failures] == ["503"]
    assert step.state == "ok"


def test_a_stopped_turn_leaves_no_bar_running() -> None:
    model = TraceModel()
    model.load(
        records(
            [
                TurnStarted(turn=1),
                ToolStarted(turn=1, step=1, call_id="c", tool="run_command"),
                TurnEnded(turn=1, outcome="stopped"),
            ]
        )
    )
    step = model.turns[0].steps["tc"]
    assert step.state == "stopped"
    assert step.end is not None
    assert model.running is None


def test_streamed_pieces_do_not_touch_the_waterfall() -> None:
    model = TraceModel()
    before = model.version
    event = TextDelta(turn=1, step=1, text="x")
    assert not model.apply(Record(session="s", n=0, ts=0.0, event=event))
    assert model.version == before
