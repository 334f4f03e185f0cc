"""`!` makes the prompt one for the person's own shell; nothing of it goes to the model unasked."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from textual import events
from textual.content import Content

from hermes_tui.events import ShellRan
from hermes_tui.ui.blocks import Sheet
from hermes_tui.ui.blocks_shell import LIVE, ShellBlock
from hermes_tui.ui.prompt import Prompt
from hermes_tui.ui.theme import Look, ThemeSpec
from tests.fakes.prompt_app import PromptApp
from tests.fakes.scripted_model import say
from tests.ui.conftest import Screen, Stage


def title(app: PromptApp) -> str:
    return Content.from_markup(app.prompt.border_title or "").plain


def entered(app: PromptApp) -> list[tuple[str, bool]]:
    return [(m.text, m.shared) for m in app.posted if isinstance(m, Prompt.ShellEntered)]


async def test_an_exclamation_mark_changes_mark_rule_and_what_enter_does() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("!")
        assert app.prompt.text == ""
        assert app.prompt.render_line(0).text.startswith("! ")
        assert "shell" in title(app)
        assert app.prompt.has_class("-shell")
        await pilot.press("l", "s", "enter")
        assert entered(app) == [("ls", True)]
        assert app.sent == []
        app.prompt.confirm("ls")
        assert (app.prompt.text, app.prompt.shell) == ("", "")


async def test_two_keep_it_from_the_agent() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("!", "!", "l", "s", "enter")
        assert "not shown to the agent" in title(app)
        assert entered(app) == [("ls", False)]


async def test_backspace_before_the_first_character_and_escape_leave_the_shell() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("!", "!", "backspace", "backspace")
        assert app.prompt.shell == ""
        await pilot.press("l", "home", "!")
        assert (app.prompt.shell, app.prompt.text) == ("!", "l")
        await pilot.press("escape")
        assert (app.prompt.shell, app.prompt.text) == ("", "l")
        assert app.free == []


async def test_an_exclamation_mark_inside_or_pasted_is_text() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("h", "i", "!", "enter")
        assert app.sent == [("hi!", "auto")]
        app.prompt.confirm("hi!")
        app.prompt.post_message(events.Paste("!rm -rf ."))
        await pilot.pause()
        await pilot.press("enter")
        assert app.sent[-1] == ("!rm -rf .", "auto")
        assert entered(app) == []


async def test_commands_and_messages_are_told_apart_in_the_history() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("!", "l", "s", "enter")
        app.prompt.confirm("ls")
        await pilot.press("l", "s", "enter")
        app.prompt.confirm("ls")
        await pilot.press("up")
        assert (app.prompt.shell, app.prompt.text) == ("", "ls")
        await pilot.press("up")
        assert (app.prompt.shell, app.prompt.text) == ("!", "ls")
        await pilot.press("down", "down")
        assert (app.prompt.shell, app.prompt.text) == ("", "")


async def test_in_the_shell_a_slash_is_no_command() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("!", "/", "b", "i", "n", "enter")
        assert not app.prompt.completion.open
        assert entered(app) == [("/bin", True)]


# --- the block ---

SHEET = Sheet(60, Look(ThemeSpec(name="plain", ansi=True)))


def drawn(block: ShellBlock) -> list[str]:
    return ["".join(part.text for part in line.segments) for line in block.lines(SHEET)]


def test_a_block_shows_command_end_of_output_and_how_it_ended() -> None:
    block = ShellBlock("s", "seq 40")
    block.progress("".join(f"{n}\n" for n in range(40)))
    assert "running" in drawn(block)[0]
    ran = ShellRan(shell_id="s", command="seq 40", output="x\n" * 40, exit_code=3, seconds=1.2)
    block.end(ran, 7)
    lines = drawn(block)
    assert lines[0].startswith("! seq 40")
    assert "exit 3" in lines[0]
    assert len(lines) == LIVE + 2
    assert "28 more lines" in lines[1]
    assert block.toggle()
    assert len(drawn(block)) == 41
    assert block.copy() == "seq 40"
    assert block.source.startswith("seq 40\nx\nx")


def test_output_can_not_steer_the_terminal_and_keeps_its_place_in_the_source() -> None:
    block = ShellBlock("s", "cat x")
    block.progress("a\x1b[2Jb\rc\n你好 " + "w" * 200)
    assert not any("\x1b" in line for line in drawn(block))
    for line in block.lines(SHEET):
        for piece in line.pieces:
            assert block.source[piece.src : piece.src + piece.size]


@pytest.mark.parametrize("width", [1, 2, 5, 200])
def test_a_block_fits_any_width(width: int) -> None:
    block = ShellBlock("s", "echo " + "x" * 90)
    block.progress("y" * 90)
    for line in block.lines(SHEET._replace(width=width)):
        assert line.strip.cell_length <= max(width, 2)


# --- over a real core ---


async def run(screen: Screen, marks: str, command: str) -> None:
    """Type marks, a command and Enter."""
    await screen.press(*marks)
    screen.app.talk.prompt.insert(command)
    await screen.press("enter")


async def test_a_command_runs_in_the_sessions_shell_and_its_output_is_in_the_chat(
    stage: Stage,
) -> None:
    async with stage.screen() as screen:
        await run(screen, "!", "cd / && echo from $PWD")
        await screen.until(lambda: screen.shows("from /"))
        await screen.until(lambda: not screen.app.feed.shells_running)
        assert screen.app.talk.prompt.text == ""
        await run(screen, "!", "pwd | tr / x")
        await screen.until(lambda: screen.shows("│ x"))
        assert not stage.model.requests


async def test_the_model_is_told_of_shared_commands_only(stage: Stage) -> None:
    stage.model.script.append(say("ok"))
    async with stage.screen() as screen:
        for marks, word in (("!", "│ shared"), ("!!", "│ private")):
            await run(screen, marks, f"echo {word[2:]}")
            await screen.until(partial(screen.shows, word))
            await screen.until(lambda: not screen.app.feed.shells_running)
        assert screen.shows("not shown to the agent")
        await screen.enter("what did I run?")
        asked = await stage.model.until(1)
        told = asked.json["messages"][-1]["content"]
        assert "shared" in told
        assert "private" not in told


async def test_escape_interrupts_the_command_and_not_the_agent(stage: Stage) -> None:
    async with stage.screen() as screen:
        await run(screen, "!", "echo begun; sleep 60")
        await screen.until(lambda: screen.shows("│ begun"))
        await screen.press("escape")
        await screen.until(lambda: not screen.app.feed.shells_running)


async def test_the_block_is_there_again_when_the_session_is_opened_anew(stage: Stage) -> None:
    async with stage.screen() as screen:
        await run(screen, "!", "echo remembered")
        await screen.until(lambda: screen.shows("│ remembered"))
        await screen.until(lambda: not screen.app.feed.shells_running)
    async with stage.screen() as screen:
        await screen.until(lambda: screen.shows("! echo remembered", "│ remembered"))


async def test_a_command_the_core_does_not_take_stays_in_the_prompt(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hermes_tui.errors import CoreError
    from hermes_tui.intents import RunShell

    async with stage.screen() as screen:
        ask = screen.app.client.ask

        async def refuse(intent: Any) -> Any:
            if isinstance(intent, RunShell):
                raise CoreError("no shell here")
            return await ask(intent)

        monkeypatch.setattr(screen.app.client, "ask", refuse)
        await run(screen, "!", "ls")
        await screen.until(lambda: screen.shows("no shell here", "not run"))
        assert (screen.app.talk.prompt.text, screen.app.talk.prompt.shell) == ("ls", "!")
