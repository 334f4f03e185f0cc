"""Discord, by the library of its field: one bot, direct chats, channels and threads.

A message carries a nonce of its own, under which Discord shows it once for some minutes. What
came while nobody listened is asked for, channel by channel, from the last message on.
"""

from __future__ import annotations

import asyncio
import datetime
import hashlib
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from hermes_tui.gateways.base import (
    Abilities,
    AccountError,
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
from hermes_tui.gateways.discord_events import Heard, of_interaction, of_message
from hermes_tui.gateways.discord_files import Files
from hermes_tui.gateways.format import messages
from hermes_tui.gateways.marks import add_place, counts_from, places

_log = logging.getLogger(__name__)
_NO_TOKEN = (
    "there is no token of the Discord bot",
    "the developer portal gives one under Bot; `hermes gateway setup discord`",
)
_UNKNOWN_CHANNEL, _UNKNOWN_MESSAGE, _NO_ACCESS, _NOT_TO_THEM = 10003, 10008, 50001, 50007
_HEARD_PRESS, _HEARD_COMMAND, _ALONE = 6, 4, 64
"""Ways to answer an interaction, and that only the one who began it sees the answer."""
_MOST_LISTED = 100
_MOST_CAUGHT_UP = 500
"""Messages of one channel that are asked for after a time away."""


class Bot(discord.Client):
    """The library's client, which only says what it hears."""

    def __init__(self) -> None:
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = intents.dm_messages = True
        intents.message_content = True
        super().__init__(
            intents=intents,
            enable_debug_events=True,
            max_messages=None,
            allowed_mentions=discord.AllowedMentions.none(),
            chunk_guilds_at_startup=False,
            max_ratelimit_timeout=30.0,
        )
        self.heard: asyncio.Queue[discord.Message | discord.Interaction] = asyncio.Queue()
        self.connected = asyncio.Event()
        self.alive: Callable[[], None] = lambda: None

    async def on_connect(self) -> None:
        """The line is there."""
        self.connected.set()

    async def on_socket_raw_receive(self, message: str) -> None:
        """Anything came, if only an answer to a heartbeat."""
        self.alive()

    async def on_message(self, message: discord.Message) -> None:
        """Somebody said something."""
        self.heard.put_nowait(message)

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Somebody pressed a button or used a command."""
        self.heard.put_nowait(interaction)


class Discord:
    """One bot. token: asked for when it is needed; after a pause it looks into the direct chats of
    its owners, into groups, and wherever it has heard something.
    """

    platform = "discord"
    able = Abilities(
        keyed=True, edits=True, edit_s=1.5, buttons=True, files=True, typing=True, threads=True
    )

    def __init__(
        self,
        token: Callable[[], str],
        base_url: str,
        owners: tuple[str, ...] = (),
        groups: tuple[str, ...] = (),
    ) -> None:
        self._token = token
        self._owners = tuple(one for one in owners if one.isdecimal())
        self._base_url = base_url.rstrip("/")
        if self._base_url:
            Route.BASE = self._base_url  # the library has one server for all
        self._groups = tuple(one for one in groups if one.isdecimal())
        self._bot: Bot | None = None
        self._files = Files(self._base_url)
        self._making = asyncio.Lock()

    def messages(self, text: str) -> tuple[Message, ...]:
        """The exact messages a text becomes."""
        return messages(self.platform, text)

    # --- in ------------------------------------------------------------------------------

    async def run(self, desk: Desk) -> None:
        """Connect and listen; what came meanwhile comes first."""
        await self.close()
        bot = await self._ready()
        bot.alive = desk.alive
        await self._list_commands(bot, desk)
        line = asyncio.create_task(bot.connect(reconnect=False))
        work = asyncio.create_task(self._work(bot, desk))
        try:
            await asyncio.wait([line, work], return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                await work
            await self._ended(line)
        finally:
            for task in (line, work):
                task.cancel()
            await asyncio.wait([line, work], timeout=2)
            await self.close()

    async def _ended(self, line: asyncio.Task[None]) -> None:
        """Say why the line is lost."""
        try:
            await line
        except discord.PrivilegedIntentsRequired:
            raise RefusedError(
                "Discord gives this bot no texts",
                "switch on Message Content Intent in the developer portal, under Bot",
            ) from None
        except discord.ConnectionClosed as error:
            if error.code == 4004:
                raise RefusedError("Discord does not accept the token", _NO_TOKEN[1]) from None
            raise OSError(f"Discord closed the line ({error.code})") from None
        except (discord.DiscordException, aiohttp.ClientError, TimeoutError) as error:
            raise OSError(f"the line to Discord is lost ({type(error).__name__})") from None
        raise OSError("Discord closed the line")

    async def _work(self, bot: Bot, desk: Desk) -> None:
        await bot.connected.wait()
        desk.alive()
        channels = await self._channels(bot, desk)
        began = datetime.datetime.fromtimestamp(await counts_from(desk), datetime.UTC)
        since = discord.utils.time_snowflake(began)
        for channel in channels:
            await self._catch_up(bot, desk, channel, since)
        known = set(channels)
        while True:
            what = await bot.heard.get()
            if isinstance(what, discord.Interaction):
                await self._pressed(bot, desk, what)
                continue
            await self._take(bot, desk, of_message(what, bot))
            channel = str(what.channel.id)
            if channel not in known:
                known.add(channel)
                await add_place(desk, channel)

    async def _channels(self, bot: Bot, desk: Desk) -> list[str]:
        """Channels it has heard something in, those of the settings, its owners' direct chats."""
        found = [*await places(desk), *self._groups]
        for owner in self._owners:
            try:
                route = Route("POST", "/users/@me/channels")
                made = await bot.http.request(route, json={"recipient_id": owner})
            except discord.HTTPException as error:
                _log.info("discord: no direct chat with an owner: %s", error.text)
            else:
                found.append(str(made["id"]))
        return list(dict.fromkeys(found))

    async def _catch_up(self, bot: Bot, desk: Desk, channel: str, since: int) -> None:
        """What was said in a channel since the last message that was kept, oldest first."""
        place = bot.get_partial_messageable(int(channel))
        after = discord.Object(int(await desk.mark(channel) or since))
        try:
            async for one in place.history(limit=_MOST_CAUGHT_UP, after=after, oldest_first=True):
                await self._take(bot, desk, of_message(one, bot))
                desk.alive()
        except (discord.Forbidden, discord.NotFound) as error:
            _log.info("discord: a channel is out of reach: %s", error.text)
        except discord.HTTPException as error:
            raise OSError(f"Discord answered {error.status}") from None

    async def _take(self, bot: Bot, desk: Desk, heard: Heard | None) -> None:
        if heard is None:
            return
        message, files = heard.message, heard.files
        if files and desk.knows(message.sender, message.chat, message.group):
            message = await self._files.fetched(message, files, desk)
        await desk.take(message)
        if heard.channel:
            await desk.keep_mark(message.message, heard.channel)

    async def _pressed(self, bot: Bot, desk: Desk, what: discord.Interaction) -> None:
        """A button or a command: told to Discord once it is kept, so that nothing spins on."""
        message = of_interaction(what)
        if message is None:
            return
        await desk.take(message)
        said: dict[str, Any] = {"type": _HEARD_PRESS}
        if what.type is not discord.InteractionType.component:
            said = {"type": _HEARD_COMMAND, "data": {"content": "Heard.", "flags": _ALONE}}
        try:
            route = Route("POST", f"/interactions/{what.id}/{what.token}/callback")
            await bot.http.request(route, json=said)
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            _log.debug("discord: a press is not acknowledged: %s", type(error).__name__)

    async def _list_commands(self, bot: Bot, desk: Desk) -> None:
        """Have Discord list the commands. Nothing else depends on it."""
        payload: list[dict[str, Any]] = []
        for one in desk.menu[:_MOST_LISTED]:
            option = {"type": 3, "name": "text", "description": one.args[:100], "required": False}
            payload.append(
                {
                    "name": one.name,
                    "type": 1,
                    "description": one.help[:100] or one.name,
                    "options": [option] if one.args else [],
                }
            )
        if not payload or bot.application_id is None:
            return
        try:
            route = Route("PUT", f"/applications/{bot.application_id}/commands")
            await bot.http.request(route, json=payload)
        except (discord.HTTPException, aiohttp.ClientError) as error:
            _log.warning("discord: the commands are not listed: %s", type(error).__name__)

    # --- out -----------------------------------------------------------------------------

    async def send(self, to: Address, message: Message, key: str) -> str:
        """Send one message and return its id."""
        return await self._post(to, {"content": message.text}, key)

    async def edit(self, to: Address, proof: str, message: Message) -> None:
        """Change a message."""
        route = Route("PATCH", f"/channels/{_channel(to)}/messages/{proof}")
        said: dict[str, Any] = {"content": message.text, "allowed_mentions": {"parse": []}}
        await self._request(route, changing=True, json=said)

    async def ask(
        self, to: Address, message: Message, buttons: tuple[Button, ...], key: str
    ) -> str:
        """Send a message with buttons, five in a row."""
        shown = [
            {"type": 2, "style": 2, "label": one.label[:80], "custom_id": one.value}
            for one in buttons[:25]
        ]
        rows = [
            {"type": 1, "components": shown[start : start + 5]} for start in range(0, len(shown), 5)
        ]
        return await self._post(to, {"content": message.text, "components": rows}, key)

    async def send_file(self, to: Address, path: Path, name: str, caption: str, key: str) -> str:
        """Send a file with its caption."""
        said = self._said({"content": caption if caption != name else ""}, key)
        said["attachments"] = [{"id": 0, "filename": name}]
        file = await asyncio.to_thread(_opened, path)
        try:
            form = [
                {"name": "payload_json", "value": json.dumps(said)},
                {
                    "name": "files[0]",
                    "value": file,
                    "filename": name,
                    "content_type": "application/octet-stream",
                },
            ]
            route = Route("POST", f"/channels/{_channel(to)}/messages")
            sent = await self._request(route, form=form)
        finally:
            file.close()
        return str(sent["id"])

    async def typing(self, to: Address) -> None:
        """Show that an answer is being written, for ten seconds."""
        await self._request(Route("POST", f"/channels/{_channel(to)}/typing"))

    async def close(self) -> None:
        """Let go of the connections."""
        bot, self._bot = self._bot, None
        if bot is not None:
            await bot.close()
        await self._files.close()

    async def _post(self, to: Address, what: dict[str, Any], key: str) -> str:
        route = Route("POST", f"/channels/{_channel(to)}/messages")
        sent = await self._request(route, json=self._said(what, key))
        return str(sent["id"])

    def _said(self, what: dict[str, Any], key: str) -> dict[str, Any]:
        nonce = hashlib.sha256(key.encode()).hexdigest()[:25]
        return {
            **what,
            "nonce": nonce,
            "enforce_nonce": True,
            "allowed_mentions": {"parse": []},
        }

    async def _request(self, route: Route, *, changing: bool = False, **more: Any) -> Any:
        """One call of the REST API. Raises SendError."""
        bot = await self._ready()
        try:
            return await bot.http.request(route, **more)
        except discord.HTTPException as error:
            raise _failure(error, changing) from None
        except discord.RateLimited as error:
            raise SendError("Discord: slower", retry_after=error.retry_after) from None
        except aiohttp.ClientConnectorError:
            raise SendError("Discord can't be reached") from None
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            text = f"Discord did not answer ({type(error).__name__})"
            raise SendError(text, doubt=True) from None

    async def _ready(self) -> Bot:
        """A bot that is logged in. Raises SendError."""
        async with self._making:
            if self._bot is not None and not self._bot.is_closed():
                return self._bot
            token = self._token().strip()
            if not token:
                raise AccountError(*_NO_TOKEN)
            bot = Bot()
            try:
                await bot.login(token)
                if self._base_url:
                    found = await bot.http.request(Route("GET", "/gateway"))
                    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(found["url"])
            except discord.LoginFailure:
                await bot.close()
                raise AccountError("Discord does not accept the token", _NO_TOKEN[1]) from None
            except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
                await bot.close()
                raise SendError(f"Discord can't be reached ({type(error).__name__})") from None
            self._bot = bot
            return bot


def _channel(to: Address) -> str:
    channel = to.thread or to.chat
    if not channel.isdecimal():
        raise SendError(f"{channel!r} is no channel of Discord", "ids are numbers", dead=True)
    return channel


def _failure(error: discord.HTTPException, changing: bool) -> SendError:
    text = f"Discord: {error.text or error.status}"[:300]
    if changing and error.code == _UNKNOWN_MESSAGE:
        return GoneError(text)
    if error.status == 401:
        return AccountError("Discord does not accept the token", _NO_TOKEN[1])
    if error.status == 429:
        wait = error.response.headers.get("Retry-After", "")
        return SendError(text, retry_after=float(wait) if wait.isdecimal() else 30.0)
    dead = error.code in (_UNKNOWN_CHANNEL, _NO_ACCESS, _NOT_TO_THEM)
    return SendError(text, dead=dead)


def _opened(path: Path) -> IO[bytes]:
    return path.open("rb")


def make(setup: Setup) -> Gateway:
    """The gateway by its settings."""
    config = setup.config
    return Discord(
        lambda: setup.secret(config.token_env), config.base_url, config.owners, config.groups
    )
