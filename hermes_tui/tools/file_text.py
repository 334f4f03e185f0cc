"""A file as text that can be edited and written back: encoding, BOM and line ends are kept."""

from __future__ import annotations

import codecs

from msgspec import Struct

from hermes_tui.errors import ToolError
from hermes_tui.tools.plain_text import is_binary

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class FileText(Struct, frozen=True, kw_only=True):
    """The text of a file, and how to make its bytes again.

    Bytes that are no UTF-8 live on as lone surrogates, so that what is not edited stays.
    """

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""

    @property
    def line_end(self) -> str:
        """What most lines end with."""
        windows = self.text.count("\r\n")
        return "\r\n" if windows * 2 > self.text.count("\n") else "\n"

    def line_ends(self, text: str) -> str:
        """Another text with the line ends of this one."""
        if self.line_end == "\n" or "\r" in text:
            return text
        return text.replace("\n", "\r\n")

    def to_bytes(self, text: str) -> bytes:
        """Another text in this file's encoding; raises ToolError for what it can't hold."""
        errors = "surrogateescape" if self.encoding == "utf-8" else "strict"
        try:
            return self.bom + text.encode(self.encoding, errors)
        except UnicodeEncodeError as error:
            wrong = f"U+{ord(text[error.start]):04X}"
            raise ToolError(f"the text holds {wrong}, which is no character") from error


def decode(content: bytes, name: str) -> FileText:
    """The text of a file's bytes; raises ToolError when they are not text."""
    bom, encoding = next((one for one in _BOMS if content.startswith(one[0])), (b"", "utf-8"))
    if not bom and is_binary(content):
        raise ToolError(f"{name} is a binary file, {describe_bytes(content)}")
    errors = "surrogateescape" if encoding == "utf-8" else "strict"
    try:
        return FileText(
            text=content[len(bom) :].decode(encoding, errors), encoding=encoding, bom=bom
        )
    except UnicodeDecodeError as error:
        raise ToolError(f"{name} begins like {encoding} text but is not") from error


def showable(text: str) -> str:
    """The text with a replacement character for each byte that is none."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


_MAGIC = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a zip archive (or an office document, a jar, a wheel)"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x7fELF", "a Linux program or library"),
    (b"SQLite format 3", "an SQLite database"),
)


def describe_bytes(start: bytes, size: int | None = None) -> str:
    """What bytes seem to be, for a model that must not see them."""
    kind = next((name for magic, name in _MAGIC if start.startswith(magic)), "of unknown kind")
    length = len(start) if size is None else size
    return f"{length:,} bytes, {kind}, starting {start[:16].hex(' ')}"
