"""`hermes tool call`: one tool, the agent's own policy, nobody there to approve it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.home import Home
from hermes_tui.runtime.core import Core
from hermes_tui.security.audit_check import entries
from tests.cli.conftest import Hermes


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    (made / "a.txt").write_text("one\ntwo\n")
    return made


def test_a_reading_tool_prints_what_a_model_would_read(hermes: Hermes, folder: Path) -> None:
    ran = hermes("tool", "call", "read_file", '{"path": "a.txt"}', "--workspace", str(folder))
    assert ran.code == 0, ran.err
    assert "one\ntwo" in ran.out


def test_json_has_output_details_and_the_decision(hermes: Hermes, folder: Path) -> None:
    words = ("tool", "call", "read_file", '{"path": "a.txt"}', "--workspace", str(folder), "--json")
    found = hermes(*words).json
    assert found["status"] == "ok"
    assert found["decision"]["verdict"] == "allow"
    assert "two" in found["output"]
    assert isinstance(found["details"], dict)


def test_the_living_core_does_it_when_there_is_one(
    hermes: Hermes, folder: Path, living_core: Core
) -> None:
    words = ("tool", "call", "read_file", '{"path": "a.txt"}', "--workspace", str(folder))
    assert "two" in hermes(*words).out
    assert living_core.sessions == {}
    assert hermes("sessions", "list", "--json").json == []


def test_what_would_ask_a_person_is_not_run_and_exits_with_3(hermes: Hermes, folder: Path) -> None:
    arguments = '{"path": "b.txt", "content": "x"}'
    words = ("tool", "call", "write_file", arguments, "--workspace", str(folder))
    ran = hermes(*words)
    assert ran.code == 3
    assert "needs approval" in ran.err
    assert not (folder / "b.txt").exists()
    found = hermes(*words, "--json")
    assert found.code == 3
    assert found.json["decision"]["verdict"] == "ask"
    assert found.json["status"] == "needs-approval"


def test_what_the_policy_refuses_is_a_failure_and_says_why(hermes: Hermes, folder: Path) -> None:
    ran = hermes(
        "tool", "call", "run_command", '{"command": "rm -rf /"}', "--workspace", str(folder)
    )
    assert ran.code == 1
    assert "refused" in ran.err


def test_a_tool_that_fails_exits_with_1(hermes: Hermes, folder: Path) -> None:
    ran = hermes("tool", "call", "read_file", '{"path": "no.txt"}', "--workspace", str(folder))
    assert ran.code == 1
    assert "there is no file" in ran.out


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_file", "{}"),
        ("read_file", '{"path": 3'),
        ("read_file", '{"path": "a", "offset": "x"}'),
        ("read_file", "[]"),
        ("no_such_tool", "{}"),
    ],
)
def test_bad_arguments_exit_with_2_and_a_sentence(
    hermes: Hermes, folder: Path, name: str, arguments: str
) -> None:
    ran = hermes("tool", "call", name, arguments, "--workspace", str(folder))
    assert ran.code == 2
    assert name in ran.err
    assert "Traceback" not in ran.err


def test_a_workspace_that_is_no_folder_is_refused(hermes: Hermes, folder: Path) -> None:
    ran = hermes("tool", "call", "todo", "{}", "--workspace", str(folder / "a.txt"))
    assert ran.code == 2


def test_a_standing_rule_counts_as_in_any_session(hermes: Hermes, folder: Path, home: Home) -> None:
    rule = f"write_file {folder}/b.txt"
    hermes("config", "set", "--add", "policy.allow", rule)
    arguments = '{"path": "b.txt", "content": "x"}'
    ran = hermes("tool", "call", "write_file", arguments, "--workspace", str(folder))
    assert ran.code == 0, ran.err + ran.out
    assert (folder / "b.txt").read_text() == "x"
    (found,) = [one for one in entries(home.audit) if one.kind == "decided"]
    assert found.rules == (rule,)
    assert not found.attended


def test_every_call_is_in_the_audit_log_and_policy_why_explains_it(
    hermes: Hermes, folder: Path
) -> None:
    words = ("tool", "call", "run_command", '{"command": "rm -rf ~"}', "--workspace", str(folder))
    name = hermes(*words, "--json").json["decision"]["audit"]
    told = hermes("policy", "why", name).out
    assert "rm -rf ~" in told
    assert "refused" in told


def test_the_list_is_also_there_under_its_old_name(hermes: Hermes) -> None:
    assert hermes("tools", "list").out == hermes("tool", "list").out
