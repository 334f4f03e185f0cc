"""The Hermes function-calling format: `<tools>`, `<tool_call>`, `<tool_response>`, `<scratch_pad>`.

Source: the model cards and the function-calling repository of Nous Research (Hermes 2 Pro to 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import msgspec

from hermes_tui.events import ToolCall
from hermes_tui.models.base import Message, ToolSchema
from hermes_tui.models.text_formats import Block, BlockReader, Reader, as_json, functions, new_call

_SHAPE = (
    '{"title": "FunctionCall", "type": "object", "properties": {"name": {"type": "string"},'
    ' "arguments": {"type": "object"}}, "required": ["name", "arguments"]}'
)
_FORM = """\
You can call functions. Their signatures are in <tools></tools>:
<tools>
{tools}
</tools>
Each call is a JSON object of this schema: {shape}
Write every call in a block of its own, and several blocks for several calls:
<tool_call>
{{"name": <function-name>, "arguments": <args-dict>}}
</tool_call>
Results come back in <tool_response></tool_response>. Call nothing that is not listed, and make \
up no values: ask for what is missing."""
_PAD = """\
Before you call a function, plan in <scratch_pad></scratch_pad>:
Goal: what the user wants
Actions: the calls you will make, as name(argument=value)
Observation: what the results said, or None
Reflection: whether the calls and their arguments fit the goal"""
BLOCKS = (
    Block(open="<tool_call>", close="</tool_call>"),
    Block(open="<scratch_pad>", close="</scratch_pad>", kind="think"),
    Block(open="<think>", close="</think>", kind="think"),
    Block(open="<|im_end|>", kind="drop"),
)


class Hermes:
    """Hermes models. scratch_pad: have them plan in the open before they call."""

    name = "hermes"

    def __init__(self, scratch_pad: bool = False) -> None:
        self._scratch_pad = scratch_pad

    def preamble(self, tools: Sequence[ToolSchema]) -> str:
        """The tools, the schema of a call, and the form of both."""
        listed = "\n".join(map(as_json, functions(tools)))
        form = _FORM.format(tools=listed, shape=_SHAPE)
        return f"{form}\n{_PAD}" if self._scratch_pad else form

    def said(self, message: Message) -> str:
        """Text, then a block for each call."""
        return "\n".join(
            [*([message.content] if message.content else []), *map(_block, message.calls)]
        )

    def results(self, results: Sequence[tuple[ToolCall, str]]) -> Message:
        """A block for each result, in a message of the role that every endpoint takes."""
        return Message(role="user", content="\n".join(_response(*one) for one in results))

    def reader(self) -> Reader:
        """Reads blocks of JSON; a planning block is thinking."""
        return BlockReader(BLOCKS, calls_of)


def _block(call: ToolCall) -> str:
    made = f'{{"name": {as_json(call.tool)}, "arguments": {call.arguments or "{}"}}}'
    return f"<tool_call>\n{made}\n</tool_call>"


def _response(call: ToolCall, content: str) -> str:
    made = {"tool_call_id": call.id, "name": call.tool, "content": content}
    return f"<tool_response>\n{as_json(made)}\n</tool_response>"


def calls_of(body: str) -> tuple[ToolCall, ...] | None:
    """The calls of a block: one object, several, or a list; None when there is none.

    A block that the stream cut off before its last brackets is completed when that is enough.
    """
    values = _values(body.strip())
    made = [_call(one) for one in values]
    return tuple(one for one in made if one) if made and all(made) else None


def _values(text: str) -> list[Any]:
    for ending in ("", "}", "}}", "]", "}]", "}}]"):
        try:
            value = msgspec.json.decode(text + ending)
        except msgspec.MsgspecError:
            continue
        return cast("list[Any]", value) if isinstance(value, list) else [value]
    lines: list[Any] = []
    for line in text.splitlines():
        if line.strip():
            try:
                lines.append(msgspec.json.decode(line))
            except msgspec.MsgspecError:
                return []
    return lines


def _call(value: Any) -> ToolCall | None:
    if not isinstance(value, dict):
        return None
    fields = cast("dict[str, Any]", value)
    name = fields.get("name") or fields.get("function")
    arguments = fields.get("arguments", fields.get("parameters", {}))
    return new_call(name, arguments) if isinstance(name, str) else None
