"""Links say where they lead, lead only where it is safe, and code and links can be taken out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.ui import links, markdown_parts
from hermes_tui.ui.markdown import render
from hermes_tui.ui.text_lines import plain
from hermes_tui.ui.theme import Look, builtin

NIGHT = builtin("hermes-night")
assert NIGHT
LOOK = Look(NIGHT)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "http://a b",
        "https://x\x1b]8;;",
        "/etc",
        "",
        "ssh://x",
    ],
)
def test_only_addresses_that_are_safe_are_handed_to_the_terminal(url: str) -> None:
    assert links.target(url) == ""


def test_web_and_mail_addresses_are_safe() -> None:
    for url in ("https://example.org/a?b=c#d", "http://例え.jp/", "mailto:mia@example.org"):
        assert links.target(url) == url
    assert not links.target("https://" + "x" * 5000)


@pytest.mark.parametrize(
    ("text", "url", "real"),
    [
        ("docs", "https://evil.example", ""),
        ("https://bank.example", "https://evil.example/bank.example", "evil.example"),
        ("bank.example/login", "https://bank.example.evil.test/", "bank.example.evil.test"),
        ("bank.example", "https://www.bank.example/x", ""),
        ("www.bank.example", "https://bank.example", ""),
        ("see README.md", "https://evil.example", ""),
    ],
)
def test_a_link_that_names_another_host_is_unmasked(text: str, url: str, real: str) -> None:
    assert links.disguised(text, url) == real
    shown = plain(render(f"go to [{text}]({url}) now", 100, LOOK))
    assert (f"({real})" in shown) == bool(real)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_can_be_asked_for_its_host(text: str, url: str) -> None:
    links.disguised(text, url)
    links.target(url)


def test_terminals_get_the_link_itself_where_that_is_safe() -> None:
    found = {
        segment.text: segment.style.link
        for line in render("[a](https://x.test/) [b](notes.md) https://y.test", 80, LOOK)
        for segment in line.segments
        if segment.style
    }
    assert found["a"] == "https://x.test/"
    assert found["b"] is None
    assert found["https://y.test"] == "https://y.test"


def test_a_desktop_opens_links_and_a_far_terminal_does_not(tmp_path: Path) -> None:
    tool = tmp_path / "xdg-open"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    desktop = {"DISPLAY": ":0", "PATH": str(tmp_path)}
    assert links.opener(desktop) == (str(tool),)
    assert links.opener({**desktop, "SSH_CONNECTION": "1"}) == ()
    assert links.opener({"PATH": str(tmp_path)}) == ()


async def test_opening_starts_the_desktops_program_with_the_address_alone(tmp_path: Path) -> None:
    tool, out = tmp_path / "xdg-open", tmp_path / "out"
    tool.write_text(f'#!/bin/sh\nprintf "%s" "$*" > {out}.new && mv {out}.new {out}\n')
    tool.chmod(0o755)
    env = {"DISPLAY": ":0", "PATH": f"{tmp_path}:/usr/bin:/bin"}
    assert await links.open_link("https://x.test/a b", env) is False
    assert await links.open_link("https://x.test/?q=$(id)", env)
    from tests.ui.conftest import eventually

    await eventually(out.exists)
    assert out.read_text() == "https://x.test/?q=$(id)"


def test_code_and_links_of_a_reply_can_be_taken_out() -> None:
    text = "See [the docs](https://d.test) and https://e.test.\n\n```py\nx = 1\n```\n\n    y = 2\n"
    text += (
        "\n```sh\ncurl https://f.test\n```\n![pic](https://g.test/a.png) [again](https://d.test)"
    )
    assert markdown_parts.codes(text) == ["x = 1", "y = 2", "curl https://f.test"]
    found = [(one.text, one.url) for one in markdown_parts.links(text)]
    assert found == [
        ("the docs", "https://d.test"),
        ("https://e.test", "https://e.test"),
        ("https://f.test", "https://f.test"),
        ("pic", "https://g.test/a.png"),
    ]
