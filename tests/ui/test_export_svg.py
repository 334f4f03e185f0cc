"""The chat as a picture: well-formed, whole, and needing nothing from anywhere."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.intents import SessionInfo
from hermes_tui.ui.export_svg import to_svg
from tests.fakes import story
from tests.runtime.test_export_document import talk
from tests.ui.conftest import Stage

INFO = SessionInfo(id="s", title="Move <blog> & more")
SVG = "{http://www.w3.org/2000/svg}"


def test_a_picture_shows_the_chat_and_fetches_nothing() -> None:
    svg = to_svg(INFO, story.story(asking=False))
    root = ElementTree.fromstring(svg)
    words = " ".join(one.text or "" for one in root.iter(f"{SVG}text"))
    assert "Move <blog> & more" in words
    assert "写真 photos" in words
    assert "rsync -a blog/" in words
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")


@settings(deadline=None, max_examples=40)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_gives_a_picture_that_can_be_read(said: str, output: str) -> None:
    ElementTree.fromstring(to_svg(INFO, talk(said, said, output)))


async def test_export_svg_from_the_prompt_writes_the_picture(stage: Stage) -> None:
    async with stage.screen() as screen:
        await screen.enter("/export chat.svg")
        path = stage.folder / "chat.svg"
        await screen.until(path.exists)
        await screen.until(lambda: path.read_text().endswith("</svg>\n"))
