"""A request as the bytes of a chat-completions body; the same conversation is the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from hermes_tui.events import Picture, ToolCall
from hermes_tui.models import keepsakes
from hermes_tui.models.base import Message, Request, ToolSchema


class _Function(Struct, frozen=True, gc=False):
    name: str
    arguments: str


class _Call(Struct, frozen=True, gc=False):
    id: str
    type: str
    function: _Function
    extra_content: Raw | UnsetType = UNSET


class _Url(Struct, frozen=True, gc=False):
    url: str


class _Part(Struct, frozen=True, gc=False):
    type: str
    text: str | UnsetType = UNSET
    image_url: _Url | UnsetType = UNSET


class _Said(Struct, gc=False):
    role: str
    content: str | list[_Part] | None
    tool_calls: list[_Call] | UnsetType = UNSET
    tool_call_id: str | UnsetType = UNSET
    reasoning_content: str | UnsetType = UNSET
    reasoning_details: Raw | UnsetType = UNSET


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
PICTURES = "image"
"""Dropped for a model that does not see; refusals of endpoints name it so."""
THOUGHTS = "reasoning_content"
"""Dropped for endpoints that do not want a model's thoughts back beside its calls."""


def encode(
    name: str,
    request: Request,
    dropped: frozenset[str] = frozenset((THOUGHTS,)),
    extra: dict[str, Any] | None = None,
) -> bytes:
    """The body for one model. dropped: optional fields this endpoint refuses or does not want.

    With pictures it reads files: call it in a thread then.

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
    return b"".join(
        (head[:-1], joint, more, b',"messages":', _messages(name, request, dropped), b"}")
    )


def _messages(name: str, request: Request, dropped: frozenset[str]) -> bytes:
    said = [_Said("system", request.system)] if request.system else []
    shown = {} if PICTURES in dropped else _shown(request.messages)
    say = _said if THOUGHTS in dropped else _thought
    if keepsakes.kept(request.messages, name):
        say = partial(_kept, name, say)
    said += _all_said(request.messages, shown, say) if shown else map(say, request.messages)
    try:
        return _encode(said)
    except UnicodeEncodeError:
        return _encode([_cleaned(one) for one in said])


def _shown(messages: Sequence[Message]) -> dict[Picture, str]:
    """The pictures that are sent, as data; it reads their files."""
    wanted = list(dict.fromkeys(one for message in messages for one in message.pictures))
    if not wanted:
        return {}
    from hermes_tui.models.pictures import data_url, newest

    urls = [data_url(one) for one in wanted]
    sent = newest(urls)
    return {one: urls[place] for place, one in enumerate(wanted) if place in sent}


def _all_said(
    messages: Sequence[Message], shown: Mapping[Picture, str], say: Callable[[Message], _Said]
) -> list[_Said]:
    """All messages, with pictures. Those of tools follow in a message of their own.

    A tool's message holds text alone in this protocol, and the results of one reply must stand
    together, so their pictures come after the last of them.
    """
    said: list[_Said] = []
    late: list[Picture] = []
    for message in messages:
        if message.role != "tool" and late:
            said.append(_Said("user", _parts(_FROM_TOOLS, late, shown)))
            late = []
        if message.role == "tool":
            said.append(say(message))
            late += [one for one in message.pictures if one in shown]
        elif any(one in shown for one in message.pictures):
            said.append(_Said(message.role, _parts(message.content, message.pictures, shown)))
        else:
            said.append(say(message))
    if late:
        said.append(_Said("user", _parts(_FROM_TOOLS, late, shown)))
    return said


_FROM_TOOLS = "[the pictures that the tools above returned, in their order]"


def _parts(text: str, pictures: Iterable[Picture], shown: Mapping[Picture, str]) -> list[_Part]:
    urls = [shown[one] for one in pictures if one in shown]
    return [_Part("text", text), *(_Part("image_url", image_url=_Url(url)) for url in urls)]


def _said(message: Message) -> _Said:
    if message.calls:
        calls = [_call(call) for call in message.calls]
        return _Said(message.role, message.content or None, calls)
    if message.call_id:
        return _Said(message.role, message.content, UNSET, message.call_id)
    return _Said(message.role, message.content)


def _thought(message: Message) -> _Said:
    """A message with what the model thought before its calls; a space where that is not known."""
    said = _said(message)
    if message.calls:
        said.reasoning_content = message.reasoning or " "
    return said


def _kept(name: str, say: Callable[[Message], _Said], message: Message) -> _Said:
    """A message with what its own provider hung on it."""
    said = say(message)
    if message.model != name:
        return said
    if message.details:
        said.reasoning_details = Raw(message.details.encode())
    if said.tool_calls is not UNSET:
        said.tool_calls = [
            _signed(one, call) for one, call in zip(said.tool_calls, message.calls, strict=True)
        ]
    return said


def _signed(made: _Call, call: ToolCall) -> _Call:
    if not call.extra:
        return made
    return msgspec.structs.replace(made, extra_content=Raw(call.extra.encode()))


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
    if content is None:
        return said
    if isinstance(content, str):
        return msgspec.structs.replace(said, content=_clean(content))
    texts = [one for one in content if isinstance(one.text, str)]
    clean = [_Part("text", _clean(str(one.text))) for one in texts]
    return msgspec.structs.replace(said, content=clean + [p for p in content if p not in texts])


def _clean(text: str) -> str:
    """The text with halves of surrogate pairs, which no encoding carries, made visible."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
