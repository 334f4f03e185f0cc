"""The trace is filtered, compared, run again and written to a file, each by one key."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.events import (
    RanAgain,
    Record,
    Rewound,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from hermes_tui.intents import Rewind
from hermes_tui.ui.diff_screen import DiffScreen
from hermes_tui.ui.trace import TracePane
from hermes_tui.ui.trace_calls import turn_json
from hermes_tui.ui.trace_filter import parse, steps_of, wants
from hermes_tui.ui.trace_model import Step, TraceModel
from tests.fakes.scripted_model import Call, call, calls, say
from tests.ui.conftest import Screen, Stage
from tests.ui.test_trace import ran


def step(name: str = "run_command", state: str = "ok", said: str = "", **more: Any) -> Step:
    made = Step(key="t1", kind="tool", name=name, start=1.0, end=2.0, state=state, **more)
    made.ended = ToolEnded(turn=1, step=1, call_id="1", tool=name, for_model=said)
    return made


def test_the_filter_knows_tools_states_and_words() -> None:
    bad = step(state="error", said="Permission DENIED by host")
    assert wants(parse("tool:run"), bad)
    assert not wants(parse("tool:read"), bad)
    assert wants(parse("status:error denied"), bad)
    assert wants(parse("status:failed"), bad)
    assert not wants(parse("status:ok"), bad)
    assert not wants(parse("denied nowhere"), bad)
    assert wants(parse("kind:tool"), bad)
    assert wants(parse("tool:read tool:run"), bad)


@given(st.text(max_size=40))
def test_any_filter_can_be_typed(query: str) -> None:
    wanted = parse(query)
    assert wants(wanted, step()) in (True, False)
    if not query.strip():
        assert wants(wanted, step())


def records(*events: Any) -> list[Record]:
    return [Record(session="s", n=n, ts=100.0 + n, event=one) for n, one in enumerate(events, 1)]


def history() -> list[Record]:
    made: list[Any] = []
    for turn in (1, 2, 3):
        name = {"turn": turn, "step": 1, "call_id": f"c{turn}", "tool": "run_command"}
        made += [TurnStarted(turn=turn), ToolStarted(summary="make", **name), ToolEnded(**name)]
        made.append(TurnEnded(turn=turn))
    again = RanAgain(turn=1, call_id="x", of="c1", tool="run_command", for_model="two")
    return records(*made, again)


def test_a_call_run_again_belongs_to_its_turn_live_and_in_pages() -> None:
    whole, paged = TraceModel(), TraceModel()
    whole.load(history())
    rows = history()
    paged.load(rows[8:])
    paged.prepend(rows[4:8])
    paged.prepend(rows[:4])
    for model in (whole, paged):
        assert [turn.number for turn in model.turns] == [1, 2, 3]
        assert list(model.turns[0].steps) == ["tc1", "tx"]
        assert model.turns[0].steps["tx"].again_of == "c1"
        assert len(steps_of(model.turns[0], parse("two"))) == 1


def test_an_exported_turn_has_every_event_as_the_log_has_it() -> None:
    model = TraceModel()
    model.load(history())
    made = json.loads(turn_json(model.turns[0], "s"))
    assert made["turn"] == 1
    kinds = [event["kind"] for one in made["steps"] for event in one["events"]]
    assert kinds == ["tool_started", "tool_ended", "tool_started", "tool_ended"]
    assert made["steps"][1]["events"][1]["data"]["for_model"] == "two"


# --- on a running screen ---


async def test_slash_filters_and_escape_shows_all_again(stage: Stage) -> None:
    async with stage.screen((160, 50)) as screen:
        both = calls(
            Call("run_command", {"command": "echo hay"}), Call("run_command", {"command": "false"})
        )
        await ran(stage, screen, both, say("done"))
        await screen.press("alt+2", "slash")
        await screen.type("status:failed")
        pane = screen.app.query_one(TracePane)
        await screen.until(lambda: len(pane._rows.rows) == 2)
        await screen.press("enter")
        assert screen.app.focused is pane._rows
        await screen.press("escape")
        await screen.until(lambda: len(pane._rows.rows) > 3)


async def test_r_runs_a_call_again_and_equals_says_what_is_different(stage: Stage) -> None:
    async with stage.screen((160, 50)) as screen:
        await ran(stage, screen, call("run_command", command="echo x >> log; cat log"), say("done"))
        await screen.press("alt+2", "down", "down", "r")
        await screen.until(lambda: again(screen) is not None)
        assert (stage.folder / "log").read_text() == "x\nx\n"
        await screen.until(lambda: screen.shows("again"))
        await screen.press("down", "down", "equals_sign")
        await screen.until(lambda: isinstance(screen.app.screen, DiffScreen))
        await screen.until(lambda: screen.shows("+ x"))


async def test_a_call_that_runs_again_shows_its_output_as_it_comes_and_is_stopped(
    stage: Stage,
) -> None:
    async with stage.screen((160, 50)) as screen:
        wait = "echo begun; while test -e gate; do sleep 0.05; done"
        await ran(stage, screen, call("run_command", command=wait), say("done"))
        (stage.folder / "gate").touch()
        await screen.press("alt+2", "down", "down", "r")
        await screen.until(lambda: screen.shows("│ begun", "again: run_command"))
        step = again(screen)
        assert step is not None
        assert step.state == "running"
        assert screen.app.ticker.ticking
        await screen.press("r")
        await screen.until(lambda: step.state == "stopped")
        await screen.until(lambda: screen.shows("ready"))
        assert not screen.app.ticker.ticking
        await screen.press("r")
        await screen.until(lambda: screen.shows("again: run_command"))
        await screen.press("escape", "escape")
        await screen.until(lambda: screen.shows("ready"))


def test_turns_that_were_taken_back_are_known_however_the_history_comes() -> None:
    made: list[Any] = []
    for turn in (1, 2, 3):
        made += [TurnStarted(turn=turn), TurnEnded(turn=turn)]
    made += [Rewound(turn=2), TurnStarted(turn=4), TurnEnded(turn=4)]
    rows = records(*made)
    for cut in range(len(rows) + 1):
        model = TraceModel()
        model.load(rows[cut:])
        model.prepend(rows[:cut])
        assert [turn.number for turn in model.turns if turn.taken] == [2, 3], cut


async def test_turns_that_were_taken_back_are_one_line_of_the_trace(stage: Stage) -> None:
    async with stage.screen((160, 50)) as screen:
        for word in ("one", "two", "three"):
            await ran(stage, screen, say(word))
        await screen.app.ask(Rewind(session=screen.app.session, turn=2))
        await screen.until(lambda: screen.shows("taken back · 2 turns"))
        assert not screen.shows("turn 3")
        await screen.press("alt+2", "home", "enter")
        await screen.until(lambda: screen.shows("turn 3", "turn 2", "turn 1"))


def again(screen: Screen) -> Step | None:
    steps = screen.app.shown.trace.turns[-1].steps.values()
    return next((one for one in steps if one.again_of), None)


async def test_space_marks_two_calls_to_compare(stage: Stage) -> None:
    async with stage.screen((160, 50)) as screen:
        both = calls(
            Call("run_command", {"command": "echo one"}),
            Call("run_command", {"command": "echo two"}),
        )
        await ran(stage, screen, both, say("done"))
        await screen.press("alt+2", "equals_sign")
        await screen.until(lambda: screen.shows("mark two calls"))
        await screen.press("down", "down", "space", "down", "space")
        await screen.until(lambda: screen.text.count("◆") == 2)
        await screen.press("equals_sign")
        await screen.until(lambda: screen.shows("- one") and screen.shows("+ two"))


async def test_x_writes_the_turn_and_never_over_another_file(stage: Stage) -> None:
    async with stage.screen((160, 50)) as screen:
        await ran(stage, screen, call("run_command", command="echo hi"), say("done"))
        await screen.press("alt+2", "x")
        first = stage.folder / "turn-1.json"
        await screen.until(first.exists)
        await screen.until(lambda: screen.shows("turn-1.json"))
        await screen.press("x")
        await screen.until((stage.folder / "turn-1-2.json").exists)
        assert json.loads(first.read_text())["steps"][1]["name"] == "run_command"


async def test_details_say_where_a_call_ran_and_how_it_ended(stage: Stage) -> None:
    async with stage.screen((160, 50)) as screen:
        await ran(stage, screen, call("run_command", command="exit 3"), say("done"))
        await screen.press("alt+2", "down", "down", "enter")
        await screen.until(lambda: screen.shows("environment", "folder", "exit code", "3"))
