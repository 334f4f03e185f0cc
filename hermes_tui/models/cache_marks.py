"""Marks that tell a provider how far a prompt repeats, so that it is read from its cache.

Anthropic's models want them (at most four, docs.anthropic.com, prompt caching); others find
repeated beginnings by themselves. Marked are the tools, the system text and the last two things
that were said to the model: the next request finds its own beginning at one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MARK: Mapping[str, str] = {"type": "ephemeral"}
_TALK = 2


def takes_marks(name: str) -> bool:
    """Whether a model of this name wants marks."""
    return "claude" in name.lower()


def mark(body: dict[str, Any]) -> None:
    """Put the marks into a chat-completions body."""
    if tools := body.get("tools"):
        tools[-1]["cache_control"] = dict(_MARK)
    messages: list[dict[str, Any]] = body["messages"]
    if messages and messages[0]["role"] == "system":
        _mark(messages[0])
    talk = [one for one in messages if one["role"] in ("user", "tool") and one.get("content")]
    for message in talk[-_TALK:]:
        _mark(message)


def _mark(message: dict[str, Any]) -> None:
    if message["role"] == "tool":
        message["cache_control"] = dict(_MARK)  # within a tool's result it would be refused
        return
    content: Any = message["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    message["content"] = [*content[:-1], {**content[-1], "cache_control": dict(_MARK)}]
