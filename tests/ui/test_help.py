"""Help begins with what has the keys, and names every key there is."""

from __future__ import annotations

import pytest

from hermes_tui.ui.help import help_text
from hermes_tui.ui.help_topics import TOPICS, topic_for
from hermes_tui.ui.keys import KeyTable
from tests.ui.conftest import Stage


def test_the_innermost_part_with_a_topic_is_told_about() -> None:
    assert topic_for(["rail-rows", "RowList", "rail", "Rail"]) is TOPICS["rail"]
    assert topic_for(["x", "PickerScreen"]) is TOPICS["picker"]
    assert topic_for(["nothing"]) is None


def test_help_as_text_begins_with_the_topic() -> None:
    text = help_text(KeyTable(), topic=TOPICS["rail"])
    assert text.index("pinned") < text.index("Commands, typed after a /")


@pytest.mark.parametrize(
    ("keys", "title"),
    [
        ((), "Help · the prompt"),
        (("alt+1", "alt+up"), "Help · the chat"),
        (("alt+2",), "Help · the trace"),
        (("alt+3",), "Help · the memory pane"),
        (("alt+4",), "Help · the skills pane"),
        (("alt+5",), "Help · the agents pane"),
        (("ctrl+b",), "Help · the sessions rail"),
        (("ctrl+f",), "Help · finding in the chat"),
        (("ctrl+p",), "Help · a list to pick from"),
    ],
)
async def test_f1_tells_about_what_has_the_keys(
    stage: Stage, keys: tuple[str, ...], title: str
) -> None:
    async with stage.screen((120, 35)) as screen:
        await screen.press(*keys, "f1")
        await screen.until(lambda: screen.shows(title))
        await screen.press("f1", "escape")
        assert not screen.shows(title)


async def test_a_question_mark_in_a_list_is_help_and_in_the_prompt_a_letter(stage: Stage) -> None:
    async with stage.screen((120, 35)) as screen:
        await screen.press("question_mark")
        assert screen.app.talk.prompt.text == "?"
        await screen.press("alt+2", "question_mark")
        await screen.until(lambda: screen.shows("Help · the trace"))
