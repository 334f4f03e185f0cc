"""Copies of the store."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from hermes_tui.intents.base import Intent


class Copied(Struct, frozen=True, kw_only=True):
    """A copy of the database that was read back whole. made: Unix seconds."""

    path: str
    made: float
    bytes: int
    sessions: int
    events: int


class CopyStore(Intent[Copied], frozen=True, kw_only=True):
    """Copy the database now and prove the copy."""

    reply: ClassVar[Any] = Copied
