"""`hermes learning` and `hermes skills review`."""

from __future__ import annotations

import json

import pytest

from hermes_tui.cli import main
from hermes_tui.home import Home


def test_a_fresh_home_has_learned_nothing(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.app(["learning", "report"]) == 0
    said = capsys.readouterr().out
    assert "no skill was learned yet" in said
    assert "0 turns looked at, 0 held something, 0 model calls" in said


def test_the_report_is_read_by_programs(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.app(["learning", "report", "--json", "--days", "7"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["on"], found["skills"], found["left"]) == (True, [], 20)


@pytest.mark.parametrize("command", [["skills", "review"], ["learning", "review"]])
def test_a_review_says_what_it_changed(
    command: list[str], home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = home.skills / ".learned"
    for name in ("one", "two"):
        (folder / name).mkdir(parents=True)
        text = "1. Feed the starter with rye flour.\n2. Plan the loaves of the whole week.\n"
        (folder / name / "SKILL.md").write_text(
            f"---\nname: {name}\ndescription: Bakes bread.\n---\n\n{text}"
        )
    assert main.app(command) == 0
    said = capsys.readouterr().out
    assert "two is archived: it says the same as one; `hermes skills enable two` undoes it" in said
    assert main.app(command) == 0
    assert "nothing to change" in capsys.readouterr().out


def test_off_is_said(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    home.config.write_text("learning:\n  enabled: false\n")
    assert main.app(["learning", "report"]) == 0
    assert "learning is off" in capsys.readouterr().out
