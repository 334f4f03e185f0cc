"""Tool calls of small models: every answer is one JSON object, held to a schema by the server.

`{"say": "…"}` talks, `{"tool": "…", "arguments": {…}}` calls. Small models choose well when
the conversation shows it done, so a few made-up turns come before the real ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, cast

import msgspec

from hermes_tui.events import ToolCall
from hermes_tui.models.base import Message, Request, ToolSchema

_FORMAT = """\
Answer with one JSON object: {"say": "TEXT"} to talk to the user, or \
{"tool": "NAME", "arguments": {...}} to use a tool.
Talk when you know the answer. Use a tool to see files, to change them or to run commands.
Tools:
"""
_NEXT = "\n\nTell the user what this means."
_GREETING = (
    ("hi", '{"say": "Hi! What can I do for you?"}'),
    ("what is 3 + 4?", '{"say": "3 + 4 is 7."}'),
)
_EXAMPLES: dict[str, tuple[str, dict[str, str], str, str]] = {
    "run_command": (
        "list the files here",
        {"command": "ls"},
        "main.py\ntodo.txt",
        "There are two files: main.py and todo.txt.",
    ),
    "read_file": ("show me todo.txt", {"path": "todo.txt"}, "buy milk", "It says: buy milk."),
    "write_file": (
        "make a file a.txt that says ok",
        {"path": "a.txt", "content": "ok\n"},
        "wrote 3 bytes",
        "Done: a.txt says ok.",
    ),
}
"""Tool -> (what the user said, arguments, what came back, what was answered)."""


def shape(request: Request) -> Request:
    """The request as a small model gets it: tools told in words, everything said as JSON."""
    lines = [f"- {_signature(tool)}" for tool in request.tools]
    system = f"{request.system}\n\n{_FORMAT}" + "\n".join(lines)
    told: list[Message] = []
    tools: dict[str, str] = {}
    for message in request.messages:
        tools.update({call.id: call.tool for call in message.calls})
        told.append(_told(message, tools))
    messages = (*_examples(request.tools), *told)
    return msgspec.structs.replace(request, system=system, messages=messages, tools=())


def response_format(tools: Iterable[ToolSchema]) -> dict[str, Any]:
    """The schema every answer is held to; without tools it can only talk."""
    say = _object({"say": {"type": "string"}})
    calls = [
        _object({"tool": {"const": tool.name}, "arguments": _closed(tool.parameters)})
        for tool in tools
    ]
    schema = {"anyOf": [*calls, say]} if calls else say
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}


def repeats(request: Request, call: ToolCall) -> bool:
    """Whether the model asks for the very call whose result it has just been given."""
    done = [message for message in request.messages if message.role == "assistant"]
    answered = bool(request.messages) and request.messages[-1].role == "tool"
    last = done[-1].calls if done and answered else ()
    return any(_same(one, call) for one in last)


class AnswerReader:
    """Reads one such answer as it streams in: what it says comes out at once, a call at the end."""

    _START = re.compile(r'\s*\{\s*"say"\s*:\s*"')
    _UNITS = re.compile(r'(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*')
    _HALF = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}$")

    def __init__(self) -> None:
        self._whole = ""
        self._rest = ""
        self._said = False
        self._over = False

    def feed(self, piece: str) -> str:
        """What the model says in this piece, in plain text."""
        self._whole += piece
        if self._over:
            return ""
        if not self._said:
            start = self._START.match(self._whole)
            if start is None:
                return ""
            self._said, piece = True, self._whole[start.end() :]
        self._rest += piece
        return self._more()

    def end(self) -> tuple[str, ToolCall | None]:
        """(text not given out yet, call): anything that is neither talk nor a call is text."""
        if self._said:
            return "", None
        try:
            value: Any = json.loads(self._whole, strict=False)
        except ValueError:
            return self._whole, None
        fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        name, arguments = fields.get("tool"), fields.get("arguments")
        if not isinstance(name, str) or not isinstance(arguments, dict):
            return self._whole, None
        text = json.dumps(arguments, ensure_ascii=False)
        return "", ToolCall(id="", tool=name, arguments=text)

    def _more(self) -> str:
        found = self._UNITS.match(self._rest)
        units = found.group() if found else ""
        self._over = self._rest[len(units) :].startswith('"')
        if not self._over and (half := self._HALF.search(units)):
            units = units[: half.start()]
        self._rest = self._rest[len(units) :]
        text: str = json.loads(f'"{units}"', strict=False)
        return text.encode("utf-8", "replace").decode()


def _examples(tools: Iterable[ToolSchema]) -> list[Message]:
    turns: list[tuple[str, str]] = []
    for asked, answer in _GREETING:
        turns += [("user", asked), ("assistant", answer)]
    names = {tool.name for tool in tools}
    for tool, (asked, arguments, result, answer) in _EXAMPLES.items():
        if tool in names:
            call = json.dumps({"tool": tool, "arguments": arguments})
            turns += [("user", asked), ("assistant", call)]
            turns += [("user", _returned(tool, result)), ("assistant", _say(answer))]
    return [Message(role=role, content=content) for role, content in turns]


def _told(message: Message, tools: dict[str, str]) -> Message:
    if message.role == "tool":
        tool = tools.get(message.call_id, "the tool")
        return Message(role="user", content=_returned(tool, message.content))
    if message.role != "assistant":
        return message
    if not message.calls:
        return Message(role="assistant", content=_say(message.content))
    calls = [f'{{"tool": "{one.tool}", "arguments": {one.arguments}}}' for one in message.calls]
    return Message(role="assistant", content="\n".join(calls))


def _returned(tool: str, result: str) -> str:
    return f"{tool} returned:\n{result}{_NEXT}"


def _say(text: str) -> str:
    return json.dumps({"say": text}, ensure_ascii=False)


def _signature(tool: ToolSchema) -> str:
    properties = cast("dict[str, dict[str, Any]]", tool.parameters.get("properties", {}))
    required = tool.parameters.get("required", ())
    arguments = [
        f"{name}{'' if name in required else '?'}: {one.get('type', 'any')}"
        for name, one in properties.items()
    ]
    return f"{tool.name}({', '.join(arguments)}): {tool.description.partition('. ')[0]}"


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _closed(parameters: dict[str, Any]) -> dict[str, Any]:
    """A tool's own schema, without defaults, which say nothing about what may be written."""
    properties = {
        name: {key: value for key, value in one.items() if key != "default"}
        for name, one in parameters.get("properties", {}).items()
    }
    return {**parameters, "properties": properties, "additionalProperties": False}


def _same(one: ToolCall, other: ToolCall) -> bool:
    if one.tool != other.tool:
        return False
    try:
        return json.loads(one.arguments) == json.loads(other.arguments)
    except ValueError:
        return False
