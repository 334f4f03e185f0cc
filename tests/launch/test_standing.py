"""Where a person stands travels with them; their keys and tokens do not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes_tui.runtime import installed, standing


def test_keys_and_tokens_never_travel() -> None:
    secret = {f"{name}_{kind}": "x" for name in ("OPENAI", "AWS") for kind in ("API_KEY", "TOKEN")}
    kept = {"PATH": "/bin", "LC_ALL": "C.UTF-8", "SSH_AUTH_SOCK": "/run/agent"}
    assert standing.chosen({**secret, **kept, "LD_PRELOAD": "x", "HERMES_TUI_API_KEY": "x"}) == kept


def test_the_folder_is_named_as_the_shell_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path / "link")
    monkeypatch.setenv("PWD", str(tmp_path / "link"))
    assert standing.folder() == str(tmp_path / "link")
    monkeypatch.setenv("PWD", "/somewhere/else")
    assert standing.folder() == str(tmp_path / "real")


def test_a_folder_that_is_gone_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert standing.folder() == os.path.expanduser("~")
    monkeypatch.chdir(tmp_path)


def test_both_forms_say_the_same() -> None:
    here = standing.here()
    plain = standing.plain()
    assert (here.cwd, here.env) == (plain["cwd"], plain["env"])


def test_an_installation_is_known_by_its_files(tmp_path: Path) -> None:
    (tmp_path / "ui").mkdir()
    code = tmp_path / "ui" / "app.py"
    code.write_text("one")
    (tmp_path / "__init__.py").write_text('__version__ = "1.2.3"\n')
    before = installed.fingerprint(str(tmp_path))
    assert installed.fingerprint(str(tmp_path)) == before
    (tmp_path / "ui" / "__pycache__").mkdir()
    (tmp_path / "ui" / "__pycache__" / "app.py").write_text("made by running it")
    (tmp_path / "notes.txt").write_text("no code")
    assert installed.fingerprint(str(tmp_path)) == before
    code.write_text("another")
    assert installed.fingerprint(str(tmp_path)) != before
    assert installed.version(str(tmp_path)) == "1.2.3"


def test_the_same_version_installed_again_is_noticed(tmp_path: Path) -> None:
    code = tmp_path / "app.py"
    code.write_text("one")
    before = installed.fingerprint(str(tmp_path))
    os.utime(code, ns=(1, 1))
    assert installed.fingerprint(str(tmp_path)) != before
