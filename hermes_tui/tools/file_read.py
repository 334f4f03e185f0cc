"""What reading a file gives: pages of text, a document as text, a picture, a folder's names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import Struct

from hermes_tui.errors import ToolError
from hermes_tui.security import paths
from hermes_tui.tools import file_text
from hermes_tui.tools.base import ToolResult
from hermes_tui.tools.file_pages import read_page, text_page
from hermes_tui.tools.file_text import showable

if TYPE_CHECKING:
    from hermes_tui.tools.file_memory import FileMemory

_HEAD = 8192
_REMEMBERED = 4 << 20
_PICTURES = (b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF")


class Reading(Struct, frozen=True, kw_only=True):
    """What is to be read: the file, (first line, count, column), and how much fits.

    outputs: where copies of pictures are kept; protected: what no tool may read.
    """

    real: str
    part: tuple[int, int, int]
    window: int
    outputs: str = ""
    protected: tuple[str, ...] = ()


def read(wanted: Reading, memory: FileMemory) -> ToolResult:
    """Read it, and remember how it was. Raises ToolError."""
    real, protected = wanted.real, wanted.protected
    if os.path.isdir(real):
        return ToolResult(for_model=_listing(real, wanted.window), details={"path": real})
    with os.fdopen(paths.read_descriptor(real, protected), "rb") as file:
        head = file.read(_HEAD)
    if head.startswith(_PICTURES) and (shown := _picture(wanted)) is not None:
        return shown
    from hermes_tui.tools.file_documents import document_text, is_document

    if is_document(real, head):
        text = document_text(real, protected)
        page = text_page(text, wanted.part, wanted.window)
    else:
        page = read_page(real, wanted.part, wanted.window, protected)
        _remember(wanted, page.size, memory)
    details = {"path": real, "first": page.first, "last": page.last, "bytes": page.size}
    return ToolResult(for_model=page.text, details=details)


def _remember(wanted: Reading, size: int, memory: FileMemory) -> None:
    if size > _REMEMBERED:
        memory.forget(wanted.real)
        return
    content = paths.read_bytes(wanted.real, wanted.protected)
    memory.saw(wanted.real, content, readable(content))


def readable(content: bytes) -> str | None:
    """The text of a file's bytes, None when they are none."""
    try:
        return file_text.decode(content, "").text
    except ToolError:
        return None


def _picture(wanted: Reading) -> ToolResult | None:
    """A picture to be seen; None for what only begins like one."""
    from hermes_tui.models.pictures import look_of
    from hermes_tui.tools.picture_files import keep_picture

    content = paths.read_bytes(wanted.real, wanted.protected)
    if look_of(content) is None:
        return None
    picture, look = keep_picture(content, wanted.outputs, wanted.real)
    said = (
        f"[{look}, {len(content):,} bytes. It comes with this result if you can see pictures; "
        "if you see none, ask the vision tool about this file.]"
    )
    details = {"path": wanted.real, "image": picture.path, "bytes": len(content)}
    return ToolResult(for_model=said, details=details, pictures=(picture,))


def _listing(real: str, limit: int) -> str:
    """What a folder holds, folders with a slash."""
    names: list[str] = []
    try:
        with os.scandir(real) as entries:
            names = sorted(entry.name + "/" * entry.is_dir() for entry in entries)
    except OSError as error:
        raise ToolError(f"{real}: {error.strerror}") from error
    text = "\n".join(map(showable, names))
    if len(text) > limit:
        text = text[: limit - 100].rpartition("\n")[0] + "\n[… more]"
    return f"{real} is a folder of {len(names)} entries:\n{text}"
