"""How Telegram's updates come in: asked for, or called in; each is kept before it is confirmed."""

from __future__ import annotations

import asyncio
import hmac
import logging
import re
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.errors import StoreError
from hermes_tui.gateways.base import (
    Answer,
    Call,
    ConflictError,
    Desk,
    Listener,
    RefusedError,
)
from hermes_tui.gateways.telegram_events import (
    Me,
    attachments,
    command_name,
    inbound,
    read,
    repeated,
)
from hermes_tui.gateways.telegram_files import Files, left
from hermes_tui.gateways.telegram_line import seconds

if TYPE_CHECKING:
    from telegram import Bot, Update

_log = logging.getLogger(__name__)
WANTED = ("message", "callback_query")
POLL_S = 30
"""Telegram answers a question for updates after so long, if only with none."""
_ANSWER_S = 10.0
CHECK_S = 60.0
"""So often it is asked whether the webhook is still the one that was set."""
_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")
_DEFAULT_PATH = "/telegram"


class Webhook(Struct, frozen=True, kw_only=True):
    """Where Telegram calls. url: its public address; secret: what it shows with each call."""

    url: str
    secret: str
    listener: Listener

    @property
    def path(self) -> str:
        """The path under which the listener hears the calls."""
        return urlsplit(self.url).path

    @classmethod
    def of(cls, url: str, secret: str, listener: Listener | None) -> Webhook:
        """A webhook that can be checked. Raises RefusedError."""
        if not _SECRET.fullmatch(secret):
            raise RefusedError(
                "calls of Telegram's webhook could come from anybody: there is no secret, or it"
                " has other signs than letters, digits, _ and -",
                "put a long random word into the variable that telegram.secret_env names, or into"
                " secrets.env in the home",
            )
        if listener is None:
            raise RefusedError("a webhook needs a port to listen on", "set http.port")
        parts = urlsplit(url)
        if parts.scheme != "https" or not parts.netloc:
            raise RefusedError(
                "telegram.webhook_url is no https address", "Telegram calls no other"
            )
        path = parts.path if parts.path.strip("/") else _DEFAULT_PATH
        return cls(url=f"https://{parts.netloc}{path}", secret=secret, listener=listener)


class Receiver:
    """Hands in what Telegram tells one bot. Errors of the library come out as they are.

    everything: files of group messages are fetched also when nobody spoke to the bot.
    """

    def __init__(self, bot: Bot, desk: Desk, me: Me, files: Files, *, everything: bool) -> None:
        self._bot = bot
        self._desk = desk
        self._me = me
        self._files = files
        self._everything = everything
        self._webhook: Webhook | None = None

    async def list_commands(self) -> None:
        """Have Telegram list the commands. Nothing else depends on it."""
        from telegram.error import TelegramError

        if not self._desk.menu:
            return
        try:
            await self._bot.set_my_commands(
                [(command_name(one.name), one.help[:256]) for one in self._desk.menu[:100]]
            )
        except TelegramError as error:
            _log.warning("telegram: the commands are not listed: %s", error.message)

    async def poll(self) -> None:
        """Ask for updates, on and on. They are confirmed by the question after they were taken."""
        from telegram.error import RetryAfter

        await self._without_webhook()
        taken = _number(await self._desk.mark())
        offset: int | None = None
        while True:
            began = time.monotonic()
            try:
                updates = await self._updates(offset)
            except RetryAfter as error:
                await asyncio.sleep(seconds(error))
                continue
            self._desk.alive()
            if updates:
                fresh = [one for one in updates if not repeated(one["update_id"], taken)]
                await self._take_all([one for raw in fresh if (one := read(raw, self._bot))])
                taken = updates[-1]["update_id"]
                await self._desk.keep_mark(str(taken))
                offset = taken + 1
                continue
            # Nothing waits, so nothing needs confirming: after a quiet week Telegram counts anew.
            offset = None
            if time.monotonic() - began < 1:
                await asyncio.sleep(1)

    async def _updates(self, offset: int | None) -> list[dict[str, Any]]:
        """Updates as they came: one that the library does not know must not hold up the others."""
        asked: dict[str, Any] = {"timeout": POLL_S, "allowed_updates": WANTED}
        asked |= {} if offset is None else {"offset": offset}
        return await self._bot.do_api_request("getUpdates", asked, read_timeout=POLL_S + _ANSWER_S)

    async def listen(self, webhook: Webhook) -> None:
        """Be called, until somebody else sets another webhook."""
        info = await self._bot.get_webhook_info()
        ours = [*await self._ours(), webhook.url]
        if info.url and info.url not in ours:
            raise _other(info.url)
        await self._desk.keep_mark(" ".join(ours), "webhook")  # known as ours before it is set
        self._webhook = webhook
        webhook.listener.add("POST", webhook.path, self._called)
        try:
            await self._bot.set_webhook(
                webhook.url,
                secret_token=webhook.secret,
                allowed_updates=WANTED,
                max_connections=1,  # more would come in any order
            )
            await self._desk.keep_mark(webhook.url, "webhook")
            while True:
                self._desk.alive()
                await asyncio.sleep(CHECK_S)
                info = await self._bot.get_webhook_info()
                if info.url != webhook.url:
                    raise _other(info.url)
        finally:
            webhook.listener.remove(webhook.path)

    async def _without_webhook(self) -> None:
        """Take down a webhook of ours: Telegram answers no questions while there is one."""
        info = await self._bot.get_webhook_info()
        if not info.url:
            return
        if info.url not in await self._ours():
            raise _other(info.url)
        await self._bot.delete_webhook()
        await self._desk.keep_mark("", "webhook")

    async def _ours(self) -> list[str]:
        """Addresses of webhooks that this program has set."""
        return (await self._desk.mark("webhook")).split()

    async def _called(self, call: Call) -> Answer:
        webhook = self._webhook
        shown = call.headers.get("x-telegram-bot-api-secret-token", "")
        if webhook is None or not hmac.compare_digest(shown.encode(), webhook.secret.encode()):
            _log.warning("telegram: a call without the secret was refused")
            return Answer(status=403)
        self._desk.alive()
        try:
            update = read(msgspec.json.decode(call.body, type=dict[str, Any]), self._bot)
        except msgspec.MsgspecError:
            _log.warning("telegram: a call of the webhook held no JSON")
            return Answer(status=400)
        if update is None:
            return Answer()  # it would come again for ever
        try:
            await self._take(update)
        except (StoreError, OSError) as error:
            _log.warning("telegram: an update was not taken, it comes again: %s", error)
            return Answer(status=503)
        return Answer()

    async def _take_all(self, updates: Sequence[Update]) -> None:
        """Take them in order in each chat; a large file holds up its own chat only."""
        chats: dict[int, list[Update]] = {}
        for update in updates:
            where = update.effective_chat.id if update.effective_chat is not None else 0
            chats.setdefault(where, []).append(update)
        try:
            async with asyncio.TaskGroup() as group:
                for some in chats.values():
                    group.create_task(self._take_some(some))
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None

    async def _take_some(self, updates: Sequence[Update]) -> None:
        for update in updates:
            await self._take(update)

    async def _take(self, update: Update) -> None:
        message = inbound(update, self._me)
        if message is None:
            return
        if not message.pressed and (found := attachments(update.message)):
            heard = self._desk.knows(message.sender, message.chat, message.group)
            heard = heard and (message.spoken_to or self._everything)
            fetch = self._files.fetch
            files = [await fetch(one, self._desk) if heard else left(one) for one in found]
            message = replace(message, files=tuple(files))
        await self._desk.take(message)
        if update.callback_query is not None:
            await self._answer(update.callback_query.id)

    async def _answer(self, query: str) -> None:
        """Tell Telegram that a press arrived, so that the button stops waiting."""
        from telegram.error import TelegramError

        try:
            await self._bot.answer_callback_query(query)
        except TelegramError as error:
            _log.debug("telegram: a press is not acknowledged: %s", error.message)


def me_of(bot: Bot, desk: Desk) -> Me:
    """The bot itself, once it is initialized."""
    commands = {command_name(one.name): one.name for one in desk.menu}
    return Me(id=bot.id, username=bot.username, commands=commands)


def _number(mark: str) -> int:
    return int(mark) if mark.isdecimal() else 0


def _other(url: str) -> ConflictError:
    host = urlsplit(url).netloc
    if not host:
        return ConflictError(
            "somebody took down the webhook of this bot", "who else has its token?"
        )
    return ConflictError(
        f"messages to this bot go to the webhook of another program, at {host}",
        "end it, or take its webhook down: call deleteWebhook of the Bot API",
    )
