"""A session as a document: whole, in order, safe to open, and needing nothing else."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from hermes_tui import events as ev
from hermes_tui.errors import HermesError
from hermes_tui.events import Event, Record
from hermes_tui.intents import ImportedMessage, ImportSession, OpenSession, SessionInfo
from hermes_tui.runtime.export import export_session, format_of
from hermes_tui.runtime.export_document import to_html, to_markdown
from hermes_tui.runtime.export_items import tell
from tests.runtime.conftest import Connect

INFO = SessionInfo(id="s", title="Move <b>blog</b>", created=1e9, model="opus", cwd="/home/mia")
EVIL = (
    "<script>alert(1)</script> ![x](https://evil.test/p.png) [j](javascript:alert(1)) \x1b[31mred"
)


def records(*events: Event) -> list[Record]:
    return [Record(session="s", n=n, ts=1e9 + n, event=one) for n, one in enumerate(events, 1)]


def talk(said: str, answer: str, output: str) -> list[Record]:
    name = {"turn": 1, "step": 1, "call_id": "c", "tool": "run_command"}
    return records(
        ev.InputReceived(input_id="i", text=said),
        ev.TurnStarted(turn=1),
        ev.InputTaken(input_id="i", turn=1),
        ev.ToolStarted(summary="make", arguments='{"command": "make"}', **name),
        ev.ToolEnded(status="error", for_model=output, seconds=1.25, **name),
        ev.ReplyReceived(turn=1, step=2, text=answer),
        ev.TurnEnded(turn=1, outcome="stopped"),
    )


class Tags(HTMLParser):
    """Tags and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_document_tells_what_was_said_and_done_in_order() -> None:
    items = tell(talk("please", "It *works*.", "boom"))
    assert [(one.kind, one.who, one.text) for one in items] == [
        ("said", "You", "please"),
        ("done", "run_command", "boom"),
        ("said", "Hermes", "It *works*."),
        ("note", "", "stopped"),
    ]
    text = to_markdown(INFO, talk("please", "It *works*.", "boom"))
    order = [text.index(part) for part in ("please", "✘ run_command", "boom", "It *works*.")]
    assert order == sorted(order)
    assert "(1.2 s)" in text


def test_a_page_runs_nothing_and_fetches_nothing() -> None:
    page = to_html(INFO, talk(EVIL, EVIL, EVIL))
    found = Tags(page)
    assert not {"script", "img", "iframe", "link", "object"} & set(found.tags)
    assert all(address.startswith("https://") for address in found.addresses)
    assert "default-src 'none'" in page
    assert "<script>alert(1)</script>" in found.text
    assert "\x1b" not in page
    assert "Move <b>blog</b>" in found.text


@settings(deadline=None)
@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_any_text_gives_a_page_of_known_tags(said: str, answer: str, output: str) -> None:
    found = Tags(to_html(INFO, talk(said, answer, output)))
    known = "html meta title style h1 p section header b time details summary pre code em strong"
    known += " a ul ol li blockquote br hr h2 h3 h4 h5 h6 table thead tbody tr th td s"
    assert set(found.tags) <= set(known.split())


@given(st.text(st.sampled_from("`ab\n~"), max_size=30))
def test_output_never_breaks_out_of_its_fence(output: str) -> None:
    text = to_markdown(INFO, talk("x", "end", output))
    tokens = MarkdownIt("commonmark").parse(text)
    fences = [one.content for one in tokens if one.type == "fence"]
    assert output.strip("\n") in [content.removesuffix("\n").strip("\n") for content in fences] or (
        not output.strip()
    )
    assert any(one.type == "inline" and one.content == "end" for one in tokens)


@pytest.mark.parametrize(
    ("file", "form"),
    [
        ("a.md", "md"),
        ("a.HTML", "html"),
        ("a.htm", "html"),
        ("b.svg", "svg"),
        ("x", "jsonl"),
        ("", "jsonl"),
    ],
)
def test_the_ending_says_the_format(file: str, form: str) -> None:
    assert format_of(file) == form


async def test_export_writes_the_format_the_name_asks_for(connect: Connect, tmp_path: Path) -> None:
    client = await connect()
    said = (ImportedMessage(id="1", role="user", text="héllo 中", ts=1e9),)
    await client.ask(ImportSession(id="s1", title="A talk", started_at=1e9, messages=said))
    info = (await client.ask(OpenSession(which="s1"))).info
    for name, has in (("a.md", "## You"), ("a.html", "<section"), ("a.jsonl", '"role":"user"')):
        path = await export_session(client, info, str(tmp_path), name)
        text = (tmp_path / Path(path).name).read_text("utf-8")
        assert has in text
        assert "héllo 中" in text
    with pytest.raises(HermesError, match="exists already"):
        await export_session(client, info, str(tmp_path), "a.md")
    with pytest.raises(HermesError, match="full screen"):
        await export_session(client, info, str(tmp_path), "a.svg")
    assert re.fullmatch(
        r"a-talk\.jsonl", Path(await export_session(client, info, str(tmp_path), "")).name
    )
