"""What a prompt would be made of."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from hermes_tui.intents.base import Intent, Standing


class PromptPart(Struct, frozen=True, kw_only=True):
    """One part of the first, frozen piece of a prompt. tokens: an estimate."""

    name: str
    bytes: int
    tokens: int


class PromptView(Struct, frozen=True, kw_only=True):
    """The frozen piece of a new session's prompt: parts in order, the system text, tool names."""

    model: str
    parts: tuple[PromptPart, ...]
    bytes: int
    tokens: int
    window: int
    system: str
    tools: tuple[str, ...]


class ShowPrompt(Intent[PromptView], frozen=True, kw_only=True):
    """Build the prompt that a new session in this folder would begin with; nothing is sent."""

    reply: ClassVar[type[PromptView]] = PromptView
    standing: Standing = Standing()
