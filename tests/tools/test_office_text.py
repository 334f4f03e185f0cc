"""Office documents are read as text, broken ones say so, and none grows without bound."""

from __future__ import annotations

import asyncio
import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.errors import ToolError
from hermes_tui.tools.files import read_file
from hermes_tui.tools.office_text import office_kind, office_text
from tests.fakes.context import FakeContext

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
T = (
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
)


def zipped(**parts: str) -> bytes:
    """An archive; `__` in a name stands for `/`, `_xml` for `.xml`."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), text)
    return made.getvalue()


WORD = zipped(
    word__document_xml=f"""<w:document {W}><w:body>
    <w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Title</w:t></w:r></w:p>
    <w:p><w:r><w:t>One </w:t></w:r><w:r><w:t>two</w:t><w:br/><w:t>drei ü</w:t></w:r></w:p>
    <w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>item</w:t></w:r></w:p>
    <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>
    <w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>"""
)
EXCEL = zipped(
    xl__workbook_xml=f'<workbook {S}><sheets><sheet name="Costs"/></sheets></workbook>',
    xl__sharedStrings_xml=f"<sst {S}><si><t>Rent</t></si>"
    "<si><r><t>Po</t></r><r><t>wer</t></r></si></sst>",
    xl__worksheets__sheet1_xml=f"""<worksheet {S}><sheetData>
    <row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1"><v>700</v></c></row>
    <row r="2"><c r="A2" t="s"><v>1</v></c><c r="C2"><f>C1*2</f><v>1400</v></c></row>
    <row r="3"><c t="inlineStr"><is><t>note</t></is></c></row></sheetData></worksheet>""",
)
SLIDES = zipped(
    ppt__presentation_xml="<p/>",
    **{
        f"ppt__slides__slide{n}_xml": f"<p {A}><a:p><a:r><a:t>Slide {n}</a:t></a:r></a:p></p>"
        for n in (10, 2, 1)
    },
)
OPEN = zipped(
    mimetype="application/vnd.oasis.opendocument.text",
    content_xml=f'<office:document {T}><text:h text:outline-level="2">Head</text:h>'
    "<text:p>Some <text:span>words</text:span></text:p></office:document>",
)


def book() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(
            "META-INF/container.xml",
            '<c><rootfiles><rootfile full-path="O/c.opf"/></rootfiles></c>',
        )
        archive.writestr(
            "O/c.opf",
            '<package><manifest><item id="b" href="two.xhtml"/><item id="a" href="one.xhtml"/>'
            '</manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
        )
        archive.writestr("O/one.xhtml", "<html><body><h1>First</h1></body></html>")
        archive.writestr("O/two.xhtml", "<html><body><p>Second</p></body></html>")
    return made.getvalue()


def read(content: bytes) -> str:
    return office_text(content, office_kind(content), "x")


def test_a_word_document_keeps_headings_lists_and_tables() -> None:
    assert read(WORD) == (
        "[Word document, as text]\n# Title\n\nOne two\ndrei ü\n\n- item\n\n| a | b |\n"
    )


def test_a_workbook_keeps_rows_columns_and_formulas() -> None:
    text = read(EXCEL)
    assert "--- sheet Costs ---" in text
    assert "1: Rent |  | 700" in text
    assert "2: Power |  | 1400 (=C1*2)" in text
    assert "3: note" in text


def test_slides_come_in_their_order() -> None:
    text = read(SLIDES)
    assert text.index("Slide 1\n") < text.index("Slide 2") < text.index("Slide 10")


def test_open_documents_and_books_are_read() -> None:
    assert "## Head\nSome words" in read(OPEN)
    text = read(book())
    assert text.index("# First") < text.index("Second")


def test_a_file_of_the_kind_is_read_in_pages_and_other_archives_are_not(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(WORD)
    (tmp_path / "b.docx").write_bytes(zipped(other="x"))
    (tmp_path / "c.zip").write_bytes(WORD)
    ctx = FakeContext(tmp_path)

    def call(path: str) -> str:
        return asyncio.run(read_file.run(read_file.parse(f'{{"path": "{path}"}}'), ctx)).for_model

    assert "# Title" in call("a.docx")
    with pytest.raises(ToolError, match="no office document"):
        call("b.docx")
    assert "binary file" in call("c.zip")


def test_a_document_that_unpacks_without_bound_is_refused() -> None:
    bomb = zipped(word__document_xml="<w>" + " " * 70_000_000 + "</w>")
    assert len(bomb) < 200_000
    with pytest.raises(ToolError, match="bytes"):
        read(bomb)
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><w>&b;</w>'
    with pytest.raises(ToolError, match="words of its own"):
        read(zipped(word__document_xml=laughs))


@settings(max_examples=120, deadline=None)
@given(
    which=st.sampled_from([WORD, EXCEL, SLIDES, OPEN, book()]),
    at=st.integers(0, 2_000),
    noise=st.binary(min_size=1, max_size=6),
)
def test_no_broken_document_breaks_the_reader(which: bytes, at: int, noise: bytes) -> None:
    place = at % len(which)
    broken = which[:place] + noise + which[place + len(noise) :]
    kind = office_kind(broken)
    try:
        assert kind == "" or office_text(broken, kind, "x").startswith("[")
    except ToolError:
        return
