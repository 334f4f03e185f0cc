"""A question about a picture is answered by a model that sees, wherever the picture is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes_tui.errors import ToolError
from hermes_tui.events import Picture
from hermes_tui.security.urls import UrlRefusedError
from hermes_tui.tools.vision import vision
from tests.fakes.context import FakeContext
from tests.fakes.documents import png
from tests.fakes.small_web import Page, SmallWeb


class FakeEyes:
    """Sees the size of a picture's file."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Picture]] = []

    async def look(self, question: str, picture: Picture) -> str:
        self.seen.append((question, picture))
        return f"{os.path.getsize(picture.path)} bytes of grey"  # noqa: ASYNC240


@pytest.fixture
def ctx(tmp_path: Path) -> FakeContext:
    made = FakeContext(tmp_path)
    made.kit.eyes = FakeEyes()
    return made


async def test_a_file_is_looked_at(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(9, 9))
    result = await vision.run({"image": "a.png", "question": "What colour?"}, ctx)
    assert result.for_model == f"{len(png(9, 9))} bytes of grey"
    assert result.details["about"] == "PNG image, 9×9 pixels"


async def test_a_picture_of_the_web_is_looked_at_and_its_text_is_not_trusted(
    ctx: FakeContext,
) -> None:
    async with SmallWeb({"/a.png": Page(png(), "image/png")}) as site:
        ctx.kit.web = site.web()
        result = await vision.run({"image": f"{site.site}/a.png", "question": "?"}, ctx)
        assert result.untrusted == "site.example"
        with pytest.raises(ToolError, match="answered 404"):
            await vision.run({"image": f"{site.site}/b.png", "question": "?"}, ctx)
        inner = f"http://127.0.0.1:{site.port}/a.png"
        with pytest.raises(UrlRefusedError):
            await vision.run({"image": inner, "question": "?"}, ctx)


async def test_what_is_no_picture_or_too_large_is_refused(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("not at all")
    (tmp_path / "b.png").write_bytes(png() + bytes(6_000_000))
    for name, why in (("a.png", "no picture"), ("b.png", "too many"), ("c.png", "no file")):
        with pytest.raises(ToolError, match=why):
            await vision.run({"image": name, "question": "?"}, ctx)


async def test_protected_files_are_not_looked_at(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    ctx.protected = (str(tmp_path / "a.png"),)
    with pytest.raises(ToolError, match="out of bounds"):
        await vision.run({"image": "a.png", "question": "?"}, ctx)


async def test_without_eyes_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no model here"):
        await vision.run({"image": "a.png", "question": "?"}, FakeContext(tmp_path))


def test_looking_at_the_web_is_a_fetch_and_at_a_file_a_read() -> None:
    far = vision.action({"image": "https://a.example/x.png", "question": "?"}, "/")
    near = vision.action({"image": "x.png", "question": "?"}, "/tmp")
    assert (far.kind, far.sends, far.rule) == (
        "fetch", ("https://a.example/x.png",), "vision a.example",
    )  # fmt: skip
    assert (near.kind, near.paths) == ("read", ("/tmp/x.png",))
