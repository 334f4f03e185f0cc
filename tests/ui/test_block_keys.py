"""Keys on a block of the chat: copy its code, open it whole, fork from it, follow its links."""

from __future__ import annotations

import pytest

from hermes_tui.events import Record, Trouble
from hermes_tui.ui.blocks import ReplyBlock, UserBlock
from hermes_tui.ui.diff_screen import DiffScreen
from hermes_tui.ui.palette import PickerScreen
from hermes_tui.ui.viewer import ViewerScreen
from tests.fakes.scripted_model import Reply, call, say
from tests.ui.conftest import Screen, Stage

CODE = "First:\n\n```py\nx = 1\n```\n\nthen [docs](https://d.test/a) and https://e.test\n\n```\ny\nz\n```"


async def talk(stage: Stage, screen: Screen, *replies: Reply) -> None:
    stage.model.script += replies
    await screen.enter("/mode yolo")
    await screen.enter("do it")
    await screen.until(lambda: screen.app.shown.trace.turns and not screen.app.shown.busy)
    await screen.until(lambda: screen.app.transcript._timer is None)


async def test_y_copies_one_piece_of_code_after_the_other(stage: Stage) -> None:
    async with stage.screen() as screen:
        await talk(stage, screen, say(CODE))
        await screen.press("alt+up", "y")
        assert screen.app.clipboard == "x = 1"
        await screen.until(lambda: screen.shows("copied 1 of 2"))
        await screen.press("y")
        assert screen.app.clipboard == "y\nz"
        await screen.press("y")
        assert screen.app.clipboard == "x = 1"


async def test_y_on_a_call_copies_its_output_and_o_opens_all_of_it(stage: Stage) -> None:
    async with stage.screen() as screen:
        await talk(stage, screen, call("run_command", command="seq 3"), say("ok"))
        await screen.press("alt+up", "alt+up", "y")
        assert screen.app.clipboard.startswith("1\n2\n3")
        await screen.press("o")
        await screen.until(lambda: isinstance(screen.app.screen, ViewerScreen))


async def test_o_on_an_edit_opens_its_diff(stage: Stage) -> None:
    (stage.folder / "a.py").write_text("x = 1\ny = 2\n")
    edit = call("edit_file", path="a.py", old="x = 1", new="x = 3")
    async with stage.screen() as screen:
        await talk(stage, screen, edit, say("ok"))
        await screen.press("alt+up", "alt+up", "o")
        await screen.until(lambda: isinstance(screen.app.screen, DiffScreen))
        await screen.until(lambda: screen.shows("x = 1", "x = 3"))
        await screen.press("escape")
        await screen.press("enter")
        await screen.until(lambda: screen.shows("- x = 1", "+ x = 3"))


async def test_l_shows_the_links_with_where_they_lead(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    async with stage.screen() as screen:
        await talk(stage, screen, say(CODE))
        await screen.press("alt+up", "l")
        await screen.until(lambda: isinstance(screen.app.screen, PickerScreen))
        await screen.until(lambda: screen.shows("docs", "https://d.test/a", "https://e.test"))
        await screen.press("enter")
        await screen.until(lambda: screen.app.clipboard == "https://d.test/a")


async def test_f_on_what_was_said_forks_before_it_and_gives_the_text_back(stage: Stage) -> None:
    async with stage.screen() as screen:
        await talk(stage, screen, say("one"))
        stage.model.script.append(say("two"))
        await screen.enter("and then?")
        await screen.until(lambda: len(screen.app.shown.trace.turns) == 2)
        await screen.until(lambda: not screen.app.shown.busy)
        first = screen.app.session
        said = next(b for b in screen.app.transcript.blocks if b.source == "and then?")
        screen.app.transcript.focus()
        screen.app.transcript.set_cursor(said)
        await screen.press("f")
        await screen.until(lambda: screen.app.session != first)
        assert screen.app.talk.prompt.text == "and then?"
        kinds = [type(block) for block in screen.app.transcript.blocks]
        assert kinds.count(UserBlock) == 1


async def test_f_on_an_answer_forks_after_it(stage: Stage) -> None:
    async with stage.screen() as screen:
        await talk(stage, screen, say("one"))
        stage.model.script.append(say("two"))
        await screen.enter("and then?")
        await screen.until(lambda: len(screen.app.shown.trace.turns) == 2)
        await screen.until(lambda: not screen.app.shown.busy)
        first = screen.app.session
        answers = [b for b in screen.app.transcript.blocks if isinstance(b, ReplyBlock)]
        screen.app.transcript.focus()
        screen.app.transcript.set_cursor(answers[0])
        await screen.press("f")
        await screen.until(lambda: screen.app.session != first)
        sources = [block.source for block in screen.app.transcript.blocks]
        assert "one" in sources
        assert "and then?" not in sources
        assert not screen.app.talk.prompt.text


async def test_t_shows_when_each_block_began_and_hides_it_again(stage: Stage) -> None:
    async with stage.screen() as screen:
        await talk(stage, screen, say("one"))
        before = screen.text
        await screen.press("alt+up", "t")
        screen.app.transcript.set_cursor(None)
        reply = screen.app.transcript.blocks[-1]
        from hermes_tui.ui.blocks import clock

        await screen.until(lambda: screen.shows(clock(reply.ts, seconds=True)))
        await screen.press("t")
        await screen.until(lambda: clock(reply.ts, seconds=True) not in screen.text)
        assert before


async def test_trouble_that_the_log_cannot_tell_is_shown(stage: Stage) -> None:
    async with stage.screen() as screen:
        event = Trouble(text="the disk is full: nothing was written", hint="free some space")
        screen.app.handle(Record(session=screen.app.session, n=0, ts=1.0, event=event))
        await screen.until(lambda: screen.text.count("the disk is full") >= 1)
        assert any("free some space" in b.source for b in screen.app.transcript.blocks)
