"""Tool calls that a model wrote as text instead of using the protocol, made real calls again.

Small local models do this often: `<tool_call>{…}</tool_call>` tags, or a reply that is
nothing but JSON. Only what is unmistakable becomes a call; all else stays text, untouched.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from typing import Any, cast

from hermes_tui.events import ToolCall

_OPEN, _CLOSE, _FENCE = "<tool_call>", "</tool_call>", "```"
_NAMES = ("name", "tool", "tool_name", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_LABELS = ("", "json", "tool_call", "tool_code", "tool")
_Calls = list[ToolCall]
_Object = dict[str, Any]
_decoder = json.JSONDecoder(strict=False)


def split_calls(text: str, tool_names: Collection[str]) -> tuple[str, tuple[ToolCall, ...]]:
    """(text without the calls, calls) of a finished reply.

    A call is a JSON object with a known tool's name and its arguments, in `<tool_call>` tags
    outside of code, or alone: bare or in a code fence, and the whole reply. Without a call the
    text comes back exactly as it was.
    """
    if "{" not in text or not tool_names:
        return text, ()
    if _OPEN in text:
        rest, found = _tagged(text, tool_names)
        if found:
            return (rest if rest.strip() else ""), tuple(found)
    alone = _alone(text.strip(), tool_names)
    return ("", tuple(alone)) if alone else (text, ())


# --- tags --------------------------------------------------------------------------------------


def _tagged(text: str, names: Collection[str]) -> tuple[str, _Calls]:
    inner = _fenced(text.strip())
    if inner is not None and _OPEN in inner:
        text = inner
    rest: list[str] = []
    found: _Calls = []
    done = 0
    for start, end, body in _tags(text):
        calls = _calls(body, names, needs_arguments=False)
        if calls:
            rest.append(text[done:start])
            found += calls
            done = end
    rest.append(text[done:])
    return "".join(rest), found


def _tags(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, body) of each tagged block outside of code; the last may lack its end."""
    at = 0
    while (start := text.find(_OPEN, at)) >= 0:
        body_at = start + len(_OPEN)
        close = text.find(_CLOSE, body_at)
        reopened = text.find(_OPEN, body_at)
        cut = close < 0 or 0 <= reopened < close
        body_end = (reopened if reopened >= 0 else len(text)) if cut else close
        at = body_end if cut else close + len(_CLOSE)
        if not _in_code(text, start):
            yield start, at, text[body_at:body_end]


def _in_code(text: str, at: int) -> bool:
    """Whether a position lies in a fenced block or in `inline code` of its line."""
    fences = sum(line.lstrip().startswith(_FENCE) for line in text[:at].split("\n"))
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return fences % 2 == 1 or line.count("`") % 2 == 1


# --- nothing but JSON --------------------------------------------------------------------------


def _alone(text: str, names: Collection[str]) -> _Calls:
    """Calls of a reply that is nothing but bare JSON or fenced JSON; empty for anything else."""
    bare = text[:1] in ("{", "[")
    bodies = [text] if bare else _fences(text)
    found: _Calls = []
    for body in bodies:
        calls = _calls(body, names, needs_arguments=True)
        if not calls:
            return []
        found += calls
    return found


def _fences(text: str) -> list[str]:
    """Bodies of the code blocks a text consists of; empty when there is anything else in it."""
    bodies: list[str] = []
    rest = text
    while rest:
        block, end, rest = rest.partition("\n" + _FENCE)
        body = _fenced(f"{block}{end}")
        if body is None or rest.split("\n", 1)[0].strip():
            return []
        bodies.append(body)
        rest = rest.strip()
    return bodies


def _fenced(text: str) -> str | None:
    """The body of a text that is one code block with a label that may hold a call."""
    head, newline, rest = text.partition("\n")
    if not (head.startswith(_FENCE) and newline and rest.endswith(_FENCE)):
        return None
    body = rest[: -len(_FENCE)]
    return body if head[3:].strip().lower() in _LABELS and _FENCE not in body else None


# --- JSON to calls -----------------------------------------------------------------------------


def _calls(text: str, names: Collection[str], needs_arguments: bool) -> _Calls:
    """All values of the text as calls; empty unless every one of them is a call."""
    found: _Calls = []
    at, end = 0, len(text)
    while at < end:
        if text[at].isspace() or (found and text[at] in ",;"):
            at += 1
            continue
        try:
            value, at = _decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return []
        for one in _values(value):
            made = _call(one, names, needs_arguments)
            if made is None:
                return []
            found.append(made)
    return found


def _values(value: Any) -> list[Any]:
    if isinstance(value, dict) and list(cast("_Object", value)) == ["tool_calls"]:
        value = cast("_Object", value)["tool_calls"]
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _call(value: Any, names: Collection[str], needs_arguments: bool) -> ToolCall | None:
    fields = _fields(value)
    name_keys = [key for key in _NAMES if key in fields]
    argument_keys = [key for key in _ARGUMENTS if key in fields]
    if len(name_keys) != 1 or len(fields) != 1 + len(argument_keys) or len(fields) > 2:
        return None
    if needs_arguments and not argument_keys:
        return None
    name = fields[name_keys[0]]
    arguments = _arguments(fields[argument_keys[0]] if argument_keys else {})
    if not isinstance(name, str) or name not in names or arguments is None:
        return None
    return ToolCall(id=f"call_{os.urandom(6).hex()}", tool=name, arguments=arguments)


def _fields(value: Any) -> _Object:
    """The object that names the tool, without the protocol's own id and type."""
    if not isinstance(value, dict):
        return {}
    fields = {k: v for k, v in cast("_Object", value).items() if k not in ("id", "type")}
    inner = fields.get("function")
    if len(fields) == 1 and isinstance(inner, dict):
        return cast("_Object", inner)
    return fields


def _arguments(value: Any) -> str | None:
    """Arguments as JSON text; they may come as an object or as the JSON text of one."""
    try:
        made = _decoder.decode(value) if isinstance(value, str) else value
        if not isinstance(made, dict):
            return None
        text = json.dumps(made, ensure_ascii=False, allow_nan=False)
        if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
            text = json.dumps(made)
        return text
    except (ValueError, RecursionError):
        return None
