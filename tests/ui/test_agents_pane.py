"""The agents pane: what runs in the background, what it says, and its end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.agents_text import STATES
from hermes_tui.intents import AgentInfo, ProcessInfo
from hermes_tui.ui.agents_pane import AgentsPane
from hermes_tui.ui.agents_rows import agent_row, as_tree, process_row, state_of
from hermes_tui.ui.search_box import SearchBox
from hermes_tui.ui.viewer import TextView
from tests.fakes.scripted_model import Asked, Call, Reply, call, calls, say
from tests.ui.conftest import Screen, Stage


def words(one: ProcessInfo) -> str:
    row = process_row(one, 100.0)
    return "".join(span.text for span in (*row.left, *row.right))


def test_a_process_is_a_glyph_a_command_a_word_and_a_time() -> None:
    one = ProcessInfo(id="p", session="s", command="npm\nrun dev", state="running", started=40.0)
    assert words(one) == " ◐ npm run devrunning 1m 00s "


def test_every_end_has_a_word_of_its_own() -> None:
    def word(state: str, code: int | None = None) -> str:
        one = ProcessInfo(
            id="p", session="s", command="x", state=state, started=1.0, ended=2.0, exit_code=code
        )
        return state_of(one)[2]

    assert [word("exited", 0), word("exited", 2), word("killed"), word("ended by SIGSEGV")] == [
        "done",
        "exit 2",
        "killed",
        "ended by SIGSEGV",
    ]


async def leave_running(stage: Stage, screen: Screen) -> None:
    stage.model.script += [
        call("run_command", command="echo it listens; sleep 60", background=True),
        say("it runs"),
    ]
    await screen.enter("start it")
    await screen.until(lambda: screen.app.shown.trace.turns and not screen.app.shown.busy)


async def test_a_process_left_running_is_in_the_rail_and_in_its_pane(stage: Stage) -> None:
    async with stage.screen((200, 50), which="new") as screen:
        await screen.enter("/mode yolo")
        await screen.until(lambda: screen.app.shown.info.mode == "yolo")
        await leave_running(stage, screen)
        await screen.until(lambda: screen.shows("Background", "◐ echo it listens"))
        await screen.press("alt+5")
        await screen.until(lambda: screen.shows("1 running, 0 ended"))
        pane = screen.app.main.query_one(AgentsPane)
        await screen.until(lambda: "it listens" in pane.query_one(TextView).source)
        await screen.press("x")
        await screen.until(lambda: screen.shows("0 running, 1 ended", "killed"))
        assert not stage.core.running()


async def test_the_pane_opens_the_session_of_a_process(stage: Stage) -> None:
    async with stage.screen((200, 50), which="new") as screen:
        await screen.enter("/mode yolo")
        await screen.until(lambda: screen.app.shown.info.mode == "yolo")
        first = screen.app.session
        await leave_running(stage, screen)
        await screen.enter("/new Second")
        await screen.until(lambda: screen.app.session != first)
        await screen.press("alt+5")
        await screen.until(lambda: screen.shows("1 running"))
        await screen.press("g")
        await screen.until(lambda: screen.app.session == first)


async def test_nothing_in_the_background_is_said(stage: Stage) -> None:
    async with stage.screen((80, 24)) as screen:
        await screen.enter("/agents")
        await screen.until(lambda: screen.shows("nothing runs in the background"))


def agent(name: str, parent: str = "top", state: str = "running", **more: Any) -> AgentInfo:
    return AgentInfo(
        id=name, session=f"s-{name}", parent=parent, goal=f"goal {name}", state=state, **more
    )


def test_subagents_stand_below_the_one_that_began_them() -> None:
    agents = [agent("a"), agent("b"), agent("b1", "s-b"), agent("a1", "s-a"), agent("a2", "s-a1")]
    assert [(level, one.id) for level, one in as_tree(agents)] == [
        (0, "a"),
        (1, "a1"),
        (2, "a2"),
        (0, "b"),
        (1, "b1"),
    ]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), unique_by=lambda one: one[0]))
def test_no_subagent_is_shown_twice(pairs: list[tuple[int, int]]) -> None:
    agents = [agent(str(name), f"s-{below}") for name, below in pairs if below < name]
    assert sorted(one.id for _, one in as_tree(agents)) == sorted(one.id for one in agents)


@pytest.mark.parametrize("state", ["running", "waiting", "done", "failed", "stopped", "timeout"])
def test_every_state_of_a_subagent_has_a_word_of_its_own(state: str) -> None:
    row = agent_row(agent("a", state=state, started=40.0, ended=50.0, tokens=2100), 100.0)
    text = "".join(span.text for span in (*row.left, *row.right))
    assert STATES[state] in text
    assert "goal a" in text
    assert "10" in text


async def test_a_subagent_is_watched_told_more_and_stopped_in_the_pane(stage: Stage) -> None:
    def answer(asked: Asked) -> Reply:
        first = next(one["content"] for one in asked.messages if one["role"] == "user")
        if "You are a subagent" not in first:
            done = asked.messages[-1]["role"] != "user"
            arguments = {"goals": ["count the sheep"]}
            begun = calls(Call("use_tool", {"name": "delegate", "arguments": arguments}))
            heard = "what you delegated has ended" in asked.body.decode()
            return say("they work") if done or heard else begun
        if "black too" in asked.body.decode():
            return say("never said", gate="never")
        if asked.messages[-1]["role"] == "tool":
            return say("twelve", gate="told")
        return calls(Call("search_files", {"pattern": "sheep"}), text="So far twelve.")

    stage.model.answer = answer
    async with stage.screen((200, 50), which="new") as screen:
        await screen.enter("count them")
        await screen.press("alt+5")
        await screen.until(lambda: screen.shows("count the sheep", "at work"))
        pane = screen.app.main.query_one(AgentsPane)
        await screen.until(lambda: "So far twelve." in pane.query_one(TextView).source)
        await screen.press("e")
        field = pane.query_one("#agents-field", SearchBox)
        await screen.until(lambda: screen.app.focused is field)
        await screen.press(*"black", "space", *"too", "enter")
        stage.model.open("told")
        await screen.until(lambda: "black too" in stage.model.last.body.decode())
        await screen.press("x")
        await screen.until(lambda: screen.shows("stopped"))
        shown = screen.app.shown
        await screen.until(lambda: len(shown.trace.turns) == 2 and not shown.busy)


async def test_a_text_worked_on_in_the_background_answers_in_the_chat(stage: Stage) -> None:
    stage.model.script += [say("It is 42.")]
    async with stage.screen((120, 35), which="new") as screen:
        await screen.enter("/bg what is six times seven")
        await screen.until(lambda: screen.shows("It is 42."))


async def test_a_question_beside_is_answered_and_not_added(stage: Stage) -> None:
    stage.model.script += [say("Hello."), say("You said hello."), say("Fine.")]
    async with stage.screen((120, 35), which="new") as screen:
        await screen.enter("hello there")
        await screen.until(lambda: screen.shows("Hello.") and not screen.app.shown.busy)
        await screen.enter("/btw what did I say")
        await screen.until(lambda: screen.shows("You said hello."))
        await screen.enter("and now")
        await screen.until(lambda: screen.shows("Fine."))
    asked = [one["content"] for one in stage.model.last.messages[1:]]
    assert not any("what did I say" in str(text) for text in asked)
    assert not any("You said hello." in str(text) for text in asked)
