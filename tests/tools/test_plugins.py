"""Tools of other packages: found by their metadata, checked, and never a reason to fall over."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.entry_points import entry_points, lines
from hermes_tui.security.policy import Situation, decide
from hermes_tui.tools import plugins
from hermes_tui.tools.plugins import GROUP, load

TOOL = '''
from typing import Any
from hermes_tui.tools.base import ToolResult, tool

@tool()
async def {name}(*, ctx: Any) -> ToolResult:
    """Does a thing."""
    return ToolResult(for_model="done")
'''


def package(site: Path, name: str, entries: str, module: str = "", text: str = "") -> None:
    info = site / f"{name}-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(f"[console_scripts]\nx = y:z\n\n[{GROUP}]\n{entries}\n")
    if module:
        (site / f"{module}.py").write_text(text)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    return folder


def test_a_tool_several_tools_and_a_maker_are_all_taken(site: Path) -> None:
    text = "\n".join(TOOL.format(name=name) for name in ("p_one", "p_two", "p_three"))
    text += "\nboth = [p_one, p_two]\ndef make():\n    return p_three\n"
    package(site, "three", "a = mod_three:both\nb = mod_three:make", "mod_three", text)
    found = load((), [str(site)])
    assert [one.name for one in found.tools] == ["p_one", "p_two", "p_three"]
    assert {one.origin for one in found.tools} == {"three"}
    assert found.problems == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("raise RuntimeError('no licence')", "no licence"),
        ("import no_such_package_here", "no_such_package_here"),
        ("x = 3", "not iterable"),
        ("x = [3]", "int is no tool"),
        ("def x():\n    return 1 / 0", "division by zero"),
        ("y = 1", "no attribute 'x'"),
        ("def x(:", "SyntaxError"),
    ],
)
def test_a_broken_package_is_told_of_and_the_others_work(
    site: Path, text: str, why: str, request: pytest.FixtureRequest
) -> None:
    module = f"mod_broken_{abs(hash(text))}"
    package(site, "broken", f"bad = {module}:x", module, text)
    fine = f"mod_fine_{abs(hash(text))}"
    package(site, "fine", f"good = {fine}:p_good", fine, TOOL.format(name="p_good"))
    found = load((), [str(site)])
    assert [one.name for one in found.tools] == ["p_good"]
    assert len(found.problems) == 1
    assert found.problems[0].startswith("broken: its tool 'bad' can't be used")
    assert why in found.problems[0]


def test_a_package_never_takes_the_name_of_a_tool_that_is_there(site: Path) -> None:
    package(site, "thief", "a = mod_thief:read_file", "mod_thief", TOOL.format(name="read_file"))
    found = load(("read_file",), [str(site)])
    assert found.tools == ()
    assert "there is a tool 'read_file' already" in found.problems[0]


def test_what_is_not_ours_is_not_imported(site: Path) -> None:
    info = site / "other-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[pytest11]\nx = module_that_would_fail:x\n")
    (site / "module_that_would_fail.py").write_text("raise RuntimeError")
    assert load((), [str(site)]) == plugins.Plugins()


@given(st.text())
def test_any_metadata_is_read(text: str) -> None:
    for name, place in lines(f"[{GROUP}]\n{text}", GROUP):
        assert "=" not in name
        assert "\n" not in place


def test_a_folder_that_is_not_there_is_passed_over(tmp_path: Path) -> None:
    assert entry_points(GROUP, [str(tmp_path / "gone"), ""]) == []


async def test_the_example_of_the_page_is_a_tool_that_works() -> None:
    page = (Path(__file__).parents[2] / "docs" / "tools.md").read_text()
    made: dict[str, Any] = {}
    exec(page.partition("```python\n")[2].partition("```")[0], made)
    lamp = made["light_lamp"]
    assert lamp.schema.parameters["properties"]["room"]["description"] == "such as kitchen."
    result = await lamp.run(lamp.parse('{"room": "kitchen"}'), None)
    assert result.for_model == "the lamp in the kitchen is on"
    action = lamp.action({"room": "kitchen"}, "")
    assert decide(action, Situation()).verdict == "ask"
    assert decide(action, Situation(rules=(action.rule,))).verdict == "allow"
    assert len(page.splitlines()) < 60
