"""`hermes config`: what it prints, what it refuses, and that a running agent hears of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hermes_tui.configuration.load import load
from hermes_tui.home import Home
from hermes_tui.runtime.core import Core
from tests.cli.conftest import Hermes

BROKEN = "model:\n  default: foo/bar\nbroken: [unclosed\n"


def test_set_get_and_unset_go_round(hermes: Hermes, home: Home) -> None:
    assert hermes("config", "set", "ui.theme", "mono").code == 0
    assert hermes("config", "get", "ui.theme").out == "mono\n"
    assert hermes("config", "get", "ui.theme", "--json").json == "mono"
    assert hermes("config", "unset", "ui.theme").code == 0
    assert hermes("config", "get", "ui.theme").out == "auto\n"
    assert hermes("config", "path").out == f"{home.config}\n"


def test_list_says_where_each_value_comes_from(
    hermes: Hermes, monkeypatch: pytest.MonkeyPatch
) -> None:
    hermes("config", "set", "ui.motion", "off")
    monkeypatch.setenv("HERMES_TUI_MODEL", "m1")
    listed = hermes("config", "list", "--json").json
    assert listed["ui.motion"] == {"value": False, "from": "config.yaml"}
    assert listed["model.name"] == {"value": "m1", "from": "HERMES_TUI_MODEL"}
    assert listed["agent.mode"] == {"value": "ask", "from": "default"}
    assert "ui.motion" in hermes("config", "list").out


def test_a_broken_file_is_named_with_its_line_and_left_alone(hermes: Hermes, home: Home) -> None:
    home.config.write_text(BROKEN)
    for words in (("set", "ui.motion", "false"), ("unset", "ui.motion"), ("list",)):
        done = hermes("config", *words)
        assert done.code == 2
        assert "config.yaml:3:" in done.err
        assert "line 3" in done.err
    assert home.config.read_text() == BROKEN


def test_a_mistyped_key_is_answered_with_the_nearest(hermes: Hermes, home: Home) -> None:
    done = hermes("config", "set", "ui.themme", "mono")
    assert (done.code, home.config.exists()) == (2, False)
    assert "ui.theme" in done.err


def test_one_entry_of_a_list_is_added_and_removed(hermes: Hermes, home: Home) -> None:
    rule = "run_command git push"
    assert hermes("config", "set", "--add", "policy.deny", rule).code == 0
    assert load(home, {}).config.policy.deny == (rule,)
    assert hermes("config", "set", "--remove", "policy.deny", rule).code == 0
    assert load(home, {}).config.policy.deny == ()


@pytest.mark.parametrize("how", ["set", "unset", "edit"])
def test_a_running_agent_takes_a_change_over_at_once(
    hermes: Hermes, living_core: Core, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: str
) -> None:
    assert hermes("config", "set", "ui.chat_width", "90").code == 0
    assert living_core.config.ui.chat_width == 90
    if how == "unset":
        assert hermes("config", "unset", "ui.chat_width").code == 0
    elif how == "edit":
        monkeypatch.setenv("VISUAL", _editor(tmp_path, "text.replace('90', '100')"))
        assert hermes("config", "edit").code == 0
    else:
        assert hermes("config", "set", "ui.chat_width", "100").code == 0
    assert living_core.config.ui.chat_width == 100


def _editor(folder: Path, change: str) -> str:
    script = folder / "editor.py"
    script.write_text(
        "import pathlib, sys\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "text = path.read_text()\n"
        f"path.write_text({change})\n"
    )
    return f"{sys.executable} {script}"


def test_what_an_editor_breaks_never_reaches_the_file(
    hermes: Hermes, home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home.config.write_text("# mine\nui:\n  theme: mono\n")
    monkeypatch.setenv("EDITOR", _editor(tmp_path, "text + 'agent: [unclosed\\n'"))
    done = hermes("config", "edit")
    assert done.code == 2
    assert "line 4" in done.err
    assert home.config.read_text() == "# mine\nui:\n  theme: mono\n"
    assert "unclosed" in (home.path / "config.edit.yaml").read_text()


def test_an_editor_repairs_a_broken_file(
    hermes: Hermes, home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home.config.write_text(BROKEN)
    monkeypatch.setenv("EDITOR", _editor(tmp_path, "'ui:\\n  theme: mono\\n'"))
    assert hermes("config", "edit").code == 0
    assert load(home, {}).config.ui.theme == "mono"


def test_a_missing_editor_is_a_sentence(hermes: Hermes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "no-such-editor-anywhere")
    done = hermes("config", "edit")
    assert done.code == 1
    assert "not installed" in done.err
