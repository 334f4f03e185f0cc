"""The real litellm against servers on loopback: what is sent, what comes back, what goes wrong.

The package costs seconds to import, so all that needs it is in this one file.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
from collections.abc import AsyncIterator
from typing import Any

import pytest

from hermes_tui.config import ModelConfig
from hermes_tui.errors import ModelError
from hermes_tui.events import ToolCall
from hermes_tui.home import Home
from hermes_tui.models.base import CallDelta, Delta, Message, Request, ToolSchema
from hermes_tui.models.choose import make_model
from hermes_tui.models.litellm_models import LitellmModel
from hermes_tui.models.providers import places
from tests.fakes.scripted_model import Call, Reply, ScriptedModel, calls, fail, say

KEY = "key-" + "z9" * 12
TEXT = 'Grüße,\n"Hermes" 🙂 \\o/'
ARGUMENTS = {"path": 'a "b"\n'}
READ = ToolSchema(
    name="read_file",
    description="Read a file.",
    parameters={
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
)
ASK = Request(system="be kind", messages=(Message(role="user", content="hi"),), tools=(READ,))
CALLED = Request(
    system="be kind",
    messages=(
        Message(role="user", content="what is in a?"),
        Message(
            role="assistant",
            calls=(ToolCall(id="t1", tool="read_file", arguments='{"path":"a"}'),),
            reasoning="I shall look.",
        ),
        Message(role="tool", content="the text", call_id="t1"),
    ),
    tools=(READ,),
)


@pytest.fixture(scope="module", autouse=True)
def litellm() -> Any:
    """The package, imported once and as the product does it."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    return importlib.import_module("litellm")


class Claude(ScriptedModel):
    """The same server with Anthropic's path: replies are events of its own protocol."""

    paths = ("/v1/messages",)


@pytest.fixture
async def claude() -> AsyncIterator[Claude]:
    async with Claude() as server:
        yield server


def speaks(text: str = "", *made: Call, thinks: str = "") -> Reply:
    """A reply as events of Anthropic's Messages API, cut anywhere."""
    start = {"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 1}
    message = {"id": "m1", "type": "message", "role": "assistant", "content": [], "usage": start}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if thinks:
        deltas = [{"type": "thinking_delta", "thinking": thinks}]
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, deltas))
    if text:
        pieces = [{"type": "text_delta", "text": one} for one in text]
        blocks.append(({"type": "text", "text": ""}, pieces))
    for number, one in enumerate(made):
        whole = json.dumps(one.arguments)
        halves = (whole[:7], whole[7:])
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": one.tool, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": half} for half in halves]
        blocks.append((block, deltas))
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        for delta in deltas:
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    reason = {"stop_reason": "tool_use" if made else "end_turn", "stop_sequence": None}
    events.append({"type": "message_delta", "delta": reason, "usage": {"output_tokens": 7}})
    events.append({"type": "message_stop"})
    raw = b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events)
    return Reply(raw=raw, cut=37)


def anthropic(server: ScriptedModel, name: str = "claude-sonnet-4-5") -> LitellmModel:
    return LitellmModel(f"anthropic/{name}", key=KEY, base_url=server.url.removesuffix("/v1"))


async def heard(model: LitellmModel, request: Request = ASK) -> list[Delta]:
    return [delta async for delta in model.stream(request)]


# --- what every way to a model promises --------------------------------------------------------


async def test_claude_s_text_thoughts_and_calls_arrive_whole(claude: Claude) -> None:
    claude.script = [speaks(TEXT, thinks="hm"), speaks("", Call("read_file", ARGUMENTS))]
    model = anthropic(claude)
    talk, called = await heard(model), await heard(model)
    assert "".join(delta.text for delta in talk) == TEXT
    assert "".join(delta.reasoning for delta in talk) == "hm"
    assert [delta.finish for delta in talk if delta.finish] == ["stop"]
    pieces: list[CallDelta] = [piece for delta in called for piece in delta.calls]
    assert [piece.tool for piece in pieces if piece.tool] == ["read_file"]
    assert json.loads("".join(piece.arguments for piece in pieces)) == ARGUMENTS
    assert [delta.finish for delta in called if delta.finish] == ["tool_calls"]
    for deltas in (talk, called):
        (usage,) = (delta.usage for delta in deltas if delta.usage)
        assert (usage.prompt, usage.cached, usage.completion) == (100, 90, 7)


async def test_a_compatible_endpoint_through_litellm_keeps_the_same_promises(
    scripted: ScriptedModel,
) -> None:
    scripted.script = [say(TEXT, chunk=1), calls(Call("read_file", ARGUMENTS))]
    model = LitellmModel("openai/any", key=KEY, base_url=scripted.url)
    talk, called = await heard(model), await heard(model)
    assert "".join(delta.text for delta in talk) == TEXT
    pieces = [piece for delta in called for piece in delta.calls]
    assert json.loads("".join(piece.arguments for piece in pieces)) == ARGUMENTS
    assert [delta.finish for delta in (*talk, *called) if delta.finish] == ["stop", "tool_calls"]
    assert scripted.requests[0].headers["authorization"] == f"Bearer {KEY}"


# --- marks for the cache -----------------------------------------------------------------------

MARK = {"type": "ephemeral"}


async def test_the_marks_stand_where_anthropic_takes_them(claude: Claude) -> None:
    claude.script = [speaks("fine")]
    await heard(anthropic(claude), CALLED)
    (asked,) = claude.requests
    sent = asked.json
    assert asked.headers["x-api-key"] == KEY
    assert sent["tools"][-1]["cache_control"] == MARK
    assert sent["system"] == [{"type": "text", "text": "be kind", "cache_control": MARK}]
    question, call, result = sent["messages"]
    assert question["content"][-1]["cache_control"] == MARK
    assert "cache_control" not in json.dumps(call)
    assert result["content"] == [
        {"type": "tool_result", "tool_use_id": "t1", "content": "the text", "cache_control": MARK}
    ]
    assert "I shall look." not in json.dumps(sent)


async def test_the_same_conversation_is_the_same_bytes_up_to_what_is_new(claude: Claude) -> None:
    claude.script = [speaks("one"), speaks("two")]
    model = anthropic(claude)
    longer = (*CALLED.messages, Message(role="assistant", content="one"))
    more = (*longer, Message(role="user", content="and b?"))
    await heard(model, CALLED)
    await heard(model, Request(system="be kind", messages=more, tools=(READ,)))
    before, after = (json.loads(_unmarked(one.body)) for one in claude.requests)
    assert (before["system"], before["tools"]) == (after["system"], after["tools"])
    kept = len(before["messages"])
    assert after["messages"][: kept - 1] == before["messages"][: kept - 1]


def _unmarked(body: bytes) -> bytes:
    return body.replace(b', "cache_control": {"type": "ephemeral"}', b"").replace(
        b',"cache_control":{"type":"ephemeral"}', b""
    )


# --- how hard to think -------------------------------------------------------------------------


async def test_claude_is_told_how_hard_to_think_before_its_first_step_alone(
    claude: Claude,
) -> None:
    claude.script = [speaks("one"), speaks("two")]
    model = anthropic(claude)
    model.effort = "medium"
    await heard(model)
    await heard(model, CALLED)
    first, later = (one.json for one in claude.requests)
    assert first["thinking"]["type"] == "enabled"
    assert "thinking" not in later


async def test_an_effort_the_package_refuses_becomes_the_nearest_and_is_told(
    claude: Claude,
) -> None:
    claude.script = [speaks("one"), speaks("two")]
    model = anthropic(claude, "claude-opus-4-6")
    model.effort = "xhigh"
    deltas = await heard(model)
    told = "anthropic/claude-opus-4-6 refuses the effort 'xhigh'; it is asked with 'high' instead"
    assert [delta.note for delta in deltas if delta.note] == [told]
    assert claude.requests[0].json["output_config"] == {"effort": "high"}
    assert not any(delta.note for delta in await heard(model))


# --- what goes wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "kind", "wait"),
    [
        (fail(401, "invalid x-api-key"), "auth", None),
        (fail(429, "slow down", retry_after="7"), "rate", 7.0),
        (fail(404, "model: no-such-model not found"), "missing", None),
        (fail(529, "Overloaded"), "overloaded", None),
        (fail(500, "internal"), "overloaded", None),
        (fail(400, "prompt is too long: 300000 tokens > 200000 maximum"), "context", None),
        (Reply(raw=b"event: ping\ndata: {}\n\n"), "network", None),
        (Reply(raw=b"data: no json at all\n\n"), "malformed", None),
        (Reply(raw=speaks("half of it").raw, drop_after=400), "network", None),
    ],
    ids=["401", "429", "404", "529", "500", "too long", "nothing", "no json", "cut"],
)
async def test_each_failure_is_told_apart_in_one_sentence_without_the_key(
    claude: Claude,
    reply: Reply,
    kind: str,
    wait: float | None,
    capfd: pytest.CaptureFixture[str],
) -> None:
    claude.script = [reply]
    with pytest.raises(ModelError) as caught:
        await heard(anthropic(claude))
    error = caught.value
    assert (error.kind, error.retry_after) == (kind, wait)
    assert len(claude.requests) == 1
    shown = f"{error.message} {error.hint}"
    assert KEY not in shown
    assert "Traceback" not in shown
    assert "litellm." not in shown
    assert "\n" not in error.message.strip()
    assert capfd.readouterr() == ("", "")


async def test_nothing_of_the_package_s_log_is_written_to_the_terminal(claude: Claude) -> None:
    claude.script = [speaks("fine")]
    await heard(anthropic(claude))
    assert not logging.getLogger("LiteLLM").handlers


# --- names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "env", "provider", "model"),
    [
        ("anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY", "anthropic", "claude-sonnet-4-5"),
        ("azure:my-gpt-5", "AZURE_API_KEY", "azure", "my-gpt-5"),
        (
            "bedrock:anthropic.claude-sonnet-4-5-20250929-v1:0",
            "",
            "bedrock",
            "anthropic.claude-sonnet-4-5-20250929-v1:0",
        ),
        ("vertex:gemini-2.5-pro", "", "vertex_ai", "gemini-2.5-pro"),
        ("gemini/gemini-2.5-pro", "GEMINI_API_KEY", "gemini", "gemini-2.5-pro"),
    ],
)
def test_a_name_means_the_same_to_the_package_as_to_us(
    home: Home, litellm: Any, name: str, env: str, provider: str, model: str
) -> None:
    made = make_model(ModelConfig(name=name), home, {env: KEY} if env else {})
    told = litellm.get_llm_provider(made.name)
    assert (told[1], told[0]) == (provider, model)


def test_every_prefix_of_ours_is_a_provider_of_the_package(litellm: Any) -> None:
    ours = {one.prefix for one in places().values() if one.way == "litellm"}
    assert ours <= {one.value for one in litellm.LlmProviders}
