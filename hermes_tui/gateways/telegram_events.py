"""What Telegram tells becomes messages of ours: who, where, meant for whom, the text in full."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeGuard, cast

from msgspec import Struct

from hermes_tui.gateways.base import Inbound

if TYPE_CHECKING:
    from telegram import (
        Animation,
        Audio,
        Bot,
        CallbackQuery,
        Document,
        MaybeInaccessibleMessage,
        Message,
        MessageEntity,
        MessageOrigin,
        PhotoSize,
        Update,
        Video,
        VideoNote,
        Voice,
    )

_log = logging.getLogger(__name__)
_BARE = {
    "message_id",
    "message_thread_id",
    "is_topic_message",
    "date",
    "chat",
    "from",
    "sender_chat",
    "forward_origin",
    "via_bot",
    "text",
    "entities",
    "caption",
    "caption_entities",
}
_QUOTED = 200
_REPEATS = 100
"""An answer holds at most so many updates, so no more of them can come a second time."""


class Me(Struct, frozen=True, kw_only=True):
    """The bot itself. commands: name as Telegram lists it → name as it is here."""

    id: int
    username: str
    commands: dict[str, str] = {}


class Attachment(Struct, frozen=True, kw_only=True):
    """A file of a message that is still at Telegram. unique: the same however often it comes."""

    file_id: str
    unique: str
    name: str
    kind: str = "file"
    mime: str = ""
    size: int = 0


def command_name(name: str) -> str:
    """A command as Telegram takes it: small letters, digits and underscores."""
    return name.replace("-", "_").lower()


def repeated(number: int, taken: int) -> bool:
    """Whether an update is one of the last that were taken before.

    Numbers begin anywhere after a quiet week, so a smaller one alone says nothing.
    """
    return taken > 0 and 0 <= taken - number < _REPEATS


def read(raw: dict[str, Any], bot: Bot | None) -> Update | None:
    """An update as the library understands it, if it must be without what it does not know."""
    from telegram import Update

    for tried in (raw, _bare(raw)):
        try:
            return Update.de_json(tried, bot)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            _log.warning("telegram: an update is not understood: %s", type(error).__name__)
    return None


def _bare(raw: dict[str, Any]) -> dict[str, Any]:
    """An update with the words of its message alone, and whose they are."""
    message = raw.get("message")
    if not isinstance(message, dict):
        return raw
    said = cast("dict[str, Any]", message)
    kept = {name: value for name, value in said.items() if name in _BARE}
    if not kept.keys() & {"text", "caption"}:
        kept["text"] = f"[{', '.join(name for name in said if name not in _BARE)}]"
    return {"update_id": raw.get("update_id"), "message": kept}


def inbound(update: Update, me: Me) -> Inbound | None:
    """The message in an update, without its files; None when it is none of a person."""
    if update.callback_query is not None:
        return _press(update.callback_query)
    message = update.message
    if message is None or message.from_user is None or message.sender_chat is not None:
        return None
    if message.from_user.is_bot or message.from_user.id == me.id:
        return None
    text, named = _text(message, me)
    if not text and not attachments(message):
        return None
    private = message.chat.type == "private"
    answer = _answered(message)
    to_me = answer is not None and answer.from_user is not None and answer.from_user.id == me.id
    return Inbound(
        platform="telegram",
        chat=str(message.chat.id),
        message=str(message.message_id),
        sender=str(message.from_user.id),
        name=message.from_user.full_name,
        text=_quote(message, answer, to_me, text),
        thread=_thread(message),
        ts=message.date.timestamp(),
        group=not private,
        spoken_to=private or named or to_me,
        reply_to=str(answer.message_id) if answer is not None else "",
    )


def attachments(message: Message | None) -> tuple[Attachment, ...]:
    """The files of a message: the largest of the sizes of a picture, never a preview."""
    if message is None:
        return ()
    if message.photo:
        best = max(message.photo, key=lambda size: size.width * size.height)
        return (_file(best, f"photo-{best.file_unique_id}.jpg", "image", "image/jpeg"),)
    if message.voice is not None:
        name = f"voice-{message.voice.file_unique_id}.ogg"
        return (_file(message.voice, name, "voice", message.voice.mime_type or "audio/ogg"),)
    for found, ending in (
        (message.audio, "mp3"),
        (message.animation, "mp4"),
        (message.video, "mp4"),
        (message.document, "bin"),
    ):
        if found is not None:
            mime = found.mime_type or ""
            name = found.file_name or f"file-{found.file_unique_id}.{ending}"
            return (_file(found, name, "image" if mime.startswith("image/") else "file", mime),)
    if message.video_note is not None:
        name = f"video-{message.video_note.file_unique_id}.mp4"
        return (_file(message.video_note, name, "file", "video/mp4"),)
    return ()


def marked(text: str, entities: Sequence[MessageEntity], skip: int = 0) -> str:
    """A text from `skip` on, with the addresses of its links and fences around its code.

    Offsets count units of UTF-16, as Telegram does.
    """
    raw = text.encode("utf-16-le", "surrogatepass")
    puts: list[tuple[int, int, str]] = []
    for one in entities:
        end = one.offset + one.length
        if one.offset < skip:
            continue
        if one.type == "text_link":
            puts += [(one.offset, 1, "["), (end, 0, f"]({one.url})")]
        elif one.type == "pre":
            puts += [(one.offset, 1, f"```{one.language or ''}\n"), (end, 0, "\n```")]
    out: list[str] = []
    at = skip
    for place, _, sign in sorted(puts, key=lambda put: put[:2]):
        out += [raw[2 * at : 2 * place].decode("utf-16-le", "replace"), sign]
        at = max(at, place)
    out.append(raw[2 * at :].decode("utf-16-le", "replace"))
    return "".join(out)


def _press(query: CallbackQuery) -> Inbound | None:
    if query.message is None or query.data is None or query.from_user.is_bot:
        return None
    chat = query.message.chat
    return Inbound(
        platform="telegram",
        chat=str(chat.id),
        message=f"press-{query.id}",
        sender=str(query.from_user.id),
        name=query.from_user.full_name,
        thread=_thread(query.message) if _is_whole(query.message) else "",
        ts=0.0,
        group=chat.type != "private",
        pressed=query.data,
        reply_to=str(query.message.message_id),
    )


def _is_whole(message: MaybeInaccessibleMessage) -> TypeGuard[Message]:
    """Whether it is the message itself, not what is left of one that is gone."""
    return bool(message.is_accessible)


def _thread(message: Message) -> str:
    return str(message.message_thread_id) if message.is_topic_message else ""


def _answered(message: Message) -> Message | None:
    """The message this one answers. In a topic everything hangs on its beginning: no answer."""
    answer = message.reply_to_message
    if answer is None or answer.forum_topic_created is not None:
        return None
    return answer


def _text(message: Message, me: Me) -> tuple[str, bool]:
    """The text in full, and whether the bot is named in it."""
    written = message.text or message.caption or ""
    entities = message.entities or message.caption_entities
    named = any(_names(one, written, me) for one in entities)
    start, skip = "", 0
    if entities and entities[0].offset == 0:
        first, length = _part(written, entities[0]), entities[0].length
        if entities[0].type == "bot_command":
            name, _, whose = first[1:].partition("@")
            known = me.commands.get(name.lower())
            named = named or (whose.lower() == me.username.lower() if whose else known is not None)
            start, skip = f"/{known or name}" + (f"@{whose}" if whose and not named else ""), length
        elif _names(entities[0], written, me):
            skip = length
    body = start + (
        marked(written, entities, skip) if start else marked(written, entities, skip).strip()
    )
    return _told_by_others(message) + (body or _without_words(message)), named


def _part(text: str, entity: MessageEntity) -> str:
    raw = text.encode("utf-16-le", "surrogatepass")
    return raw[2 * entity.offset : 2 * (entity.offset + entity.length)].decode(
        "utf-16-le", "replace"
    )


def _names(entity: MessageEntity, text: str, me: Me) -> bool:
    """Whether a mark in a text is the name of the bot."""
    if entity.type == "text_mention":
        return entity.user is not None and entity.user.id == me.id
    return entity.type == "mention" and _part(text, entity).lower() == f"@{me.username}".lower()


def _told_by_others(message: Message) -> str:
    """A line over words that are not the sender's own, so that they are never taken for theirs."""
    if message.forward_origin is not None:
        return f"[forwarded{_origin(message.forward_origin)}]\n"
    if message.via_bot is not None:
        return f"[written by the bot @{message.via_bot.username}]\n"
    return ""


def _origin(origin: MessageOrigin) -> str:
    user = getattr(origin, "sender_user", None)
    chat = getattr(origin, "sender_chat", None) or getattr(origin, "chat", None)
    hidden = getattr(origin, "sender_user_name", None)
    name = user.full_name if user else chat.effective_name if chat else hidden
    return f" from {name}" if name else ""


def _without_words(message: Message) -> str:
    """What a message says that has no text: a place, a contact, a sticker, a poll."""
    if message.sticker is not None:
        return f"[sticker {message.sticker.emoji or message.sticker.set_name or ''}]".replace(
            " ]", "]"
        )
    if message.venue is not None:
        venue, at = message.venue, message.venue.location
        return f"[place {venue.title}, {venue.address}, {at.latitude}, {at.longitude}]"
    if message.location is not None:
        return f"[place {message.location.latitude}, {message.location.longitude}]"
    if message.contact is not None:
        contact = message.contact
        name = f"{contact.first_name} {contact.last_name or ''}".strip()
        return f"[contact {name}, {contact.phone_number}]"
    if message.poll is not None:
        answers = "; ".join(one.text for one in message.poll.options)
        return f"[poll {message.poll.question}: {answers}]"
    if message.dice is not None:
        return f"[{message.dice.emoji} {message.dice.value}]"
    others = ("story", "game", "checklist", "paid_media", "invoice")
    return next((f"[{kind}]" for kind in others if getattr(message, kind, None) is not None), "")


def _quote(message: Message, answer: Message | None, to_me: bool, text: str) -> str:
    """The text under a line of what it answers, unless that was the agent's own."""
    chosen = message.quote.text if message.quote is not None and message.quote.is_manual else ""
    said = chosen or ("" if answer is None or to_me else answer.text or answer.caption or "")
    if not said or text.startswith("/"):
        return text
    line = " ".join(said.split())
    return f"> {line[:_QUOTED]}{'…' if len(line) > _QUOTED else ''}\n\n{text}"


def _file(
    one: PhotoSize | Voice | Audio | Animation | Video | Document | VideoNote,
    name: str,
    kind: str,
    mime: str,
) -> Attachment:
    return Attachment(
        file_id=one.file_id,
        unique=one.file_unique_id,
        name=name,
        kind=kind,
        mime=mime,
        size=one.file_size or 0,
    )
