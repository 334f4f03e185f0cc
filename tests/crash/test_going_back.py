"""Kill -9 at every step of going back: all of it happens, or none, once the next core has run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
OLD = {"changed": "old", "link": "-> changed", "sub": "folder", "sub/deleted": "old"}
MESS = {"changed": "new", "fresh": "folder", "fresh/file": "new"}


def test_going_back_is_finished_or_not_begun_wherever_it_is_killed(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "tests.crash.back_scenario", str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(argv, env=env, timeout=60, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lives = [line.split("\t") for line in done.stdout.splitlines()]
    names = [name for name, _ in lives]
    assert names.count("restore step") >= 6
    begun = names.index("restore written down")
    for number, (name, text) in enumerate(lives):
        life = json.loads(text)
        if number < begun:
            assert (life["files"], life["turns"], life["told"]) == (MESS, [1], 0), name
        else:
            assert (life["files"], life["turns"]) == (OLD, []), name
            assert life["told"] == 1, name
