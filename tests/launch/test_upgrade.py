"""An upgrade under a living core: said, never mixed, changed over by a restart."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.fakes.scripted_model import say
from tests.launch.hermes import ROOT, Place, command, until
from tests.launch.window import Window


@pytest.fixture
def installed(place: Place, tmp_path: Path) -> Place:
    """A place with an installation of its own, which can be upgraded."""
    place.root = tmp_path / "site"
    code = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "hermes_tui", place.root / "hermes_tui", ignore=code)
    return place


def upgrade(place: Place, version: str = "9.9.9") -> None:
    """Install another version, in place."""
    package = place.root / "hermes_tui"
    (package / "__init__.py").write_text(f'"""Newer."""\n\n__version__ = "{version}"\n')
    for path in package.rglob("*.py"):
        os.utime(path, ns=(1, 1))


def test_status_names_the_running_and_the_installed_version(installed: Place) -> None:
    installed.run("daemon", "start")
    assert "installed" not in installed.run("daemon", "status").out
    upgrade(installed)
    told = json.loads(installed.run("daemon", "status", "--json").out)
    assert (told["version"], told["installed"]) != (told["installed"], told["version"])
    assert told["installed"] == "9.9.9"
    assert "hermes daemon restart" in installed.run("daemon", "status").out


def test_the_screen_says_that_another_version_is_installed(installed: Place) -> None:
    installed.run("daemon", "start")
    upgrade(installed)
    argv = command(root=installed.root)
    with Window(argv, installed.env, installed.folder, size=(160, 40)) as window:
        window.until("9.9.9 is installed")


def test_a_core_mixes_no_two_versions(installed: Place) -> None:
    installed.model.script = [say("never")]
    installed.run("daemon", "start")
    upgrade(installed)
    ran = installed.run("-z", "hi")  # sending needs modules that were not loaded yet
    assert ran.code == 3
    assert "replaced on disk by version 9.9.9" in ran.err
    assert "hermes daemon restart" in ran.err
    assert "Traceback" not in ran.err


def test_a_restart_changes_over(installed: Place) -> None:
    installed.model.script = [say("from the new one")]
    installed.run("daemon", "start")
    before = installed.status()
    upgrade(installed)
    assert "version 9.9.9" in installed.run("daemon", "restart").out
    until(lambda: installed.restarted(before))
    assert installed.run("-z", "hi").out == "from the new one\n"
    assert installed.run("daemon", "status").out.count("9.9.9") == 1
