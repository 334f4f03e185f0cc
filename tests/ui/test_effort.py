"""How hard the model is to think: seen on the prompt's rule, chosen from a list or typed."""

from __future__ import annotations

from typing import Any

from tests.fakes.scripted_model import say


async def test_the_rule_shows_the_effort_once_one_is_chosen(stage: Any) -> None:
    async with stage.screen() as screen:
        await screen.until(lambda: screen.shows("ask · scripted"))
        assert not screen.shows("auto ─")
        await screen.enter("/effort")
        await screen.until(lambda: screen.shows("how hard the model thinks", "as the settings say"))
        await screen.type("xhigh")
        await screen.press("enter")
        await screen.until(lambda: screen.shows("ask · scripted · xhigh"))
        await screen.enter("/effort default")
        await screen.until(lambda: not screen.shows("xhigh ─"))


async def test_the_effort_reaches_the_model_and_a_wrong_word_stays_in_the_prompt(
    stage: Any,
) -> None:
    stage.model.script = [say("well thought")]
    async with stage.screen() as screen:
        await screen.enter("/effort much")
        await screen.until(lambda: screen.shows("there is no effort"))
        assert screen.app.talk.prompt.text == "/effort much"
        await screen.enter("/effort low")
        await screen.until(lambda: screen.shows("scripted · low"))
        await screen.enter("go")
        asked = await stage.model.until(1)
        assert "low" in str({k: v for k, v in asked.json.items() if k != "messages"})


async def test_what_is_remembered_by_command_can_be_forgotten_by_its_words(stage: Any) -> None:
    async with stage.screen() as screen:
        await screen.enter("/remember I like figs")
        await screen.until(lambda: screen.shows("I like figs", "takes it back"))
        await screen.enter("/forget i like figs")
        await screen.until(lambda: screen.shows("Forgot m1"))
