"""A text becomes messages that fit, say the same, and show what was meant."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import iter_graphemes

from hermes_tui.gateways.base import Message
from hermes_tui.gateways.format import LOOKS, messages, utf16
from hermes_tui.gateways.markdown import read
from tests.cli.conftest import Hermes, hermes

__all__ = ["hermes"]

MARKDOWN = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "**",
                "*",
                "_",
                "`",
                "```\n",
                "\n\n",
                "\n",
                "- ",
                "1. ",
                "> ",
                "# ",
                "~~",
                "\\",
                "[a](b)",
                "| a | b |\n|---|---|\n| 1 | 2 |\n",
                "word " * 300,
                "🚀" * 900,
                "👨‍👩‍👧" * 300,
            ]
        ),
        st.text(max_size=12),
    ),
    max_size=14,
).map("".join)


def joined(made: tuple[Message, ...]) -> str:
    return "".join("".join(one.text for one in made).split())


def shown(message: Message, kind: str) -> list[str]:
    raw = message.text.encode("utf-16-le")
    return [
        raw[2 * e.offset : 2 * (e.offset + e.length)].decode("utf-16-le")
        for e in message.entities
        if e.kind == kind
    ]


@settings(max_examples=30, deadline=None)
@given(MARKDOWN, st.sampled_from(sorted(LOOKS)))
def test_no_message_is_too_long_or_blank(text: str, platform: str) -> None:
    for one in messages(platform, text):
        assert one.text.strip()
        assert one.size == LOOKS[platform].units(one.text) <= LOOKS[platform].limit


@settings(max_examples=30, deadline=None)
@given(MARKDOWN)
def test_marks_lie_inside_and_whole_on_characters(text: str) -> None:
    for message in messages("telegram", text):
        for entity in message.entities:
            assert entity.length > 0
            assert entity.offset + entity.length <= utf16(message.text)
        for kind in ("bold", "italic", "code", "pre"):
            shown(message, kind)  # raises where a surrogate pair is cut


@settings(max_examples=30, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=30), st.integers(1, 250))
def test_nothing_of_a_long_text_is_lost(piece: str, times: int) -> None:
    text = "\n".join([piece] * times)
    whole = read(text).text
    if whole.strip() and "|" not in text:
        assert joined(messages("telegram", text)) == "".join(whole.split())


def test_rockets_and_families_are_never_cut() -> None:
    rockets = messages("telegram", "🚀" * 3000)
    assert len(rockets) == 2
    assert joined(rockets) == "🚀" * 3000
    family = "👨‍👩‍👧‍👦"
    for one in messages("telegram", family * 700):
        assert set(iter_graphemes(one.text)) == {family}


def test_nine_thousand_letters_are_three_messages_in_order() -> None:
    text = "".join(chr(97 + i % 26) for i in range(9000))
    made = messages("telegram", text)
    assert len(made) == 3
    assert joined(made) == text


def test_bold_goes_on_after_the_border() -> None:
    first, second = messages(
        "telegram", "x " * 2030 + "**bold text that goes on " + "y" * 50 + "**"
    )
    assert "*" not in first.text + second.text
    bold = shown(first, "bold") + shown(second, "bold")
    assert "".join("".join(bold).split()) == "boldtextthatgoeson" + "y" * 50


def test_a_link_stays_whole() -> None:
    made = messages("telegram", "x" * 4090 + " [link text](https://example.test/a/path)")
    assert shown(made[-1], "text_link") == ["link text"]


def test_a_fence_in_a_fence_is_code_in_every_part() -> None:
    inner = "```py\nprint(1)\n```\n" * 400
    made = messages("telegram", f"````md\n{inner}````")
    assert len(made) > 1
    for one in made:
        assert shown(one, "pre") == [one.text]
        assert one.entities[0].value == "md"


def test_every_part_of_a_table_has_its_head() -> None:
    rows = "\n".join(f"| row {n} | {n * 7} |" for n in range(400))
    made = messages("telegram", f"| Name | Sum |\n|---|---|\n{rows}\n")
    assert len(made) > 1
    assert all(one.text.startswith("Name") for one in made)
    assert [n for n in range(400) if sum(f"row {n} " in one.text for one in made) != 1] == []


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Version 1.2.3 - done! (see #4)", "Version 1.2.3 - done! (see #4)"),
        ("5 * 3 * 2 = 30", "5 * 3 * 2 = 30"),
        ("snake_case_name and `a_b`", "snake_case_name and a_b"),
        ("**unclosed bold", "**unclosed bold"),
        ("https://e.test/a_b-c.d?x=1&y=(2)", "https://e.test/a_b-c.d?x=1&y=(2)"),
        ("<b>html</b> & co", "<b>html</b> & co"),
        ("中文**粗体**后文", "中文粗体后文"),
    ],
)
def test_what_is_no_markup_stays_as_it_is(text: str, plain: str) -> None:
    assert [one.text for one in messages("telegram", text)] == [plain]


def test_marks_are_what_was_meant() -> None:
    (one,) = messages("telegram", "中文**粗体** [a](http://e.test/x_(y)) `a_b`")
    assert shown(one, "bold") == ["粗体"]
    assert shown(one, "code") == ["a_b"]
    assert [e.value for e in one.entities if e.kind == "text_link"] == ["http://e.test/x_(y)"]


def test_platforms_with_signs_in_the_text() -> None:
    text = "**b** *i* `c` [t](https://e.test) 2*3"
    assert messages("discord", text)[0].text == "**b** *i* `c` [t](https://e.test) 2\\*3"
    assert messages("slack", text + " <")[0].text == "*b* _i_ `c` <https://e.test|t> 2*3 &lt;"
    assert messages("whatsapp", text)[0].text == "*b* _i_ `c` t (https://e.test) 2*3"
    assert messages("plain", text)[0].text == "b i c t (https://e.test) 2*3"


def test_the_command_prints_the_messages(hermes: Hermes) -> None:
    done = hermes("format", "--platform", "telegram", "--json", stdin="**hi**")
    assert done.json["messages"] == [
        {"text": "hi", "entities": [{"kind": "bold", "offset": 0, "length": 2}], "size": 2}
    ]
    assert "1 of 1" in hermes("format", "--platform", "plain", stdin="hi").out
    assert hermes("format", "--platform", "moon", stdin="hi").code == 2
