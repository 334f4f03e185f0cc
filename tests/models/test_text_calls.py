"""A tool call written as text becomes a real one; anything less than certain stays text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.models.text_calls import split_calls

TOOLS = ("run_command", "read_file")
RUN = '{"name": "run_command", "arguments": {"command": "ls -l"}}'


def _split(text: str) -> tuple[str, list[tuple[str, object]]]:
    rest, calls = split_calls(text, TOOLS)
    assert len({call.id for call in calls}) == len(calls)
    return rest, [(call.tool, json.loads(call.arguments)) for call in calls]


LS = ("run_command", {"command": "ls -l"})


@pytest.mark.parametrize(
    ("text", "rest", "calls"),
    [
        (f"<tool_call>{RUN}</tool_call>", "", [LS]),
        (f"Let me look.\n<tool_call>\n{RUN}\n</tool_call>", "Let me look.\n", [LS]),
        (f"<tool_call>{RUN}</tool_call>\n<tool_call>{RUN}</tool_call>", "", [LS, LS]),
        (f"<tool_call>{RUN}\n<tool_call>{RUN}", "", [LS, LS]),
        (f"<tool_call>\n{RUN}", "", [LS]),
        (f"```\n<tool_call>{RUN}</tool_call>\n```", "", [LS]),
        (f"<tool_call>{RUN}\n{RUN}</tool_call>", "", [LS, LS]),
        (f"```json\n{RUN}\n```", "", [LS]),
        (f"```\n{RUN}\n```\n\n```json\n{RUN}\n```", "", [LS, LS]),
        (f"\n{RUN}\n", "", [LS]),
        (f"[{RUN}, {RUN}]", "", [LS, LS]),
        (f'{{"tool_calls": [{RUN}]}}', "", [LS]),
        ('{"tool": "run_command", "parameters": {"command": "ls -l"}}', "", [LS]),
        ('{"function": "run_command", "args": {"command": "ls -l"}}', "", [LS]),
        (f'{{"type": "function", "id": "x", "function": {RUN}}}', "", [LS]),
        ('{"name": "run_command", "arguments": "{\\"command\\": \\"ls -l\\"}"}', "", [LS]),
        ('<tool_call>{"name": "read_file"}</tool_call>', "", [("read_file", {})]),
        (
            '{"name":"run_command","arguments":{"command":"a\nb"}}',
            "",
            [("run_command", {"command": "a\nb"})],
        ),
    ],
)
def test_a_call_written_as_text_becomes_a_call(
    text: str, rest: str, calls: list[tuple[str, object]]
) -> None:
    assert _split(text) == (rest, calls)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        f"To list files a model would say {RUN} and then wait.",
        f"For example:\n```json\n{RUN}\n```\nThat is the format.",
        f"Here is the format:\n```json\n{RUN}\n```",
        f"Write `<tool_call>{RUN}</tool_call>` to call it.",
        f"Like this:\n```\n<tool_call>{RUN}</tool_call>\n```\nYou see?",
        f"```python\n{RUN}\n```",
        RUN.replace("run_command", "rm_rf"),
        f"<tool_call>{RUN.replace('run_command', 'rm_rf')}</tool_call>",
        '{"name": "run_command"}',
        '{"name": "run_command", "arguments": ["ls"]}',
        '{"name": "run_command", "arguments": {}, "why": "because"}',
        '{"name": "run_command", "tool": "read_file", "arguments": {}}',
        f'[{RUN}, {{"name": "x"}}]',
        f"<tool_call>{RUN[:-1]}</tool_call>",
        f"<tool_call>{RUN}, or so</tool_call>",
        '{"command": "ls"}',
        "[" * 5000,
    ],
)
def test_what_is_not_certainly_a_call_stays_as_it_is(text: str) -> None:
    assert split_calls(text, TOOLS) == (text, ())


def test_a_known_call_beside_an_unknown_one_is_taken_and_the_other_stays() -> None:
    unknown = f"<tool_call>{RUN.replace('run_command', 'other')}</tool_call>"
    assert _split(f"{unknown}<tool_call>{RUN}</tool_call>") == (unknown, [LS])


def test_without_tools_nothing_is_a_call() -> None:
    assert split_calls(RUN, ()) == (RUN, ())


@given(st.text())
def test_text_without_calls_comes_back_exactly(text: str) -> None:
    if "run_command" not in text and "read_file" not in text:
        assert split_calls(text, TOOLS) == (text, ())


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.sampled_from(TOOLS), st.integers(0, 3))
def test_arguments_arrive_as_they_were_written(
    arguments: dict[str, object], tool: str, form: int
) -> None:
    call = json.dumps({"name": tool, "arguments": arguments}, ensure_ascii=bool(form % 2))
    forms = [call, f"```json\n{call}\n```", f"<tool_call>{call}</tool_call>", f" {call}\n"]
    text = forms[form]
    rest, calls = split_calls(text, TOOLS)
    quotes_itself = "```" in call or "tool_call>" in call
    if not quotes_itself:
        assert rest == ""
        assert [json.loads(one.arguments) for one in calls] == [arguments]
        assert calls[0].arguments.encode()


@given(st.lists(st.sampled_from([*"QZ\n `{}", "<tool_call>", "</tool_call>", RUN, "```"])))
def test_nothing_but_calls_is_ever_taken_out(parts: list[str]) -> None:
    text = "".join(parts)
    rest, calls = split_calls(text, TOOLS)
    assert len(calls) <= text.count(RUN)
    assert (rest.count("Q"), rest.count("Z")) == (text.count("Q"), text.count("Z"))
    assert rest.count(RUN) + len(calls) == text.count(RUN)
