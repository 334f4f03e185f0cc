"""Remembering: what a turn was told from memory, and that the memory changed."""

from __future__ import annotations

from msgspec import Struct

from hermes_tui.events.base import Event, Transient


class Recalled(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One statement that was put before the model, and why. id: `m` and a number."""

    id: str
    text: str
    why: str = ""


class MemoryUsed(Event, frozen=True, kw_only=True):
    """Statements were put before the model: with the session's first prompt, or beside an input.

    size: bytes of the text they made.
    """

    turn: int
    facts: tuple[Recalled, ...] = ()
    size: int = 0


class MemoryChanged(Transient, frozen=True, kw_only=True):
    """What is remembered changed; `text` says how, `batch` is what takes it back."""

    text: str = ""
    batch: int = 0
