"""Checks beside a skill: a file `checks` in its folder, one promise about its text a line.

    says: curl --fail          the text has these words
    never: rm -rf              the text does not have them
    run: sh scripts/test.sh    this command ends well in a copy of the skill's folder

Lines that begin with `#` are comments. A check that an edit breaks keeps the edit out. Commands
are run by `runtime.skill_checks`; here only texts are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

FILE = "checks"
Kind = Literal["says", "never", "run"]
_LIMIT = 100_000


class Check(Struct, frozen=True):
    """One line: what is promised of the text, or a command that must end well."""

    kind: Kind
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


def read_checks(folder: Path) -> tuple[Check, ...]:
    """The checks beside a skill; none when it has no such file."""
    file = folder / FILE
    if file.is_symlink() or not file.is_file() or file.stat().st_size > _LIMIT:
        return ()
    return parse_checks(file.read_text("utf-8", "replace"))


def parse_checks(text: str) -> tuple[Check, ...]:
    """The checks in a text; lines of another form are passed over."""
    found: list[Check] = []
    for line in text.splitlines():
        kind, colon, rest = line.strip().partition(":")
        if colon and rest.strip() and kind in ("says", "never", "run"):
            found.append(Check(kind, rest.strip()))
    return tuple(found)


def failing(text: str, checks: Sequence[Check]) -> list[str]:
    """The checks about the text that it does not keep, as they are written."""
    plain = " ".join(text.split())
    return [
        str(one)
        for one in checks
        if one.kind != "run" and (" ".join(one.text.split()) in plain) != (one.kind == "says")
    ]


async def broken_by(folder: Path, old: str, new: str) -> tuple[str, ...]:
    """The checks about the text that a new one fails and the old one did not."""
    checks = read_checks(folder)
    return tuple(sorted(set(failing(new, checks)) - set(failing(old, checks))))
