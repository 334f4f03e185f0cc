"""`hermes skills`, `tools`, `doctor`, and what all commands have in common."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_tui.cli import main, start_options
from hermes_tui.home import Home
from hermes_tui.runtime.core import Core
from tests.cli.conftest import Hermes, Outcome

SKILL = "---\nname: {}\ndescription: {}\n---\nBody\n"


def _ways() -> list[tuple[str, ...]]:
    ways: list[tuple[str, ...]] = []
    for name in main.GROUPS:
        below = getattr(main.load(name), "commands", None)
        ways += [(name, word) for word in below] if below else [(name,)]
    return ways


@pytest.mark.parametrize("words", _ways(), ids=" ".join)
def test_every_command_has_help_with_an_example_and_json(
    hermes: Hermes, words: tuple[str, ...]
) -> None:
    done = hermes(*words, "--help")
    assert done.code == 0
    assert "Example: " in done.out
    assert words in (("config", "edit"), ("mcp", "serve")) or "--json" in done.out
    assert done.out.isprintable() or "\x1b" not in done.out


@pytest.mark.parametrize("name", sorted(main.GROUPS))
def test_every_group_is_in_the_top_level_help_with_the_same_words(name: str) -> None:
    lines = [line.split(maxsplit=1) for line in start_options.HELP.splitlines() if line.strip()]
    assert [name, main.GROUPS[name].help] in lines


def test_an_unknown_command_is_answered_with_the_nearest(hermes: Hermes) -> None:
    done = hermes("confg", "list")
    assert done.code == 2
    assert "config" in done.err


def test_an_unknown_option_is_a_usage_error_and_no_traceback(hermes: Hermes) -> None:
    done = hermes("skills", "list", "--nope")
    assert done.code == 2
    assert "--nope" in done.err
    assert "Traceback" not in done.err


def test_skills_are_listed_shown_and_checked(hermes: Hermes, home: Home) -> None:
    names = [one["name"] for one in hermes("skills", "list", "--json").json]
    assert "review-diff" in names
    assert hermes("skills", "show", "review-diff").out.startswith("---\nname: review-diff\n")
    assert hermes("skills", "lint").code == 0
    folder = home.skills / "mine"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL.format("other", "Has: a colon"))
    done = hermes("skills", "lint")
    assert done.code == 1
    assert "differs from its folder" in done.out
    assert "in quotes" in done.out


def test_a_skill_that_is_not_installed_can_be_checked(hermes: Hermes, tmp_path: Path) -> None:
    folder = tmp_path / "fine"
    folder.mkdir()
    (folder / "SKILL.md").write_text(SKILL.format("fine", "Is fine."))
    assert hermes("skills", "lint", str(folder)).code == 0
    assert hermes("skills", "lint", str(tmp_path)).code == 0
    (folder / "SKILL.md").write_text("# nothing\n")
    assert hermes("skills", "lint", str(tmp_path)).code == 1
    assert "nearest" not in hermes("skills", "show", "nope").out


def test_tools_are_listed_with_their_schemas_for_scripts(hermes: Hermes) -> None:
    assert "run_command" in hermes("tools", "list").out
    tools = hermes("tools", "list", "--json").json
    assert all(set(one) == {"name", "description", "parameters"} for one in tools)
    lean = hermes("tools", "list", "--profile", "lean", "--json").json
    assert 0 < len(lean) <= 6


@pytest.fixture
def with_model(hermes: Hermes) -> Hermes:
    hermes("setup", "--no-test", "--base-url", "http://127.0.0.1:9/v1", "m")
    return hermes


def _levels(done: Outcome) -> dict[str, list[str]]:
    levels: dict[str, list[str]] = {}
    for one in done.json["findings"]:
        levels.setdefault(one["area"], []).append(one["level"])
    return levels


def test_a_good_home_has_no_problems(with_model: Hermes) -> None:
    done = with_model("doctor", "--json")
    assert (done.code, done.json["problems"]) == (0, 0)
    assert "no problems" in with_model("doctor").out


def _everything(home: Home) -> dict[str, bytes]:
    files = [path for path in home.path.rglob("*") if path.is_file()]
    return {str(path): path.read_bytes() for path in files if path != home.lock}


def test_doctor_changes_nothing(with_model: Hermes, home: Home) -> None:
    with_model("sessions", "list")
    assert home.database.exists()
    before = _everything(home)
    done = with_model("doctor", "--json")
    assert _levels(done)["store"] == ["ok"]
    assert _everything(home) == before


def test_doctor_does_not_make_a_home(hermes: Hermes, home: Home) -> None:
    home.path.rmdir()
    hermes("doctor")
    assert not home.path.exists()


def test_doctor_names_what_is_wrong(with_model: Hermes, home: Home) -> None:
    home.config.write_text("ui:\n  theem: x\n")
    home.secrets.write_text("A_KEY=b\n")
    home.secrets.chmod(0o644)
    home.path.chmod(0o755)
    home.database.write_bytes(b"this is no database" * 100)
    done = with_model("doctor", "--json")
    levels = _levels(done)
    assert done.code == 1
    assert "problem" in levels["config"]
    assert levels["home"] == ["problem", "problem"]
    assert levels["store"] == ["problem"]
    assert "A_KEY" not in done.out


def test_doctor_asks_a_living_core_instead_of_opening_its_database(
    with_model: Hermes, living_core: Core
) -> None:
    done = with_model("doctor", "--json")
    agent = [one for one in done.json["findings"] if one["area"] == "agent"]
    assert str(os.getpid()) in agent[0]["text"]
    assert "store" not in _levels(done)


def test_an_error_is_a_sentence_and_a_hint_on_standard_error(home: Home) -> None:
    home.config.write_text("agent:\n  mode: off\n")
    command = [sys.executable, "-m", "hermes_tui.launcher", "config", "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("hermes: ")
    assert "config.yaml:2:" in done.stderr
    assert "Traceback" not in done.stderr
