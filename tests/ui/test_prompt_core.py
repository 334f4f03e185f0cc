"""From the prompt into the store: what was pasted is what the agent gets."""

from __future__ import annotations

from typing import Any

from textual import events

from hermes_tui.events import InputReceived
from tests.fakes.scripted_model import say

PASTED = "".join(f"row {n} 你好 {'x' * 120}\r\n" for n in range(13))
MEANT = PASTED.replace("\r\n", "\n")


async def typed(stage: Any, screen: Any) -> list[tuple[str, str]]:
    """(text, how) of all stored inputs."""
    records = await stage.core.log.read(screen.app.session)
    return [(r.event.text, r.event.how) for r in records if isinstance(r.event, InputReceived)]


async def test_a_paste_sent_while_a_turn_runs_is_stored_to_the_byte(stage: Any) -> None:
    stage.model.script = [say("thinking", gate="go"), say("seen")]
    async with stage.screen() as screen:
        await screen.enter("begin")
        await stage.model.until(1)
        prompt = screen.app.talk.prompt
        prompt.post_message(events.Paste(PASTED))
        await screen.pilot.pause()
        assert screen.shows("⟦paste 1 · 13 lines⟧")
        await screen.press("enter")
        await screen.until(lambda: not prompt.text)
        assert await typed(stage, screen) == [("begin", "send"), (MEANT, "steer")]
        assert screen.shows("⇢ steer")
        stage.model.open("go")
        await screen.until(lambda: screen.shows("seen", "ready"))
        asked = await stage.model.until(2)
        assert asked.json["messages"][-1]["content"].endswith(MEANT)
        await screen.press("up")
        await screen.until(lambda: prompt.text == MEANT)


async def test_a_waiting_input_comes_back_into_the_prompt(stage: Any) -> None:
    stage.model.script = [say("thinking", gate="go"), say("seen")]
    async with stage.screen() as screen:
        await screen.enter("begin")
        await stage.model.until(1)
        prompt = screen.app.talk.prompt
        prompt.post_message(events.Paste(PASTED))
        await screen.press("alt+enter")
        await screen.until(lambda: screen.shows("… queue"))
        await screen.press("up")
        await screen.until(lambda: prompt.text == MEANT)
        assert not screen.shows("… queue")
        stage.model.open("go")
        await screen.until(lambda: screen.shows("thinking", "ready"))
