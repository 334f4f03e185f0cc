"""ctrl+r finds what was typed in any session and leaves the draft alone until one is taken."""

from __future__ import annotations

from hermes_tui.ui.palette import PickerScreen
from tests.fakes.scripted_model import say
from tests.ui.conftest import Screen, Stage


async def said(stage: Stage, screen: Screen, *texts: str) -> None:
    for text in texts:
        turns = len(screen.app.shown.trace.turns)
        stage.model.script.append(say("ok"))
        await screen.enter(text)
        await screen.until(
            lambda n=turns: len(screen.app.shown.trace.turns) > n and not screen.app.shown.busy
        )


async def opened(screen: Screen) -> None:
    await screen.press("ctrl+r")
    await screen.until(lambda: isinstance(screen.app.screen, PickerScreen))
    await screen.until(lambda: screen.shows("any session"))


async def test_what_was_typed_in_another_session_is_found_by_a_few_letters(stage: Stage) -> None:
    async with stage.screen() as screen:
        await said(stage, screen, "move the blog to the server", "something else")
        await screen.enter("/new Other")
        await screen.until(lambda: screen.app.shown.info.title == "Other")
        await opened(screen)
        await screen.type("blog serv")
        await screen.until(lambda: screen.shows("move the blog") and not screen.shows("else"))
        await screen.press("enter")
        await screen.until(lambda: screen.app.talk.prompt.text == "move the blog to the server")
        assert len(stage.model.requests) == 2


async def test_escape_leaves_the_draft_untouched(stage: Stage) -> None:
    async with stage.screen() as screen:
        await said(stage, screen, "earlier")
        await screen.type("my draft")
        await screen.press("left", "left")
        caret = screen.app.talk.prompt.document.caret
        await opened(screen)
        await screen.type("ear")
        await screen.press("escape")
        prompt = screen.app.talk.prompt
        await screen.until(lambda: screen.app.focused is prompt)
        assert (prompt.text, prompt.document.caret) == ("my draft", caret)


async def test_a_draft_that_was_replaced_comes_back_with_undo(stage: Stage) -> None:
    async with stage.screen() as screen:
        await said(stage, screen, "two\nlines")
        await screen.type("my draft")
        await opened(screen)
        await screen.until(lambda: screen.shows("2 lines"))
        await screen.press("enter")
        prompt = screen.app.talk.prompt
        await screen.until(lambda: prompt.text == "two\nlines")
        await screen.press("ctrl+z")
        assert prompt.text == "my draft"
