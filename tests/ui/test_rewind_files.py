"""The dialog says what going back does to files before it does it, and asks about one's own."""

from __future__ import annotations

import asyncio
from pathlib import Path

from hermes_tui.intents import ChangeSession, ListCheckpoints
from hermes_tui.ui.dialogs import ChoiceDialog
from hermes_tui.ui.rewind_screen import RewindScreen
from tests.fakes.scripted_model import Call, calls, say
from tests.ui.conftest import Screen, Stage


async def worked(stage: Stage, screen: Screen, text: str, **writes: str) -> None:
    """A turn that writes these files."""
    turns = len(screen.app.shown.trace.turns)
    many = [Call("write_file", {"path": name, "content": text}) for name, text in writes.items()]
    stage.model.script += [calls(*many), say(f"re: {text}")]
    await screen.enter(text)
    await screen.until(
        lambda: len(screen.app.shown.trace.turns) > turns and not screen.app.shown.busy
    )
    await screen.app.ask(ChangeSession(session=screen.app.session, mode="yolo"))
    await ended(screen)


async def ended(screen: Screen) -> None:
    """Wait until it is noted what the turns left behind."""
    async with asyncio.timeout(5):
        while True:
            listed = await screen.app.ask(ListCheckpoints(session=screen.app.session))
            if listed.checkpoints and all(one.ended for one in listed.checkpoints):
                return
            await asyncio.sleep(0.01)


async def begin(stage: Stage, screen: Screen) -> None:
    """Three files, and a turn that changes one of them, removes none and adds one."""
    await screen.app.ask(ChangeSession(session=screen.app.session, mode="yolo"))
    (stage.folder / "old").write_text("before")
    await worked(stage, screen, "alpha", old="alpha", fresh="alpha")


async def picker(screen: Screen) -> None:
    screen.app.talk.prompt.focus()
    await screen.press("escape", "escape")
    await screen.until(lambda: isinstance(screen.app.screen, RewindScreen))
    await screen.until(lambda: not screen.shows("looking at the files"))


def text_of(path: Path) -> str | None:
    return path.read_text() if path.exists() else None


async def test_the_files_of_a_turn_are_shown_and_go_back_with_the_chat(stage: Stage) -> None:
    async with stage.screen() as screen:
        await begin(stage, screen)
        await picker(screen)
        await screen.until(lambda: screen.shows("2 files would change back"))
        assert screen.shows("- fresh  goes", "~ old  changes back", "chat and files")
        await screen.press("enter")
        await screen.until(lambda: screen.app.talk.prompt.text == "alpha")
        assert text_of(stage.folder / "old") == "before"
        assert text_of(stage.folder / "fresh") is None
        await screen.until(lambda: screen.shows("2 files back to how they were before turn 1"))
        screen.app.talk.prompt.clear()


async def test_files_alone_or_chat_alone_can_be_chosen(stage: Stage) -> None:
    async with stage.screen() as screen:
        await begin(stage, screen)
        await picker(screen)
        await screen.press("o")
        await screen.until(lambda: text_of(stage.folder / "old") == "before")
        assert screen.app.talk.prompt.text == ""
        assert screen.shows("re: alpha")
        await worked(stage, screen, "beta", newer="beta")
        await picker(screen)
        await screen.press("c")
        await screen.until(lambda: screen.app.talk.prompt.text == "beta")
        assert text_of(stage.folder / "newer") == "beta"
        screen.app.talk.prompt.clear()


async def test_what_is_ones_own_is_named_and_stays_by_default(stage: Stage) -> None:
    async with stage.screen() as screen:
        await begin(stage, screen)
        await worked(stage, screen, "beta", other="beta")
        (stage.folder / "mine").write_text("mine")
        await picker(screen)
        await screen.until(lambda: screen.shows("1 changed by you or others"))
        await screen.press("enter")
        await screen.until(lambda: isinstance(screen.app.screen, ChoiceDialog))
        assert screen.shows("mine  goes, changed by you or others", "Take back the agent's changes")
        await screen.press("enter")
        await screen.until(lambda: screen.app.talk.prompt.text == "beta")
        assert text_of(stage.folder / "other") is None
        assert text_of(stage.folder / "mine") == "mine"
        screen.app.talk.prompt.clear()


async def test_undo_shows_the_last_change_first_and_again_brings_it_back(stage: Stage) -> None:
    async with stage.screen() as screen:
        await begin(stage, screen)
        await screen.enter("/undo")
        await screen.until(lambda: isinstance(screen.app.screen, ChoiceDialog))
        assert screen.shows("2 files would change back", "fresh", "old")
        assert text_of(stage.folder / "old") == "alpha"
        await screen.press("escape")
        assert text_of(stage.folder / "old") == "alpha"
        for wanted in ("before", "alpha"):
            await screen.enter("/undo")
            await screen.until(lambda: isinstance(screen.app.screen, ChoiceDialog))
            await screen.press("enter")
            await screen.until(lambda now=wanted: text_of(stage.folder / "old") == now)


async def test_a_turn_given_by_number_shows_its_files_before_they_change(stage: Stage) -> None:
    async with stage.screen() as screen:
        await begin(stage, screen)
        await screen.enter("/rewind 1 files")
        await screen.until(lambda: isinstance(screen.app.screen, ChoiceDialog))
        assert text_of(stage.folder / "old") == "alpha"
        await screen.press("enter")
        await screen.until(lambda: text_of(stage.folder / "old") == "before")
        await screen.enter("/rewind 1 everything")
        await screen.until(lambda: screen.shows("can't be taken back"))
        screen.app.talk.prompt.clear()


async def test_the_checkpoints_are_listed_with_what_is_left_out(stage: Stage) -> None:
    async with stage.screen() as screen:
        (stage.folder / "node_modules").mkdir()
        await begin(stage, screen)
        await screen.enter("/checkpoints")
        await screen.until(lambda: screen.shows("before turn 1", "1 left out"))
        assert screen.shows("node_modules: can be made anew")


async def test_small_screens_show_turns_files_and_keys(stage: Stage) -> None:
    for size in ((80, 24), (60, 18), (200, 50)):
        async with stage.screen(size, "new") as screen:
            await begin(stage, screen)
            await picker(screen)
            await screen.until(lambda: screen.shows("2 files would change back"))
            assert screen.shows("Go back to before", "alpha", "c chat", "o files", "esc stay")
            await screen.press("o")
            await screen.until(lambda: text_of(stage.folder / "old") == "before")
