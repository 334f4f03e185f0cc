"""Files that are no plain text, as text: PDF and office documents, notebooks by cells.

What was made of a file is kept for a while, so that its pages are read out of one conversion.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any, cast

import msgspec

from hermes_tui.errors import ToolError
from hermes_tui.security import paths

_LARGEST = 100_000_000
_OUTPUT_CHARS = 4_000
_OFFICE = (".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub", ".docm", ".xlsm", ".pptm")


def is_document(real: str, head: bytes) -> bool:
    """Whether a file is of a kind that is turned into text here."""
    if head.startswith(b"%PDF"):
        return True
    if head.startswith(b"PK\x03\x04"):
        return real.lower().endswith(_OFFICE)
    return real.lower().endswith(".ipynb") and head.lstrip()[:1] == b"{"


def document_text(real: str, protected: tuple[str, ...]) -> str:
    """The text of a document. Raises ToolError; it takes seconds for long ones."""
    paths.refuse_protected(real, protected, reading=True)
    status = os.stat(real)
    return _converted(real, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _converted(real: str, changed: int, size: int) -> str:
    """The text of a file that was last changed then and is so long."""
    content = paths.read_bytes(real, (), _LARGEST)
    if real.lower().endswith(".ipynb"):
        return notebook_text(content, real)
    if content.startswith(b"PK"):
        return _office(content, real)
    from hermes_tui.tools.pdf_text import read_pdf

    document = read_pdf(content, real)
    about = " · ".join(filter(None, (document.title, document.date)))
    head = f"[PDF document, {document.count} pages{about and ' · ' + about}]\n"
    return head + document.text()


def _office(content: bytes, name: str) -> str:
    from hermes_tui.tools.office_text import office_kind, office_text

    kind = office_kind(content)
    if not kind:
        raise ToolError(f"{name} is a zip archive, but no office document", "`unzip -l` lists it")
    return office_text(content, kind, name)


def notebook_text(content: bytes, name: str) -> str:
    """A Jupyter notebook (nbformat 4) as its cells and what they put out.

    Raises ToolError when it is none.
    """
    try:
        notebook = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ToolError(f"{name} is no notebook that can be read: {error}") from error
    cells = _list(_fields(notebook).get("cells"))
    language = _fields(_fields(_fields(notebook).get("metadata")).get("kernelspec")).get("language")
    head = f"[notebook, {len(cells)} cells, {language or 'code'}; the file itself is JSON]"
    return "\n\n".join([head, *(_cell(n, _fields(one)) for n, one in enumerate(cells, 1))]) + "\n"


def _cell(number: int, cell: dict[str, Any]) -> str:
    kind = str(cell.get("cell_type") or "cell")
    parts = [f"--- cell {number}, {kind} ---", _text(cell.get("source")).rstrip()]
    outputs = [_output(_fields(one)) for one in _list(cell.get("outputs"))]
    shown = "\n".join(one for one in outputs if one)
    if shown:
        cut = "\n[… cut]" if len(shown) > _OUTPUT_CHARS else ""
        parts.append(f"--- output of cell {number} ---\n{shown[:_OUTPUT_CHARS].rstrip()}{cut}")
    return "\n".join(parts)


def _output(output: dict[str, Any]) -> str:
    if output.get("output_type") == "error":
        return f"{output.get('ename')}: {output.get('evalue')}"
    if "text" in output:
        return _text(output["text"])
    data = _fields(output.get("data"))
    if "text/plain" in data:
        others = [kind for kind in data if kind.startswith("image/")]
        return _text(data["text/plain"]) + "".join(f"\n[{kind}]" for kind in others)
    return "".join(f"[{kind}]" for kind in data)


def _text(value: Any) -> str:
    """Text that a notebook keeps as one string or as a list of lines."""
    if isinstance(value, list):
        return "".join(str(one) for one in cast("list[Any]", value))
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _fields(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
