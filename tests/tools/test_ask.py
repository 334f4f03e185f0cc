"""The person is asked: freely, with choices, or line by line of a form."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.errors import ToolError
from hermes_tui.tools.ask import ask_user
from tests.fakes.context import FakeContext


async def test_a_form_is_answered_line_by_line(tmp_path: Path) -> None:
    context = FakeContext(tmp_path)
    context.answers = ["ada", "blue"]
    sent = (
        '{"question": "Who?", "fields": [{"label": "name"}, '
        '{"label": "colour", "options": ["red", "blue"]}]}'
    )
    result = await ask_user.run(ask_user.parse(sent), context)
    assert result.for_model == "name: ada\ncolour: blue"
    assert context.asked == [
        ("Who?\n(1 of 2) name", ()),
        ("Who?\n(2 of 2) colour", ("red", "blue")),
    ]


@pytest.mark.parametrize(
    "sent",
    [
        '{"question": " "}',
        '{"question": "a", "options": ["1","2","3","4","5","6","7","8","9","10"]}',
        '{"question": "a", "fields": [{"label": "b", "options": '
        '["1","2","3","4","5","6","7","8","9","10"]}]}',
        '{"question": "a", "fields": [{"name": "b"}]}',
    ],
)
async def test_what_can_not_be_asked_is_said_in_a_sentence(tmp_path: Path, sent: str) -> None:
    with pytest.raises(ToolError):
        await ask_user.run(ask_user.parse(sent), FakeContext(tmp_path))
