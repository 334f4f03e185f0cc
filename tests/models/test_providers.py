"""Names that say where a model is, marks for caches, and how hard to think."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.config import ModelConfig
from hermes_tui.errors import ModelError
from hermes_tui.home import Home
from hermes_tui.models import choose as choosing
from hermes_tui.models.base import Message, Request, ToolSchema
from hermes_tui.models.cache_marks import mark, takes_marks
from hermes_tui.models.choose import choose, make_model, place_and_price
from hermes_tui.models.providers import place_of, places, split
from hermes_tui.models.request_body import encode
from tests.fakes.scripted_model import ScriptedModel, fail, say

K = "k" * 12
OWN = "HERMES_TUI_API_KEY"


# --- where a model is --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "provider", "model"),
    [
        ("openrouter:openai/gpt-5-mini", "openrouter", "openai/gpt-5-mini"),
        ("ollama:qwen3:8b", "ollama", "qwen3:8b"),
        ("glm:glm-4.6", "zai", "glm-4.6"),
        ("qwen3:8b", "", "qwen3:8b"),
        ("openai/gpt-5", "", "openai/gpt-5"),
        ("embedded:", "embedded", ""),
    ],
)
def test_a_provider_in_front_is_told_from_a_colon_in_a_name(
    name: str, provider: str, model: str
) -> None:
    place, rest = split(name)
    assert (place.id if place else "", rest) == (provider, model)


def test_a_named_provider_gets_its_own_key_and_no_other(home: Home) -> None:
    env = {OWN: "mine-" + K, "GROQ_API_KEY": "groq-" + K}
    config = ModelConfig(base_url="http://127.0.0.1:9/v1", name="m")
    target = choose(config, home, env, "groq:some-model")
    assert (target.base_url, target.name, target.key) == (
        "https://api.groq.com/openai/v1",
        "some-model",
        "groq-" + K,
    )
    assert choose(config, home, env, "ollama:qwen3:8b").key == ""
    with pytest.raises(ModelError) as caught:
        choose(config, home, {OWN: K}, "mistral:large")
    assert "hermes auth add mistral" in caught.value.hint


@pytest.mark.parametrize("one", places().values(), ids=lambda one: one.id)
def test_every_provider_can_be_reached_by_its_id(
    home: Home, monkeypatch: pytest.MonkeyPatch, one: Any
) -> None:
    monkeypatch.setattr(choosing, "has_litellm", lambda: True)
    env = dict.fromkeys(one.keys, K)
    target = choose(ModelConfig(), home, env, f"{one.id}:some-model")
    assert target.way == one.way
    if one.way == "openai":
        assert target.base_url == one.base_url
        assert place_of(target.base_url) == one.id
    elif one.way == "litellm":
        assert target.name == f"{one.prefix}/some-model"
        assert place_of("", "litellm", target.name) == one.id
    assert target.key == (K if one.keys else "")


def test_what_runs_here_is_free_and_what_is_unknown_is_not(home: Home) -> None:
    _, free = place_and_price(ModelConfig(), home, {}, "ollama:qwen3:8b")
    assert free is not None
    assert free.prompt == free.completion == 0
    for url in ("http://127.0.0.1:4000/v1", "https://models.example.org/v1"):
        assert place_and_price(ModelConfig(base_url=url, name="m"), home, {})[1] is None


def test_a_price_that_was_set_is_not_put_upon_another_known_model(home: Home) -> None:
    config = ModelConfig(base_url="http://h/v1", name="mine", price_in=1.0, price_out=2.0)
    assert place_and_price(config, home, {})[1] is not None
    assert place_and_price(config, home, {}, "claude-sonnet-4-5")[1] is None


@given(st.text(max_size=30))
def test_any_text_is_a_model_name(text: str) -> None:
    place, model = split(text)
    assert place is not None or model == text


# --- marks for caches --------------------------------------------------------------------------


def _body(*messages: Message, tools: int = 2) -> dict[str, Any]:
    made = tuple(ToolSchema(name=f"t{n}", description="d", parameters={}) for n in range(tools))
    request = Request(system="rules", messages=messages, tools=made)
    return msgspec.json.decode(encode("anthropic/claude-sonnet-4-5", request))


def _marked(body: dict[str, Any]) -> int:
    return msgspec.json.encode(body).count(b"cache_control")


def test_tools_system_and_the_newest_words_are_marked_and_nothing_is_lost() -> None:
    talk = [
        Message(role=r, content=c) for r, c in (("user", "a"), ("assistant", "b")) for _ in "12"
    ]
    body = _body(*talk, Message(role="user", content="newest"))
    mark(body)
    assert "cache_control" in body["tools"][-1]
    assert body["messages"][0]["content"][0]["cache_control"] == {"type": "ephemeral"}
    assert body["messages"][-1]["content"][0] == {
        "type": "text",
        "text": "newest",
        "cache_control": {"type": "ephemeral"},
    }
    assert _marked(body) == 4


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.text(max_size=5))))
def test_there_are_never_more_marks_than_four(talk: list[tuple[str, str]]) -> None:
    body = _body(
        *(Message(role=role, content=text, call_id="c" * (role == "tool")) for role, text in talk)
    )
    plain = msgspec.json.decode(msgspec.json.encode(body))
    mark(body)
    assert _marked(body) <= 4
    for before, after in zip(plain["messages"], body["messages"], strict=True):
        text = after["content"]
        said = text if isinstance(text, str | None) else text[0]["text"]
        assert said == before["content"]


def test_only_models_that_want_marks_get_them() -> None:
    assert takes_marks("anthropic/claude-sonnet-4-5")
    assert takes_marks("bedrock/us.anthropic.claude-opus-4")
    assert not takes_marks("gemini/gemini-2.5-pro")


# --- how hard to think -------------------------------------------------------------------------


async def test_how_hard_to_think_is_sent_and_left_out_where_it_is_refused(
    home: Home, scripted: ScriptedModel
) -> None:
    config = ModelConfig(base_url=scripted.url, name="m", effort="high")
    model = make_model(config, home, {})
    ask = Request(system="", messages=(Message(role="user", content="hi"),))
    scripted.script = [
        say("one"),
        fail(400, "Unknown parameter: reasoning_effort"),
        say("two"),
        say("three"),
    ]
    for _ in range(3):
        async for _ in model.stream(ask):
            continue
    sent = [one.json.get("reasoning_effort") for one in scripted.requests]
    assert sent == ["high", "high", None, None]
    await model.close()
