"""What an answer says was done is held against what was done."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.agent.claims import Done, claims_in
from hermes_tui.events import ClaimsChecked, TurnEnded
from hermes_tui.home import Home
from hermes_tui.security.policy import Action
from hermes_tui.tools.base import ToolResult, tool
from tests.fakes.scripted_model import ScriptedModel, call, say
from tests.fakes.small_core import say_to, small_core, until


def did(tool_name: str, ok: bool = True, **arguments: Any) -> Done:
    return Done(call_id="c", tool=tool_name, arguments=json.dumps(arguments), ok=ok)


WROTE = did("write_file", path="notes.md", content="x")
TESTED = did("run_command", command="pytest -q")


@pytest.mark.parametrize(
    ("answer", "done"),
    [
        ("I saved it to notes.md.", WROTE),
        ("Done: **notes.md** was updated.", WROTE),
        ("All tests pass.", TESTED),
        ("The 12 tests passed, and nothing else changed.", TESTED),
        ("I committed the change.", did("run_command", command="git commit -m x")),
        ("Sent to Ada.", did("http_request", url="https://x", method="POST")),
        ("已保存到 notes.md。", WROTE),
        ("测试全部通过。", TESTED),
        ("Created report.txt for you.", did("run_command", command="make > report.txt")),
        ("I installed ripgrep.", did("run_command", command="apt-get install ripgrep")),
    ],
)
def test_a_claim_is_matched_with_the_call_behind_it(answer: str, done: Done) -> None:
    (claim,) = claims_in(answer, [done])
    assert claim.calls == ("c",)
    (bare,) = claims_in(answer, [])
    assert bare.calls == ()


@pytest.mark.parametrize(
    ("answer", "done"),
    [
        ("All tests pass.", did("run_command", ok=False, command="pytest -q")),
        ("I saved it to notes.md.", did("write_file", path="other.md")),
        ("I saved it to notes.md.", did("read_file", path="notes.md")),
        ("I pushed it.", did("run_command", command="git commit -m x")),
    ],
)
def test_a_call_that_failed_or_did_something_else_is_no_evidence(answer: str, done: Done) -> None:
    (claim,) = claims_in(answer, [done])
    assert claim.calls == ()


@pytest.mark.parametrize(
    "answer",
    [
        "I will save it to notes.md.",
        "Shall I have it saved to notes.md?",
        "If the tests pass, it can be sent.",
        "The file notes.md was already there.",
        "It was not saved to notes.md.",
        "```\nsaved to notes.md\nall tests pass\n```",
        'The log says "saved to notes.md".',
        "> all tests passed",
        "You wrote main.py yesterday, please send it.",
        "测试通过后会发送。",
        "Here is how added values work.",
        "",
    ],
)
def test_plans_questions_quotes_and_code_claim_nothing(answer: str) -> None:
    assert claims_in(answer, []) == ()


@given(st.text(max_size=400))
def test_any_answer_can_be_read(answer: str) -> None:
    assert len(claims_in(answer, [WROTE])) <= 6


def _writes(arguments: dict[str, Any], cwd: str) -> Action:
    return Action(tool="write_file", kind="state", title="write")


@tool(describe=_writes)
async def write_file(path: str, *, ctx: Any) -> ToolResult:
    """Write."""
    return ToolResult(for_model="ok")


async def test_the_evidence_stands_in_the_record_of_the_turn(
    home: Home, scripted: ScriptedModel
) -> None:
    scripted.script = [call("write_file", path="a.md"), say("Saved to a.md. All tests pass.")]
    async with small_core(home, scripted.url, write_file) as core:
        session, face = await core.session()
        await say_to(session, "go")
        events = await until(face, TurnEnded)
    (checked,) = [one for one in events if isinstance(one, ClaimsChecked)]
    assert [(one.text, bool(one.calls)) for one in checked.claims] == [
        ("Saved to a.md.", True),
        ("All tests pass.", False),
    ]
