"""Any turn or result of a conversation as it was, however much of it the model still sees."""

from __future__ import annotations

import re

from hermes_tui.agent.conversation import Conversation
from hermes_tui.errors import NotFoundError
from hermes_tui.models.base import Message

_AROUND = 300


def show_earlier(talk: Conversation, turn: int, call: str, find: str) -> str:
    """The text of a result (`call`), of a turn, or of both around the places of a text.

    turn: -1 for all of them. Raises NotFoundError with what there is.
    """
    if call:
        text = _result(talk, call)
    elif turn >= 0:
        text = "\n\n".join(map(_written, _turn(talk, turn)))
    elif find:
        text = "\n\n".join(map(_written, talk.messages))
    else:
        raise NotFoundError(
            "nothing was named to be shown", "give a turn, a call id, or a text to find"
        )
    return _places(text, find) if find else text


def _result(talk: Conversation, call: str) -> str:
    for message in reversed(talk.messages):
        if message.role == "tool" and message.call_id == call:
            return message.content
    raise NotFoundError(f"there is no call {call!r} in this conversation")


def _turn(talk: Conversation, turn: int) -> list[Message]:
    marks = {0: 0, **talk.marks}
    if turn not in marks:
        raise NotFoundError(
            f"there is no turn {turn} in this conversation", f"turns 1 to {max(marks)}"
        )
    after = [at for one, at in marks.items() if one > turn]
    return talk.messages[marks[turn] : min(after, default=len(talk.messages))]


def _written(message: Message) -> str:
    calls = [f"[call {call.id}] {call.tool} {call.arguments}" for call in message.calls]
    head = f"[result of {message.call_id}]" if message.role == "tool" else f"[{message.role}]"
    said = [f"{head} {message.content}"] if message.content else []
    return "\n".join([*said, *calls])


def _places(text: str, find: str) -> str:
    """The places where a text stands, with what is around them."""
    pattern = re.compile(re.escape(find), re.IGNORECASE)
    parts: list[str] = []
    end = 0
    for match in pattern.finditer(text):
        start = max(match.start() - _AROUND, end)
        end = min(match.end() + _AROUND, len(text))
        if start < end:
            parts.append(text[start:end])
    if not parts:
        raise NotFoundError(f"{find!r} does not stand there")
    return "\n[…]\n".join(parts)
