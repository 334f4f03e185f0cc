"""Dark or light is what the terminal is: asked, told or guessed; no colour for who wants none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from hermes_tui.ui.background import BackgroundTold, answers, by_environment
from hermes_tui.ui.paste_input import InputParser
from tests.ui.conftest import Stage

LIGHT, DARK = "\x1b]11;rgb:fafa/f7f7/f0f0\x1b\\", "\x1b]11;rgb:12/14/1b\x07"


def read(*chunks: str) -> list[object]:
    parser = InputParser()
    got = [one for chunk in chunks for one in parser.feed(chunk)]
    return [
        one.key if isinstance(one, events.Key) else one.dark
        for one in got
        if isinstance(one, events.Key | BackgroundTold)
    ]


@pytest.mark.parametrize(
    ("sent", "dark"),
    [(LIGHT, False), (DARK, True), ("\x1b[?997;1n", True), ("\x1b[?997;2n", False)],
)
def test_the_terminals_answer_is_understood(sent: str, dark: bool) -> None:
    assert read(sent) == [dark]


@given(st.data())
def test_an_answer_in_pieces_among_keys_types_nothing(data: st.DataObject) -> None:
    answer = data.draw(st.sampled_from([LIGHT, DARK]))
    text = "ab" + answer + "cd"
    cut = data.draw(st.integers(5, len(text) - 2))
    got = read(text[:cut], text[cut:])
    assert [one for one in got if isinstance(one, bool)] == [answer == DARK]
    assert [one for one in got if isinstance(one, str)] == ["a", "b", "c", "d"]


def test_alt_with_a_bracket_is_still_a_key() -> None:
    assert read("\x1b]", "") != [True]
    assert not any(isinstance(one, bool) for one in read("\x1b]x"))


def test_an_answer_inside_a_paste_is_text() -> None:
    parser = InputParser()
    got = list(parser.feed(f"\x1b[200~{DARK}\x1b[201~"))
    assert [one.text for one in got if isinstance(one, events.Paste)] == [DARK]


@pytest.mark.parametrize(
    ("value", "dark"),
    [
        ("15;0", True),
        ("0;15", False),
        ("0;default;7", False),
        ("15;8", True),
        ("", None),
        ("x", None),
    ],
)
def test_the_environment_may_say_it(value: str, dark: bool | None) -> None:
    assert by_environment({"COLORFGBG": value}) is dark


def test_terminals_that_would_print_the_question_are_not_asked() -> None:
    assert answers({"TERM": "xterm-256color"})
    assert not any(answers({"TERM": one}) for one in ("linux", "dumb", "", "vt100"))


async def test_the_theme_follows_the_terminal_until_one_is_chosen(stage: Stage) -> None:
    async with stage.screen() as screen:
        themes = screen.app.themes
        assert themes.shown == "hermes-night"
        screen.app.post_message(BackgroundTold(dark=False))
        await screen.until(lambda: themes.shown == "hermes-paper")
        await screen.enter("/theme high-contrast")
        await screen.until(lambda: themes.shown == "high-contrast")
        screen.app.post_message(BackgroundTold(dark=True))
        await screen.pilot.pause()
        assert themes.shown == "high-contrast"
        await screen.enter("/theme auto")
        await screen.until(lambda: themes.shown == "hermes-night")
        assert stage.core.home.config.read_text().count("theme: auto") == 1


async def test_the_environments_word_counts_from_the_first_frame(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLORFGBG", "0;15")
    async with stage.screen() as screen:
        assert screen.app.themes.shown == "hermes-paper"


async def test_who_wants_no_colour_gets_none(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with stage.screen(theme="hermes-paper") as screen:
        assert screen.app.themes.shown == "mono"
        screen.app.post_message(BackgroundTold(dark=False))
        await screen.pilot.pause()
        assert screen.app.themes.shown == "mono"
