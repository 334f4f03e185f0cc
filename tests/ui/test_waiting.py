"""What waits for the agent can be changed, ordered and taken back while it works."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from textual.content import Content

from hermes_tui.intents import EditInput
from tests.fakes.scripted_model import fail, say
from tests.ui.conftest import Screen, Stage


@asynccontextmanager
async def busy(stage: Stage, *texts: str) -> AsyncIterator[Screen]:
    """A screen whose agent works, with texts waiting."""
    stage.model.script += [say("one", gate="g"), *[say("more")] * 5]
    async with stage.screen() as screen:
        await screen.enter("first")
        await stage.model.until(1)
        for at, text in enumerate(texts, 1):
            await screen.enter(text)
            await screen.until(lambda n=at: len(order(screen)) == n)
        yield screen
        stage.model.open("g")
        await screen.until(lambda: not screen.app.shown.busy)


def order(screen: Screen) -> list[str]:
    return [one.text for one in screen.app.talk.desk.chips.waiting]


def rule(screen: Screen) -> str:
    return Content.from_markup(screen.app.talk.prompt.border_title or "").plain


async def test_a_waiting_text_is_changed_in_place_and_the_draft_comes_back(stage: Stage) -> None:
    async with busy(stage, "helo", "second") as screen:
        prompt = screen.app.talk.prompt
        prompt.insert("my draft")
        await screen.press("home", "down", "enter")
        await screen.until(lambda: prompt.text == "helo")
        assert "changing a waiting text" in rule(screen)
        await screen.press("backspace")
        await screen.type("lo")
        await screen.press("enter")
        await screen.until(lambda: order(screen) == ["hello", "second"])
        assert prompt.text == "my draft"
        stage.model.open("g")
        asked = await stage.model.until(2)
        told = [one["content"] for one in asked.json["messages"] if one["role"] == "user"]
        assert any(one.startswith("hello") for one in told)
        assert not any("helo" in one for one in told)
        prompt.clear()


async def test_escape_leaves_a_waiting_text_as_it_was(stage: Stage) -> None:
    async with busy(stage, "as it was") as screen:
        prompt = screen.app.talk.prompt
        await screen.press("down", "enter")
        await screen.until(lambda: prompt.text == "as it was")
        await screen.type(" changed")
        await screen.press("escape")
        assert (prompt.text, order(screen)) == ("", ["as it was"])
        assert screen.app.shown.busy


async def test_waiting_texts_are_ordered_by_keys(stage: Stage) -> None:
    async with busy(stage, "one", "two", "three") as screen:
        await screen.press("alt+shift+up")
        await screen.until(lambda: order(screen) == ["one", "three", "two"])
        await screen.press("alt+shift+up")
        await screen.until(lambda: order(screen) == ["three", "one", "two"])
        await screen.press("alt+shift+down")
        await screen.until(lambda: order(screen) == ["one", "three", "two"])


async def test_the_way_it_arrives_is_switched(stage: Stage) -> None:
    async with busy(stage, "later") as screen:
        assert screen.shows("⇢ steer", "after this tool")
        await screen.press("down", "tab")
        await screen.until(lambda: screen.shows("… queue", "after this turn"))
        await screen.press("tab")
        await screen.until(lambda: screen.shows("⇢ steer"))


async def test_a_chip_taken_back_is_in_the_prompt_and_letters_lead_there(stage: Stage) -> None:
    async with busy(stage, "oops", "keep") as screen:
        await screen.press("down", "x")
        await screen.until(lambda: order(screen) == ["keep"])
        assert screen.app.talk.prompt.text == "oops"
        screen.app.talk.prompt.clear()
        await screen.press("down")
        await screen.type("hi")
        assert screen.app.talk.prompt.text == "hi"
        screen.app.talk.prompt.clear()


async def test_what_the_agent_took_meanwhile_stays_in_the_prompt_as_a_new_text(
    stage: Stage,
) -> None:
    async with busy(stage, "almost") as screen:
        prompt = screen.app.talk.prompt
        await screen.type("draft")
        await screen.press("down", "enter")
        await screen.until(lambda: prompt.text == "almost")
        await screen.type(" there")
        stage.model.open("g")
        await screen.until(lambda: not order(screen))
        await screen.until(lambda: prompt.text == "almost there\ndraft")
        assert not prompt.changing
        prompt.clear()


async def test_a_change_that_comes_too_late_is_not_lost(stage: Stage) -> None:
    from hermes_tui.intents import Answered

    async with busy(stage, "almost") as screen:
        prompt = screen.app.talk.prompt
        ask = screen.app.client.ask

        async def late(intent: object) -> object:
            return Answered(accepted=False) if isinstance(intent, EditInput) else await ask(intent)

        screen.app.client.ask = late  # type: ignore[method-assign]
        await screen.press("down", "enter")
        await screen.until(lambda: prompt.text == "almost")
        await screen.type("!")
        await screen.press("enter")
        await screen.until(lambda: not prompt.changing)
        assert prompt.text == "almost!"
        prompt.clear()


async def test_stopping_while_one_is_changed_loses_neither(stage: Stage) -> None:
    async with busy(stage, "one", "two") as screen:
        prompt = screen.app.talk.prompt
        await screen.press("down", "enter")
        await screen.until(lambda: prompt.text == "one")
        await screen.type("!")
        await screen.press("ctrl+c")
        await screen.until(lambda: not screen.app.shown.busy)
        await screen.until(lambda: "one!" in prompt.text and "two" in prompt.text)
        prompt.clear()


async def test_what_waits_when_a_turn_failed_stays_in_sight_and_can_be_taken_back(
    stage: Stage,
) -> None:
    stage.model.script += [replace(fail(401, "no key"), gate="g")]
    async with stage.screen() as screen:
        await screen.enter("first")
        await stage.model.until(1)
        screen.app.talk.prompt.text = "and the second"
        await screen.press("alt+enter")
        await screen.until(lambda: screen.shows("«and the second»", "after this turn"))
        stage.model.open("g")
        await screen.until(lambda: not screen.app.shown.busy)
        await screen.until(lambda: screen.shows("«and the second»", "after your next message"))
        await screen.press("up")
        await screen.until(lambda: screen.app.talk.prompt.text == "and the second")
        assert order(screen) == []
