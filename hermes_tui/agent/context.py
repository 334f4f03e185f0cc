"""What of the conversation goes into the next request."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tui.agent.agent import Agent
from hermes_tui.models.base import Message

BYTES_A_TOKEN = 3.0
"""Cautious: English text has about 4 bytes a token, code and Chinese about 3."""
PICTURE_TOKENS = 1_600
"""About; providers scale larger pictures down to this."""
RESERVE = 0.85
LEFT_OUT = "[output left out to make room; read it again if it is needed]"


def fit(messages: Sequence[Message], agent: Agent) -> tuple[Message, ...]:
    """The messages for the next request: all of them while they fit the window.

    When they do not, the oldest tool results are left out of the view (never out of the log),
    half the window at a time, so that the prefix changes as rarely as possible.
    """
    budget = int(agent.model.window * RESERVE * BYTES_A_TOKEN) - _size_of_prefix(agent)
    total = sum(_size(message) for message in messages)
    if total <= budget:
        return tuple(messages)
    need = total - budget // 2
    view: list[Message] = []
    for message in messages:
        if need > 0 and message.role == "tool" and _size(message) > 4 * len(LEFT_OUT):
            need -= _size(message) - len(LEFT_OUT)
            message = Message(role="tool", content=LEFT_OUT, call_id=message.call_id)
        view.append(message)
    return tuple(view)


def size_of(text: str) -> int:
    """Bytes of a text in UTF-8; free for plain ASCII."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _size(message: Message) -> int:
    calls = sum(len(call.arguments) + len(call.tool) + 60 for call in message.calls)
    shown = len(message.pictures) * int(PICTURE_TOKENS * BYTES_A_TOKEN)
    return size_of(message.content) + calls + shown + 20


def _size_of_prefix(agent: Agent) -> int:
    return sum(size for _, size in agent.prefix.parts)
