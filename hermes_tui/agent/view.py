"""What the model sees of a conversation: the messages, with old stretches and results stood in for.

It only ever grows at its end, until a stretch is compacted or results are masked.
"""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tui.events import Compacted
from hermes_tui.models.base import Message

PICTURE_BYTES = 4_800
"""About 1,600 tokens: providers scale larger pictures down to this."""
READ_ON = "Noted. I go on from there."
_HEAD = (
    "[What came before in this conversation, kept short. Nothing is lost: read_earlier shows any"
    " turn or result as it was.]"
)


class View:
    """Messages as they are sent. size: their bytes, roughly as on the wire."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.size = 0

    def add(self, message: Message) -> None:
        """One more at the end."""
        self.messages.append(message)
        self.size += size_of_message(message)


def build_view(
    messages: Sequence[Message], masked: set[str], tools: dict[str, str], stretches: list[Compacted]
) -> View:
    """The view of a whole conversation. tools: the name of each call's tool, by call id."""
    view = View()
    start = stretches[-1].end if stretches else 0
    if stretches:
        view.add(Message(role="user", content=_told(stretches)))
        if start == len(messages) or messages[start].role == "user":
            view.add(Message(role="assistant", content=READ_ON))
    for message in messages[start:]:
        if message.role == "tool" and message.call_id in masked:
            message = mask_of(message, tools.get(message.call_id, "tool"))
        view.add(message)
    return view


def _told(stretches: list[Compacted]) -> str:
    retired = stretches[-1].retired
    parts = [_stretch(one, whole=place >= retired) for place, one in enumerate(stretches)]
    return "\n\n".join([_HEAD, *parts])


def _stretch(one: Compacted, whole: bool) -> str:
    first, last = one.turns
    turns = f"turn {first}" if first == last else f"turns {first} to {last}"
    parts = [f"## {turns}"]
    if one.said:
        parts.append(f"The user said:\n{one.said}")
    if one.done:
        parts.append(f"What was done:\n{one.done}")
    if whole and one.digest:
        parts.append(f"In short:\n{one.digest}")
    if whole and one.found:
        parts.append(f"Found in results:\n{one.found}")
    return "\n".join(parts)


def mask_of(message: Message, tool: str) -> Message:
    """The line that stands for a result; it says how to read it again."""
    text = (
        f"[result of {tool} left out to make room: {len(message.content):,} characters;"
        f' read_earlier(call="{message.call_id}") shows it]'
    )
    return Message(role="tool", content=text, call_id=message.call_id)


def size_of(text: str) -> int:
    """Bytes of a text in UTF-8; free for plain ASCII."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def size_of_message(message: Message) -> int:
    """Bytes of a message, with its calls, and what its pictures cost as if they were text."""
    calls = sum(len(call.arguments) + len(call.tool) + 60 for call in message.calls)
    pictures = PICTURE_BYTES * len(message.pictures)
    return size_of(message.content) + calls + pictures + 20
