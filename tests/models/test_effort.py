"""Each provider is told how hard to think in its own field; a refusal is followed, not fatal."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.config import EFFORTS, ModelConfig
from hermes_tui.events import ToolCall
from hermes_tui.home import Home
from hermes_tui.models.base import Message, Request
from hermes_tui.models.chat_completions import ChatCompletions
from hermes_tui.models.choose import make_model
from hermes_tui.models.effort import Effort, fields
from hermes_tui.models.providers import places
from tests.fakes.scripted_model import Asked, Reply, ScriptedModel, fail, say

ASK = Request(system="", messages=(Message(role="user", content="hi"),))
CALLED = Request(
    system="",
    messages=(
        Message(role="user", content="what is here?"),
        Message(
            role="assistant",
            calls=(ToolCall(id="c1", tool="list_files", arguments="{}"),),
            reasoning="I shall look.",
        ),
        Message(role="tool", content="a.txt", call_id="c1"),
    ),
)


@pytest.mark.parametrize(
    ("provider", "model", "effort", "sent"),
    [
        ("openai", "gpt-5", "minimal", {"reasoning_effort": "minimal"}),
        ("gemini", "gemini-3-pro", "none", {"reasoning_effort": "none"}),
        ("", "anything", "high", {"reasoning_effort": "high"}),
        ("openrouter", "x/y", "xhigh", {"reasoning": {"effort": "xhigh"}}),
        ("nous", "Hermes-4", "low", {"reasoning": {"enabled": True, "effort": "low"}}),
        ("nous", "Hermes-4", "none", {"reasoning": {"enabled": False}}),
        ("zai", "glm-4.6", "low", {"thinking": {"type": "enabled"}}),
        ("moonshot", "kimi-k2.5", "none", {"thinking": {"type": "disabled"}}),
        (
            "deepseek",
            "deepseek-chat",
            "high",
            {"thinking": {"type": "enabled"}, "reasoning_effort": "high"},
        ),
        ("deepseek", "deepseek-chat", "none", {"thinking": {"type": "disabled"}}),
        ("together", "Qwen/Qwen3.5", "none", {"reasoning": {"enabled": False}}),
        ("together", "openai/gpt-oss-20b", "low", {"reasoning_effort": "low"}),
        ("vllm", "qwen3", "none", {"chat_template_kwargs": {"enable_thinking": False}}),
        (
            "llamacpp",
            "gpt-oss",
            "low",
            {"reasoning_effort": "low", "chat_template_kwargs": {"enable_thinking": True}},
        ),
    ],
)
def test_each_provider_is_told_in_its_own_field(
    provider: str, model: str, effort: str, sent: dict[str, Any]
) -> None:
    assert fields(provider, model, effort) == sent


def test_no_provider_and_no_effort_is_without_a_field() -> None:
    for provider in ("", *places()):
        assert all(fields(provider, "m", effort) for effort in EFFORTS if effort != "auto")


async def _say(model: Any, request: Request = ASK) -> list[str]:
    """The notes that came with an answer."""
    return [delta.note async for delta in model.stream(request) if delta.note]


async def test_a_refused_effort_becomes_the_nearest_that_is_offered(
    home: Home, scripted: ScriptedModel
) -> None:
    def picky(asked: Asked) -> Reply | str:
        if asked.json.get("reasoning_effort") in (None, "low", "medium", "high"):
            return "fine"
        wish = asked.json["reasoning_effort"]
        return fail(
            400,
            f"Unsupported value: 'reasoning_effort' does not support '{wish}' with this model. "
            "Supported values are: 'low', 'medium', and 'high'.",
        )

    scripted.answer = picky
    for wish, used in (("xhigh", "high"), ("minimal", "low"), ("none", "low"), ("low", "low")):
        config = ModelConfig(base_url=scripted.url, name="m", effort=wish)  # type: ignore[arg-type]
        model = make_model(config, home, {})
        notes = [await _say(model), await _say(model)]
        assert scripted.requests[-1].json["reasoning_effort"] == used
        told = [f"m refuses the effort '{wish}'; it is asked with '{used}' instead"]
        assert notes == [told if wish != used else [], []]
        await model.close()


async def test_without_any_effort_on_offer_it_is_asked_without_and_that_is_said(
    home: Home, scripted: ScriptedModel
) -> None:
    scripted.answer = lambda asked: (
        fail(400, "Argument not supported on this model: reasoningEffort")
        if "reasoning_effort" in asked.json
        else "fine"
    )
    config = ModelConfig(base_url=scripted.url, name="m", effort="high")
    model = make_model(config, home, {})
    assert await _say(model) == ["m refuses the effort 'high'; it is asked without"]
    assert await _say(model) == []
    sent = ["reasoning_effort" in one.json for one in scripted.requests]
    assert sent == [True, False, False]
    await model.close()


@given(st.binary(max_size=400), st.sampled_from(EFFORTS[1:]))
def test_whatever_is_refused_it_ends(noise: bytes, wish: str) -> None:
    effort = Effort("", "m", wish)
    refusals = 0
    while effort.fields and effort.refuse(b"reasoning_effort 'low' 'high' 'none' " + noise):
        refusals += 1
    assert not effort.fields
    assert refusals <= len(EFFORTS)


# --- thoughts that an endpoint wants back ------------------------------------------------------


async def test_thoughts_go_back_to_an_endpoint_that_refuses_calls_without_them(
    scripted: ScriptedModel,
) -> None:
    def strict(asked: Asked) -> Reply | str:
        calling = [one for one in asked.messages if one.get("tool_calls")]
        if all(one.get("reasoning_content") for one in calling):
            return "fine"
        return fail(
            400,
            "thinking is enabled but reasoning_content is missing in assistant tool call message "
            "at index 1",
        )

    scripted.answer = strict
    model = ChatCompletions("m", scripted.url)
    await _say(model, CALLED)
    await _say(model, CALLED)
    sent = [one.messages[1].get("reasoning_content") for one in scripted.requests]
    assert sent == [None, "I shall look.", "I shall look."]
    await model.close()


async def test_thoughts_go_back_to_nobody_else(scripted: ScriptedModel) -> None:
    scripted.script = [say("fine")]
    model = ChatCompletions("m", scripted.url)
    await _say(model, CALLED)
    assert "reasoning" not in json.dumps(scripted.requests[0].json)
    await model.close()


async def test_an_endpoint_that_wants_thoughts_and_gets_them_is_not_asked_for_ever(
    scripted: ScriptedModel,
) -> None:
    scripted.answer = lambda asked: fail(400, "reasoning_content is not what it was")
    model = ChatCompletions("m", scripted.url)
    with pytest.raises(Exception, match="reasoning_content"):
        await _say(model, CALLED)
    assert len(scripted.requests) == 2
    await model.close()


@pytest.mark.parametrize("url", ["https://api.deepseek.com/v1", "https://api.moonshot.ai/v1"])
async def test_those_known_to_want_thoughts_get_them_at_once(url: str) -> None:
    body = json.loads(await ChatCompletions("m", url)._body(CALLED, {}))
    assert body["messages"][1]["reasoning_content"] == "I shall look."
    untold = CALLED.messages[1]
    bare = Request(
        system="", messages=(CALLED.messages[0], Message(role="assistant", calls=untold.calls))
    )
    body = json.loads(await ChatCompletions("m", url)._body(bare, {}))
    assert body["messages"][1]["reasoning_content"] == " "
