"""What every way of reaching a model promises, asked of each of them."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from hermes_tui.errors import ModelError
from hermes_tui.models.base import CallDelta, Delta, Message, Model, Request, ToolSchema
from hermes_tui.models.chat_completions import ChatCompletions
from hermes_tui.models.embedded import Embedded
from hermes_tui.models.litellm_models import LitellmModel
from tests.fakes.scripted_model import Call, Reply, ScriptedModel, calls, say
from tests.models.test_litellm_models import FakeLitellm

READ = ToolSchema(
    name="read_file",
    description="Read a file.",
    parameters={
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
)
TEXT = 'Grüße,\n"Hermes" 🙂 \\o/'
ARGUMENTS = {"path": 'a "b"\n'}
ASK = Request(system="s", messages=(Message(role="user", content="hi"),), tools=(READ,))

Opened = AbstractAsyncContextManager[Model]
Opener = Callable[[Path, pytest.MonkeyPatch], Opened]
"""Opens a model that says TEXT to the first request and asks for ARGUMENTS in the second."""


@asynccontextmanager
async def _chat(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Model]:
    script = (say(TEXT, chunk=1), calls(Call("read_file", ARGUMENTS)))
    async with ScriptedModel(*script) as server:
        yield ChatCompletions("scripted", server.url)


@asynccontextmanager
async def _embedded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Model]:
    fake = str(Path(__file__).parent / "fake_llama")
    monkeypatch.syspath_prepend(fake)
    monkeypatch.setenv("PYTHONPATH", fake)
    answers = [{"say": TEXT}, {"tool": "read_file", "arguments": ARGUMENTS}]
    (folder / "m.gguf").write_text(json.dumps([json.dumps(one) for one in answers]))
    yield Embedded(folder / "m.gguf")


@asynccontextmanager
async def _litellm(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Model]:
    def chunk(delta: dict[str, object], finish: str | None = None) -> dict[str, object]:
        return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    usage = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}
    function = {"name": "read_file", "arguments": json.dumps(ARGUMENTS)}
    call = {"index": 0, "id": "c", "function": function}
    replies = [
        [*(chunk({"content": char}) for char in TEXT), chunk({}, "stop"), usage],
        [chunk({"tool_calls": [call]}), chunk({}, "tool_calls"), usage],
    ]
    fake = FakeLitellm([])

    async def acompletion(**arguments: object) -> AsyncIterator[object]:
        fake.chunks = replies.pop(0)
        return fake._chunks()

    monkeypatch.setattr(fake, "acompletion", acompletion)
    monkeypatch.setitem(sys.modules, "litellm", fake)  # type: ignore[arg-type]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    yield LitellmModel("anthropic/claude")


every = pytest.mark.parametrize(
    "opener", [_chat, _embedded, _litellm], ids=["chat", "embedded", "litellm"]
)


async def _all(model: Model) -> list[Delta]:
    return [delta async for delta in model.stream(ASK)]


@every
async def test_text_and_calls_arrive_whole_with_their_end_and_their_count(
    opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opener(tmp_path, monkeypatch) as model:
        talk = await _all(model)
        called = await _all(model)
        await model.close()
    assert "".join(delta.text for delta in talk) == TEXT
    assert [delta.calls for delta in talk if delta.calls] == []
    assert [delta.finish for delta in talk if delta.finish] == ["stop"]
    pieces: list[CallDelta] = [piece for delta in called for piece in delta.calls]
    assert [piece.tool for piece in pieces if piece.tool] == ["read_file"]
    assert {piece.index for piece in pieces} == {0}
    assert json.loads("".join(piece.arguments for piece in pieces)) == ARGUMENTS
    assert [delta.finish for delta in called if delta.finish] == ["tool_calls"]
    for deltas in (talk, called):
        (usage,) = (delta.usage for delta in deltas if delta.usage)
        assert usage.prompt > 0
        assert usage.completion > 0
        assert usage.cost is None


@every
async def test_a_model_is_known_before_it_is_asked_and_closed_as_often_as_one_likes(
    opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opener(tmp_path, monkeypatch) as model:
        assert model.name
        assert model.window >= 4096
        assert isinstance(model.repairs_calls, bool)
        await model.close()
        assert "".join(delta.text for delta in await _all(model)) == TEXT
        await model.close()
        await model.close()


async def test_nothing_but_model_errors_comes_out_of_a_hopeless_endpoint(
    scripted: ScriptedModel,
) -> None:
    for raw in (b"", b"\x00" * 100, b"data: \xff\n\n", b'data: {"choices": 3}\n\n', b"data: 1\n"):
        scripted.script.append(Reply(raw=raw))
        with pytest.raises(ModelError):
            await _all(ChatCompletions("scripted", scripted.url))
