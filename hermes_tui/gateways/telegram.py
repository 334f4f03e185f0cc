"""Telegram, by the library of its field: one bot, many chats, topics as threads.

A message has no key there, so one whose sending was cut off goes at least once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING

from hermes_tui.gateways.base import (
    Abilities,
    Address,
    Button,
    Desk,
    Gateway,
    GoneError,
    Message,
    RefusedError,
    SendError,
    Setup,
)
from hermes_tui.gateways.format import messages, utf16
from hermes_tui.gateways.telegram_line import (
    LOST_FILE_S,
    NO_LIBRARY,
    Line,
    connected,
    failure,
    installed,
    stopped,
)

if TYPE_CHECKING:
    from telegram import InlineKeyboardMarkup, MessageEntity
    from telegram import Message as Sent

    from hermes_tui.gateways.telegram_receiving import Webhook

_log = logging.getLogger(__name__)
_MOST_CAPTION = 1024
_MOST_FILE = 50_000_000
_MOST_PICTURE = 10_000_000
_PICTURES = (".jpg", ".jpeg", ".png", ".webp")
_VOICES = (".ogg", ".oga", ".opus")
_IN_A_ROW = 3
_OF_THE_KEYS = ("button", "keyboard")
_OF_THE_TEXT = (*_OF_THE_KEYS, "empty", "too long", "utf-8", "encoded")
"""Words in refusals that concern what was sent; all others concern the chat."""
_SERVER = "https://api.telegram.org/bot"

_Call = Callable[[str, "list[MessageEntity] | None"], "Awaitable[Sent | bool]"]


class Telegram:
    """One bot. token: asked for when something is sent, from any thread.

    base_url: of a Bot API server, ending in /bot. webhook: where Telegram calls; without one it
    is asked for messages. everything: files of group messages count though nobody spoke to it.
    """

    platform = "telegram"
    able = Abilities(edits=True, buttons=True, files=True, typing=True, threads=True)

    def __init__(
        self,
        token: Callable[[], str],
        base_url: str = "",
        *,
        webhook: Callable[[], Webhook | None] = lambda: None,
        everything: bool = False,
    ) -> None:
        self._token = token
        self._base_url = base_url or _SERVER
        self._webhook = webhook
        self._everything = everything
        self._line: Line | None = None
        self._refused = False
        self._connecting = asyncio.Lock()
        self._moved: dict[str, str] = {}

    def messages(self, text: str) -> tuple[Message, ...]:
        """The exact messages a text becomes."""
        return messages(self.platform, text)

    async def run(self, desk: Desk) -> None:
        """Receive until cancelled. Raises ConflictError, RefusedError, ConnectionError."""
        try:
            line = await self._ready()
        except SendError as error:
            raise RefusedError(error.message, error.hint) from error
        webhook = self._webhook()
        from telegram.error import EndPointNotFound, InvalidToken, TelegramError

        from hermes_tui.gateways.telegram_receiving import Receiver, me_of

        try:
            await line.bot.initialize()
            desk.alive()
            me = me_of(line.bot, desk)
            receiver = Receiver(line.bot, desk, me, line.files, everything=self._everything)
            await receiver.list_commands()
            await (receiver.poll() if webhook is None else receiver.listen(webhook))
        except TelegramError as error:
            self._refused = isinstance(error, (InvalidToken, EndPointNotFound))
            raise stopped(error) from None

    async def send(self, to: Address, message: Message, key: str) -> str:
        """Send one message and return its number. Raises SendError."""
        return await self._put(to, message, None)

    async def ask(
        self, to: Address, message: Message, buttons: tuple[Button, ...], key: str
    ) -> str:
        """Send a message with buttons and return its number. Raises SendError."""
        await self._ready()  # loads the library, in a thread
        from telegram import InlineKeyboardButton, InlineKeyboardMarkup

        made = [InlineKeyboardButton(one.label, callback_data=one.value) for one in buttons]
        rows = [made[at : at + _IN_A_ROW] for at in range(0, len(made), _IN_A_ROW)]
        return await self._put(to, message, InlineKeyboardMarkup(rows))

    async def edit(self, to: Address, proof: str, message: Message) -> None:
        """Change a message; its buttons go. Raises SendError."""
        bot = (await self._ready()).bot

        async def change(chat: str, entities: list[MessageEntity] | None) -> Sent | bool:
            return await bot.edit_message_text(
                message.text, chat_id=chat, message_id=int(proof), entities=entities
            )

        try:
            await self._tried(to, message, change)
        except SendError as error:
            said = error.message.lower()
            if "message to edit" in said or "can't be edited" in said:
                raise GoneError(error.message) from error
            if "message is not modified" not in said:
                raise

    async def send_file(self, to: Address, path: Path, name: str, caption: str, key: str) -> str:
        """Send a file: pictures to look at, voice notes to listen to. Raises SendError.

        One that Telegram does not take is told in a message instead.
        """
        parts = self.messages(caption) if caption.strip() else ()
        if len(parts) > 1 or any(utf16(one.text) > _MOST_CAPTION for one in parts):
            for number, one in enumerate(parts):
                await self.send(to, one, f"{key}#{number}")
            parts = ()
        message = parts[0] if parts else Message(text="")
        try:
            file = await asyncio.to_thread(path.open, "rb")
        except OSError as error:
            return await self._untaken(to, message, name, error.strerror or "it can't be read")
        try:
            size = (await asyncio.to_thread(path.stat)).st_size
            if not 0 < size <= _MOST_FILE and self._base_url == _SERVER:
                why = f"{size:,} bytes; Telegram takes 1 to {_MOST_FILE:,}"
                return await self._untaken(to, message, name, why)
            return await self._upload(to, file, name, message, size)
        finally:
            await asyncio.to_thread(file.close)

    async def typing(self, to: Address) -> None:
        """Show for five seconds that an answer is being written. Raises SendError."""
        bot = (await self._ready()).bot

        async def show(chat: str, entities: list[MessageEntity] | None) -> bool:
            return await bot.send_chat_action(chat, "typing", message_thread_id=_thread(to))

        await self._tried(to, Message(text=""), show)

    async def close(self) -> None:
        """Let go of the connections."""
        if self._line is not None:
            line, self._line = self._line, None
            await line.close()

    async def _ready(self) -> Line:
        """The connections, with the token as it is now when the last one was refused."""
        async with self._connecting:
            if self._refused:
                self._refused = False
                await self.close()
            if self._line is None:
                self._line = await connected(self._token, self._base_url)
        return self._line

    async def _put(self, to: Address, message: Message, keys: InlineKeyboardMarkup | None) -> str:
        """Send a text; one that Telegram refuses for what it is must not count as a dead chat."""
        try:
            return await self._text(to, message, keys)
        except SendError as error:
            said = error.message.lower()
            if not error.dead or not any(word in said for word in _OF_THE_TEXT):
                raise
            _log.warning("telegram: a message was refused: %s", error.message)
            if keys is None or not any(word in said for word in _OF_THE_KEYS):
                message = Message(text=f"(Telegram does not show this message: {error.message})")
            return await self._text(to, message, None)

    async def _text(self, to: Address, message: Message, keys: InlineKeyboardMarkup | None) -> str:
        bot = (await self._ready()).bot

        async def put(chat: str, entities: list[MessageEntity] | None) -> Sent | bool:
            return await bot.send_message(
                chat,
                message.text,
                entities=entities,
                reply_markup=keys,
                message_thread_id=_thread(to),
            )

        return await self._tried(to, message, put)

    async def _tried(self, to: Address, message: Message, call: _Call) -> str:
        """Call; what Telegram does not understand goes as plain text, a moved group is followed."""
        from telegram.error import BadRequest, ChatMigrated, InvalidToken, TelegramError

        entities = _entities(message)
        chat = self._moved.get(to.chat, to.chat)
        for _ in range(3):
            try:
                done = await call(chat, entities)
                return "" if isinstance(done, bool) else str(done.message_id)
            except ChatMigrated as error:
                chat = self._moved[to.chat] = str(error.new_chat_id)
                _log.warning("telegram: the group %s has the number %s now", to.chat, chat)
            except BadRequest as error:
                if not (entities and "entit" in error.message.lower()):
                    raise failure(error) from None
                entities = None
            except TelegramError as error:
                self._refused = self._refused or isinstance(error, InvalidToken)
                raise failure(error) from None
        raise SendError("Telegram: the group has moved again and again")

    async def _upload(
        self, to: Address, file: IO[bytes], name: str, message: Message, size: int
    ) -> str:
        from telegram import InputFile

        bot = (await self._ready()).bot
        ways: list[tuple[str, Callable[..., Awaitable[Sent]]]] = [("document", bot.send_document)]
        if name.lower().endswith(_PICTURES) and size <= _MOST_PICTURE:
            ways.insert(0, ("photo", bot.send_photo))
        elif name.lower().endswith(_VOICES):
            ways.insert(0, ("voice", bot.send_voice))
        problem = ""
        for kind, way in ways:

            async def put(chat: str, entities: list[MessageEntity] | None) -> Sent:
                await asyncio.to_thread(file.seek, 0)
                return await way(  # noqa: B023 - called before the next round
                    chat,
                    InputFile(file, filename=name, read_file_handle=False),
                    caption=message.text or None,
                    caption_entities=entities,
                    message_thread_id=_thread(to),
                    read_timeout=LOST_FILE_S,
                )

            try:
                return await self._tried(to, message, put)
            except SendError as error:
                if not _of_the_file(error):
                    raise
                problem = error.message
                _log.info("telegram: %s does not go as a %s: %s", name, kind, problem)
        return await self._untaken(to, message, name, problem)

    async def _untaken(self, to: Address, message: Message, name: str, why: str) -> str:
        """Tell in words of a file that does not go."""
        text = f"{message.text}\n\n(the file {name} can't be sent here: {why})".strip()
        return await self.send(to, self.messages(text)[0], "")


def make(setup: Setup) -> Gateway:
    """A gateway to Telegram. Raises RefusedError."""
    from hermes_tui.gateways.telegram_receiving import Webhook

    if not installed():
        raise RefusedError(*NO_LIBRARY)
    config = setup.config

    def webhook() -> Webhook | None:
        if not config.webhook_url:
            return None
        return Webhook.of(config.webhook_url, setup.secret(config.secret_env), setup.listener)

    return Telegram(
        lambda: setup.secret(config.token_env),
        config.base_url,
        webhook=webhook,
        everything=not config.mention,
    )


def _thread(to: Address) -> int | None:
    if not to.thread:
        return None
    if not to.thread.isdecimal():
        raise SendError(f"{to.thread!r} is no topic of Telegram", "topics are numbers", dead=True)
    return int(to.thread)


def _entities(message: Message) -> list[MessageEntity] | None:
    from telegram import MessageEntity

    made = [
        MessageEntity(
            type=one.kind,
            offset=one.offset,
            length=one.length,
            url=one.value if one.kind == "text_link" else None,
            language=(one.value or None) if one.kind == "pre" else None,
        )
        for one in message.entities
    ]
    return made or None


def _of_the_file(error: SendError) -> bool:
    """Whether it was the file that was refused, not the chat."""
    said = error.message.lower()
    if "too large" in said or "too big" in said:
        return True
    words = ("photo", "image", "file", "voice", "media", "document")
    return error.dead and any(word in said for word in words)
