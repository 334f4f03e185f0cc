"""The base of all intents, what several of them carry, and their names on the wire."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

from msgspec import Struct

R = TypeVar("R")


class Standing(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a face stands: its folder, a whitelist of its environment, its terminal."""

    cwd: str = ""
    env: dict[str, str] = {}
    columns: int = 0
    rows: int = 0


class Intent(Struct, Generic[R], frozen=True, kw_only=True, omit_defaults=True):
    """Base of all intents. `op` is its name on the wire, `reply` the class of the answer."""

    op: ClassVar[str] = "intent"
    reply: ClassVar[Any] = None


class Done(Struct, frozen=True, kw_only=True):
    """It is done; nothing more to say."""


class Text(Struct, frozen=True, kw_only=True):
    """A text, as Markdown."""

    text: str = ""


class Lines(Struct, frozen=True, kw_only=True):
    """Lines of text."""

    lines: tuple[str, ...] = ()
