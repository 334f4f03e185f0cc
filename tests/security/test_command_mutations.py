"""Samples changed by chance, anew each time a seed is added: what is dangerous stays so, what is
harmless stays free, and to speak of a command is not to run it.
"""

from __future__ import annotations

import random

import pytest

from tests.security.command_mutations import MENTIONS, disguised, dressed
from tests.security.command_rows import decided, judged, rows

SEEDS = (11, 12, 13)
MANY = 250


@pytest.mark.parametrize("seed", SEEDS)
def test_a_dangerous_command_is_known_in_other_clothes(seed: int) -> None:
    chance, bad = random.Random(seed), rows("dangerous")
    made = [disguised(chance.choice(bad).command, chance) for _ in range(MANY)]
    unnamed = [one for one in made if judged(one).cls == "none"]
    free = [one for one in made if decided(one).decision == "allow"]
    assert len(unnamed) <= MANY * 0.05, unnamed
    assert len(free) <= MANY * 0.02, free


@pytest.mark.parametrize("seed", SEEDS)
def test_a_harmless_command_runs_in_other_clothes(seed: int) -> None:
    chance = random.Random(seed)
    good = [one.command for one in rows("harmless") if decided(one.command).decision == "allow"]
    made = [dressed(chance.choice(good), chance) for _ in range(MANY)]
    asked = [one for one in made if decided(one).decision != "allow"]
    assert len(asked) <= MANY * 0.03, asked


@pytest.mark.parametrize("seed", SEEDS)
def test_a_dangerous_command_may_be_spoken_of(seed: int) -> None:
    chance, bad = random.Random(seed), rows("dangerous")
    made = [chance.choice(MENTIONS)(chance.choice(bad).command) for _ in range(MANY)]
    asked = [one for one in made if decided(one).decision != "allow"]
    assert len(asked) <= MANY * 0.03, asked


@pytest.mark.parametrize(
    "command",
    [
        "flock /tmp/l -c 'rm -rf ~/Documents'",
        "flock -n /tmp/l rm -rf ~/Documents",
        "sg staff -c 'rm -rf ~/Documents'",
        "sg staff 'rm' -rf ~/Documents",
        "wsl -e rm -rf ~/Documents",
        "pwsh -c 'rm -rf ~/Documents'",
        "julia -e 'run(`rm -rf x`)'",
        "R -e 'system(\"rm -rf x\")'",
        "cargo watch -s 'rm -rf ~/Documents'",
        "start-stop-daemon --start --exec /bin/sh -- -c 'rm -rf ~/Documents'",
    ],
)
def test_what_a_wrapper_runs_is_found_wherever_it_stands(command: str) -> None:
    assert judged(command).cls == "destruction"


@pytest.mark.parametrize(
    "command",
    ["flock /tmp/l -c 'make test'", "flock /tmp/l make", "cargo watch -x test", "R -e '1 + 1'",
     "timeout 5 ls", "sg staff -c ls", "chrt -p 1"],
)  # fmt: skip
def test_what_a_wrapper_runs_may_be_harmless(command: str) -> None:
    assert decided(command).decision == "allow"
