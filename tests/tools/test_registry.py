"""The tools the model is told of: few bytes, one order, the same on every machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from hermes_tui.config import ToolsConfig
from hermes_tui.errors import ToolError
from hermes_tui.events import TodoItem
from hermes_tui.tools.registry import MOST_SHOWN, build
from tests.fakes.context import FakeContext


def as_sent(profile: str) -> bytes:
    tools = build(ToolsConfig(), profile)  # type: ignore[arg-type]
    return msgspec.json.encode(
        [{"type": "function", "function": t.schema} for t in tools.shown.values()]
    )


def test_the_order_never_changes() -> None:
    shown = list(build(ToolsConfig()).shown)
    assert shown[:8] == [
        *("read_file", "write_file", "edit_file", "search_files"),
        *("run_command", "process", "todo", "ask_user"),
    ]
    assert shown[-2:] == ["find_tools", "use_tool"]
    assert len(shown) <= MOST_SHOWN


def test_schemas_are_small() -> None:
    assert len(as_sent("full")) <= 7_000
    assert len(as_sent("lean")) <= 1_500
    assert len(build(ToolsConfig(), "lean")) <= 6


def test_schemas_are_the_same_bytes_everywhere(tmp_path: Path) -> None:
    script = (
        "import sys; from tests.tools.test_registry import as_sent;"
        "sys.stdout.buffer.write(as_sent('full'))"
    )
    environment = {
        "PATH": "/bin",
        "HOME": str(tmp_path),
        "PYTHONPATH": os.getcwd(),
        "TZ": "Asia/Tokyo",
    }
    other = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path, env=environment, capture_output=True, check=True, timeout=20,
    )  # fmt: skip
    assert other.stdout == as_sent("full")
    assert as_sent("full") == msgspec.json.encode(
        [
            {"type": "function", "function": t.schema}
            for t in build(ToolsConfig(command_timeout_s=7, output_chars=5000)).shown.values()
        ]
    )


@pytest.mark.parametrize("profile", ["full", "lean"])
def test_every_argument_of_a_schema_is_one_the_tool_takes(profile: str) -> None:
    for tool in build(ToolsConfig(), profile).values():  # type: ignore[arg-type]
        shown = tool.schema.parameters
        assert set(shown["properties"]) <= set(tool.arguments.__struct_fields__)
        assert set(shown["required"]) <= set(shown["properties"])
        assert all("type" in p or "enum" in p for p in shown["properties"].values())


def test_a_lean_tool_works_like_the_full_one(tmp_path: Path) -> None:
    tool = build(ToolsConfig(), "lean")["run_command"]
    parsed = tool.parse('{"command": "x"}')
    assert (parsed["command"], parsed["timeout_s"], parsed["background"]) == ("x", 0, False)


def test_every_tool_says_what_it_would_do() -> None:
    samples = {
        "read_file": '{"path": "a"}',
        "write_file": '{"path": "a", "content": "b"}',
        "edit_file": '{"path": "a", "old": "b", "new": "c"}',
        "search_files": '{"pattern": "a"}',
        "run_command": '{"command": "a"}',
        "process": '{"action": "list"}',
        "todo": '{"items": []}',
        "ask_user": '{"question": "a?"}',
        "find_tools": '{"need": "a"}',
        "use_tool": '{"name": "a", "arguments": {}}',
    }
    tools = build(ToolsConfig())
    kinds = {
        name: tools[name].action(tools[name].parse(sample), "/nowhere").kind
        for name, sample in samples.items()
    }
    assert kinds == {
        **dict.fromkeys(("find_tools", "use_tool"), "read"),
        **dict.fromkeys(("read_file", "search_files", "process"), "read"),
        **dict.fromkeys(("write_file", "edit_file"), "write"),
        **{"run_command": "execute", "todo": "state", "ask_user": "ask"},
    }


async def test_the_todo_list_is_set_and_shown(tmp_path: Path) -> None:
    ctx = FakeContext(tmp_path)
    todo = build(ToolsConfig())["todo"]
    arguments = todo.parse('{"items": [{"text": "one", "state": "done"}, {"text": "two"}]}')
    result = await todo.run(arguments, ctx)
    assert ctx.todo == (TodoItem(text="one", state="done"), TodoItem(text="two"))
    assert result.for_model == "[x] one\n[ ] two"


async def test_the_person_is_asked_and_their_words_returned(tmp_path: Path) -> None:
    ctx = FakeContext(tmp_path)
    ctx.answers = ["the blue one"]
    ask = build(ToolsConfig())["ask_user"]
    result = await ask.run(ask.parse('{"question": "Which?", "options": ["red", "blue"]}'), ctx)
    assert result.for_model == "the blue one"
    assert ctx.asked == [("Which?", ("red", "blue"))]
    with pytest.raises(ToolError, match="nobody"):
        await ask.run(ask.parse('{"question": "And now?"}'), ctx)
