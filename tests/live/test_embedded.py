"""The embedded model, fetched by its digest, talks and calls a tool."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.live
CACHE = Path(os.environ.get("HERMES_TUI_LIVE_HOME", "~/.cache/hermes-tui-live")).expanduser()


@pytest.fixture(scope="module")
def env() -> dict[str, str]:
    """A home that is kept from one run to the next, because the model is 500 MB."""
    CACHE.mkdir(parents=True, exist_ok=True)
    return {**os.environ, "HERMES_TUI_HOME": str(CACHE)}


def hermes(env: dict[str, str], folder: Path, *arguments: str) -> str:
    program = shutil.which("hermes", path=str(Path(sys.executable).parent)) or "hermes"
    ran = subprocess.run(
        [program, *arguments], env=env, cwd=folder, capture_output=True, text=True, timeout=600
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_it_is_fetched_tried_and_answers(env: dict[str, str], tmp_path: Path) -> None:
    hermes(env, tmp_path, "setup", "--local")
    assert "4" in hermes(env, tmp_path, "-z", "What is 2 + 2? Answer with the number alone.")


def test_it_reads_a_file_with_a_tool(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "colour.txt").write_text("The secret colour is turquoise.\n")
    answer = hermes(env, tmp_path, "-z", "Read the file colour.txt and tell me the secret colour.")
    assert "turquoise" in answer.lower()
