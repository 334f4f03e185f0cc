"""Telegram, by the library of its field: one bot, many chats, topics as threads.

A message has no key there, so one whose sending was cut off goes at least once.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from hermes_tui.errors import HermesError
from hermes_tui.gateways.base import Address, Message, SendError
from hermes_tui.gateways.format import messages

if TYPE_CHECKING:
    from telegram import Bot, MessageEntity
    from telegram.error import TelegramError

_LOST_S = 20.0


class Telegram:
    """A way out to Telegram. token: asked for when something is sent, from any thread."""

    platform = "telegram"

    def __init__(self, token: Callable[[], str], base_url: str = "") -> None:
        self._token = token
        self._base_url = base_url
        self._bot: Bot | None = None

    def messages(self, text: str) -> tuple[Message, ...]:
        """The exact messages a text becomes."""
        return messages(self.platform, text)

    async def send(self, to: Address, message: Message, key: str) -> str:
        """Send one message and return its number. Raises SendError."""
        bot = await self._ready()
        from telegram.error import BadRequest, TelegramError

        try:
            return await _send(bot, to, message, entities=True)
        except BadRequest as error:
            if not (message.entities and "entit" in error.message.lower()):
                raise _failure(error) from error
        except TelegramError as error:
            raise _failure(error) from error
        try:  # what it does not understand goes as plain text
            return await _send(bot, to, message, entities=False)
        except TelegramError as error:
            raise _failure(error) from error

    async def close(self) -> None:
        """Let go of the connections."""
        if self._bot is not None:
            await self._bot.shutdown()
            self._bot = None

    async def _ready(self) -> Bot:
        if self._bot is not None:
            return self._bot
        token = self._token().strip()
        if not token:
            raise SendError(
                "there is no token of the Telegram bot",
                "@BotFather gives one; put it into the variable that telegram.token_env"
                " names, or into secrets.env in the home",
            )
        try:
            from telegram import Bot
        except ImportError as error:
            raise SendError(
                "Telegram needs an extra", "pip install 'hermes-tui[telegram]'"
            ) from error
        self._bot = Bot(token, base_url=self._base_url) if self._base_url else Bot(token)
        return self._bot


async def _send(bot: Bot, to: Address, message: Message, *, entities: bool) -> str:
    sent = await bot.send_message(
        chat_id=to.chat,
        text=message.text,
        entities=_entities(message) if entities else None,
        message_thread_id=_thread(to),
        read_timeout=_LOST_S,
        connect_timeout=_LOST_S,
    )
    return str(sent.message_id)


def _thread(to: Address) -> int | None:
    if not to.thread:
        return None
    if not to.thread.isdecimal():
        raise SendError(f"{to.thread!r} is no topic of Telegram", "topics are numbers", dead=True)
    return int(to.thread)


def _entities(message: Message) -> list[MessageEntity]:
    from telegram import MessageEntity

    return [
        MessageEntity(
            type=one.kind,
            offset=one.offset,
            length=one.length,
            url=one.value if one.kind == "text_link" else None,
            language=(one.value or None) if one.kind == "pre" else None,
        )
        for one in message.entities
    ]


def _failure(error: TelegramError) -> SendError:
    from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, RetryAfter

    text = f"Telegram: {error.message}"
    if isinstance(error, RetryAfter):
        wait = error.retry_after
        seconds = wait.total_seconds() if isinstance(wait, timedelta) else float(wait)
        return SendError(text, retry_after=seconds)
    if isinstance(error, ChatMigrated):
        return SendError(text, f"its number is {error.new_chat_id} now", dead=True)
    if isinstance(error, InvalidToken):
        return SendError(text, "is the token right? @BotFather shows it")
    return SendError(text, dead=isinstance(error, (BadRequest, Forbidden)))


def target(text: str, home_chat: str) -> str:
    """`telegram` alone is the person's own chat. Raises HermesError when none is set."""
    if text != "telegram":
        return text
    if not home_chat:
        raise HermesError(
            "there is no chat of your own yet", "`hermes config set telegram.home_chat ID`"
        )
    return f"telegram:{home_chat}"
