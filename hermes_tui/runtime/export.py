"""A session written to a file, for any face: JSON lines, which import reads, or a document.

JSON lines: first `{"session": {"id", "title", "started_at"}}`, then `{"id", "role", "text", "ts"}`
for each message, times in Unix seconds.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from hermes_tui.codec import encode
from hermes_tui.errors import HermesError
from hermes_tui.events import InputReceived, InputTaken, MessageImported, Record, ReplyReceived
from hermes_tui.intents import History, SessionInfo
from hermes_tui.runtime.client import CoreClient

FORMATS = ("jsonl", "md", "html", "svg")
_PAGE = 1000


class Said(Struct, frozen=True, kw_only=True):
    """One message. id: as search gives it."""

    id: str
    role: str
    text: str
    ts: float


async def export_session(client: CoreClient, info: SessionInfo, folder: str, file: str) -> str:
    """Write a session to a file, given from `folder`; without one it is named for the session.

    The file's ending says how: `.md`, `.html`, else JSON lines. Returns the path. Raises
    HermesError when it exists already or can't be written.
    """
    path = export_path(info, folder, file)
    told = await records(client, info)
    text = await asyncio.to_thread(render, info, told, format_of(path.name))
    await asyncio.to_thread(write_new, path, text)
    return str(path)


def format_of(file: str) -> str:
    """The format that a file's name asks for: `jsonl`, `md`, `html` or `svg`."""
    end = Path(file).suffix.lower().removeprefix(".")
    return {"markdown": "md", "htm": "html"}.get(end, end if end in FORMATS else "jsonl")


def render(info: SessionInfo, told: Sequence[Record], form: str) -> bytes:
    """A session in a format. Raises HermesError for one that only a screen can draw."""
    if form == "jsonl":
        lines = [encode(one) for one in (head(info), *said(info.id, told))]
        return b"\n".join(lines) + b"\n"
    from hermes_tui.runtime import export_document as document

    if form == "md":
        return document.to_markdown(info, told).encode()
    if form == "html":
        return document.to_html(info, told).encode()
    raise HermesError(f"{form} is drawn by the full screen only", "html and md are written here")


def export_path(info: SessionInfo, folder: str, file: str, end: str = ".jsonl") -> Path:
    """Where an export goes; without a name, the session's own in the folder."""
    path = Path(folder or ".", file or file_name(info))
    return path if file else path.with_suffix(end)


def file_name(info: SessionInfo) -> str:
    """`move-blog-to-vps.jsonl`, or the id where a session has no title."""
    words = re.findall(r"\w+", info.title.casefold())
    return "-".join(words)[:60] + ".jsonl" if words else f"{info.id}.jsonl"


def said(session: str, records: Iterable[Record]) -> Iterator[Said]:
    """What was said, in the order in which the model saw it."""
    typed: dict[str, tuple[int, str]] = {}
    for record in records:
        match record.event:
            case InputReceived() as event:
                typed[event.input_id] = record.n, event.text
            case InputTaken() as event if event.input_id in typed:
                n, text = typed[event.input_id]
                yield Said(id=f"{session}:{n}", role="user", text=text, ts=record.ts)
            case ReplyReceived() as event if event.text:
                yield Said(
                    id=f"{session}:{record.n}", role="assistant", text=event.text, ts=record.ts
                )
            case MessageImported() as event:
                yield Said(id=event.message_id, role=event.role, text=event.text, ts=record.ts)
            case _:
                continue


def head(info: SessionInfo) -> dict[str, dict[str, str | float]]:
    """The first line, which says what session it is."""
    return {"session": {"id": info.id, "title": info.title, "started_at": info.created}}


async def records(client: CoreClient, info: SessionInfo) -> list[Record]:
    """All stored events of a session, oldest first."""
    pages: list[tuple[Record, ...]] = []
    before, more = 2**53, True
    while more:
        page = await client.ask(History(session=info.id, before=before, limit=_PAGE))
        pages.append(page.records)
        more = page.more and bool(page.records)
        before = page.records[0].n if page.records else 0
    return [record for page in reversed(pages) for record in page]


def write_new(path: Path, text: bytes) -> None:
    """Write a file that must not exist yet. Raises HermesError."""
    try:
        with path.open("xb") as file:
            file.write(text)
    except FileExistsError:
        raise HermesError(f"{path.name} exists already", f"in {path.parent}") from None
    except OSError as error:
        raise HermesError(f"{path} can't be written: {error.strerror}") from error
