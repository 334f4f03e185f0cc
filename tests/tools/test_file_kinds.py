"""Files that are no plain text can be read, and nobody's change to a file is lost by an edit."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.errors import ToolError
from hermes_tui.tools.base import Tool, ToolResult
from hermes_tui.tools.file_documents import notebook_text
from hermes_tui.tools.files import edit_file, read_file, write_file
from hermes_tui.tools.syntax import problem
from tests.fakes.context import FakeContext
from tests.fakes.documents import pdf, png


@pytest.fixture
def ctx(tmp_path: Path) -> FakeContext:
    return FakeContext(tmp_path)


def call(tool: Tool, ctx: FakeContext, **arguments: str | int | bool) -> ToolResult:
    return asyncio.run(tool.run(tool.parse(json.dumps(arguments)), ctx))


def test_a_picture_is_described_and_comes_along_for_models_that_see(
    ctx: FakeContext, tmp_path: Path
) -> None:
    (tmp_path / "p.png").write_bytes(png(640, 480))
    result = call(read_file, ctx, path="p.png")
    assert "PNG image, 640×480 pixels" in result.for_model
    (picture,) = result.pictures
    assert picture.media == "image/png"
    (tmp_path / "p.png").write_bytes(b"something else")
    assert Path(picture.path).read_bytes() == png(640, 480)
    assert result.details["image"] == picture.path


def test_the_same_picture_is_kept_once(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    (tmp_path / "b.png").write_bytes(png())
    paths = {call(read_file, ctx, path=name).pictures[0].path for name in ("a.png", "b.png")}
    assert len(paths) == 1
    assert len(list(Path(ctx.outputs).iterdir())) == 1


def test_what_only_begins_like_a_picture_is_described_by_its_bytes(
    ctx: FakeContext, tmp_path: Path
) -> None:
    (tmp_path / "x.wav").write_bytes(b"RIFF\x00\x01\x02\x03WAVEfmt \x00\x00")
    result = call(read_file, ctx, path="x.wav")
    assert result.pictures == ()
    assert "binary file" in result.for_model


def test_a_pdf_is_read_by_its_pages(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "d.pdf").write_bytes(pdf("Hello first page", "And the second one"))
    text = call(read_file, ctx, path="d.pdf").for_model
    assert text.index("page 1 of 2") < text.index("Hello first page")
    assert text.index("page 2 of 2") < text.index("And the second one")


def test_a_long_pdf_comes_in_pages_like_any_text(ctx: FakeContext, tmp_path: Path) -> None:
    ctx.window_chars = 1_000
    (tmp_path / "d.pdf").write_bytes(pdf(*(f"This is page {n}" for n in range(1, 61))))
    first = call(read_file, ctx, path="d.pdf").for_model
    assert "go on with offset=" in first
    assert "This is page 60" in call(read_file, ctx, path="d.pdf", offset=-5).for_model


def test_a_broken_pdf_is_said_in_a_sentence(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "d.pdf").write_bytes(b"%PDF-1.7\nnothing of the kind")
    with pytest.raises(ToolError, match=r"d\.pdf"):
        call(read_file, ctx, path="d.pdf")


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, 600), noise=st.binary(max_size=8))
def test_no_broken_pdf_breaks_the_reader(cut: int, noise: bytes) -> None:
    from hermes_tui.tools.pdf_text import read_pdf

    whole = pdf("Hello")
    try:
        made = read_pdf(whole[:cut] + noise + whole[cut + len(noise) :], "x.pdf")
    except ToolError:
        return
    assert made.count >= 0


def notebook() -> dict:
    return {
        "nbformat": 4,
        "metadata": {"kernelspec": {"language": "python"}},
        "cells": [
            {"cell_type": "markdown", "source": ["# Title\n", "words"]},
            {
                "cell_type": "code",
                "source": "print(1)",
                "outputs": [
                    {"output_type": "stream", "text": ["1\n"]},
                    {"output_type": "execute_result",
                     "data": {"text/plain": "<Figure>", "image/png": "iVBO"}},
                    {"output_type": "error", "ename": "ValueError", "evalue": "no"},
                ],
            },
        ],
    }  # fmt: skip


def test_a_notebook_is_read_as_cells_and_outputs(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "n.ipynb").write_text(json.dumps(notebook()))
    text = call(read_file, ctx, path="n.ipynb").for_model
    assert "cell 1, markdown ---\n# Title\nwords" in text
    assert "cell 2, code ---\nprint(1)" in text
    assert "1\n" in text
    assert "[image/png]" in text
    assert "ValueError: no" in text
    assert "iVBO" not in text


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["cells", "source", "outputs", "text", "data", "cell_type"]), inner,
        max_size=3,
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(value=_JSON)
def test_any_json_is_some_notebook(value: object) -> None:
    assert "cells" in notebook_text(json.dumps(value).encode(), "n")


# --- staleness -----------------------------------------------------------------------------


def test_an_edit_of_a_file_changed_since_it_was_read_is_refused_with_the_difference(
    ctx: FakeContext, tmp_path: Path
) -> None:
    file = tmp_path / "f.txt"
    file.write_text("one\ntwo\n")
    call(read_file, ctx, path="f.txt")
    file.write_text("one\ntwo and a half\n")
    with pytest.raises(ToolError, match="has changed since you read it") as refused:
        call(edit_file, ctx, path="f.txt", old="one", new="ONE")
    assert "+two and a half" in refused.value.hint
    assert file.read_text() == "one\ntwo and a half\n"
    call(edit_file, ctx, path="f.txt", old="one", new="ONE")
    assert file.read_text() == "ONE\ntwo and a half\n"


def test_a_whole_write_over_somebody_elses_change_is_refused_too(
    ctx: FakeContext, tmp_path: Path
) -> None:
    file = tmp_path / "f.txt"
    file.write_text("mine\n")
    call(read_file, ctx, path="f.txt")
    file.write_text("yours\n")
    with pytest.raises(ToolError, match="has changed"):
        call(write_file, ctx, path="f.txt", content="new\n")
    assert file.read_text() == "yours\n"
    file.unlink()
    with pytest.raises(ToolError, match="deleted"):
        call(write_file, ctx, path="f.txt", content="new\n")
    call(write_file, ctx, path="f.txt", content="new\n")
    assert file.read_text() == "new\n"


def test_own_changes_and_a_mere_touch_are_no_reason_to_refuse(
    ctx: FakeContext, tmp_path: Path
) -> None:
    file = tmp_path / "f.txt"
    call(write_file, ctx, path="f.txt", content="a\nb\n")
    call(edit_file, ctx, path="f.txt", old="a", new="c")
    file.write_text(file.read_text())
    call(edit_file, ctx, path="f.txt", old="b", new="d")
    assert file.read_text() == "c\nd\n"


def test_a_file_that_was_never_read_can_be_edited(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "f.txt").write_text("a\n")
    call(edit_file, ctx, path="f.txt", old="a", new="b")


def test_another_sessions_reading_is_its_own(ctx: FakeContext, tmp_path: Path) -> None:
    file = tmp_path / "f.txt"
    file.write_text("a\n")
    call(read_file, ctx, path="f.txt")
    file.write_text("b\n")
    call(edit_file, FakeContext(tmp_path), path="f.txt", old="b", new="c")
    assert file.read_text() == "c\n"


# --- syntax --------------------------------------------------------------------------------

BROKEN = {
    "a.py": "def f(:\n    pass\n",
    "a.json": '{"a": 1,}',
    "a.jsonl": '{"a": 1}\n{"a": \n',
    "a.toml": "a = \n",
    "a.yaml": "a: [1, 2\nb: 3\n",
    "a.js": "function f( { return 1 }\n",
}
SOUND = {
    "a.py": "def f():\n    return 1\n",
    "a.json": '{"a": [1, null]}',
    "a.jsonl": '{"a": 1}\n\n{"a": 2}\n',
    "a.toml": 'a = 1\n[b]\nc = "d"\n',
    "a.yaml": "a: !Ref Thing\nb: &x [1, 2]\n---\nc: *x\n".replace("*x", "3"),
    "a.js": "const f = async (x) => { for await (const y of x) yield_(y?.z ?? 1) }\n",
    "a.jsx": "const x = <a href='b'>text {y}</a>\n",
    "a.txt": "{ not ( anything",
    "noext": "def f(:",
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_edit_that_breaks_a_file_is_made_and_said(
    name: str, ctx: FakeContext, tmp_path: Path
) -> None:
    result = call(write_file, ctx, path=name, content=BROKEN[name])
    assert "warning: this is no valid" in result.for_model
    assert "line" in result.for_model
    assert not result.failed
    assert (tmp_path / name).read_text() == BROKEN[name]


@pytest.mark.parametrize("name", SOUND)
def test_what_is_well_formed_or_of_no_known_kind_gets_no_warning(
    name: str, ctx: FakeContext
) -> None:
    assert "warning" not in call(write_file, ctx, path=name, content=SOUND[name]).for_model


def test_what_was_broken_before_is_not_blamed_on_the_edit(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\ny = (\n")
    result = call(edit_file, ctx, path="a.py", old="x = 1", new="x = 2")
    assert "it was so before this change" in result.for_model


@settings(max_examples=80, deadline=None)
@given(
    name=st.sampled_from(sorted(SOUND)),
    text=st.text("[]{}()\"'\\:=,\n\t -#ab1<>`/é\0", max_size=80),
)
def test_any_text_gets_a_verdict(name: str, text: str) -> None:
    assert isinstance(problem(name, text), str)


def test_nesting_without_end_is_no_fault(ctx: FakeContext) -> None:
    for name, text in (("a.json", "[" * 100_000), ("a.py", "(" * 5_000), ("a.js", "(" * 50_000)):
        assert problem(name, text)
