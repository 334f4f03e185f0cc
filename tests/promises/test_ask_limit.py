"""An approval that nobody answers has an end, which is said, recorded, and no loss."""

from __future__ import annotations

import asyncio
import time

import pytest

from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    RanAgain,
    TurnEnded,
    Verdict,
)
from hermes_tui.intents import OpenSession, Send
from hermes_tui.runtime.open_asks import HOUR_S, OpenAsks
from tests.fakes.scripted_model import Call, calls, say
from tests.promises.conftest import World, agrees, asked, ended

WRITE = Call("write_file", {"path": "page.txt", "content": "new\n"})
ALMOST_NOTHING = 0.05 / HOUR_S


async def limited(world: World, hours: float) -> None:
    """Start the world's core again, with a limit."""
    await world.client.close()
    await world.core.end("settings")
    text = world.home.config.read_text().partition("policy:")[0]
    world.home.config.write_text(f"{text}policy: {{ask_hours: {hours:.9f}}}\n")
    await world.start_again()


async def silent_turn(world: World, limit_s: float = 8) -> list[Event]:
    """A turn in which somebody is there and answers nothing."""
    world.model.script = [calls(WRITE), say("done")]
    await world.client.ask(Send(session=world.session, text="go"))
    return await rest_of_turn(world, limit_s)


async def rest_of_turn(world: World, limit_s: float = 8) -> list[Event]:
    seen: list[Event] = []
    async with asyncio.timeout(limit_s):
        async for record in world.client.events():
            seen.append(record.event)
            if isinstance(record.event, TurnEnded):
                return seen
    return seen


async def test_what_nobody_answers_in_time_is_not_run_and_everybody_is_told(world: World) -> None:
    await limited(world, ALMOST_NOTHING)
    seen = await silent_turn(world)
    answers = [one for one in seen if isinstance(one, ApprovalAnswered)]
    assert [one.verdict for one in answers] == ["expired"]
    assert "nobody answered within" in answers[0].reason
    assert [one.status for one in ended(seen)] == ["denied"]
    assert not (world.work / "page.txt").exists()
    told = str(world.model.requests[-1].messages[-1]["content"])
    assert "nobody answered in time; it was not run" in told
    assert "expired" in [one.verdict for one in world.audit if one.kind == "answered"]


async def test_what_expired_can_be_answered_late_and_runs_then(world: World) -> None:
    await limited(world, ALMOST_NOTHING)
    seen = await silent_turn(world)
    first, late = asked(seen)
    assert late.until > time.time()
    assert not await world.answer(first, "once")
    assert await world.answer(late, "once")
    async with asyncio.timeout(8):
        async for record in world.client.events():
            if isinstance(record.event, RanAgain):
                break
    assert (world.work / "page.txt").read_text() == "new\n"


async def test_an_answer_in_time_counts_as_ever(world: World) -> None:
    await limited(world, 1.0)
    await world.turn(WRITE, owner=agrees)
    assert (world.work / "page.txt").read_text() == "new\n"


async def test_without_a_limit_a_question_waits(world: World) -> None:
    await limited(world, 0)
    with pytest.raises(TimeoutError):
        await silent_turn(world, 0.5)
    view = await world.client.ask(OpenSession(which=world.session))
    assert len(view.approvals) == 1


async def test_a_restart_gives_a_question_no_new_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await limited(world, 1.0)
    with pytest.raises(TimeoutError):
        await silent_turn(world, 0.5)
    await world.client.close()
    await world.core.end("the machine restarts")
    later = time.time() + HOUR_S
    monkeypatch.setattr("hermes_tui.runtime.open_asks.time.time", lambda: later)
    world.model.script = [say("done")]
    await world.start_again()
    seen = await rest_of_turn(world)
    assert "nobody answered within an hour" in str(seen)
    assert not (world.work / "page.txt").exists()


def ask(ask_id: str, title: str = "write page.txt") -> ApprovalAsked:
    return ApprovalAsked(ask_id=ask_id, turn=1, step=1, call_id="c", tool="t", title=title)


@pytest.mark.parametrize(("verdict", "left"), [("expired", 40.0), ("once", 100.0), ("deny", 100.0)])
def test_time_goes_on_only_for_what_nobody_answered(verdict: Verdict, left: float) -> None:
    asks, now = OpenAsks(), time.time()
    asks.apply(ask("a"), now - 60)
    asks.apply(ApprovalAnswered(ask_id="a", verdict=verdict), now - 30)
    asks.apply(ask("b"), now)
    assert asks.left(ask("b"), 100) == pytest.approx(left, abs=1)


def test_each_question_of_a_call_has_a_time_of_its_own() -> None:
    asks, now = OpenAsks(), time.time()
    asks.apply(ask("a"), now - 60)
    asks.apply(ask("b", "reach a.example"), now)
    assert asks.left(ask("b", "reach a.example"), 100) == pytest.approx(100, abs=1)
    asks.apply(TurnEnded(turn=1, outcome="done"), now)
    assert asks.left(ask("a"), 100) == pytest.approx(100, abs=1)
