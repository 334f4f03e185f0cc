"""What `hermes doctor` finds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct


class Finding(Struct, frozen=True, kw_only=True):
    """One thing looked at. level: `ok`, `note` (could be better) or `problem`."""

    area: str
    level: Literal["ok", "note", "problem"]
    text: str
    hint: str = ""


Found = Iterator[Finding]
