"""Intents, replies and events as the JSON lines that cross the socket."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct

from hermes_tui import errors
from hermes_tui.codec import (
    decode_event,
    decode_record,
    decoder,
    encode,
    encode_event,
    encode_record,
)
from hermes_tui.errors import CoreError, HermesError
from hermes_tui.events import Record
from hermes_tui.intents import INTENTS, Intent

__all__ = [
    "PROTOCOL",
    "Reply",
    "decode_call",
    "decode_event",
    "decode_frame",
    "decode_record",
    "decode_value",
    "encode_call",
    "encode_event",
    "encode_push",
    "encode_record",
    "encode_reply",
    "to_error",
]

PROTOCOL = 1
"""Version of the handshake and the frames; the two sides must agree on it."""

# --- calls and replies ---------------------------------------------------------------------


class _Call(Struct):
    id: int
    op: str
    args: Raw


class Reply(Struct, omit_defaults=True):
    """One frame from the core: the reply to call `id`, or an event (id 0)."""

    id: int = 0
    ok: Raw = Raw(b"")
    error: dict[str, Any] | None = None
    event: Raw = Raw(b"")


def encode_call(number: int, intent: Intent[Any]) -> bytes:
    """An intent as one JSON line."""
    return encode(_Call(number, intent.op, Raw(encode(intent)))) + b"\n"


def decode_call(line: bytes) -> tuple[int, Intent[Any]]:
    """(number, intent); raises CoreError for anything else."""
    try:
        call = decoder(_Call).decode(line)
        cls = INTENTS.get(call.op)
        if cls is None:
            raise CoreError(f"unknown request {call.op!r}", "the two sides have different versions")
        return call.id, decoder(cls).decode(call.args)
    except msgspec.MsgspecError as error:
        raise CoreError(f"bad request: {error}") from error


def encode_reply(number: int, value: Any) -> bytes:
    """The reply to a call as one JSON line."""
    if isinstance(value, HermesError):
        body: dict[str, Any] = {"type": type(value).__name__, "message": value.message}
        return encode({"id": number, "error": {**body, "hint": value.hint}}) + b"\n"
    return encode({"id": number, "ok": Raw(encode(value))}) + b"\n"


def encode_push(record: Record) -> bytes:
    """An event pushed to a face, as one JSON line."""
    return b'{"event":' + encode_record(record) + b"}\n"


def decode_frame(line: bytes) -> Reply:
    """A frame from the core; raises CoreError when it is not one."""
    try:
        return decoder(Reply).decode(line)
    except msgspec.MsgspecError as error:
        raise CoreError(f"not a frame: {error}") from error


def decode_value(cls: Any, raw: bytes | Raw) -> Any:
    """A reply's value; records inside it travel as event lines."""
    return decoder(cls).decode(raw)


def to_error(body: dict[str, Any]) -> HermesError:
    """The error a core sent, as the class it was raised as."""
    cls = getattr(errors, str(body.get("type")), HermesError)
    if not (isinstance(cls, type) and issubclass(cls, HermesError)):
        cls = HermesError
    return cls(str(body.get("message", "")), str(body.get("hint", "")))
