"""What callers of the API ask for, read from the JSON of each of its ways in.

Formats: OpenAI's `POST /v1/chat/completions` and `POST /v1/responses`
(https://platform.openai.com/docs/api-reference). Fields that only concern a bare model, such as
temperature, are passed over; what would change the answer's form and can't be had is refused.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Any, Literal, TypeVar, cast

import msgspec
from msgspec import Struct

from hermes_tui.http.base import HttpError

T = TypeVar("T")
Way = Literal["chat", "response", "run"]
_INSTRUCTS = ("system", "developer")


class Said(Struct, frozen=True, kw_only=True):
    """A message of an earlier conversation."""

    role: str
    text: str


class Wanted(Struct, frozen=True, kw_only=True):
    """What a call asks for.

    history: what was said before, for a session that knows nothing of it yet. previous: the
    response that is answered. attended: somebody answers questions. user: who is behind the
    program, as it says. instructions: what the program wants to hold for the conversation.
    """

    way: Way
    text: str
    pictures: tuple[bytes, ...] = ()
    history: tuple[Said, ...] = ()
    instructions: str = ""
    model: str = ""
    stream: bool = False
    usage: bool = False
    background: bool = False
    previous: str = ""
    attended: bool = False
    user: str = ""
    session: str = ""
    mode: str = ""


class _StreamOptions(Struct):
    include_usage: bool | None = None


class _Message(Struct):
    role: str
    content: str | list[dict[str, Any]] | None = None
    tool_calls: list[dict[str, Any]] | None = None
    tool_call_id: str | None = None


class _Chat(Struct):
    messages: list[_Message]
    model: str | None = None
    stream: bool | None = None
    stream_options: _StreamOptions | None = None
    user: str | None = None
    safety_identifier: str | None = None
    n: int | None = None
    response_format: dict[str, Any] | None = None
    modalities: list[str] | None = None


class _Response(Struct):
    input: str | list[dict[str, Any]]
    model: str | None = None
    instructions: str | None = None
    stream: bool | None = None
    background: bool | None = None
    previous_response_id: str | None = None
    user: str | None = None
    safety_identifier: str | None = None
    text: dict[str, Any] | None = None


class _Run(Struct, forbid_unknown_fields=True):
    input: str | list[dict[str, Any]]
    model: str | None = None
    instructions: str | None = None
    session: str | None = None
    attended: bool | None = None
    mode: str | None = None


def decoded(body: bytes, cls: type[T]) -> T:
    """A body as what it has to be. Raises HttpError with one sentence."""
    try:
        return msgspec.json.decode(body, type=cls)
    except msgspec.ValidationError as error:
        raise HttpError(400, f"the body is not as it should be: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HttpError(400, f"the body is no JSON: {error}") from error


def chat(body: bytes) -> Wanted:
    """A chat completion."""
    asked = decoded(body, _Chat)
    if (asked.n or 1) != 1:
        raise HttpError(400, "there is one answer to a call", param="n", code="unsupported")
    _text_only(asked.response_format, "response_format")
    if asked.modalities not in (None, ["text"]):
        raise HttpError(400, "answers are text", param="modalities", code="unsupported")
    items = [
        {"role": one.role, "content": one.content, "tool_calls": one.tool_calls}
        for one in asked.messages
    ]
    return _wanted(
        "chat",
        items,
        model=asked.model or "",
        stream=bool(asked.stream),
        usage=bool(asked.stream_options and asked.stream_options.include_usage),
        user=asked.user or asked.safety_identifier or "",
    )


def response(body: bytes) -> Wanted:
    """A response."""
    asked = decoded(body, _Response)
    _text_only((asked.text or {}).get("format"), "text.format")
    return _wanted(
        "response",
        _items(asked.input),
        instructions=asked.instructions or "",
        model=asked.model or "",
        stream=bool(asked.stream),
        background=bool(asked.background),
        previous=(asked.previous_response_id or "").removeprefix("resp_"),
        user=asked.user or asked.safety_identifier or "",
    )


def run(body: bytes) -> Wanted:
    """A run."""
    asked = decoded(body, _Run)
    return _wanted(
        "run",
        _items(asked.input),
        instructions=asked.instructions or "",
        model=asked.model or "",
        background=True,
        attended=asked.attended is not False,
        session=asked.session or "",
        mode=asked.mode or "",
    )


def _text_only(form: object, param: str) -> None:
    kind = cast("dict[str, Any]", form).get("type") if isinstance(form, dict) else None
    if kind not in (None, "text"):
        raise HttpError(400, f"answers have no {kind} form", param=param, code="unsupported")


def _items(given: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": given}] if isinstance(given, str) else given


def _wanted(way: Way, items: Sequence[dict[str, Any]], **more: Any) -> Wanted:
    """The last message of the user is what is said; what came before is history."""
    said = [one for one in map(_one, items) if one is not None]
    told = [one.text for one, _ in said if one.role in _INSTRUCTS and one.text.strip()]
    said = [(one, pictures) for one, pictures in said if one.role not in _INSTRUCTS]
    at = max((n for n, (one, _) in enumerate(said) if one.role == "user"), default=-1)
    if at < 0:
        raise HttpError(400, "there is no message of the user", param="messages")
    last, pictures = said[at]
    if not (last.text.strip() or pictures):
        raise HttpError(400, "the message of the user is empty", param="messages")
    before = [more.pop("instructions", "")]
    return Wanted(
        way=way,
        text=last.text,
        pictures=tuple(pictures),
        history=tuple(one for one, _ in said[:at] if one.text.strip()),
        instructions="\n\n".join(filter(None, [*before, *told])),
        **more,
    )


def _one(item: dict[str, Any]) -> tuple[Said, list[bytes]] | None:
    kind = item.get("type", "message")
    if kind == "function_call_output":
        return Said(role="user", text=f"[Result of a tool: {_plain(item.get('output'))}]"), []
    if kind in ("function_call", "reasoning", "item_reference"):
        return None
    role = item.get("role")
    if kind != "message" or not isinstance(role, str):
        raise HttpError(400, f"an item of the type {kind!r} is not understood", param="input")
    text, pictures = _content(item.get("content"))
    if role in ("tool", "function"):
        return Said(role="assistant", text=f"[Result of a tool: {text}]"), []
    return Said(role=role, text=text), pictures


def _plain(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _content(content: object) -> tuple[str, list[bytes]]:
    """Text and pictures of a message."""
    if content is None:
        return "", []
    if isinstance(content, str):
        return content, []
    if not isinstance(content, list):
        raise HttpError(400, "the content of a message is text or a list of parts")
    texts: list[str] = []
    pictures: list[bytes] = []
    for part in cast("list[object]", content):
        text, picture = _part(part)
        texts += [text] if text else []
        pictures += [picture] if picture is not None else []
    return "\n".join(texts), pictures


def _part(part: object) -> tuple[str, bytes | None]:
    fields = cast("dict[str, Any]", part) if isinstance(part, dict) else {}
    kind = fields.get("type")
    if kind in ("text", "input_text", "output_text"):
        return str(fields.get("text", "")), None
    if kind == "refusal":
        return str(fields.get("refusal", "")), None
    if kind not in ("image_url", "input_image"):
        raise HttpError(400, f"a part of the type {kind!r} is not understood", param="content")
    found = fields.get("image_url")
    url = cast("dict[str, Any]", found).get("url") if isinstance(found, dict) else found
    if not isinstance(url, str):
        raise HttpError(400, "a picture has no image_url", param="content")
    if not url.startswith("data:"):
        return f"[a picture is at {url}]", None
    return "", _data(url)


def _data(url: str) -> bytes:
    """The bytes of a data: URL (RFC 2397), in base64."""
    head, comma, data = url.partition(",")
    if not comma or not head.endswith(";base64"):
        raise HttpError(400, "a picture's data: URL is not in base64", param="content")
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise HttpError(400, "a picture's base64 is broken", param="content") from error
