"""The screen as a person uses it, over a real core, through both kinds of client."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import pytest

from hermes_tui.errors import CoreError
from hermes_tui.intents import (
    AnswerApproval,
    ImportedMessage,
    ImportSession,
    OpenSession,
    Search,
    Send,
    Standing,
)
from hermes_tui.ui.approval_frame import AskCard
from hermes_tui.ui.blocks import Block
from hermes_tui.ui.memory_pane import MemoryPane
from hermes_tui.ui.rail import Rail
from tests.fakes.scripted_model import call, say
from tests.ui.conftest import Screen, Stage, eventually


async def idle(screen: Screen, turns: int = 1) -> None:
    """Wait until so many turns have ended."""
    shown = screen.app.shown
    await screen.until(lambda: len(shown.trace.turns) >= turns and not shown.busy)


async def answered(stage: Stage, screen: Screen, text: str, *replies: object) -> None:
    """Say something and wait for the end of the turn."""
    turns = len(screen.app.shown.trace.turns)
    stage.model.script += replies
    await screen.enter(text)
    await idle(screen, turns + 1)


# --- talking ---------------------------------------------------------------------------------


async def test_what_is_said_and_answered_is_on_the_screen(stage: Stage) -> None:
    async with stage.screen() as screen:
        await answered(stage, screen, "how are you", say("Fine, **thank you**."))
        assert screen.shows("how are you", "Fine, thank you.", "turn 1")
        assert screen.app.talk.prompt.text == ""


async def test_a_text_stays_in_the_prompt_until_the_core_has_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.screen() as screen:
        ask = screen.app.client.ask

        async def refuse(intent: object) -> object:
            if isinstance(intent, Send):
                raise CoreError("no room on the disk", "make some")
            return await ask(intent)

        monkeypatch.setattr(screen.app.client, "ask", refuse)
        await screen.enter("do not lose me")
        await screen.until(lambda: screen.shows("no room on the disk"))
        assert screen.app.talk.prompt.text == "do not lose me"
        monkeypatch.undo()
        stage.model.script.append(say("got it"))
        await screen.press("enter")
        await idle(screen)
        assert screen.app.talk.prompt.text == ""


async def test_a_path_is_something_to_say_and_a_typo_is_not(stage: Stage) -> None:
    async with stage.screen() as screen:
        await answered(stage, screen, "/etc/hosts is broken", say("I see."))
        assert screen.shows("/etc/hosts is broken")
        await screen.enter("/modle x")
        await screen.until(lambda: screen.shows("no command /modle"))
        assert screen.shows("/model")
        assert screen.app.talk.prompt.text == "/modle x"
        assert len(stage.model.requests) == 1


async def test_enter_steers_and_alt_enter_queues_while_the_agent_works(stage: Stage) -> None:
    async with stage.screen() as screen:
        stage.model.script += [say("one", gate="g"), say("two"), say("three")]
        await screen.enter("first")
        await screen.until(lambda: screen.app.shown.busy)
        await screen.enter("steer me")
        await screen.until(lambda: screen.shows("⇢ steer"))
        await screen.type("later")
        await screen.press("alt+enter")
        await screen.until(lambda: screen.shows("… queue"))
        assert screen.shows("«steer me»", "«later»", "esc stop")
        stage.model.open("g")
        await idle(screen, 2)
        assert screen.shows("one", "two", "three")
        assert not screen.shows("⇢ steer")


async def test_stopping_brings_waiting_text_back_to_the_prompt(stage: Stage) -> None:
    async with stage.screen() as screen:
        stage.model.script.append(say("never", gate="g"))
        await screen.enter("first")
        await screen.until(lambda: screen.app.shown.busy)
        await screen.enter("and then this")
        await screen.until(lambda: screen.app.shown.waiting)
        await screen.press("escape")
        await idle(screen)
        assert screen.app.talk.prompt.text == "and then this"
        assert screen.shows("ready")


async def test_up_takes_a_waiting_text_back(stage: Stage) -> None:
    async with stage.screen() as screen:
        stage.model.script.append(say("never", gate="g"))
        await screen.enter("first")
        await screen.until(lambda: screen.app.shown.busy)
        await screen.enter("oops")
        await screen.until(lambda: screen.app.shown.waiting)
        await screen.press("up")
        await screen.until(lambda: screen.app.talk.prompt.text == "oops")
        assert not screen.app.shown.waiting


async def test_enter_queues_where_the_setting_says_so(stage: Stage) -> None:
    async with stage.screen(busy_enter="queue") as screen:
        stage.model.script += [say("one", gate="g"), say("two")]
        await screen.enter("first")
        await screen.until(lambda: screen.app.shown.busy)
        await screen.enter("second")
        await screen.until(lambda: screen.app.shown.waiting)
        (waiting,) = screen.app.shown.waiting.values()
        assert waiting.how == "queue"
        stage.model.open("g")
        await idle(screen, 2)


# --- approvals and questions -------------------------------------------------------------------


def pass_grace(screen: Screen) -> None:
    """As if a second had gone by, in which nobody typed."""
    for card in screen.app.query(AskCard):
        card._clock = lambda: time.monotonic() + 1.0


async def asked_to_run(stage: Stage, screen: Screen, command: str = "echo hello") -> None:
    stage.model.script += [call("run_command", command=command), say("done")]
    await screen.enter("run it")
    await screen.until(lambda: screen.app.shown.approvals)


async def test_a_command_runs_after_y(stage: Stage) -> None:
    async with stage.screen() as screen:
        await asked_to_run(stage, screen)
        assert screen.shows("approve", "echo hello", "waiting for you")
        pass_grace(screen)
        await screen.press("y")
        await idle(screen)
        assert screen.shows("✔", "done")


async def test_alt_a_turns_to_the_card_while_a_draft_is_in_the_prompt(stage: Stage) -> None:
    async with stage.screen() as screen:
        await asked_to_run(stage, screen)
        await screen.type("yes")
        assert screen.app.talk.prompt.text == "yes"
        await screen.press("alt+a")
        pass_grace(screen)
        await screen.press("n")
        await screen.type("no")
        await screen.press("enter")
        await idle(screen)
        assert screen.app.talk.prompt.text == "yes"
        assert "no" in stage.model.last.messages[-1]["content"]


async def test_an_approval_can_be_answered_by_command(stage: Stage) -> None:
    async with stage.screen() as screen:
        await asked_to_run(stage, screen)
        await screen.enter("/approve deny too risky")
        await idle(screen)
        assert "too risky" in stage.model.last.messages[-1]["content"]
        await screen.enter("/approve perhaps")
        await screen.until(lambda: screen.shows("no answer 'perhaps'"))


async def test_a_question_of_the_agent_is_answered_by_number(stage: Stage) -> None:
    async with stage.screen() as screen:
        stage.model.script += [
            call("ask_user", question="Which one?", options=["red", "blue"]),
            say("good"),
        ]
        await screen.enter("choose")
        await screen.until(lambda: screen.shows("Which one?"))
        pass_grace(screen)
        await screen.press("2")
        await idle(screen)
        assert "blue" in stage.model.last.messages[-1]["content"]


async def test_another_screens_answer_closes_the_card(stage: Stage) -> None:
    async with stage.screen() as screen:
        await asked_to_run(stage, screen)
        other = await stage.client()
        (ask_id,) = screen.app.shown.approvals
        await other.ask(
            AnswerApproval(session=screen.app.session, ask_id=ask_id, verdict="once", face="phone")
        )
        await idle(screen)
        assert not screen.shows("⚠ approve")


# --- sessions ------------------------------------------------------------------------------------


async def test_sessions_are_made_renamed_and_switched(stage: Stage) -> None:
    async with stage.screen((200, 50)) as screen:
        await answered(stage, screen, "about the blog", say("one"))
        first = screen.app.session
        await screen.press("ctrl+n")
        await screen.until(lambda: screen.app.session != first)
        await screen.enter("/title Garden notes")
        await screen.until(lambda: screen.shows("▸ Garden notes"))
        await screen.until(lambda: len(screen.app.query_one(Rail).sessions) == 2)
        second = screen.app.session
        await screen.press("ctrl+pagedown")
        await screen.until(lambda: screen.app.session == first)
        assert screen.shows("about the blog")
        await screen.press("ctrl+pageup")
        await screen.until(lambda: screen.app.session == second)
        await screen.enter(f"/resume {first}")
        await screen.until(lambda: screen.app.session == first)


async def test_what_another_session_does_is_not_shown_here(stage: Stage) -> None:
    async with stage.screen() as screen:
        other = await stage.client()
        standing = Standing(cwd=str(stage.folder))
        view = await other.ask(OpenSession(which="new", standing=standing))
        stage.model.script.append(say("elsewhere"))
        await other.ask(Send(session=view.info.id, text="over there"))
        await eventually(lambda: stage.model.requests)
        await screen.until(lambda: screen.app.query_one(Rail).sessions)
        assert not screen.shows("elsewhere")
        assert not screen.app.shown.trace.turns


async def test_a_long_session_is_open_at_once_and_comes_in_whole(stage: Stage) -> None:
    client = await stage.client()
    messages = tuple(
        ImportedMessage(id=f"m{n}", role="user", text=f"message number {n}", ts=1000.0 + n)
        for n in range(1500)
    )
    await client.ask(ImportSession(id="long", title="Long", messages=messages))
    async with stage.screen(which="long") as screen:
        await screen.until(lambda: screen.shows("message number 1499"))
        await screen.until(lambda: screen.app.shown.complete)
        assert screen.app.shown.reaches_back_to == 1
        assert screen.shows("message number 1499")
        await screen.enter("/find number 7$")
        await screen.until(lambda: screen.shows("1 of 1", "message number 7"))


async def test_a_hit_of_the_memory_search_opens_its_session_there(stage: Stage) -> None:
    client = await stage.client()
    messages = tuple(
        ImportedMessage(
            id=f"m{n}",
            role="user",
            text="the pelican is here" if n == 30 else f"filler {n}",
            ts=1000.0 + n,
        )
        for n in range(900)
    )
    await client.ask(ImportSession(id="birds", title="Birds", messages=messages))
    async with stage.screen() as screen:
        await screen.enter("/memory pelican")
        await screen.until(lambda: screen.shows("1 hit"))
        await screen.press("enter", "enter")
        await screen.until(lambda: screen.app.session == "birds")
        await screen.until(lambda: screen.shows("the pelican is here", "filler 31"))


async def test_a_hit_can_be_put_into_the_prompt(stage: Stage) -> None:
    async with stage.screen() as screen:
        await answered(stage, screen, "remember the pelican", say("yes"))
        await screen.press("alt+3")
        await screen.type("pelican")
        await screen.until(lambda: screen.app.query_one(MemoryPane).hits)
        await screen.press("enter", "p")
        await screen.until(lambda: "pelican" in screen.app.talk.prompt.text)


async def test_typing_in_the_memory_box_never_waits_for_the_core(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.screen() as screen:
        ask = screen.app.client.ask
        hold = asyncio.Event()
        held: list[object] = []

        async def slow(intent: object) -> object:
            if isinstance(intent, Search):
                held.append(intent)
                await hold.wait()
            return await ask(intent)

        monkeypatch.setattr(screen.app.client, "ask", slow)
        await screen.press("alt+3")
        await screen.type("pelican")
        await screen.until(lambda: held)
        await screen.type("s too")
        assert screen.shows("pelicans too")
        hold.set()


# --- commands ---


def told(screen: Screen) -> Sequence[Block]:
    """The blocks of the chat."""
    return screen.app.transcript.blocks


async def test_answers_of_the_core_are_shown_in_the_chat(stage: Stage) -> None:
    async with stage.screen() as screen:
        await screen.enter("/tools")
        await screen.until(lambda: any("run_command" in one.source for one in told(screen)))
        await screen.enter("/usage")
        await screen.until(lambda: screen.shows("Usage of this session"))


async def test_shift_tab_steps_through_the_modes(stage: Stage) -> None:
    async with stage.screen() as screen:
        for mode in ("auto-edit", "plan", "yolo", "ask"):
            await screen.press("shift+tab")
            await screen.until(lambda mode=mode: screen.app.shown.info.mode == mode)
        assert screen.shows("ask")


async def test_the_model_can_be_picked_from_what_the_endpoint_offers(stage: Stage) -> None:
    async with stage.screen() as screen:
        await screen.press("ctrl+l")
        await screen.until(lambda: screen.shows("answer with", "● scripted"))
        await screen.press("enter")
        await screen.until(lambda: screen.app.shown.info.model == "scripted")


async def test_the_palette_runs_what_is_found(stage: Stage) -> None:
    async with stage.screen() as screen:
        await screen.press("ctrl+p")
        await screen.type("skills pane")
        await screen.press("enter")
        await screen.until(lambda: screen.app.frame.now.side == "skills")


async def test_a_session_is_exported_and_never_over_another_file(stage: Stage) -> None:
    async with stage.screen() as screen:
        await answered(stage, screen, "keep this", say("kept"))
        await screen.enter("/export talk.jsonl")
        path = stage.folder / "talk.jsonl"
        await screen.until(path.exists)
        lines = path.read_text().splitlines()
        assert '"session"' in lines[0]
        assert [("keep this" in line, "kept" in line) for line in lines[1:]] == [
            (True, False),
            (False, True),
        ]
        await screen.enter("/export talk.jsonl")
        await screen.until(lambda: screen.shows("exists already"))


async def test_a_command_without_its_argument_says_what_it_needs(stage: Stage) -> None:
    async with stage.screen() as screen:
        await screen.enter("/title")
        await screen.until(lambda: screen.shows("/title needs TITLE"))


# --- leaving ---


@pytest.mark.parametrize("way", ["ctrl+q", "/detach"])
async def test_leaving_leaves_the_core_running(stage: Stage, way: str) -> None:
    async with stage.screen() as screen:
        await (screen.enter(way) if way.startswith("/") else screen.press(way))
        await eventually(lambda: screen.app._exit)
    assert screen.app.return_value == "detach"
    assert not stage.core.ended.is_set()


async def test_quit_ends_it_when_nothing_would_be_cut_off(stage: Stage) -> None:
    async with stage.screen() as screen:
        await screen.enter("/quit")
        await eventually(lambda: screen.app._exit)
    assert screen.app.return_value == "quit"


@pytest.mark.parametrize(
    ("keys", "result"), [(["enter"], "detach"), (["down", "enter"], "quit"), (["escape"], None)]
)
async def test_quit_asks_when_work_would_be_cut_off_and_leaves_it_by_default(
    stage: Stage, keys: list[str], result: str | None
) -> None:
    async with stage.screen() as screen:
        stage.model.script.append(say("never", gate="g"))
        await screen.enter("long work")
        await screen.until(lambda: screen.app.shown.busy)
        await screen.enter("/quit")
        await screen.until(lambda: screen.shows("Quitting would cut this off", "long work"))
        await screen.press(*keys)
        if result is not None:
            await eventually(lambda: screen.app._exit)
    assert screen.app.return_value == result


async def test_another_screen_counts_as_something_to_cut_off(stage: Stage) -> None:
    async with stage.screen() as screen:
        other = await stage.client()
        await other.ask(OpenSession(which=screen.app.session))
        await screen.enter("/quit")
        await screen.until(lambda: screen.shows("1 other screen"))


async def test_ctrl_c_copies_then_stops_then_clears_then_quits(stage: Stage) -> None:
    async with stage.screen() as screen:
        prompt = screen.app.talk.prompt
        stage.model.script.append(say("never", gate="g"))
        await screen.enter("work")
        await screen.until(lambda: screen.app.shown.busy)
        prompt.text = "draft"
        await screen.press("f7", "ctrl+c")
        await screen.until(lambda: screen.app.clipboard == "draft")
        assert screen.app.shown.busy
        await screen.press("right", "ctrl+c")
        await idle(screen)
        assert prompt.text == "draft"
        await screen.press("ctrl+c")
        await screen.until(lambda: prompt.text == "")
        await screen.press("ctrl+c")
        await screen.until(lambda: screen.shows("ctrl+c again to quit"))
        await screen.press("ctrl+c")
        await eventually(lambda: screen.app._exit)
    assert screen.app.return_value == "quit"


async def test_a_core_that_ends_is_told_in_a_sentence(stage: Stage) -> None:
    async with stage.screen() as screen:
        await stage.core.end("restarting")
        await eventually(lambda: screen.app._exit)
    assert screen.app.return_value == "detach"
    assert "restarting" in screen.app.goodbye


async def test_a_session_that_is_not_there_is_told_in_a_sentence(stage: Stage) -> None:
    async with stage.screen(which="no such session") as screen:
        await eventually(lambda: screen.app._exit)
    assert "no such session" in screen.app.goodbye


async def test_events_go_on_behind_a_dialog(stage: Stage) -> None:
    async with stage.screen() as screen:
        stage.model.script += [say("first", gate="g"), call("run_command", command="true")]
        await screen.enter("work")
        await screen.until(lambda: screen.app.shown.busy)
        await screen.press("f1")
        stage.model.open("g")
        await screen.until(lambda: not screen.app.shown.busy)
        other = await stage.client()
        await other.ask(Send(session=screen.app.session, text="run it"))
        await screen.until(lambda: screen.app.shown.approvals)
        await screen.pilot.resize_terminal(80, 24)
        await screen.press("escape")
        await screen.until(lambda: screen.shows("approve", "run it"))
