"""A request as the bytes of a chat-completions body; the same conversation is the same bytes."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from hermes_tui.events import ToolCall
from hermes_tui.models.base import Message, Request, ToolSchema


class _Function(Struct, frozen=True, gc=False):
    name: str
    arguments: str


class _Call(Struct, frozen=True, gc=False):
    id: str
    type: str
    function: _Function


class _Said(Struct, frozen=True, gc=False):
    role: str
    content: str | None
    tool_calls: list[_Call] | UnsetType = UNSET
    tool_call_id: str | UnsetType = UNSET


class _Tool(Struct, frozen=True, gc=False):
    type: str
    function: ToolSchema


class _Usage(Struct, frozen=True, gc=False):
    include_usage: bool = True


class _Body(Struct, gc=False):
    """Field order is the order on the wire: what grows, the messages, comes last."""

    model: str
    stream: bool = True
    stream_options: _Usage | UnsetType = UNSET
    max_tokens: int | UnsetType = UNSET
    tools: list[_Tool] | UnsetType = UNSET


_encode = msgspec.json.encode


def encode(
    name: str,
    request: Request,
    dropped: frozenset[str] = frozenset(),
    extra: dict[str, Any] | None = None,
) -> bytes:
    """The body for one model. dropped: optional fields this endpoint refuses.

    extra: further fields, written before the messages.
    """
    body = _Body(model=name)
    if "stream_options" not in dropped:
        body.stream_options = _Usage()
    if request.max_tokens is not None and "max_tokens" not in dropped:
        body.max_tokens = request.max_tokens
    if request.tools:
        body.tools = [_Tool("function", tool) for tool in request.tools]
    head = _encode(body)
    more = _encode(extra)[1:-1] if extra else b""
    joint = b"," if more else b""
    return b"".join((head[:-1], joint, more, b',"messages":', _messages(request), b"}"))


def _messages(request: Request) -> bytes:
    said = [_Said("system", request.system)] if request.system else []
    said += [_said(message) for message in request.messages]
    try:
        return _encode(said)
    except UnicodeEncodeError:
        return _encode([_cleaned(one) for one in said])


def _said(message: Message) -> _Said:
    if message.calls:
        calls = [_call(call) for call in message.calls]
        return _Said(message.role, message.content or None, calls)
    if message.call_id:
        return _Said(message.role, message.content, UNSET, message.call_id)
    return _Said(message.role, message.content)


def _call(call: ToolCall) -> _Call:
    return _Call(call.id, "function", _Function(call.tool, readable(call.arguments)))


def readable(arguments: str) -> str:
    """Arguments as providers accept them in a history: a JSON object, whatever was sent."""
    try:
        msgspec.json.decode(arguments, type=dict[str, Raw])
    except (msgspec.MsgspecError, UnicodeEncodeError):
        text = arguments.strip()
        return _encode({"unreadable": _clean(text)}).decode() if text else "{}"
    return arguments


def _cleaned(said: _Said) -> _Said:
    content = said.content
    return said if content is None else msgspec.structs.replace(said, content=_clean(content))


def _clean(text: str) -> str:
    """The text with halves of surrogate pairs, which no encoding carries, made visible."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
