"""The core itself: how it is, its end, its settings."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from hermes_tui.intents.base import Done, Intent


class CoreInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A living core: pid, version, since when, and what would be cut off if it ended.

    damage: what of the database is damaged, so that nothing is written; empty: nothing.
    model, effort: of a session for which nothing else was said.
    """

    pid: int
    version: str
    started: float
    home: str
    faces: int = 0
    sessions: int = 0
    working: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    processes: tuple[str, ...] = ()
    headless: bool = False
    outdated: str = ""
    model: str = ""
    effort: str = "auto"
    damage: str = ""


class GetStatus(Intent[CoreInfo], frozen=True, kw_only=True):
    """How the core is."""

    reply: ClassVar[Any] = CoreInfo


class EndCore(Intent[Done], frozen=True, kw_only=True):
    """End the core. drain: wait for running turns up to this many seconds first."""

    reply: ClassVar[Any] = Done
    reason: str = "asked to"
    drain: float = 0.0


class SetConfig(Intent[Done], frozen=True, kw_only=True):
    """Write one setting to the configuration file and apply it; key "": read the file again.

    reset: take it out of the file instead, so that its default counts.
    """

    reply: ClassVar[Any] = Done
    key: str
    value: str
    reset: bool = False
