"""The one JSON codec of events and records: for the log, the socket and `--json`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
from msgspec import Raw, Struct

from hermes_tui.errors import CoreError
from hermes_tui.events import KINDS, Event, Record, Unknown

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
def decoder(cls: Any) -> msgspec.json.Decoder[Any]:
    """The decoder of a class; records inside it are read as event lines."""
    return msgspec.json.Decoder(cls, dec_hook=_from_plain)


def _to_plain(value: Any) -> Any:
    return _line(value) if isinstance(value, Record) else str(value)


def _from_plain(cls: type[Any], value: Any) -> Any:
    if cls is not Record:
        raise NotImplementedError(cls)
    event = _revive(value["kind"], value["v"], value["data"])
    return Record(session=value["session"], n=value["n"], ts=value["ts"], event=event)


encode = msgspec.json.Encoder(enc_hook=_to_plain).encode
"""Anything as JSON; records inside it are written as event lines."""


def encode_event(event: Event) -> tuple[str, int, bytes]:
    """(kind, version, JSON) of an event, as the log stores it."""
    if isinstance(event, Unknown):
        return event.name, event.v, encode(event.data)
    return event.kind, event.version, encode(event)


def decode_event(kind: str, version: int, data: bytes | Raw) -> Event:
    """The event again. A kind or a newer version this code does not know becomes `Unknown`."""
    cls = KINDS.get(kind)
    if cls is not None and version == cls.version:
        return decoder(cls).decode(data)
    return _revive(kind, version, decoder(dict[str, Any]).decode(data))


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
    return encode(_line(record))


def decode_record(line: bytes | Raw) -> Record:
    """A record from one JSON line; raises CoreError when it is not one."""
    try:
        got = decoder(_Line).decode(line)
        event = decode_event(got.kind, got.v, got.data)
    except (msgspec.MsgspecError, KeyError) as error:
        raise CoreError(f"not an event: {error}") from error
    return Record(session=got.session, n=got.n, ts=got.ts, event=event)
