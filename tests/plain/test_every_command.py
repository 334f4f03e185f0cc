"""Every command of plain mode is typed in some test here: by its name, or as one of the core's."""

from __future__ import annotations

import re
from pathlib import Path

from hermes_tui import commands

_TYPED = re.compile(r"""["'](?:>\s*)?/([a-z]+)\b""")


def test_every_command_of_plain_mode_is_typed_in_a_test() -> None:
    here = Path(__file__)
    others = [one for one in here.parent.glob("test_*.py") if one != here]
    typed = {name for one in others for name in _TYPED.findall(one.read_text("utf-8"))}
    wanted = {
        one.slash
        for one in commands.COMMANDS
        if one.slash and "plain" in one.surfaces and one.by == "face"
    }
    assert wanted - typed == set()
