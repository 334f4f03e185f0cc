"""What Slack's Socket Mode tells, by its own names, and its events as messages."""

from __future__ import annotations

import html
import re
from typing import Any

from msgspec import Struct, field

from hermes_tui.gateways.base import Inbound

_SAID = (None, "", "file_share", "thread_broadcast", "me_message")
_LINK = re.compile(r"<((?:https?|mailto|tel):[^|>]+)(?:\|([^>]*))?>")
_NAMED = re.compile(r"<[@#!]([^|>]+)(?:\|([^>]*))?>")


class File(Struct):
    """A file that was shared."""

    id: str = ""
    name: str | None = None
    mimetype: str = ""
    subtype: str | None = None
    size: int = 0
    url_private_download: str = ""
    url_private: str = ""


class Event(Struct):
    """Something that happened in a channel. ts: its time, and its number there."""

    type: str = ""
    subtype: str | None = None
    channel: str = ""
    channel_type: str = ""
    user: str = ""
    text: str = ""
    ts: str = ""
    thread_ts: str = ""
    parent_user_id: str = ""
    bot_id: str | None = None
    files: list[File] = []


class More(Struct):
    """Where the next page begins."""

    next_cursor: str = ""


class Page(Struct):
    """Messages of a channel or thread, in the order Slack gives them."""

    messages: list[Event] = []
    response_metadata: More = field(default_factory=More)


class User(Struct):
    """Somebody who pressed something."""

    id: str = ""
    name: str = ""


class Place(Struct):
    """The channel something was pressed in."""

    id: str = ""


class Shown(Struct):
    """The message with the button."""

    ts: str = ""
    thread_ts: str = ""


class Action(Struct):
    """A button that was pressed."""

    value: str = ""
    action_ts: str = ""


class Payload(Struct):
    """What an envelope holds: an event, a press or a command."""

    event: Event | None = None
    type: str = ""
    user: User = field(default_factory=User)
    channel: Place = field(default_factory=Place)
    message: Shown = field(default_factory=Shown)
    actions: list[Action] = []
    command: str = ""
    text: str = ""
    user_id: str = ""
    user_name: str = ""
    channel_id: str = ""
    trigger_id: str = ""


class Envelope(Struct):
    """One frame. It comes again unless it is acknowledged by its id."""

    type: str = ""
    envelope_id: str = ""
    reason: str = ""
    payload: Payload | None = None


def of_event(event: Event, me: str) -> Inbound | None:
    """A message; None for what no person says: own ones, bots', joins, changes."""
    if event.type not in ("message", "app_mention") or event.subtype not in _SAID:
        return None
    if event.bot_id or not event.user or event.user == me or not event.ts:
        return None
    if not (event.text.strip() or event.files):
        return None
    group = not event.channel.startswith("D")
    named = f"<@{me}>" in event.text
    thread = event.thread_ts if event.thread_ts != event.ts else ""
    text = read(event.text.replace(f"<@{me}>", ""))
    return Inbound(
        platform="slack",
        chat=event.channel,
        thread=thread,
        message=event.ts,
        sender=event.user,
        text=text.strip() if named else text,
        ts=_seconds(event.ts),
        group=group,
        spoken_to=not group or named or event.parent_user_id == me,
        reply_to=thread if event.parent_user_id == me else "",
    )


def of_payload(payload: Payload) -> Inbound | None:
    """A press, or a command, which reads as it would be typed."""
    if payload.command:
        text = f"{payload.command} {payload.text}".strip()
        return Inbound(
            platform="slack",
            chat=payload.channel_id,
            message=payload.trigger_id,
            sender=payload.user_id,
            name=payload.user_name,
            text=text,
            group=not payload.channel_id.startswith("D"),
        )
    if payload.type != "block_actions" or not payload.actions:
        return None
    action = payload.actions[0]
    thread = payload.message.thread_ts
    return Inbound(
        platform="slack",
        chat=payload.channel.id,
        thread=thread if thread != payload.message.ts else "",
        message=f"{payload.message.ts}.{action.action_ts}",
        sender=payload.user.id,
        name=payload.user.name,
        ts=_seconds(action.action_ts),
        group=not payload.channel.id.startswith("D"),
        pressed=action.value,
    )


def read(text: str) -> str:
    """Slack's own spelling as plain text: links, names, and the three signs it escapes."""
    text = _LINK.sub(_link, text)
    text = _NAMED.sub(lambda found: f"@{found.group(2) or found.group(1)}", text)
    return html.unescape(text)


def _link(found: re.Match[str]) -> str:
    address, label = found.group(1), found.group(2)
    if not label or label in address:
        return address
    return f"{label} ({address})"


def _seconds(stamp: str) -> float:
    try:
        return float(stamp)
    except ValueError:
        return 0.0


def about(file: File) -> tuple[str, str, str]:
    """(name, kind, address) of a file."""
    kind = "image" if file.mimetype.startswith("image/") else "file"
    if file.subtype == "slack_audio":
        kind = "voice"
    return file.name or file.id, kind, file.url_private_download or file.url_private


def blocks(text: str, buttons: tuple[tuple[str, str], ...]) -> list[dict[str, Any]]:
    """A text with buttons under it."""
    shown = [
        {
            "type": "button",
            "text": {"type": "plain_text", "text": label[:75]},
            "value": value,
            "action_id": f"choice{number}",
        }
        for number, (label, value) in enumerate(buttons[:25])
    ]
    said = {"type": "section", "text": {"type": "mrkdwn", "text": text}}
    return [said, {"type": "actions", "elements": shown}]
