"""What a provider hangs on its thoughts and calls, to be sent back to it as it came.

Gemini 3 signs each call (`extra_content` of a call, Google's compatible endpoint) and OpenRouter
hands such signatures on as `reasoning_details` of the message; a conversation without them is
refused. Nobody here reads them: they are kept as JSON, and sent to the model they came from alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from hermes_tui.models.base import Message, Request

_REFUSED = (b"reasoning_details", b"extra_content", b"thought signature", b"thought_signature")
_JOINED = ("text", "summary", "data")


def joined(pieces: Iterable[dict[str, Any]]) -> str:
    """The details of one reply as JSON, its pieces put together; empty for none.

    Pieces of the same place and type follow each other in a stream: their texts are one text.
    """
    made: list[dict[str, Any]] = []
    for piece in pieces:
        if made and _goes_on(made[-1], piece):
            _extend(made[-1], piece)
        else:
            made.append(dict(piece))
    return msgspec.json.encode(made).decode() if made else ""


def _goes_on(last: dict[str, Any], piece: dict[str, Any]) -> bool:
    """Whether a piece is more of the last one; what is encrypted comes whole, unless numbered."""
    if (last.get("type"), last.get("index")) != (piece.get("type"), piece.get("index")):
        return False
    both = (last.get("id"), piece.get("id"))
    same = None in both or both[0] == both[1]
    return same and (piece.get("index") is not None or "data" not in piece)


def _extend(last: dict[str, Any], piece: dict[str, Any]) -> None:
    for name, value in piece.items():
        if name in _JOINED and isinstance(value, str) and isinstance(last.get(name), str):
            last[name] += value
        elif value is not None:
            last[name] = value


def kept(messages: Sequence[Message], model: str) -> bool:
    """Whether something of a model's is among the messages."""
    return any(one.model == model for one in messages)


class Spoilt:
    """Those that their own endpoint refused; they are left out from then on, newer ones are not.

    A signature counts for one key and one place, which may have changed since.
    """

    def __init__(self) -> None:
        self._marks: set[str] = set()

    def refuse(self, request: Request, model: str, body: bytes) -> bool:
        """Take a refusal in; whether it was about them and fewer are sent from now on."""
        low = body.lower()
        if not any(word in low for word in _REFUSED):
            return False
        new = {_mark(one) for one in request.messages if one.model == model} - self._marks
        self._marks |= new
        return bool(new)

    def without(self, request: Request) -> Request:
        """The request without those that were refused."""
        if not self._marks:
            return request
        return replace(request, messages=tuple(map(self._bare, request.messages)))

    def _bare(self, message: Message) -> Message:
        if not message.model or _mark(message) not in self._marks:
            return message
        calls = tuple(replace(call, extra="") for call in message.calls)
        return replace(message, calls=calls, details="", model="")


def _mark(message: Message) -> str:
    return message.details + "".join(call.extra for call in message.calls)
