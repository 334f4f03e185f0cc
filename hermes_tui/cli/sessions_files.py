"""Conversations as JSON lines: written by export, read by import, one format for both.

First line `{"session": {"id", "title", "started_at"}}`, then `{"id", "role", "text", "ts"}` for
each message, times in Unix seconds. A file may hold several sessions one after the other.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TextIO

import msgspec
from msgspec import Struct

from hermes_tui.codec import encode, encode_record
from hermes_tui.errors import HermesError
from hermes_tui.intents import ImportedMessage, ImportSession, SessionInfo
from hermes_tui.runtime import export
from hermes_tui.runtime.client import CoreClient

CHUNK = 1000
"""Messages in one intent; an import may be of any length."""


class Counted(Struct, frozen=True, kw_only=True):
    """What an import brought in. known: messages that were there already."""

    sessions: int = 0
    messages: int = 0
    known: int = 0


class _Head(Struct, frozen=True):
    id: str
    title: str = ""
    started_at: float = 0.0


class _First(Struct, frozen=True):
    session: _Head


class _Conversation:
    def __init__(self, head: _Head) -> None:
        self.head = head
        self.messages: list[ImportedMessage] = []


async def message_lines(client: CoreClient, info: SessionInfo) -> list[str]:
    """A session in the format that import reads."""
    said = export.said(info.id, await export.records(client, info))
    return [encode(one).decode() for one in (export.head(info), *said)]


async def event_lines(client: CoreClient, info: SessionInfo) -> list[str]:
    """Every stored event of a session, one JSON object a line."""
    return [encode_record(one).decode() for one in await export.records(client, info)]


async def document_lines(client: CoreClient, info: SessionInfo, form: str) -> list[str]:
    """A session as a document: `md`, `html` or `svg`."""
    told = await export.records(client, info)
    if form != "svg":
        return export.render(info, told, form).decode().removesuffix("\n").split("\n")
    from hermes_tui.ui.export_svg import to_svg

    return to_svg(info, told).removesuffix("\n").split("\n")


def write(file: str, lines: list[str]) -> int:
    """Write lines to a file or, for `-`, to standard output; how many there were."""
    text = "".join(line + "\n" for line in lines)
    if file == "-":
        sys.stdout.write(text)
        return len(lines)
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise HermesError(f"{file} can't be written: {error.strerror}") from error
    return len(lines)


async def bring_in(client: CoreClient, files: Iterable[str]) -> Counted:
    """Import files. Each file is read whole first: one with a bad line brings in nothing."""
    sessions = messages = known = 0
    for file in files:
        for talk in list(_read(file)):
            sessions += 1
            for chunk in _chunks(talk):
                got = await client.ask(chunk)
                messages, known = messages + got.messages, known + got.known
    return Counted(sessions=sessions, messages=messages, known=known)


def _chunks(talk: _Conversation) -> Iterator[ImportSession]:
    head = talk.head
    for start in range(0, max(len(talk.messages), 1), CHUNK):
        yield ImportSession(
            id=head.id,
            title=head.title,
            started_at=head.started_at,
            messages=tuple(talk.messages[start : start + CHUNK]),
        )


def _read(file: str) -> Iterator[_Conversation]:
    talk: _Conversation | None = None
    for number, parsed in _lines(file):
        if isinstance(parsed, ImportedMessage):
            if talk is None:
                raise _bad(file, number, "the first line must be the session", _FIRST)
            talk.messages.append(parsed)
            continue
        if talk:
            yield talk
        talk = _Conversation(parsed.session)
    if talk is None:
        raise _bad(file, 1, "the file is empty", _FIRST)
    yield talk


def _lines(file: str) -> Iterator[tuple[int, _First | ImportedMessage]]:
    with _opened(file) as opened:
        for number, line in enumerate(_decoded(file, opened), 1):
            if line.strip():
                yield number, _parsed(file, number, line)


_FIRST = 'it reads {"session": {"id": "…", "title": "…", "started_at": 1700000000}}'
_MESSAGE = 'a message reads {"id": "…", "role": "user", "text": "…", "ts": 1700000000}'


def _parsed(file: str, number: int, line: str) -> _First | ImportedMessage:
    try:
        return msgspec.json.decode(line, type=_First)
    except msgspec.ValidationError as error:
        if "session" in line and "text" not in line:
            raise _bad(file, number, str(error), _FIRST) from error
    except msgspec.DecodeError as error:
        raise _bad(file, number, f"it is not JSON ({error})", _MESSAGE) from error
    try:
        return msgspec.json.decode(line, type=ImportedMessage)
    except msgspec.ValidationError as error:
        raise _bad(file, number, str(error), _MESSAGE) from error


def _bad(file: str, number: int, why: str, hint: str) -> HermesError:
    return HermesError(f"{file}:{number}: {why}", hint)


def _opened(file: str) -> TextIO | nullcontext[TextIO]:
    if file == "-":
        return nullcontext(sys.stdin)
    try:
        return Path(file).open(encoding="utf-8")
    except OSError as error:
        raise HermesError(f"{file} can't be read: {error.strerror}") from error


def _decoded(file: str, lines: TextIO) -> Iterator[str]:
    try:
        yield from lines
    except UnicodeDecodeError as error:
        raise HermesError(f"{file} is not UTF-8 text: {error.reason}") from error
