"""The sample commands of `tests/data`, and one fixed place to judge them in."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from hermes_tui.security.commands_decide import CommandDecision, Level, decide_command
from hermes_tui.security.risk_assess import assess
from hermes_tui.security.risk_types import Assessment

HOME = "/home/user"
WORKSPACE = "/home/user/project"
STATE = "/home/user/.hermes-tui"
_DATA = Path(__file__).parent.parent / "data"


class Row(NamedTuple):
    """A command, the kind it belongs to, and whether it must be refused outright."""

    kind: str
    command: str
    refused: bool = False


def rows(name: str) -> list[Row]:
    """All rows of `commands_NAME.txt`."""
    found: list[Row] = []
    kind = ""
    for line in (_DATA / f"commands_{name}.txt").read_text().splitlines():
        if line.startswith("## "):
            kind = line[3:]
        elif line and kind:
            text = line.replace("⏎", "\n").replace("⇥", "\t")
            found.append(Row(kind, text.removeprefix("✗ "), text.startswith("✗ ")))
    return found


def judged(command: str, cwd: str = WORKSPACE) -> Assessment:
    """What a command would do in the fixed place."""
    return assess(command, cwd=cwd, workspace=WORKSPACE, home=HOME, state=STATE)


def decided(command: str, level: Level = 3) -> CommandDecision:
    """What happens with a command in the fixed place."""
    return decide_command(judged(command), level)
