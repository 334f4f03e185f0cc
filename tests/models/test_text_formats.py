"""Models without native tools: every family's way of writing calls is written and read back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.errors import ModelError
from hermes_tui.events import ToolCall
from hermes_tui.models.base import Message, Request, ToolSchema
from hermes_tui.models.chat_completions import ChatCompletions
from hermes_tui.models.text_formats import NAMES, Piece, format_named
from hermes_tui.models.text_tools import TextTools
from tests.fakes.scripted_model import ScriptedModel, say

LOOK = ToolSchema(
    name="look_up",
    description="Look something up.",
    parameters={"type": "object", "properties": {"q": {"type": "string"}}},
)
REPLIES = {
    "hermes": [
        'Sure.\n<tool_call>\n{"name": "look_up", '
        '"arguments": {"q": "a <b> \\"c\\""}}\n</tool_call>',
        "<scratch_pad>\nGoal: find\nActions: look_up(q=1)\n</scratch_pad>\n<tool_call>\n"
        '{"arguments": {"q": "天气"}, "name": "look_up"}\n</tool_call>\n<tool_call>\n'
        '{"name": "look_up", "arguments": {"q": "2"}}\n</tool_call>',
        "<think>hm</think>No call: 1 < 2, and <tool is no mark.",
    ],
    "qwen": [
        "I look.\n<tool_call>\n<function=look_up>\n<parameter=q>\n"
        "line one\nline {two}\n</parameter>\n"
        "<parameter=n>\n3\n</parameter>\n</function>\n</tool_call>",
        '<tool_call>\n{"name": "look_up", "arguments": {"q": "x"}}\n</tool_call>',
    ],
    "mistral": [
        'Wait.[TOOL_CALLS][{"name": "look_up", "arguments": {"q": "a"}}, '
        '{"name": "look_up", "arguments": {"q": "[b]"}}]</s>',
        '[TOOL_CALLS]look_up[ARGS]{"q": "a"}[TOOL_CALLS]look_up[CALL_ID]x1[ARGS]{"q": "b"}',
    ],
    "llama3": [
        '<|python_tag|>{"name": "look_up", "parameters": {"q": "a; b"}}; '
        '{"name": "look_up", "parameters": {"q": "c"}}<|eom_id|>',
        'Yes: <function=look_up>{"q": "a"}</function>',
    ],
}
ALL = [(name, reply) for name, replies in REPLIES.items() for reply in replies]


def read(name: str, pieces: list[str]) -> Piece:
    reader = format_named(name).reader()
    got = [*map(reader.feed, pieces), reader.finish()]
    return Piece(
        text="".join(one.text for one in got),
        reasoning="".join(one.reasoning for one in got),
        calls=tuple(call for one in got for call in one.calls),
    )


def essence(piece: Piece) -> tuple[Any, ...]:
    calls = [(call.tool, json.loads(call.arguments)) for call in piece.calls]
    return piece.text, piece.reasoning, calls


@pytest.mark.parametrize(("name", "reply"), ALL)
def test_a_reply_reads_the_same_wherever_the_stream_is_cut(name: str, reply: str) -> None:
    whole = essence(read(name, [reply]))
    for at in range(len(reply) + 1):
        assert essence(read(name, [reply[:at], reply[at:]])) == whole
    assert essence(read(name, list(reply))) == whole


@pytest.mark.parametrize(("name", "reply"), ALL)
def test_a_stream_that_ends_early_loses_nothing_and_invents_nothing(name: str, reply: str) -> None:
    whole = [json.loads(call.arguments) for call in read(name, [reply]).calls]
    for at in range(len(reply)):
        got = read(name, [reply[:at]])
        for call, full in zip(got.calls, whole, strict=False):
            assert call.tool == "look_up"
            assert set(json.loads(call.arguments)) <= set(full)
        assert len(got.calls) <= len(whole)


def test_what_stands_in_each_reply_is_read() -> None:
    assert essence(read("hermes", [REPLIES["hermes"][0]])) == (
        "Sure.\n",
        "",
        [("look_up", {"q": 'a <b> "c"'})],
    )
    _, thought, calls = essence(read("hermes", [REPLIES["hermes"][1]]))
    assert "Goal: find" in thought
    assert [one[1]["q"] for one in calls] == ["天气", "2"]
    assert essence(read("hermes", [REPLIES["hermes"][2]]))[0].startswith(
        "No call: 1 < 2, and <tool"
    )
    assert essence(read("qwen", [REPLIES["qwen"][0]]))[2] == [
        ("look_up", {"q": "line one\nline {two}", "n": 3})
    ]
    for name in ("mistral", "llama3"):
        calls = essence(read(name, [REPLIES[name][0]]))[2]
        assert len(calls) == 2, name
    assert [one[1]["q"] for one in essence(read("mistral", [REPLIES["mistral"][1]]))[2]] == [
        "a",
        "b",
    ]
    assert essence(read("llama3", [REPLIES["llama3"][1]])) == (
        "Yes: ",
        "",
        [("look_up", {"q": "a"})],
    )


def test_a_block_that_is_no_call_stays_text() -> None:
    text = "Write it as <tool_call>like this</tool_call>, please."
    assert essence(read("hermes", [text])) == (text, "", [])


texts = st.text(st.characters(codec="utf-8"), max_size=40)
arguments = st.dictionaries(
    st.sampled_from(["q", "n", "x"]), texts | st.integers() | st.lists(texts)
)


@pytest.mark.parametrize("name", NAMES)
@given(given_calls=st.lists(arguments, min_size=1, max_size=3), cut=st.integers(1, 7))
def test_what_a_format_writes_it_reads_again(
    name: str, given_calls: list[dict[str, Any]], cut: int
) -> None:
    made = tuple(
        ToolCall(id=f"c{n}", tool="look_up", arguments=json.dumps(one))
        for n, one in enumerate(given_calls)
    )
    marks = ("<", "[", "|")
    if any(mark in call.arguments for call in made for mark in marks):
        return  # a mark inside a value is text to one family and a mark to another
    text = format_named(name).said(Message(role="assistant", content="So.", calls=made))
    got = read(name, [text[at : at + cut] for at in range(0, len(text), cut)])
    assert [json.loads(call.arguments) for call in got.calls] == given_calls
    assert got.text.strip() == "So."


@pytest.mark.parametrize("name", NAMES)
@given(pieces=st.lists(texts))
def test_any_text_can_be_read(name: str, pieces: list[str]) -> None:
    read(name, pieces)


def test_an_unknown_format_is_named_with_those_there_are() -> None:
    with pytest.raises(ModelError, match="no tool format 'klingon'") as caught:
        format_named("klingon")
    assert "hermes" in caught.value.hint


@pytest.mark.parametrize("name", NAMES)
async def test_an_endpoint_without_tools_can_call_them(name: str, scripted: ScriptedModel) -> None:
    scripted.script = [say(REPLIES[name][0])]
    model = TextTools(ChatCompletions("scripted", scripted.url), format_named(name))
    asked = ToolCall(id="c1", tool="look_up", arguments='{"q":"before"}')
    messages = (
        Message(role="user", content="go"),
        Message(role="assistant", content="", calls=(asked,)),
        Message(role="tool", content="found it", call_id="c1"),
    )
    request = Request(system="S", messages=messages, tools=(LOOK,))
    deltas = [one async for one in model.stream(request)]
    await model.close()
    calls = [call for one in deltas for call in one.calls]
    assert {call.tool for call in calls} == {"look_up"}
    assert len({call.index for call in calls}) == len(calls)
    sent = json.loads(scripted.requests[-1].body)
    assert "tools" not in sent
    wire = json.dumps(sent)
    assert "look_up" in sent["messages"][0]["content"]
    assert "found it" in wire
    assert "before" in wire
    assert "tool_calls" not in wire.replace("TOOL_CALLS", "")
