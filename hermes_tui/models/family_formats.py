"""How the Qwen, Mistral and Llama families write tool calls when nobody does it for them.

Sources: the chat templates that the models are published with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from hermes_tui.events import ToolCall
from hermes_tui.models.base import Message, ToolSchema
from hermes_tui.models.hermes_format import BLOCKS, Hermes, calls_of
from hermes_tui.models.text_formats import Block, BlockReader, Reader, as_json, functions, new_call

_FUNCTION = re.compile(r"<function=([^>\s]+)>(.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([^>\s]+)>\n?(.*?)\n?(?:</parameter>|\Z)", re.DOTALL)


class Qwen(Hermes):
    """Qwen 2.5 and 3 write as Hermes does; Qwen 3 Coder writes tags instead of JSON."""

    name = "qwen"

    def results(self, results: Sequence[tuple[ToolCall, str]]) -> Message:
        """Blocks in a message of the user's role, as its template has it."""
        blocks = [f"<tool_response>\n{content}\n</tool_response>" for _, content in results]
        return Message(role="user", content="\n".join(blocks))

    def reader(self) -> Reader:
        """Reads both ways of writing a call."""
        return BlockReader(BLOCKS, _qwen_calls)


def _qwen_calls(body: str) -> tuple[ToolCall, ...] | None:
    if "<function=" not in body:
        return calls_of(body)
    made = [
        new_call(name, {key: _value(text) for key, text in _PARAMETER.findall(inner)})
        for name, inner in _FUNCTION.findall(body)
    ]
    return tuple(one for one in made if one) if made and all(made) else None


def _value(text: str) -> Any:
    """A parameter's value: JSON where it is JSON of a number, list or object, else the text."""
    if text.strip()[:1] in tuple('[{-0123456789"tfn'):
        try:
            return msgspec.json.decode(text)
        except msgspec.MsgspecError:
            return text
    return text


class Mistral:
    """`[TOOL_CALLS]`, as a list of objects or as `name[ARGS]{…}`."""

    name = "mistral"

    def preamble(self, tools: Sequence[ToolSchema]) -> str:
        """The tools in the marks of its template."""
        return (
            f"[AVAILABLE_TOOLS]{as_json(functions(tools))}[/AVAILABLE_TOOLS]\n"
            'To call tools, end your reply with [TOOL_CALLS][{"name": …, "arguments": {…}}].'
        )

    def said(self, message: Message) -> str:
        """Text, then all calls as one list."""
        if not message.calls:
            return message.content
        made = [
            f'{{"name": {as_json(call.tool)}, "arguments": {call.arguments or "{}"}}}'
            for call in message.calls
        ]
        return f"{message.content}[TOOL_CALLS][{', '.join(made)}]"

    def results(self, results: Sequence[tuple[ToolCall, str]]) -> Message:
        """All results in marks, in a message of the user's role."""
        made = [
            f"[TOOL_RESULTS]{as_json({'call_id': call.id, 'content': content})}[/TOOL_RESULTS]"
            for call, content in results
        ]
        return Message(role="user", content="".join(made))

    def reader(self) -> Reader:
        """Reads what follows the mark to the end of the reply."""
        blocks = (
            Block(open="[TOOL_CALLS]"),
            Block(open="[THINK]", close="[/THINK]", kind="think"),
            Block(open="</s>", kind="drop"),
        )
        return BlockReader(blocks, _mistral_calls)


def _mistral_calls(body: str) -> tuple[ToolCall, ...] | None:
    body = body.replace("</s>", "").strip()
    if "[ARGS]" not in body:
        return calls_of(body)
    made: list[ToolCall | None] = []
    for one in body.split("[TOOL_CALLS]"):
        name, _, arguments = one.partition("[ARGS]")
        name = re.split(r"\[CALL_ID\]", name)[0].strip()
        read = calls_of(f'{{"name": {as_json(name)}, "arguments": {arguments.strip()}')
        made += read or (None,)
    return tuple(one for one in made if one) if made and all(made) else None


class Llama3:
    """`<|python_tag|>` with one or more objects, or `<function=name>{…}</function>`."""

    name = "llama3"

    def preamble(self, tools: Sequence[ToolSchema]) -> str:
        """The tools and the form of a call."""
        listed = "\n".join(map(as_json, functions(tools)))
        return (
            f"You have access to these functions:\n{listed}\n"
            'To call one, reply with <|python_tag|>{"name": function name, "parameters": '
            "dictionary of argument name and its value} and nothing after it; separate several "
            "calls by semicolons."
        )

    def said(self, message: Message) -> str:
        """Text, then the calls behind the tag."""
        if not message.calls:
            return message.content
        made = [
            f'{{"name": {as_json(call.tool)}, "parameters": {call.arguments or "{}"}}}'
            for call in message.calls
        ]
        return f"{message.content}<|python_tag|>{'; '.join(made)}"

    def results(self, results: Sequence[tuple[ToolCall, str]]) -> Message:
        """Results as JSON, in a message of the role that every endpoint takes."""
        made = [as_json({"name": call.tool, "output": content}) for call, content in results]
        return Message(role="user", content="\n".join(made))

    def reader(self) -> Reader:
        """Reads the tag to the end of the reply, and functions in tags anywhere."""
        blocks = (
            Block(open="<|python_tag|>"),
            Block(open="<function=", close="</function>"),
            Block(open="<|eom_id|>", kind="drop"),
            Block(open="<|eot_id|>", kind="drop"),
        )
        return BlockReader(blocks, _llama_calls)


def _llama_calls(body: str) -> tuple[ToolCall, ...] | None:
    body = re.sub(r"<\|e(?:om|ot)_id\|>", "", body).strip()
    name, tag, arguments = body.partition(">")
    if tag and re.fullmatch(r"[\w.-]+", name):
        made = new_call(name, arguments.strip())
        return (made,) if made else None
    return calls_of(body) or _separated(body)


def _separated(body: str) -> tuple[ToolCall, ...] | None:
    """Objects with semicolons between them; a semicolon inside a text parts nothing."""
    made: list[ToolCall] = []
    rest = body
    while rest:
        value, rest = _first(rest)
        call = calls_of(as_json(value)) if isinstance(value, dict) else None
        if not call:
            return None
        made += call
        rest = rest.strip().removeprefix(";").strip()
    return tuple(made) or None


def _first(text: str) -> tuple[Any, str]:
    """The first JSON value of a text, and what follows it; None where there is none."""
    import json

    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return None, ""
    return value, text[end:]
