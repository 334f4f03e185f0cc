"""The agents pane: what runs in the background, what it says, and its end."""

from __future__ import annotations

from hermes_tui.intents import ProcessInfo
from hermes_tui.ui.agents_pane import AgentsPane, process_row, state_of
from tests.fakes.scripted_model import call, say
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
        await screen.until(lambda: "it listens" in pane.query_one("#agents-text").source)
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
