"""`make run` sets a machine up by itself, and says in a sentence what it had to leave out."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "install.sh"


def _fake_venv(folder: Path, refuses: str) -> Path:
    """A virtual environment whose pip notes what it is asked for and fails for one extra."""
    python = folder / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(
        "#!/bin/sh\n"
        f'echo "$*" >> {folder}/asked\n'
        "echo Collecting something\n"
        f'case "$*" in *{refuses}*) echo "ERROR: no build for this machine"; exit 1;; esac\n'
    )
    python.chmod(0o755)
    return folder


def _install(venv: Path, extras: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = ["/bin/sh", str(SCRIPT), str(venv), extras]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )


def test_an_extra_without_a_build_does_not_stop_the_installation(tmp_path: Path) -> None:
    venv = _fake_venv(tmp_path / "venv", "local")
    done = _install(venv, "local,dev")
    asked = (venv / "asked").read_text().splitlines()
    assert done.returncode == 0
    assert "embedded model" in done.stderr
    assert [".[local,dev]" in asked[0], ".[dev]" in asked[1], len(asked)] == [True, True, 2]


def test_without_any_extra_left_the_package_alone_is_installed(tmp_path: Path) -> None:
    venv = _fake_venv(tmp_path / "venv", "local")
    assert _install(venv, "local").returncode == 0
    assert (venv / "asked").read_text().splitlines()[1].endswith("-e .")


def test_what_works_is_installed_once_with_pins_and_byte_code(tmp_path: Path) -> None:
    venv = _fake_venv(tmp_path / "venv", "never-asked-for")
    assert _install(venv, "local").returncode == 0
    (asked,) = (venv / "asked").read_text().splitlines()
    assert "--compile" in asked
    assert "-c constraints.txt" in asked


def test_a_failed_installation_says_why(tmp_path: Path) -> None:
    done = _install(_fake_venv(tmp_path / "venv", "install"), "local")
    assert done.returncode == 1
    assert "no build for this machine" in done.stderr


def test_a_machine_without_a_new_python_is_told_what_to_do(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    old = tools / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    done = _install(tmp_path / "venv", "local", PATH=str(tools), PYTHON="")
    assert done.returncode == 1
    assert "Python 3.11" in done.stderr
    assert not (tmp_path / "venv").exists()
