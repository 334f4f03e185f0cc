"""Other protocols through litellm: what to install, and its chunks as deltas."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from hermes_tui.errors import ModelError
from hermes_tui.events import Usage
from hermes_tui.models.base import Delta, Message, Request, ToolSchema
from hermes_tui.models.litellm_models import LitellmModel

ASK = Request(
    system="be kind",
    messages=(Message(role="user", content="hi"),),
    tools=(ToolSchema(name="a", description="A.", parameters={"type": "object"}),),
)


class OpenAIError(Exception):
    status_code = 429
    message = "litellm.RateLimitError: OpenAIException - slow down, try again in 3s"


class FakeLitellm:
    """The two things that are used of the package: `acompletion` and its exceptions."""

    def __init__(self, chunks: list[dict[str, Any]], error: Exception | None = None) -> None:
        errors = SimpleNamespace(OpenAIError=OpenAIError)
        self.exceptions = SimpleNamespace(
            openai=errors, httpx=SimpleNamespace(HTTPError=ConnectionError)
        )
        self.chunks = chunks
        self.error = error
        self.asked: dict[str, Any] = {}

    async def acompletion(self, **arguments: Any) -> AsyncIterator[Any]:
        self.asked = arguments
        return self._chunks()

    async def _chunks(self) -> AsyncIterator[Any]:
        for chunk in self.chunks:
            text = json.dumps(chunk)
            yield SimpleNamespace(model_dump_json=lambda text=text: text)
        if self.error:
            raise self.error


def _use(monkeypatch: pytest.MonkeyPatch, fake: FakeLitellm) -> None:
    monkeypatch.setitem(sys.modules, "litellm", fake)  # type: ignore[arg-type]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())


async def _all(model: LitellmModel) -> list[Delta]:
    return [delta async for delta in model.stream(ASK)]


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


async def test_its_chunks_become_deltas(monkeypatch: pytest.MonkeyPatch) -> None:
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "a"}}
    arguments = {"index": 0, "id": None, "function": {"name": None, "arguments": '{"x":1}'}}
    fake = FakeLitellm(
        [
            _chunk({"role": "assistant", "content": "hel", "reasoning_content": "hm"}),
            _chunk({"content": "lo", "tool_calls": None}),
            _chunk({"content": None, "tool_calls": [call]}),
            _chunk({"tool_calls": [arguments]}),
            _chunk({}, "tool_calls"),
            {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}},
        ]
    )
    _use(monkeypatch, fake)
    deltas = await _all(LitellmModel("anthropic/claude", key="k" * 9))
    assert "".join(delta.text for delta in deltas) == "hello"
    assert "".join(delta.reasoning for delta in deltas) == "hm"
    pieces = [piece for delta in deltas for piece in delta.calls]
    assert [(one.id, one.tool, one.arguments) for one in pieces] == [
        ("c", "a", ""),
        ("", "", '{"x":1}'),
    ]
    assert [delta.finish for delta in deltas if delta.finish] == ["tool_calls"]
    assert deltas[-1].usage == Usage(prompt=5, completion=2)
    assert fake.asked["model"] == "anthropic/claude"
    said = fake.asked["messages"][0]
    assert said["role"] == "system"
    assert said["content"][0]["text"] == "be kind"
    assert fake.asked["num_retries"] == 0


async def test_its_errors_become_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    _use(monkeypatch, FakeLitellm([_chunk({"content": "half"})], OpenAIError()))
    got: list[Delta] = []

    async def read() -> None:
        async for delta in LitellmModel("anthropic/claude").stream(ASK):
            got.append(delta)

    with pytest.raises(ModelError, match="too fast: slow down") as caught:
        await read()
    assert "".join(delta.text for delta in got) == "half"
    assert (caught.value.kind, caught.value.retry_after) == ("rate", 3.0)


async def test_a_stream_that_just_ends_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    _use(monkeypatch, FakeLitellm([_chunk({"content": "half"})]))
    with pytest.raises(ModelError, match="dropped"):
        await _all(LitellmModel("anthropic/claude"))


async def test_without_the_package_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError) as caught:
        await _all(LitellmModel("anthropic/claude"))
    assert caught.value.kind == "missing"
    assert "pip install 'hermes-tui[litellm]'" in caught.value.hint


def test_claude_thinks_before_the_first_step_of_a_turn_and_not_between_steps() -> None:
    model = LitellmModel("anthropic/claude")
    model.effort = "high"
    asked = Message(role="user", content="go")
    result = Message(role="tool", content="r", call_id="c")
    first = Request(system="", messages=(asked,))
    later = Request(system="", messages=(asked, result))
    assert model._arguments(first, "")["reasoning_effort"] == "high"
    assert "reasoning_effort" not in model._arguments(later, "")
    other = LitellmModel("gemini/gemini-2.5-pro")
    other.effort = "high"
    assert other._arguments(later, "")["reasoning_effort"] == "high"


def test_the_key_of_a_pool_is_the_one_that_is_sent() -> None:
    model = LitellmModel("anthropic/claude", key="own")
    request = Request(system="s", messages=(Message(role="user", content="go"),))
    assert model._arguments(request, "another")["api_key"] == "another"
