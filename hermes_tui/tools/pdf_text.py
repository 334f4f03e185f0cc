"""The text of a PDF document, page by page, through pypdf."""

from __future__ import annotations

import importlib.util
import io
import logging
import time
from typing import Any

from msgspec import Struct

from hermes_tui.errors import ToolError

_MOST_PAGES = 1_000
_MOST_SECONDS = 30.0
_BROKEN = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What pypdf raises on broken documents."""
INSTALL = "install it with: pip install 'hermes-tui[pages]'"


class PdfText(Struct, frozen=True, kw_only=True):
    """Text of the pages that were read, of `count` there are; what the document says of itself."""

    pages: tuple[str, ...]
    count: int
    title: str = ""
    date: str = ""

    def text(self) -> str:
        """All pages under their numbers."""
        shown = [
            f"--- page {number} of {self.count} ---\n{page or '[no text on this page]'}\n"
            for number, page in enumerate(self.pages, 1)
        ]
        if len(self.pages) < self.count:
            shown.append(f"[pages {len(self.pages) + 1}-{self.count} were not read: too many]\n")
        return "\n".join(shown)


def is_there() -> bool:
    """Whether PDF documents can be read here."""
    return importlib.util.find_spec("pypdf") is not None


def read_pdf(content: bytes, name: str) -> PdfText:
    """The text of a document. It takes seconds for long ones: call it in a thread.

    Raises ToolError when it is locked or broken, or pypdf is not installed.
    """
    if not is_there():
        raise ToolError(f"{name} is a PDF document; reading one needs the package pypdf", INSTALL)
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    # It warns of every oddity of a document on standard error otherwise.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ToolError(f"{name} is locked with a password")
        return _read(reader)
    except (PyPdfError, *_BROKEN) as error:
        why = str(error) or type(error).__name__
        raise ToolError(f"{name} is no PDF document that can be read: {why}") from error


def _read(reader: Any) -> PdfText:
    count = len(reader.pages)
    end = time.monotonic() + _MOST_SECONDS
    pages: list[str] = []
    for number in range(min(count, _MOST_PAGES)):
        if time.monotonic() > end:
            break
        pages.append(reader.pages[number].extract_text().strip())
    about = reader.metadata
    title = str(about.title or "") if about else ""
    made = about.creation_date if about else None
    date = made.date().isoformat() if made else ""
    return PdfText(pages=tuple(pages), count=count, title=title, date=date)
