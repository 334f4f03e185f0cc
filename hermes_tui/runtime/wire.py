"""Events, intents and replies as JSON lines: the one codec for log, socket and `--json`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
from msgspec import Raw, Struct

from hermes_tui import errors
from hermes_tui.errors import CoreError, HermesError
from hermes_tui.events import KINDS, Event, Record, Unknown
from hermes_tui.intents import INTENTS, Intent

PROTOCOL = 1

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]
UPCASTERS: dict[tuple[str, int], Upcaster] = {}
"""(kind, version) -> a function that turns that version's data into the next version's."""


class _Line(Struct):
    session: str
    n: int
    ts: float
    kind: str
    v: int
    data: Raw


@cache
def _decoder(cls: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(cls, dec_hook=_from_plain)


def _to_plain(value: Any) -> Any:
    return _line(value) if isinstance(value, Record) else str(value)


def _from_plain(cls: type[Any], value: Any) -> Any:
    if cls is not Record:
        raise NotImplementedError(cls)
    event = _revive(value["kind"], value["v"], value["data"])
    return Record(session=value["session"], n=value["n"], ts=value["ts"], event=event)


_encode = msgspec.json.Encoder(enc_hook=_to_plain).encode


def encode_event(event: Event) -> tuple[str, int, bytes]:
    """(kind, version, JSON) of an event, as the log stores it."""
    if isinstance(event, Unknown):
        return event.name, event.v, _encode(event.data)
    return event.kind, event.version, _encode(event)


def decode_event(kind: str, version: int, data: bytes | Raw) -> Event:
    """The event again. A kind or a newer version this code does not know becomes `Unknown`."""
    cls = KINDS.get(kind)
    if cls is not None and version == cls.version:
        return _decoder(cls).decode(data)
    return _revive(kind, version, _decoder(dict[str, Any]).decode(data))


def _revive(kind: str, version: int, data: dict[str, Any]) -> Event:
    cls = KINDS.get(kind)
    if cls is None or version > cls.version:
        return Unknown(name=kind, v=version, data=data)
    for step in range(version, cls.version):
        data = UPCASTERS[kind, step](data)
    return msgspec.convert(data, cls)


def _line(record: Record) -> _Line:
    kind, version, data = encode_event(record.event)
    return _Line(record.session, record.n, record.ts, kind, version, Raw(data))


def encode_record(record: Record) -> bytes:
    """A record as one JSON line, without the newline."""
    return _encode(_line(record))


def decode_record(line: bytes | Raw) -> Record:
    """A record from one JSON line; raises CoreError when it is not one."""
    try:
        got = _decoder(_Line).decode(line)
        event = decode_event(got.kind, got.v, got.data)
    except (msgspec.MsgspecError, KeyError) as error:
        raise CoreError(f"not an event: {error}") from error
    return Record(session=got.session, n=got.n, ts=got.ts, event=event)


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
    return _encode(_Call(number, intent.op, Raw(_encode(intent)))) + b"\n"


def decode_call(line: bytes) -> tuple[int, Intent[Any]]:
    """(number, intent); raises CoreError for anything else."""
    try:
        call = _decoder(_Call).decode(line)
        cls = INTENTS.get(call.op)
        if cls is None:
            raise CoreError(f"unknown request {call.op!r}", "the two sides have different versions")
        return call.id, _decoder(cls).decode(call.args)
    except msgspec.MsgspecError as error:
        raise CoreError(f"bad request: {error}") from error


def encode_reply(number: int, value: Any) -> bytes:
    """The reply to a call as one JSON line."""
    if isinstance(value, HermesError):
        body: dict[str, Any] = {"type": type(value).__name__, "message": value.message}
        return _encode({"id": number, "error": {**body, "hint": value.hint}}) + b"\n"
    return _encode({"id": number, "ok": Raw(_encode(value))}) + b"\n"


def encode_push(record: Record) -> bytes:
    """An event pushed to a face, as one JSON line."""
    return b'{"event":' + encode_record(record) + b"}\n"


def decode_frame(line: bytes) -> Reply:
    """A frame from the core; raises CoreError when it is not one."""
    try:
        return _decoder(Reply).decode(line)
    except msgspec.MsgspecError as error:
        raise CoreError(f"not a frame: {error}") from error


def decode_value(cls: Any, raw: bytes | Raw) -> Any:
    """A reply's value; records inside it travel as event lines."""
    return _decoder(cls).decode(raw)


def to_error(body: dict[str, Any]) -> HermesError:
    """The error a core sent, as the class it was raised as."""
    cls = getattr(errors, str(body.get("type")), HermesError)
    if not (isinstance(cls, type) and issubclass(cls, HermesError)):
        cls = HermesError
    return cls(str(body.get("message", "")), str(body.get("hint", "")))
