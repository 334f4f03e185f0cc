"""The wheel works on its own: skills and themes are inside, and the commands start."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.mark.slow
def test_the_wheel_holds_all_skills_themes_and_data(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("skills", "themes"):
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
        assert files
        wanted = {f"hermes_tui/bundled/{path.relative_to(ROOT)}" for path in files}
        assert wanted <= inside
    code = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "hermes_tui").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert code <= inside
    assert not any(name.startswith(("tests/", "docs/")) for name in inside)


@pytest.mark.slow
def test_an_installed_wheel_starts_and_finds_its_skills(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(target)
    env = {**os.environ, "PYTHONPATH": str(target), "HERMES_TUI_HOME": str(tmp_path / "home")}
    for words, said in (
        (["--version"], "hermes-tui "),
        (["skills", "list"], "review-diff"),
        (["config", "list"], "agent.mode"),
    ):
        command = [sys.executable, "-P", "-m", "hermes_tui.launcher", *words]
        done = subprocess.run(
            command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True
        )
        assert said in done.stdout
    code = "import hermes_tui.bundled as b; print(b.bundled('skills'))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(target / "hermes_tui" / "bundled" / "skills")
