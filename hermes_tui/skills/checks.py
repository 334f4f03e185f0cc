"""Checks beside a skill: a file `checks` in its folder, one promise about its text a line.

    says: curl --fail          the text has these words
    never: rm -rf              the text does not have them

Lines that begin with `#` are comments. A check that an edit breaks keeps the edit out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

FILE = "checks"
_LIMIT = 100_000


class Check(Struct, frozen=True):
    """One line: what is promised of the text."""

    kind: Literal["says", "never"]
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
        if colon and rest.strip() and kind in ("says", "never"):
            found.append(Check("says" if kind == "says" else "never", rest.strip()))
    return tuple(found)


def failing(text: str, checks: Sequence[Check]) -> list[str]:
    """The checks that a text does not keep, as they are written."""
    plain = " ".join(text.split())
    return [
        str(one) for one in checks if (" ".join(one.text.split()) in plain) != (one.kind == "says")
    ]
