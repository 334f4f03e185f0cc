"""Answers held to a schema: read as they stream, and told to the model in its own form."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.events import ToolCall
from hermes_tui.models.base import Message, Request, ToolSchema
from hermes_tui.models.constrained import AnswerReader, response_format, shape

READ = ToolSchema(
    name="read_file",
    description="Read a text file.",
    parameters={
        "type": "object",
        "properties": {"path": {"type": "string"}, "offset": {"type": "integer", "default": 0}},
        "required": ["path"],
    },
)


def _read(pieces: list[str]) -> tuple[str, ToolCall | None]:
    reader = AnswerReader()
    text = "".join(reader.feed(piece) for piece in pieces)
    rest, call = reader.end()
    return text + rest, call


def _cut(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[a:b] for a, b in pairwise(places)]


@given(st.text(), st.lists(st.integers(0, 300)), st.booleans(), st.sampled_from([None, 2]))
def test_talk_comes_out_whole_whatever_the_cuts(
    text: str, cuts: list[int], escaped: bool, indent: int | None
) -> None:
    answer = json.dumps({"say": text}, ensure_ascii=escaped, indent=indent)
    assert _read(_cut(answer, cuts)) == (text, None)


@given(st.dictionaries(st.text(), st.text()), st.lists(st.integers(0, 300)))
def test_a_call_comes_out_whole_whatever_the_cuts(
    arguments: dict[str, str], cuts: list[int]
) -> None:
    answer = json.dumps({"tool": "read_file", "arguments": arguments})
    text, call = _read(_cut(answer, cuts))
    assert text == ""
    assert call is not None
    assert (call.tool, json.loads(call.arguments)) == ("read_file", arguments)


@given(st.text(), st.lists(st.integers(0, 300)))
def test_anything_else_is_text(text: str, cuts: list[int]) -> None:
    if not text.lstrip().startswith("{"):
        assert _read(_cut(text, cuts)) == (text, None)


def test_talk_that_is_cut_off_keeps_what_came() -> None:
    assert _read(['{"say": "half a \\ud83d']) == ("half a ", None)
    assert _read(['{"say": "half a \\u00']) == ("half a ", None)


def test_talk_comes_out_as_it_is_made() -> None:
    reader = AnswerReader()
    assert [reader.feed(piece) for piece in ('{"sa', 'y":', ' "one', " two", '"}')] == [
        "",
        "",
        "one",
        " two",
        "",
    ]


def test_a_conversation_is_told_in_the_form_of_the_answers() -> None:
    call = ToolCall(id="c", tool="read_file", arguments='{"path":"a"}')
    messages = (
        Message(role="user", content="read a"),
        Message(role="assistant", calls=(call,)),
        Message(role="tool", content="x y", call_id="c"),
        Message(role="assistant", content='it says "x y"'),
    )
    shaped = shape(Request(system="be kind", messages=messages, tools=(READ,)))
    assert shaped.tools == ()
    assert "read_file(path: string, offset?: integer): Read a text file" in shaped.system
    assert shaped.system.startswith("be kind")
    told = [message.content for message in shaped.messages[-4:]]
    assert json.loads(told[1]) == {"tool": "read_file", "arguments": {"path": "a"}}
    assert told[2].startswith("read_file returned:\nx y\n")
    assert json.loads(told[3]) == {"say": 'it says "x y"'}
    assert {message.role for message in shaped.messages} == {"user", "assistant"}


def test_a_longer_conversation_is_told_beginning_like_the_shorter() -> None:
    first = (Message(role="user", content="a"),)
    longer = (*first, Message(role="assistant", content="b"), Message(role="user", content="c"))
    short, long = (shape(Request(system="s", messages=m, tools=(READ,))) for m in (first, longer))
    assert short.system == long.system
    assert long.messages[: len(short.messages)] == short.messages


def test_the_schema_allows_each_tool_and_talk_and_nothing_else() -> None:
    schema = response_format((READ,))["json_schema"]["schema"]
    call, say = schema["anyOf"]
    assert call["properties"]["tool"] == {"const": "read_file"}
    assert call["properties"]["arguments"]["required"] == ["path"]
    assert call["properties"]["arguments"]["additionalProperties"] is False
    assert list(say["properties"]) == ["say"]
    assert response_format(())["json_schema"]["schema"] == say
