"""What strict endpoints want of a conversation's shape, learned from their refusals.

Mistral wants ids of calls with nine letters and digits, and no question right after a tool's
result; templates of small models want roles that take turns, or no system text. A conversation
that was begun with another model, or steered in the middle of its work, has not that shape.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec.structs import replace

from hermes_tui.models.base import Message, Request

Shape = Literal["no system", "turns", "bridges", "short ids"]
_RULES: tuple[tuple[Shape, re.Pattern[bytes]], ...] = (
    ("short ids", re.compile(rb"tool.?call.?id.{0,200}length of 9", re.I | re.S)),
    ("bridges", re.compile(rb"role .{0,3}user.{0,3} after role .{0,3}tool", re.I)),
    ("turns", re.compile(rb"roles must alternate", re.I)),
    (
        "no system",
        re.compile(rb"system role (is )?not supported|roles are supported, got system", re.I),
    ),
)
_BRIDGE = "Understood."
_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def wanted(body: bytes) -> Shape | None:
    """The shape a refusal asks for, if it is about that."""
    return next((name for name, pattern in _RULES if pattern.search(body)), None)


def shaped(request: Request, shapes: Iterable[Shape]) -> Request:
    """The request in the shapes that are wanted; all that was said stays in it."""
    messages: Sequence[Message] = request.messages
    system = request.system
    chosen = set(shapes)
    if "no system" in chosen and system:
        messages, system = (Message(role="user", content=system), *messages), ""
        chosen.add("turns")
    if "turns" in chosen:
        messages = tuple(_in_turns(messages))
    if "bridges" in chosen:
        messages = tuple(_bridged(messages))
    if "short ids" in chosen:
        messages = tuple(map(_short, messages))
    return replace(request, system=system, messages=tuple(messages))


def _in_turns(messages: Iterable[Message]) -> Iterator[Message]:
    """Messages of one side that follow each other are one; a tool's question is answered first."""
    last: Message | None = None
    for message in messages:
        if last is None or last.role != message.role or message.role == "tool" or last.calls:
            if last is not None:
                yield last
            last = message
            continue
        parts = [part for part in (last.content, message.content) if part]
        last = replace(
            last,
            content="\n\n".join(parts),
            calls=message.calls,
            pictures=(*last.pictures, *message.pictures),
        )
    if last is not None:
        yield last


def _bridged(messages: Iterable[Message]) -> Iterator[Message]:
    before = ""
    for message in messages:
        if before == "tool" and message.role == "user":
            yield Message(role="assistant", content=_BRIDGE)
        yield message
        before = message.role


def _short(message: Message) -> Message:
    if message.calls:
        calls = tuple(replace(call, id=short_id(call.id)) for call in message.calls)
        return replace(message, calls=calls)
    return replace(message, call_id=short_id(message.call_id)) if message.call_id else message


def short_id(identity: str) -> str:
    """Nine letters and digits for an id; those that are so already stay."""
    if len(identity) == 9 and identity.isascii() and identity.isalnum():
        return identity
    number = int.from_bytes(hashlib.sha256(identity.encode(errors="replace")).digest()[:8])
    made = ""
    for _ in range(9):
        number, place = divmod(number, len(_LETTERS))
        made += _LETTERS[place]
    return made
