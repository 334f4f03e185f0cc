"""What Discord's library tells, as messages."""

from __future__ import annotations

from typing import Any

import discord
from msgspec import Struct

from hermes_tui.gateways.base import Inbound

_SAID = (discord.MessageType.default, discord.MessageType.reply)


class Heard(Struct, frozen=True, kw_only=True):
    """A message, its files, and the channel whose mark it moves."""

    message: Inbound
    files: tuple[discord.Attachment, ...] = ()
    channel: str = ""


def of_message(said: discord.Message, bot: discord.Client) -> Heard | None:
    """A message; None for what no person says: own ones, bots', joins and pins."""
    if said.author.bot or said.type not in _SAID or bot.user is None or said.webhook_id:
        return None
    me = bot.user.id
    text = said.content
    for form in (f"<@{me}>", f"<@!{me}>"):
        text = text.replace(form, "")
    if not (text.strip() or said.attachments):
        return None
    group = said.guild is not None or _guild_id(said) is not None
    chat, thread = _place(said.channel)
    reply = said.reference
    answered = reply.resolved if reply is not None else None
    to_me = isinstance(answered, discord.Message) and answered.author.id == me
    named = any(one.id == me for one in said.mentions)
    message = Inbound(
        platform="discord",
        chat=chat,
        thread=thread,
        message=str(said.id),
        sender=str(said.author.id),
        name=said.author.display_name,
        text=text.strip() if named else text,
        ts=said.created_at.timestamp(),
        group=group,
        spoken_to=not group or named or to_me,
        reply_to=str(reply.message_id or "") if reply is not None else "",
    )
    return Heard(message=message, files=tuple(said.attachments), channel=str(said.channel.id))


def of_interaction(what: discord.Interaction) -> Inbound | None:
    """A press of a button, or a command, which reads as it would be typed."""
    data: dict[str, Any] = dict(what.data or {})
    pressed, text = "", ""
    if what.type is discord.InteractionType.component:
        pressed = str(data.get("custom_id") or "")
    elif what.type is discord.InteractionType.application_command:
        given: list[dict[str, Any]] = data.get("options") or []
        options = [str(one.get("value", "")) for one in given]
        text = " ".join([f"/{data.get('name')}", *options]).strip()
    if not (pressed or text) or what.channel_id is None:
        return None
    chat, thread = _place(what.channel) if what.channel is not None else (str(what.channel_id), "")
    return Inbound(
        platform="discord",
        chat=chat,
        thread=thread,
        message=str(what.id),
        sender=str(what.user.id),
        name=what.user.display_name,
        text=text,
        ts=what.created_at.timestamp(),
        group=what.guild_id is not None,
        pressed=pressed,
    )


def _guild_id(said: discord.Message) -> int | None:
    channel = said.channel
    return channel.guild_id if isinstance(channel, discord.PartialMessageable) else None


def _place(channel: Any) -> tuple[str, str]:
    """(chat, thread): a thread belongs to its channel."""
    if isinstance(channel, discord.Thread):
        return str(channel.parent_id), str(channel.id)
    return str(channel.id), ""
