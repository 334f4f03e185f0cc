"""The text of office documents: Word, Excel, PowerPoint (ECMA-376), OpenDocument (ISO 26300), EPUB.

All of them are zip archives of XML; nothing of them is run, and no part is unpacked beyond a limit.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from xml.etree import ElementTree

from hermes_tui.errors import ToolError

_LARGEST_PART = 60_000_000
_MOST_ROWS = 20_000
_MOST_PARTS = 500
_GAPS, _GAP = re.compile(r"\n{3,}"), "\n\n"
_NUMBER = re.compile(r"(\d+)\.xml$")
_Element = ElementTree.Element
_BROKEN = (
    zipfile.BadZipFile,
    ElementTree.ParseError,
    zlib.error,
    KeyError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
)


def office_kind(content: bytes) -> str:
    """`docx`, `xlsx`, `pptx`, `odf` or `epub`; empty for any other zip archive or file."""
    try:
        names = set(zipfile.ZipFile(io.BytesIO(content)).namelist())
    except _BROKEN:
        return ""
    for name, kind in _TELLING.items():
        if name in names:
            return kind
    return "odf" if {"content.xml", "mimetype"} <= names else ""


def office_text(content: bytes, kind: str, name: str) -> str:
    """The text of a document of that kind. Raises ToolError when it is broken."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        text = "\n".join(_READERS[kind](archive))
    except _BROKEN as error:
        raise ToolError(f"{name} can't be read: {error or type(error).__name__}") from error
    return f"[{_NAMES[kind]}]\n{_GAPS.sub(_GAP, text).strip()}\n"


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    size = archive.getinfo(name).file_size
    if size > _LARGEST_PART:
        raise ValueError(f"{name} in it has {size:,} bytes")
    return archive.read(name)


def _xml(archive: zipfile.ZipFile, name: str) -> _Element:
    content = _part(archive, name)
    if b"<!ENTITY" in content:
        raise ValueError(f"{name} in it defines words of its own")
    return ElementTree.fromstring(content)


def _tag(element: _Element) -> str:
    return element.tag.rpartition("}")[2]


def _named(element: _Element, attribute: str) -> str:
    """An attribute, in whatever namespace."""
    found = (v for k, v in element.attrib.items() if k.rpartition("}")[2] == attribute)
    return next(found, "")


def _numbered(archive: zipfile.ZipFile, start: str) -> list[str]:
    """Parts such as `ppt/slides/slide12.xml`, by their numbers."""
    found = [
        (int(number[1]), name)
        for name in archive.namelist()
        if name.startswith(start) and (number := _NUMBER.search(name))
    ]
    return [name for _, name in sorted(found)[:_MOST_PARTS]]


# --- Word -----------------------------------------------------------------------------------


def _word(archive: zipfile.ZipFile) -> Iterator[str]:
    body = next(iter(_xml(archive, "word/document.xml")), None)
    for block in body if body is not None else ():
        kind = _tag(block)
        if kind == "p":
            yield _word_paragraph(block) + "\n"
        elif kind == "tbl":
            yield from _rows(block, "tr", "tc")
            yield ""


def _word_paragraph(paragraph: _Element) -> str:
    style = next((_named(one, "val") for one in paragraph.iter() if _tag(one) == "pStyle"), "")
    level = re.fullmatch(r"[Hh]eading ?([1-6])", style)
    listed = any(_tag(one) == "numPr" for one in paragraph.iter())
    mark = "#" * int(level[1]) + " " if level else "- " if listed else ""
    return mark + _runs(paragraph)


def _runs(element: _Element) -> str:
    """Text of an element's runs, with tabs and line breaks."""
    marks = {"tab": "\t", "br": "\n", "cr": "\n"}
    parts = [
        (one.text or "") if _tag(one) == "t" else marks.get(_tag(one), "") for one in element.iter()
    ]
    return "".join(parts)


def _rows(table: _Element, row: str, cell: str) -> Iterator[str]:
    for one in table.iter():
        if _tag(one) == row:
            cells = [" ".join(_runs(c).split()) for c in one if _tag(c) == cell]
            yield "| " + " | ".join(cells) + " |"


# --- PowerPoint -----------------------------------------------------------------------------


def _slides(archive: zipfile.ZipFile) -> Iterator[str]:
    for number, name in enumerate(_numbered(archive, "ppt/slides/slide"), 1):
        yield f"\n--- slide {number} ---"
        for one in _xml(archive, name).iter():
            if _tag(one) == "p" and (text := _runs(one).strip()):
                yield text


# --- Excel ----------------------------------------------------------------------------------


def _sheets(archive: zipfile.ZipFile) -> Iterator[str]:
    shared: list[str] = []
    if "xl/sharedStrings.xml" in archive.namelist():
        strings = _xml(archive, "xl/sharedStrings.xml")
        shared = [_runs(one) for one in strings if _tag(one) == "si"]
    book = _xml(archive, "xl/workbook.xml")
    titles = [_named(one, "name") for one in book.iter() if _tag(one) == "sheet"]
    for number, name in enumerate(_numbered(archive, "xl/worksheets/sheet"), 1):
        title = titles[number - 1] if number <= len(titles) else str(number)
        yield f"\n--- sheet {title} ---"
        yield from _sheet(_xml(archive, name), shared)


def _sheet(sheet: _Element, shared: list[str]) -> Iterator[str]:
    rows = (one for one in sheet.iter() if _tag(one) == "row")
    for count, row in enumerate(rows):
        if count == _MOST_ROWS:
            yield f"[only the first {_MOST_ROWS:,} rows]"
            return
        cells: list[str] = []
        for cell in row:
            column = _column(cell.get("r") or "")
            cells += [""] * min(column - len(cells), 1_000)
            cells.append(_value(cell, shared))
        yield f"{row.get('r') or count + 1}: " + " | ".join(cells)


def _column(place: str) -> int:
    """The number of a cell's column, from 0: `B7` is 1."""
    letters = "".join(one for one in place[:3] if "A" <= one <= "Z")
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return max(0, number - 1)


def _value(cell: _Element, shared: list[str]) -> str:
    kind = cell.get("t")
    if kind == "inlineStr":
        return _runs(cell)
    parts = {_tag(one): one.text or "" for one in cell}
    value = parts.get("v", "")
    if kind == "s" and value.isdigit() and int(value) < len(shared):
        value = shared[int(value)]
    formula = f" (={parts['f']})" if parts.get("f") else ""
    return " ".join(value.split()) + formula


# --- OpenDocument and EPUB ------------------------------------------------------------------


def _open_document(archive: zipfile.ZipFile) -> Iterator[str]:
    for one in _xml(archive, "content.xml").iter():
        kind = _tag(one)
        if kind == "h":
            level = _named(one, "outline-level")
            yield "\n" + "#" * (int(level) if level.isdigit() else 1) + " " + _all_text(one)
        elif kind == "p":
            yield _all_text(one)
        elif kind in ("page", "table"):
            yield f"\n--- {_named(one, 'name') or kind} ---"


def _all_text(element: _Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _book(archive: zipfile.ZipFile) -> Iterator[str]:
    from hermes_tui.tools.page_reader import read_page

    holder = _xml(archive, "META-INF/container.xml")
    opf = next(_named(one, "full-path") for one in holder.iter() if _tag(one) == "rootfile")
    package = _xml(archive, opf)
    files = {
        _named(one, "id"): _named(one, "href") for one in package.iter() if _tag(one) == "item"
    }
    order = [_named(one, "idref") for one in package.iter() if _tag(one) == "itemref"]
    for name in [files[one] for one in order if one in files][:_MOST_PARTS]:
        place = posixpath.normpath(posixpath.join(posixpath.dirname(opf), name))
        if place in archive.namelist():
            yield read_page(_part(archive, place).decode("utf-8", "replace"))[1] + "\n"


_TELLING = {
    "word/document.xml": "docx",
    "xl/workbook.xml": "xlsx",
    "ppt/presentation.xml": "pptx",
    "META-INF/container.xml": "epub",
}
_NAMES = {
    "docx": "Word document, as text",
    "xlsx": "Excel workbook, as text",
    "pptx": "PowerPoint slides, as text",
    "odf": "OpenDocument, as text",
    "epub": "book, as text",
}
_READERS: dict[str, Callable[[zipfile.ZipFile], Iterator[str]]] = {
    "docx": _word,
    "xlsx": _sheets,
    "pptx": _slides,
    "odf": _open_document,
    "epub": _book,
}
