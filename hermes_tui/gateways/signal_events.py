"""What signal-cli says, by its own names, and its envelopes as messages."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from hermes_tui.gateways.base import Inbound

GROUP = "group."
"""A chat that is a group is called so, before the group's id."""
_PLACE = "\N{OBJECT REPLACEMENT CHARACTER}"


class Mention(Struct, rename="camel"):
    """Somebody named in a text; start and length in units of UTF-16."""

    name: str | None = None
    number: str | None = None
    uuid: str | None = None
    start: int = 0
    length: int = 1


class Quote(Struct, rename="camel"):
    """The message that is answered; its id is its time."""

    id: int = 0
    author: str | None = None
    author_number: str | None = None
    author_uuid: str | None = None


class GroupInfo(Struct, rename="camel"):
    """The group a message is in."""

    group_id: str = ""


class Attachment(Struct, rename="camel"):
    """A file of a message, kept by signal-cli."""

    id: str | None = None
    content_type: str | None = None
    filename: str | None = None
    size: int | None = None
    voice_note: bool | None = None


class Data(Struct, rename="camel"):
    """What is said. timestamp: milliseconds, and the message's number."""

    timestamp: int = 0
    message: str | None = None
    mentions: list[Mention] | None = None
    quote: Quote | None = None
    group_info: GroupInfo | None = None
    attachments: list[Attachment] | None = None
    reaction: Any = None
    remote_delete: Any = None


class SentData(Data, rename="camel"):
    """What this account said from another device."""

    destination: str | None = None
    destination_number: str | None = None
    destination_uuid: str | None = None


class Sync(Struct, rename="camel"):
    """What other devices of this account tell."""

    sent_message: SentData | None = None


class Envelope(Struct, rename="camel"):
    """One thing that came in."""

    source_uuid: str | None = None
    source_number: str | None = None
    source_name: str | None = None
    timestamp: int = 0
    data_message: Data | None = None
    sync_message: Sync | None = None


class Event(Struct, rename="camel"):
    """What the daemon tells of."""

    envelope: Envelope | None = None
    account: str | None = None


class Result(Struct, rename="camel"):
    """What became of a message for one person."""

    type: str = "SUCCESS"
    retry_after_seconds: float | None = None


class Sent(Struct, rename="camel"):
    """What became of a message."""

    timestamp: int = 0
    results: list[Result] | None = None


class Failed(Struct, rename="camel"):
    """What an error says beside its words."""

    response: Sent | None = None


class Problem(Struct, rename="camel"):
    """An error of JSON-RPC."""

    code: int = 0
    message: str | None = None
    data: Failed | None = None


class Reply(Struct, rename="camel"):
    """An answer of JSON-RPC."""

    result: msgspec.Raw = msgspec.Raw(b"null")
    error: Problem | None = None


def inbound(envelope: Envelope, account: str) -> tuple[Inbound, list[Attachment]] | None:
    """(message, its files) of an envelope; None for what is nobody's message.

    account: the number or id of the agent's own account. Receipts, typing signs, reactions and
    what the account sent from other devices are none; a note to oneself is one of its owner.
    """
    data = envelope.data_message or _note_to_oneself(envelope, account)
    if data is None or data.reaction is not None or data.remote_delete is not None:
        return None
    sender = envelope.source_uuid or envelope.source_number or ""
    files = data.attachments or []
    mentions = data.mentions or []
    text = _named(data.message or "", mentions, account)
    if not sender or not (text.strip() or files):
        return None
    stamp = data.timestamp or envelope.timestamp
    group = data.group_info.group_id if data.group_info is not None else ""
    answers = data.quote is not None and account in (
        data.quote.author,
        data.quote.author_number,
        data.quote.author_uuid,
    )
    named = any(account in (one.number, one.uuid) for one in mentions)
    made = Inbound(
        platform="signal",
        chat=f"{GROUP}{group}" if group else sender,
        message=f"{stamp}.{sender}",
        sender=sender,
        name=envelope.source_name or "",
        text=text,
        ts=stamp / 1000,
        group=bool(group),
        spoken_to=not group or named or answers,
        reply_to=str(data.quote.id) if data.quote is not None else "",
    )
    return made, files


def _note_to_oneself(envelope: Envelope, account: str) -> Data | None:
    sent = envelope.sync_message.sent_message if envelope.sync_message is not None else None
    if sent is None or sent.group_info is not None:
        return None
    to = (sent.destination, sent.destination_number, sent.destination_uuid)
    return sent if account in to else None


def about(file: Attachment) -> tuple[str, str, str]:
    """(name, kind, type) of a file."""
    mime = file.content_type or ""
    kind = "image" if mime.startswith("image/") else "file"
    if mime.startswith("audio/") and (file.voice_note or not file.filename):
        kind = "voice"
    return file.filename or file.id or "file", kind, mime


def _named(text: str, mentions: list[Mention], account: str) -> str:
    """The text with names where Signal has places for them; the agent's own name is left out."""
    if _PLACE not in text:
        return text
    units = text.encode("utf-16-le")
    for one in sorted(mentions, key=lambda mention: mention.start, reverse=True):
        own = account in (one.number, one.uuid)
        name = "" if own else f"@{one.name or one.number or 'somebody'}"
        start, end = 2 * one.start, 2 * (one.start + one.length)
        units = units[:start] + name.encode("utf-16-le") + units[end:]
    return units.decode("utf-16-le", "replace").strip()
