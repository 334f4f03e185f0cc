"""Pages of a text file, however long the file or its lines are, in little memory."""

from __future__ import annotations

import codecs
import os
from typing import BinaryIO

from msgspec import Struct

from hermes_tui.errors import ToolError
from hermes_tui.security import paths
from hermes_tui.tools import file_text
from hermes_tui.tools.plain_text import is_binary

_BLOCK = 1 << 20
_WHOLE = 4 << 20
_NOTE_CHARS = 160


class Page(Struct, frozen=True, kw_only=True):
    """Text for the model, and which lines of how many bytes it shows; 0 and 0 for binary files."""

    text: str
    first: int
    last: int
    size: int


def read_page(
    real: str, part: tuple[int, int, int], window: int, protected: tuple[str, ...] = ()
) -> Page:
    """The lines asked for (first line, count, column), as many as fit into `window` characters.

    Raises ToolError when it is no ordinary file, or has no such line.
    """
    with os.fdopen(paths.read_descriptor(real, protected), "rb") as file:
        start = file.read(8192)
        size = os.fstat(file.fileno()).st_size or len(start)
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and size <= _WHOLE:
            file.seek(0)
            text = file_text.decode(file.read(), real).text
            return _from_utf8(text.encode(errors="replace"), part, window)
        if is_binary(start):
            said = file_text.describe_bytes(start, size)
            return Page(text=f"[binary file, {said}]", first=0, last=0, size=size)
        file.seek(len(codecs.BOM_UTF8) if start.startswith(codecs.BOM_UTF8) else 0)
        return _read(file, part, window, size)


def text_page(text: str, part: tuple[int, int, int], window: int) -> Page:
    """The same for a text that is no file, such as one made of a document."""
    return _from_utf8(text.encode(errors="replace"), part, window)


def _from_utf8(content: bytes, part: tuple[int, int, int], window: int) -> Page:
    import io

    return _read(io.BytesIO(content), part, window, len(content))


def _read(file: BinaryIO, part: tuple[int, int, int], window: int, size: int) -> Page:
    offset, limit, column = part
    begin = file.tell()
    total = _count_lines(file)
    file.seek(begin)
    first = max(1, total + 1 + offset) if offset < 0 else max(1, offset)
    if total == 0:
        return Page(text="[the file is empty]", first=0, last=0, size=size)
    if first > total:
        raise ToolError(f"the file has {total:,} lines; there is no line {first:,}")
    _skip_lines(file, first - 1)
    text, lines, rest = _take(file, limit, column, min(window, _BLOCK // 4) - _NOTE_CHARS)
    last = first + lines - 1
    note = _note((first, last, total), rest, (limit, column), size)
    return Page(text=text + note, first=first, last=last, size=size)


def _count_lines(file: BinaryIO) -> int:
    lines, last = 0, b"\n"
    while block := file.read(_BLOCK):
        lines += block.count(b"\n")
        last = block[-1:]
    return lines + (last != b"\n")


def _skip_lines(file: BinaryIO, count: int) -> None:
    """Go to the start of the line after `count` others."""
    while count:
        block = file.read(_BLOCK)
        here = block.count(b"\n")
        if here < count:
            count -= here
            continue
        at = -1
        for _ in range(count):
            at = block.index(b"\n", at + 1)
        file.seek(at + 1 - len(block), os.SEEK_CUR)
        count = 0


def _take(file: BinaryIO, limit: int, column: int, room: int) -> tuple[str, int, int]:
    """(text, lines, column to go on at): whole lines, or a part of one that is too long."""
    taken: list[str] = []
    while line := file.readline(_BLOCK):
        line = _rest_of_character(file, line)
        text = line.decode("utf-8", "replace")
        text = text[:-2] + "\n" if text.endswith("\r\n") else text
        if not taken and (column or len(text) > room or not text.endswith("\n")):
            text = _from_column(file, text, column, room)
            if len(text) > room:
                return text[:room], 1, column + room
        if len(text) > room:
            break
        room -= len(text)
        taken.append(text)
        if len(taken) == limit:
            break
    return "".join(taken), len(taken), 0


def _rest_of_character(file: BinaryIO, line: bytes) -> bytes:
    """With the rest of a character that the end of a block had cut."""
    while len(line) >= _BLOCK and not line.endswith(b"\n"):
        more = file.read(1)
        if not more or not 0x80 <= more[0] < 0xC0:
            file.seek(-len(more), os.SEEK_CUR)
            break
        line += more
    return line


def _from_column(file: BinaryIO, text: str, column: int, room: int) -> str:
    """A line from a column on, read in blocks until there is enough of it."""
    while not text.endswith("\n") and len(text) - column <= room:
        if len(text) <= column:
            column -= len(text)
            text = ""
        more = _rest_of_character(file, file.readline(_BLOCK))
        if not more:
            break
        text += more.decode("utf-8", "replace")
    return text[column:]


def _note(lines: tuple[int, int, int], rest: int, asked: tuple[int, int], size: int) -> str:
    """What part this was and how to go on; empty when it was the whole file."""
    first, last, total = lines
    if rest:
        go_on = f"go on with offset={first}, column={rest}"
        return f"\n[line {first:,} of {total:,}, cut at column {rest:,}; {go_on}]"
    if first == 1 and last == total and not asked[1]:
        return ""
    go_on = f"; go on with offset={last + 1}" if last < total else ""
    return f"\n[lines {first:,}-{last:,} of {total:,}, {size:,} bytes{go_on}]"
