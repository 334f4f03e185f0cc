"""The trace pane: what took how long, and everything about a step one key away."""

from __future__ import annotations

from hermes_tui.events import Record, ToolEnded, ToolStarted, TurnStarted, Usage
from hermes_tui.ui.line import width_of
from hermes_tui.ui.trace import TracePane
from hermes_tui.ui.trace_model import Step, Turn
from hermes_tui.ui.trace_rows import StepRow, TurnRow, pretty, usage_words
from hermes_tui.ui.viewer import ViewerScreen
from tests.fakes.scripted_model import call, calls, say
from tests.ui.conftest import Screen, Stage


def line(row: StepRow | TurnRow, width: int) -> str:
    left, right = row.spans(width)
    return "".join(span.text for span in (*left, *right))


def step(start: float, end: float | None, **more: object) -> Step:
    return Step(key="t1", kind="tool", name="run_command", start=start, end=end, **more)


def test_a_bar_stands_where_and_as_long_as_the_step_ran() -> None:
    turn = Turn(number=1, start=100.0, end=110.0)
    row = StepRow(turn, step(105.0, 110.0, state="ok"), lambda: 999.0)
    assert "··········▇▇▇▇▇▇▇▇▇▇" in line(row, 80).replace(" ", "")
    assert line(row, 80).rstrip().endswith("5.0s")


def test_a_step_of_no_time_still_has_a_mark() -> None:
    turn = Turn(number=1, start=100.0, end=200.0)
    row = StepRow(turn, step(199.99, 199.99, state="ok"), lambda: 0.0)
    assert "▇" in line(row, 60)


def test_running_bars_grow_with_the_clock() -> None:
    turn = Turn(number=1, start=100.0)
    now = [104.0]
    row = StepRow(turn, step(102.0, None), lambda: now[0])
    before = line(row, 80).count("▇")
    now[0] = 140.0
    assert line(row, 80).count("▇") > before
    assert "38s" in line(row, 80)


def test_a_failed_step_says_so_in_words_not_by_colour_alone() -> None:
    turn = Turn(number=1, start=100.0, end=110.0)
    for state, glyph in (("error", "✘"), ("denied", "⊘"), ("interrupted", "!")):
        shown = line(StepRow(turn, step(101.0, 102.0, state=state), lambda: 0.0), 80)
        assert glyph in shown
        assert state in shown


def test_a_row_is_never_wider_than_its_list() -> None:
    turn = Turn(number=1, start=100.0, end=110.0)
    one = Step(
        key="t", kind="tool", name="很长的工具名字" * 3, start=101.0, end=102.0, summary="x" * 300
    )
    for width in (20, 33, 48, 80, 200):
        left, right = StepRow(turn, one, lambda: 0.0).spans(width)

        assert width_of(left) + width_of(right) <= max(width, 24)


def test_costs_are_dashes_where_no_price_is_known() -> None:
    known = Usage(prompt=18_200, cached=15_900, completion=900, cost=0.031)
    assert usage_words(known) == "18.2k in (15.9k cached) · 900 out · $0.031"
    assert usage_words(Usage(prompt=5, completion=1)) == "5 in · 1 out · –"


def test_arguments_are_shown_as_they_are_meant() -> None:
    assert pretty('{"path": "a", "content": "x\\ny", "deep": [1]}') == (
        "path: a\ncontent:\nx\ny\ndeep: [1]"
    )
    assert pretty("not json") == "not json"


# --- on a running screen ---


async def ran(stage: Stage, screen: Screen, *replies: object) -> None:
    stage.model.script += replies
    await screen.enter("/mode yolo")
    await screen.enter("do it")
    await screen.until(lambda: screen.app.shown.trace.turns and not screen.app.shown.busy)


async def test_enter_opens_arguments_and_output_and_escape_closes_them(stage: Stage) -> None:
    async with stage.screen((160, 50)) as screen:
        await ran(stage, screen, call("run_command", command="echo one; echo two"), say("done"))
        await screen.press("alt+2", "down", "down", "enter")
        await screen.until(lambda: screen.shows("arguments", "command: echo one; echo two"))
        await screen.until(lambda: screen.shows("of output"))
        await screen.press("c")
        assert "one\ntwo" in screen.app.clipboard
        await screen.press("escape")
        await screen.until(lambda: not screen.shows("command: echo one"))
        assert screen.app.frame.focused() == "trace"


async def test_a_long_output_can_be_read_whole(stage: Stage) -> None:
    async with stage.screen((160, 50)) as screen:
        await ran(stage, screen, call("run_command", command="seq 1 20000"), say("done"))
        await screen.press("alt+2", "down", "down", "o")
        await screen.until(lambda: isinstance(screen.app.screen, ViewerScreen))
        await screen.press("c")
        assert "\n10000\n" in screen.app.clipboard
        await screen.press("end")
        assert screen.shows("20000")
        await screen.press("q")
        assert len(screen.app.screen_stack) == 1


async def test_the_prompts_composition_is_told_with_its_model_call(stage: Stage) -> None:
    async with stage.screen((160, 50)) as screen:
        await ran(stage, screen, say("done"))
        await screen.press("alt+2", "down", "enter")
        await screen.until(lambda: screen.shows("in the prompt", "messages"))


async def test_turns_fold_and_unfold_and_the_newest_is_open(stage: Stage) -> None:
    async with stage.screen((160, 50)) as screen:
        await ran(stage, screen, calls(), say("one"))
        await screen.enter("again")
        stage.model.script.append(say("two"))
        await screen.until(lambda: len(screen.app.shown.trace.turns) == 2)
        await screen.until(lambda: screen.shows("▾ turn 2", "▸ turn 1"))
        await screen.press("alt+2", "home", "enter")
        await screen.until(lambda: screen.shows("▸ turn 2", "▸ turn 1"))


async def test_live_and_reopened_traces_are_the_same(stage: Stage) -> None:
    async with stage.screen((160, 50)) as screen:
        await ran(stage, screen, call("run_command", command="true"), say("done"))
        live = [(t.number, list(t.steps)) for t in screen.app.shown.trace.turns]
        session = screen.app.session
    async with stage.screen((160, 50), which=session) as screen:
        assert [(t.number, list(t.steps)) for t in screen.app.shown.trace.turns] == live


async def test_a_flood_of_events_is_drawn_once(stage: Stage) -> None:
    async with stage.screen((160, 50)) as screen:
        pane = screen.app.query_one(TracePane)
        drawn = []
        original = pane.draw_rows
        pane.draw_rows = lambda: (drawn.append(1), original())[1]
        model = screen.app.shown.trace
        events = [TurnStarted(turn=1)]
        for n in range(300):
            events.append(ToolStarted(turn=1, step=1, call_id=str(n), tool="x"))
            events.append(ToolEnded(turn=1, step=1, call_id=str(n), tool="x"))
        for n, event in enumerate(events, 100):
            model.apply(Record(session=screen.app.session, n=n, ts=1.0, event=event))
            pane.changed()
        await screen.until(lambda: drawn)
        assert len(drawn) <= 2
