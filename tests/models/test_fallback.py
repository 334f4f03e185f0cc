"""Another model answers by rule: for which failures, when, and for how long; against a server."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.errors import ModelError
from hermes_tui.models.base import Message, Request
from hermes_tui.models.chat_completions import ChatCompletions
from hermes_tui.models.fallback import AWAY_S, KINDS, USUAL, Fallback, Standing, rule
from tests.fakes.scripted_model import Reply, ScriptedModel, fail, say

ASK = Request(system="s", messages=(Message(role="user", content="hi"),))


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def chain(server: ScriptedModel, *rules: str, clock: Clock | None = None) -> Fallback:
    made = [rule(text) for text in rules]
    names = ["first", *(one.name for one in made)]
    models = [ChatCompletions(name, server.url) for name in names]
    return Fallback(models, made, Standing(clock or Clock()))


async def answer(model: Fallback) -> str:
    return "".join([delta.text async for delta in model.stream(ASK)])


def first_fails(server: ScriptedModel, *replies: Reply) -> list[str]:
    """Have `first` answer so, others with their name; who was asked."""
    asked: list[str] = []
    left = list(replies)

    def reply(request):
        name = request.json["model"]
        asked.append(name)
        return left.pop(0) if name == "first" and left else say(name)

    server.answer = reply
    return asked


@pytest.mark.parametrize("status", [401, 402, 404])
async def test_what_trying_again_does_not_help_goes_to_the_next_at_once(
    scripted: ScriptedModel, status: int
) -> None:
    asked = first_fails(scripted, fail(status, "no"))
    model = chain(scripted, "second")
    assert await answer(model) == "second"
    assert asked == ["first", "second"]
    assert model.name == "second"
    await model.close()


@pytest.mark.parametrize(
    "reply", [fail(503, "down"), fail(429, "slow down"), Reply(raw=b"junk\n\n")]
)
async def test_what_often_passes_is_tried_again_first(
    scripted: ScriptedModel, reply: Reply
) -> None:
    asked = first_fails(scripted, reply, reply)
    model = chain(scripted, "second")
    with pytest.raises(ModelError):
        await answer(model)
    assert await answer(model) == "second"
    assert asked == ["first", "first", "second"]
    await model.close()


async def test_a_wait_longer_than_anybody_sits_through_goes_to_the_next_at_once(
    scripted: ScriptedModel,
) -> None:
    asked = first_fails(scripted, fail(429, "limit", retry_after="6"))
    model = chain(scripted, "second")
    assert await answer(model) == "second"
    assert asked == ["first", "second"]
    await model.close()


async def test_a_rule_counts_for_its_failures_alone(scripted: ScriptedModel) -> None:
    first_fails(scripted, fail(401, "no"), fail(402, "no"))
    model = chain(scripted, "second on billing")
    with pytest.raises(ModelError) as caught:
        await answer(model)
    assert caught.value.kind == "auth"
    assert await answer(model) == "second"
    await model.close()


async def test_the_first_has_its_turn_again_after_a_while(scripted: ScriptedModel) -> None:
    clock = Clock()
    asked = first_fails(scripted, fail(402, "no"))
    model = chain(scripted, "second", clock=clock)
    assert await answer(model) == "second"
    assert await answer(model) == "second"
    clock.now += AWAY_S + 1
    assert await answer(model) == "first"
    assert asked == ["first", "second", "second", "first"]
    await model.close()


async def test_an_answer_that_has_begun_is_not_begun_anew_by_another(
    scripted: ScriptedModel,
) -> None:
    first_fails(scripted, say("half an answer that is cut", drop_after=400))
    model = chain(scripted, "second")
    with pytest.raises(ModelError):
        await answer(model)
    await model.close()


async def test_who_answers_instead_is_told_with_the_reason(scripted: ScriptedModel) -> None:
    first_fails(scripted, fail(402, "top up"))
    model = chain(scripted, "second")
    notes = [delta.note async for delta in model.stream(ASK) if delta.note]
    assert len(notes) == 1
    assert "second answers instead of first" in notes[0]
    assert "top up" in notes[0]
    await model.close()


async def test_a_reached_cap_is_no_reason_to_ask_somebody_else(scripted: ScriptedModel) -> None:
    class Capped(ChatCompletions):
        async def ask(self, *_: object, **__: object):
            raise ModelError("no more money", kind="cap")
            yield

    model = Fallback(
        [Capped("first", scripted.url), ChatCompletions("second", scripted.url)], [rule("second")]
    )
    with pytest.raises(ModelError, match="no more money"):
        await answer(model)
    assert scripted.requests == []


def test_rules_are_read_and_mistakes_are_told() -> None:
    assert rule("nous:Hermes-4-405B").kinds == USUAL
    assert rule("a/b on rate, billing").kinds == {"rate", "billing"}
    for text in ("", "x on ", "x on sometimes"):
        with pytest.raises(ModelError) as caught:
            rule(text)
        assert "model.fallback" in caught.value.hint


@given(st.sets(st.sampled_from(KINDS), min_size=1))
def test_any_set_of_failures_can_be_written(kinds: set[str]) -> None:
    assert rule("m on " + ",".join(sorted(kinds))).kinds == kinds
