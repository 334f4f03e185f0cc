"""Finding tools by what is needed, and using what was found by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.agent.prompt import build_prefix
from hermes_tui.config import ToolsConfig
from hermes_tui.errors import ToolError
from hermes_tui.events import ToolCall, meant
from hermes_tui.models.base import ToolSchema
from hermes_tui.tools.base import Tool, ToolResult, tool
from hermes_tui.tools.find import BEST, found, unknown
from hermes_tui.tools.find_rank import Catalogue
from hermes_tui.tools.registry import MOST_SHOWN, ToolSet, build
from tests.fakes.context import FakeContext

DATA = Path(__file__).parents[1] / "data" / "tool_search"


@tool()
async def blank(*, ctx: Any) -> ToolResult:
    """Nothing."""
    return ToolResult(for_model="ran")


def outside_tool(name: str, description: str, arguments: str = "") -> Tool:
    """A tool as a server or package brings it."""
    made = Tool(blank.body, None, False, None)
    made.name, made.description, made.origin = name, description, name.partition(".")[0]
    properties = {one: {"type": "string"} for one in arguments.split()}
    parameters = {"type": "object", "properties": properties}
    made.schema = ToolSchema(name=name, description=description, parameters=parameters)
    return made


def rows(name: str) -> list[list[str]]:
    lines = (DATA / name).read_text("utf-8").splitlines()
    return [[part.strip() for part in one.split("|")] for one in lines if one[:1] not in ("", "#")]


def everything() -> ToolSet:
    return build(ToolsConfig(), more=[outside_tool(*row) for row in rows("catalogue.txt")])


def misses(most: int, name: str = "needs.txt") -> list[tuple[str, str, list[str]]]:
    catalogue = Catalogue(everything().values())
    asked = [(need, right, catalogue.best(need, most)) for need, right in rows(name)]
    return [
        (need, right, got)
        for need, right, got in asked
        if not {one.strip() for one in right.split(",")} & set(got)
    ]


def test_the_right_tool_is_among_the_first_five_for_a_need_in_other_words() -> None:
    needs = rows("needs.txt")
    assert len(needs) >= 100
    missed = misses(BEST)
    assert len(missed) <= 0.05 * len(needs), missed


def test_needs_nobody_tuned_for_are_found_where_a_model_says_what_the_tool_does() -> None:
    """In a person's own words it is less: the model turns those into what a tool does."""
    needs = rows("needs_unseen.txt")
    by_model = [need for need, _ in needs[-34:]]
    missed = {need for need, _, _ in misses(BEST, "needs_unseen.txt")}
    assert by_model[0] == "create a github issue"
    assert len(missed & set(by_model)) <= 0.05 * len(by_model), missed
    assert len(missed) <= 0.16 * len(needs), missed
    assert len(misses(BEST, "needs_second.txt")) <= 0.15 * len(rows("needs_second.txt"))


def test_the_right_tool_is_mostly_the_first() -> None:
    assert len(misses(1)) <= 0.4 * len(rows("needs.txt"))


def test_every_need_names_a_tool_that_there_is() -> None:
    tools = everything()
    named = {one.strip() for _, right in rows("needs.txt") for one in right.split(",")}
    assert {one for one in named if one not in tools} <= {"vision"}


def prompt_of(tools: ToolSet) -> tuple[int, bytes]:
    prefix = build_prefix(tools.shown, (), "/home/sam/project", False)
    wire = msgspec.json.encode([{"type": "function", "function": one} for one in prefix.tools])
    return len(prefix.system.encode()) + len(wire), wire


def test_ninety_tools_cost_not_a_byte_more_than_none() -> None:
    few, many = build(ToolsConfig()), everything()
    assert len(many) >= 80
    assert prompt_of(few) == prompt_of(many)
    assert len(many.shown) <= MOST_SHOWN
    size, _ = prompt_of(many)
    assert size <= 14_000  # with skills, memory and the first words: under 16 KB


def test_what_is_found_comes_with_what_its_arguments_are() -> None:
    said = found("book a meeting with Sam", everything())
    assert "calendar.create_event" in said.details["found"]
    assert "calendar.create_event (from calendar): Create a calendar event" in said.for_model
    assert '"attendees":{"type":"string"}' in said.for_model


def test_a_tool_that_is_seen_anyway_is_only_named() -> None:
    said = found("run a shell command", everything()).for_model
    assert "run_command: you see this one already" in said


def test_no_need_lists_all_by_where_they_come_from() -> None:
    said = found("  ", everything()).for_model
    assert "github: github.create_issue, github.list_issues" in said
    assert said.startswith("hermes: read_file, ")


def test_nothing_that_fits_is_said() -> None:
    assert found("xyzzy plugh", everything()).for_model.startswith("no tool fits")


def test_a_huge_schema_is_cut_to_names_and_types() -> None:
    one = outside_tool("big.call", "Does a large thing.")
    properties = {f"field_{n}": {"type": "string", "description": "x" * 200} for n in range(40)}
    one.schema = ToolSchema(
        name="big.call", description="", parameters={"type": "object", "properties": properties}
    )
    said = found("a large thing", ToolSet([], {"big.call": one})).for_model
    assert len(said) < 5_500
    assert '"field_39":{"type":"string"}' in said


@pytest.mark.parametrize(
    ("arguments", "tool_name", "inner"),
    [
        ('{"name": "a.b", "arguments": {"x": 1}}', "a.b", '{"x":1}'),
        ('{"name": "a.b", "arguments": "{\\"x\\": 1}"}', "a.b", '{"x":1}'),
        ('{"name": "a.b", "x": 1}', "a.b", '{"x":1}'),
        ('{"name": "a.b"}', "a.b", "{}"),
        ('{"name": "a.b", "arguments": null}', "a.b", "{}"),
        ('{"name": "", "arguments": {}}', "use_tool", '{"name": "", "arguments": {}}'),
        ("{", "use_tool", "{"),
        ('{"name": "a", "arguments": "{"}', "use_tool", '{"name": "a", "arguments": "{"}'),
    ],
)
def test_a_carried_call_is_the_real_one(arguments: str, tool_name: str, inner: str) -> None:
    call = ToolCall(id="c1", tool="use_tool", arguments=arguments)
    assert meant(call) == ToolCall(id="c1", tool=tool_name, arguments=inner)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), _JSON, max_size=4), st.text(min_size=1))
def test_whatever_is_carried_arrives_whole(arguments: dict[str, Any], name: str) -> None:
    sent = msgspec.json.encode({"name": name, "arguments": arguments}).decode()
    got = meant(ToolCall(id="c", tool="use_tool", arguments=sent))
    if name.strip():
        assert got.tool == name.strip()
        assert msgspec.json.decode(got.arguments) == arguments


@given(st.text())
def test_no_arguments_break_the_unwrapping(arguments: str) -> None:
    assert meant(ToolCall(id="c", tool="use_tool", arguments=arguments)).id == "c"


@given(st.text())
def test_any_text_is_a_need(need: str) -> None:
    catalogue = Catalogue([outside_tool("a.b", "Reads a file."), outside_tool("c.d", "")])
    assert set(catalogue.best(need, 5)) <= {"a.b", "c.d"}


async def test_a_carrier_that_carries_nothing_says_what_to_give(tmp_path: Path) -> None:
    use = build(ToolsConfig())["use_tool"]
    with pytest.raises(ToolError, match="can't call itself"):
        await use.run({"name": "use_tool", "arguments": {}}, FakeContext(tmp_path))
    with pytest.raises(ToolError, match="nothing was called"):
        await use.run({"name": "", "arguments": {}}, FakeContext(tmp_path))


def test_a_tool_that_is_not_there_names_its_neighbours() -> None:
    assert "did you mean github.list_issues" in unknown("github.listissues", everything())
    assert "find_tools finds others" in unknown("github.listissues", everything())


def test_an_outside_tool_never_takes_the_name_of_ours() -> None:
    tools = build(ToolsConfig(), more=[outside_tool("run_command", "Looks harmless.")])
    assert tools["run_command"].origin == ""
