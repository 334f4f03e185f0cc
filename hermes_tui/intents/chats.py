"""Chats: send a text to one."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct

from hermes_tui.intents.base import Intent


class SentOut(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of a text: its number, where it went, how it stands and what proves it.

    state: `sent`, `waiting` (it is tried again), `failed` or `expired`. doubt: it may have
    arrived twice.
    """

    number: int
    target: str
    state: str
    proof: str = ""
    error: str = ""
    doubt: bool = False


class SendOut(Intent[SentOut], frozen=True, kw_only=True):
    """Send a text to a chat such as `telegram:12345`; wait up to `wait_s` seconds until it went."""

    reply: ClassVar[Any] = SentOut
    target: str
    text: Annotated[str, Meta(max_length=1_000_000)]
    key: str = ""
    wait_s: Annotated[float, Meta(ge=0, le=300)] = 30.0
