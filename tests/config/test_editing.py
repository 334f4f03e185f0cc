"""Settings are changed where they stand: comments stay, a broken file is never touched."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.configuration import edit, files
from hermes_tui.configuration.load import load
from hermes_tui.errors import ConfigError
from hermes_tui.home import Home

COMMENTED = """\
# my settings

model:
  name: old  # the quick one
  # where it lives
  base_url: http://127.0.0.1:1/v1

# the screen
ui:
  theme: mono

  chat_width: 90
# the end
"""


def _written(home: Home, text: str) -> Home:
    home.ensure().config.write_text(text)
    return home


def test_only_the_changed_line_changes(home: Home) -> None:
    _written(home, COMMENTED)
    edit.put(home, "model.name", "new")
    assert home.config.read_text() == COMMENTED.replace("name: old  #", "name: new  #")


def test_a_new_key_goes_into_its_section(home: Home) -> None:
    _written(home, COMMENTED)
    edit.put(home, "ui.motion", "no")
    wanted = COMMENTED.replace("  chat_width: 90\n", "  chat_width: 90\n  motion: false\n")
    assert home.config.read_text() == wanted


def test_a_new_section_goes_to_the_end(home: Home) -> None:
    _written(home, COMMENTED.rstrip("\n"))
    edit.put(home, "agent.mode", "plan")
    assert home.config.read_text() == COMMENTED + "agent:\n  mode: plan\n"


def test_unset_takes_its_line_and_no_comment(home: Home) -> None:
    _written(home, COMMENTED)
    edit.unset(home, "model.base_url")
    edit.unset(home, "ui.chat_width")
    text = home.config.read_text()
    assert "base_url" not in text
    for comment in ("# my settings", "# where it lives", "# the screen", "# the end"):
        assert comment in text
    edit.unset(home, "model.name")
    edit.unset(home, "ui.theme")
    assert "model:" not in home.config.read_text()
    assert load(home, {}).sources == {}


def test_the_first_setting_makes_the_file(home: Home) -> None:
    edit.put(home, "ui.theme", "mono")
    assert home.config.read_text() == "ui:\n  theme: mono\n"
    assert home.config.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text", ["ui: {theme: mono} # all\n", "ui: {}\n", "ui:\n  theme: >\n   m\n"]
)
def test_unusual_styles_can_be_edited_too(home: Home, text: str) -> None:
    _written(home, text)
    edit.put(home, "ui.theme", "paper")
    assert load(home, {}).config.ui.theme == "paper"
    edit.unset(home, "ui.theme")
    assert "ui.theme" not in load(home, {}).sources


EDITS: list[Callable[[Home], object]] = [
    lambda home: edit.put(home, "ui.motion", "false"),
    lambda home: edit.put(home, "no.such_key", "false"),
    lambda home: edit.unset(home, "ui.motion"),
    lambda home: edit.unset(home, "no.such_key"),
    lambda home: edit.add(home, "policy.deny", "run_command rm"),
    edit.reread,
]


@pytest.mark.parametrize("change", EDITS)
def test_a_broken_file_keeps_every_byte(home: Home, change: Callable[[Home], object]) -> None:
    broken = "model:\n  default: foo/bar\nbroken: [unclosed\n"
    _written(home, broken)
    with pytest.raises(ConfigError, match="line 3"):
        change(home)
    assert home.config.read_text() == broken


def test_a_file_with_an_unknown_key_keeps_every_byte(home: Home) -> None:
    _written(home, "modle:\n  name: x\n")
    with pytest.raises(ConfigError, match=r"nearest: model\b"):
        edit.put(home, "ui.motion", "false")
    assert home.config.read_text() == "modle:\n  name: x\n"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("agent.mode", "off"),
        ("agent.mode", "false"),
        ("ui.motion", "maybe"),
        ("agent.parallel", "many"),
        ("agent.parallel", "0"),
        ("model.base_url", "nowhere"),
        ("policy.deny", "run_command rm"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(home: Home, key: str, value: str) -> None:
    _written(home, COMMENTED)
    with pytest.raises(ConfigError, match=key):
        edit.put(home, key, value)
    assert home.config.read_text() == COMMENTED


@pytest.mark.parametrize(
    "value", ["off", "no", "yes", "null", "1.5", "0x10", "a: b", "# x", "", "~"]
)
def test_text_stays_text_for_any_yaml_reader(home: Home, value: str) -> None:
    import yaml

    edit.put(home, "model.name", value)
    assert load(home, {}).config.model.name == value
    assert yaml.safe_load(home.config.read_text())["model"]["name"] == value


def test_a_mistyped_key_is_refused_with_the_nearest_one(home: Home) -> None:
    with pytest.raises(ConfigError, match=r"nearest: ui\.theme"):
        edit.put(home, "ui.theem", "mono")
    assert not home.config.exists()


def test_rules_are_added_and_taken_out_one_by_one(home: Home) -> None:
    _written(home, "policy:\n  # mine\n  deny:\n    - run_command rm  # no\n")
    edit.add(home, "policy.deny", 'run_command echo "a: b"')
    assert load(home, {}).config.policy.deny == ("run_command rm", 'run_command echo "a: b"')
    assert "# mine" in home.config.read_text()
    edit.remove(home, "policy.deny", "run_command rm")
    assert load(home, {}).config.policy.deny == ('run_command echo "a: b"',)
    with pytest.raises(ConfigError, match="no entry"):
        edit.remove(home, "policy.deny", "run_command rm")


def test_a_link_stays_a_link_and_the_mode_stays(home: Home) -> None:
    real = home.ensure().path / "dotfiles.yaml"
    real.write_text("ui:\n  theme: mono\n")
    real.chmod(0o640)
    home.config.symlink_to(real)
    edit.put(home, "ui.theme", "paper")
    assert home.config.is_symlink()
    assert real.read_text() == "ui:\n  theme: paper\n"
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_full_disk_leaves_the_old_file(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    _written(home, COMMENTED)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        files.write(home.config, "other")
    assert home.config.read_text() == COMMENTED
    assert [one.name for one in home.path.iterdir()] == ["config.yaml"]


names = st.sampled_from(["model.name", "model.file", "ui.theme"])
words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=20)


@given(st.lists(st.tuples(names, st.none() | words), max_size=6))
@settings(max_examples=60, deadline=None)
def test_edits_mean_what_they_say_and_keep_all_comments(
    edits: list[tuple[str, str | None]],
) -> None:
    comments = [line.strip() for line in COMMENTED.splitlines() if line.lstrip().startswith("#")]
    with tempfile.TemporaryDirectory() as folder:
        home = _written(Home(folder), COMMENTED)
        for key, value in edits:
            if value is None:
                edit.unset(home, key)
            else:
                edit.put(home, key, value)
            got = edit.get(home, {}, key)
            default = "auto" if key == "ui.theme" else ""
            assert got == (default if value is None else value)
        text = home.config.read_text()
        assert all(comment in text for comment in comments)
        assert load(home, {}).config.ui.chat_width == 90


def test_reading_the_file_again_gives_what_counts_now(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_TUI_MODEL", "from-env")
    _written(home, "ui:\n  theme: mono\n")
    config = edit.put(home, "", "").config
    assert (config.ui.theme, config.model.name) == ("mono", "from-env")
    assert edit.put(home, "model.name", "from-file").config.model.name == "from-env"


def test_setting_what_is_set_already_leaves_the_file_alone(home: Home) -> None:
    text = "policy:\n  deny:\n    - run_command rm  # no\n"
    _written(home, text)
    edit.put(home, "policy.deny", '["run_command rm"]')
    assert home.config.read_text() == text
