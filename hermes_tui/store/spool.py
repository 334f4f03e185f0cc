"""Messages that came while the database was damaged: one JSON line each, on disk when told so."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from hermes_tui.events import InputReceived, Record

NAME = "spool.jsonl"


class Kept(Struct, frozen=True, kw_only=True):
    """A message that waits for its session. ts: when it came, Unix seconds."""

    session: str
    ts: float
    input_id: str
    text: str
    how: str = "send"
    face: str = ""
    attended: bool = True


def lines(records: Iterable[Record]) -> bytes:
    """The messages among some records, as lines of the file."""
    return b"".join(
        _line(one, one.event) for one in records if isinstance(one.event, InputReceived)
    )


def keep(database: Path, data: bytes) -> None:
    """Add lines to the file beside a database and bring them to the disk. Raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    fd = os.open(database.with_name(NAME), flags, 0o600)
    try:
        left = data
        while left:
            left = left[os.write(fd, left) :]
        os.fsync(fd)
    finally:
        os.close(fd)


def waiting(database: Path) -> tuple[Kept, ...]:
    """What is kept; a line that was cut off by a power loss is passed over."""
    try:
        data = database.with_name(NAME).read_bytes()
    except FileNotFoundError:
        return ()
    kept: list[Kept] = []
    for line in data.splitlines():
        try:
            kept.append(msgspec.json.decode(line, type=Kept))
        except msgspec.DecodeError:
            continue
    return tuple(kept)


def clear(database: Path) -> None:
    """Everything is in the database: remove the file."""
    database.with_name(NAME).unlink(missing_ok=True)


def received(kept: Sequence[Kept]) -> dict[str, list[tuple[float, InputReceived]]]:
    """The messages as events with their times, by session."""
    found: dict[str, list[tuple[float, InputReceived]]] = {}
    for one in kept:
        event = InputReceived(
            input_id=one.input_id,
            text=one.text,
            how="queue",
            face=one.face,
            attended=one.attended,
        )
        found.setdefault(one.session, []).append((one.ts, event))
    return found


def _line(record: Record, event: InputReceived) -> bytes:
    one = Kept(
        session=record.session,
        ts=record.ts,
        input_id=event.input_id,
        text=event.text,
        how=event.how,
        face=event.face,
        attended=event.attended,
    )
    return msgspec.json.encode(one) + b"\n"
