"""What counts: defaults, then the file, then the environment; anything odd is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hermes_tui.config import Config
from hermes_tui.configuration.load import load
from hermes_tui.errors import ConfigError
from hermes_tui.home import Home


def test_a_home_without_a_file_has_the_defaults(home: Home) -> None:
    loaded = load(home, {})
    assert loaded.config == Config()
    assert loaded.sources == {}


def test_the_file_beats_the_defaults_and_the_environment_beats_the_file(home: Home) -> None:
    home.ensure().config.write_text("model:\n  name: from-file\n  attempts: 2\n")
    env = {"HERMES_TUI_MODEL": "from-env", "HERMES_TUI_BASE_URL": "http://127.0.0.1:9/v1"}
    loaded = load(home, env)
    assert loaded.config.model.name == "from-env"
    assert loaded.config.model.base_url == "http://127.0.0.1:9/v1"
    assert loaded.config.model.attempts == 2
    assert loaded.sources == {
        "model.name": "HERMES_TUI_MODEL",
        "model.base_url": "HERMES_TUI_BASE_URL",
        "model.attempts": "config.yaml",
    }


def test_an_address_in_the_environment_is_asked_instead_of_the_embedded_model(home: Home) -> None:
    home.ensure().config.write_text("model:\n  provider: embedded\n")
    loaded = load(home, {"HERMES_TUI_BASE_URL": "http://127.0.0.1:9/v1"})
    assert loaded.config.model.provider == "auto"


def test_an_address_that_is_none_is_refused_from_the_environment(home: Home) -> None:
    with pytest.raises(ConfigError, match="HERMES_TUI_BASE_URL"):
        load(home, {"HERMES_TUI_BASE_URL": "localhost"})


@pytest.mark.parametrize(
    ("text", "line", "names"),
    [
        ("model:\n  default: foo/bar\nbroken: [unclosed\n", 3, "YAML"),
        ("model:\n  name: 'open\n", 2, "YAML"),
        ("model:\n\tname: x\n", 2, "YAML"),
        ("model:\n  name: x\nmodel:\n  name: y\n", 3, "duplicate"),
        ("model:\n  name: x\n---\nui: {}\n", 3, "YAML"),
        ("ui:\n  theem: mono\n", 2, "ui.theme"),
        ("agnet:\n  mode: plan\n", 1, "nearest: agent"),
        ("model:\n  nam: x\n", 2, "model.name"),
        ("agent:\n  mode: off\n", 2, "one of ask, auto-edit, plan, yolo"),
        ("agent:\n  mode: Plan\n", 2, "agent.mode"),
        ("ui:\n  motion: off\n", 2, "true or false"),
        ("ui:\n  motion: 'true'\n", 2, "true or false"),
        ("# first\nagent:\n  parallel: 0\n", 3, "at least 1"),
        ("agent:\n  parallel: 65\n", 2, "at most 64"),
        ("model:\n  stall_s: .inf\n", 2, "model.stall_s"),
        ("model:\n  price_in: .nan\n", 2, "model.price_in"),
        ("model:\n  name: 1.5\n", 2, "text"),
        ("model:\n  base_url: localhost:1\n", 2, "http"),
        ("policy:\n  deny: run_command rm\n", 2, "list"),
        ("policy:\n", 1, "policy"),
        ("- a\n", 1, "section"),
        ("model: !!python/name:os.system {}\n", 1, "YAML"),
        ("? [a]\n: b\n", 1, ""),
        ("model:\n  window: 99999-99-99\n", 2, ""),
    ],
)
def test_what_is_wrong_is_refused_with_file_line_and_nearest_key(
    home: Home, text: str, line: int, names: str
) -> None:
    home.ensure().config.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(home, {})
    assert caught.value.exit_code == 2
    assert f"config.yaml:{line}:" in caught.value.message
    assert names in caught.value.message
    assert caught.value.hint


def test_a_key_in_the_file_is_refused_without_repeating_it(home: Home) -> None:
    secret = "sk-" + "a1B2" * 6
    home.ensure().config.write_text(f"model:\n  api_key: {secret}\n")
    with pytest.raises(ConfigError) as caught:
        load(home, {})
    assert secret not in str(caught.value)
    assert "secrets.env" in caught.value.hint


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"model:\n  name: \x01\n", b"[" * 50_000])
def test_bytes_that_are_no_text_are_refused(home: Home, data: bytes) -> None:
    home.ensure().config.write_bytes(data)
    with pytest.raises(ConfigError, match=r"config\.yaml:\d"):
        load(home, {})


def test_a_link_to_nowhere_is_not_taken_for_no_configuration(home: Home) -> None:
    home.ensure().config.symlink_to(home.path / "gone.yaml")
    with pytest.raises(ConfigError, match="link"):
        load(home, {})


def test_a_file_that_may_not_be_read_is_refused(home: Home) -> None:
    home.ensure().config.mkdir()
    with pytest.raises(ConfigError, match="can't be read"):
        load(home, {})


def test_a_byte_order_mark_is_harmless(home: Home) -> None:
    home.ensure().config.write_bytes(b"\xef\xbb\xbfui:\n  theme: mono\n")
    assert load(home, {}).config.ui.theme == "mono"


def test_a_change_counts_at_once_whatever_its_time_stamp_says(home: Home) -> None:
    import os

    home.ensure().config.write_text("ui:\n  theme: aaaa\n")
    before = home.config.stat()
    assert load(home, {}).config.ui.theme == "aaaa"
    home.config.write_text("ui:\n  theme: bbbb\n")
    os.utime(home.config, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert load(home, {}).config.ui.theme == "bbbb"


def test_a_spoilt_memory_of_the_last_good_text_changes_nothing(home: Home) -> None:
    home.ensure().config.write_text("ui:\n  theme: mono\n")
    load(home, {})
    for name in home.path.iterdir():
        if name != home.config:
            name.write_bytes(name.read_bytes()[:20])
    assert load(home, {}).config.ui.theme == "mono"


def _modules_after_load(path: Path) -> set[str]:
    code = (
        "import sys, os; from hermes_tui.home import Home;"
        "from hermes_tui.configuration.load import load;"
        f"load(Home({str(path)!r}), {{}}); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_no_file_and_an_unchanged_file_need_no_yaml_reader(home: Home) -> None:
    heavy = {"ruamel.yaml", "difflib", "textual", "rich", "typer"}
    assert not heavy & _modules_after_load(home.ensure().path)
    home.config.write_text("ui:\n  theme: mono\n")
    load(home, {})
    assert not heavy & _modules_after_load(home.path)
