"""Slack, in Socket Mode: Slack's own client for its Web API, a websocket for what comes in.

An envelope is acknowledged once what it holds is kept; one that is not comes again. A message
has no key there, so one whose answer was lost may have gone out.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import aiohttp
import msgspec
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from hermes_tui.gateways.base import (
    Abilities,
    AccountError,
    Address,
    Button,
    Desk,
    Gateway,
    GoneError,
    Inbound,
    InFile,
    Message,
    RefusedError,
    SendError,
    Setup,
)
from hermes_tui.gateways.format import messages
from hermes_tui.gateways.marks import add_place, counts_from, places
from hermes_tui.gateways.slack_events import (
    Envelope,
    Event,
    File,
    Page,
    about,
    blocks,
    of_event,
    of_payload,
)

_log = logging.getLogger(__name__)
_SERVER = "https://slack.com/api/"
_LOST_S = 30
_PING_S = 30.0
_SILENT_S = 100.0
_MOST_ASKED = 2900
_PAGE = 200
_MOST_PAGES = 5
_ACCOUNT = ("invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired")
_GONE = (
    "channel_not_found",
    "is_archived",
    "not_in_channel",
    "user_not_found",
    "restricted_action",
)
_UNCHANGEABLE = ("message_not_found", "cant_update_message", "edit_window_closed")
_SETUP = "`hermes gateway setup slack` says which tokens and scopes it needs"


class Slack:
    """One app in one workspace. Tokens are asked for when they are needed."""

    platform = "slack"
    able = Abilities(edits=True, edit_s=2.0, buttons=True, files=True, threads=True)

    def __init__(
        self,
        token: Callable[[], str],
        app_token: Callable[[], str],
        base_url: str,
        owners: tuple[str, ...] = (),
        groups: tuple[str, ...] = (),
    ) -> None:
        self._token = token
        self._app_token = app_token
        self._base_url = f"{base_url.rstrip('/')}/" if base_url else _SERVER
        self._owners = owners
        self._groups = tuple(one for one in groups if one != "*")
        self._session: aiohttp.ClientSession | None = None
        self._web: AsyncWebClient | None = None

    def messages(self, text: str) -> tuple[Message, ...]:
        """The exact messages a text becomes."""
        return messages(self.platform, text)

    # --- in ------------------------------------------------------------------------------

    async def run(self, desk: Desk) -> None:
        """Connect and listen; what came meanwhile comes first."""
        if not self._app_token().startswith("xapp-"):
            raise RefusedError("there is no app-level token of Slack (xapp-…)", _SETUP)
        me = str((await self._ask("auth.test", {}))["user_id"])
        opened = await self._ask("apps.connections.open", {}, token=self._app_token())
        frames: asyncio.Queue[Envelope | None] = asyncio.Queue()
        try:
            socket = await self._ready().ws_connect(
                str(opened["url"]),
                heartbeat=_PING_S,
                timeout=aiohttp.ClientWSTimeout(ws_receive=_SILENT_S),  # type: ignore[call-arg]
            )
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise OSError(f"Slack's line can't be had ({type(error).__name__})") from None
        reading = asyncio.create_task(_read(socket, frames, desk))
        try:
            await self._caught_up(desk, me)
            while (frame := await frames.get()) is not None:
                await self._heard(frame, desk, me, socket)
            raise OSError("Slack closed the line")
        except (aiohttp.ClientError, ConnectionError) as error:
            raise OSError(f"Slack's line is lost ({type(error).__name__})") from None
        finally:
            reading.cancel()
            await socket.close()
            await asyncio.wait([reading], timeout=2)

    async def _heard(
        self, frame: Envelope, desk: Desk, me: str, socket: aiohttp.ClientWebSocketResponse
    ) -> None:
        answer: dict[str, Any] = {"envelope_id": frame.envelope_id}
        payload = frame.payload
        if payload is not None and payload.event is not None:
            await self._take(payload.event, desk, me)
        elif payload is not None and (message := of_payload(payload)) is not None:
            await desk.take(message)
            if payload.command:
                answer["payload"] = {"response_type": "ephemeral", "text": "Heard."}
        if frame.envelope_id:
            await socket.send_json(answer)

    async def _take(self, event: Event, desk: Desk, me: str) -> None:
        message = of_event(event, me)
        if message is None:
            return
        if event.files and desk.knows(message.sender, message.chat, message.group):
            kept = [await self._fetched(one, desk) for one in event.files]
            message = msgspec.structs.replace(message, files=tuple(kept))
        await desk.take(message)
        await self._marked(message, desk)

    async def _marked(self, message: Inbound, desk: Desk) -> None:
        """Keep how far a channel or thread was heard, and that it was."""
        place = f"{message.chat}:{message.thread}" if message.thread else message.chat
        known = await desk.mark(place)
        if known and float(known) >= float(message.message):
            return
        await desk.keep_mark(message.message, place)
        if not known:
            await add_place(desk, place)

    # --- what came while nobody listened -------------------------------------------------

    async def _caught_up(self, desk: Desk, me: str) -> None:
        since = f"{await counts_from(desk):.6f}"
        found = [*await places(desk), *self._groups]
        for owner in self._owners:
            opened = await self._tried("conversations.open", {"users": owner})
            if opened:
                found.append(str(opened["channel"]["id"]))
        for place in dict.fromkeys(found):
            for event in await self._since(place, await desk.mark(place) or since):
                await self._take(event, desk, me)
                desk.alive()

    async def _since(self, place: str, oldest: str) -> list[Event]:
        """What was said in a channel or thread after a time, oldest first."""
        channel, _, thread = place.partition(":")
        method = "conversations.replies" if thread else "conversations.history"
        asked: dict[str, Any] = {"channel": channel, "oldest": oldest, "limit": _PAGE}
        if thread:
            asked["ts"] = thread
        found: list[Event] = []
        for _ in range(_MOST_PAGES):
            page = msgspec.convert(await self._tried(method, asked), Page, strict=False)
            found += [msgspec.structs.replace(one, channel=channel) for one in page.messages]
            if not page.response_metadata.next_cursor:
                break
            asked["cursor"] = page.response_metadata.next_cursor
        fresh = [one for one in found if float(one.ts or 0) > float(oldest)]
        return sorted(fresh, key=lambda one: float(one.ts or 0))

    async def _tried(self, method: str, asked: dict[str, Any]) -> dict[str, Any]:
        """A call that may be refused for one channel: then there is nothing to be had there."""
        try:
            return await self._ask(method, asked)
        except SendError as error:
            if error.retry_after or error.doubt:
                raise
            _log.info("slack: %s: %s", method, error.message)
            return {}

    # --- files ---------------------------------------------------------------------------

    async def _fetched(self, file: File, desk: Desk) -> InFile:
        """A file. Slack gives it to the bot's token, which goes to Slack's own hosts alone."""
        name, kind, address = about(file)
        parts = urlsplit(address)
        own = parts.netloc == urlsplit(self._base_url).netloc
        slacks = parts.scheme == "https" and (parts.hostname or "").endswith(".slack.com")
        if not (own or slacks):
            return InFile(name=name, kind=kind, mime=file.mimetype, problem="it lies elsewhere")
        headers = {"Authorization": f"Bearer {self._token()}"}
        try:
            async with self._ready().get(address, headers=headers, allow_redirects=False) as answer:
                if answer.status == 200:
                    pieces = answer.content.iter_chunked(1 << 16)
                    return await desk.keep_file(name, file.mimetype, kind, pieces)
                problem = f"Slack answered {answer.status}"
        except (aiohttp.ClientError, TimeoutError) as error:
            problem = f"not fetched ({type(error).__name__})"
        return InFile(name=name, kind=kind, mime=file.mimetype, problem=problem)

    # --- out -----------------------------------------------------------------------------

    async def send(self, to: Address, message: Message, key: str) -> str:
        """Send one message; its number is its time."""
        return await self._post(to, {"text": message.text})

    async def edit(self, to: Address, proof: str, message: Message) -> None:
        """Change a message."""
        await self._ask("chat.update", {"channel": to.chat, "ts": proof, "text": message.text})

    async def ask(
        self, to: Address, message: Message, buttons: tuple[Button, ...], key: str
    ) -> str:
        """Send a message with buttons; a long text goes before them."""
        text = message.text
        if len(text) > _MOST_ASKED:
            await self.send(to, message, key)
            text = "…"
        shown = blocks(text, tuple((one.label, one.value) for one in buttons))
        return await self._post(to, {"text": text, "blocks": shown})

    async def send_file(self, to: Address, path: Path, name: str, caption: str, key: str) -> str:
        """Send a file with its caption."""
        web = self._client()
        try:
            done = await web.files_upload_v2(
                file=str(path),
                filename=name,
                title=name,
                channel=to.chat,
                thread_ts=to.thread or None,
                initial_comment=caption if caption != name else None,
            )
        except SlackApiError as error:
            raise _failure(error) from None
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError) as error:
            raise SendError(f"Slack took no file ({type(error).__name__})", doubt=True) from None
        files: list[dict[str, Any]] = done.get("files") or [{}]
        return str(files[0].get("id", ""))

    async def typing(self, to: Address) -> None:
        """Slack has no sign for it."""

    async def close(self) -> None:
        """Let go of the connections."""
        session, self._session, self._web = self._session, None, None
        if session is not None:
            await session.close()

    async def _post(self, to: Address, what: dict[str, Any]) -> str:
        said = {**what, "channel": to.chat, "unfurl_links": False, "unfurl_media": False}
        if to.thread:
            said["thread_ts"] = to.thread
        return str((await self._ask("chat.postMessage", said))["ts"])

    async def _ask(self, method: str, asked: dict[str, Any], *, token: str = "") -> dict[str, Any]:
        """One call of the Web API. Raises SendError."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            answer = await self._client().api_call(method, json=asked, headers=headers)
        except SlackApiError as error:
            raise _failure(error) from None
        except aiohttp.ClientConnectorError:
            raise SendError("Slack can't be reached") from None
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError) as error:
            text = f"Slack did not answer ({type(error).__name__})"
            raise SendError(text, doubt=method.startswith("chat.")) from None
        return cast("dict[str, Any]", answer.data) if isinstance(answer.data, dict) else {}

    def _client(self) -> AsyncWebClient:
        token = self._token()
        if not token:
            raise AccountError("there is no bot token of Slack (xoxb-…)", _SETUP)
        session = self._ready()
        if self._web is None or self._web.token != token:
            self._web = AsyncWebClient(
                token=token, base_url=self._base_url, session=session, timeout=_LOST_S
            )
        return self._web

    def _ready(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            self._session = aiohttp.ClientSession()
        return self._session


async def _read(
    socket: aiohttp.ClientWebSocketResponse, frames: asyncio.Queue[Envelope | None], desk: Desk
) -> None:
    """Frames as they come; None when the line has ended or Slack wants another one."""
    try:
        async for frame in socket:
            desk.alive()
            if frame.type is not aiohttp.WSMsgType.TEXT:
                break
            try:
                envelope = msgspec.json.decode(frame.data, type=Envelope, strict=False)
            except msgspec.MsgspecError as error:
                _log.warning("slack: a frame could not be read: %s", error)
                continue
            if envelope.type == "disconnect":
                break
            if envelope.type != "hello":
                frames.put_nowait(envelope)
    except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
        _log.info("slack: the line is lost (%s)", type(error).__name__)
    frames.put_nowait(None)


def _failure(error: SlackApiError) -> SendError:
    response: Any = error.response
    said = str(response.get("error", "it failed")) if hasattr(response, "get") else "it failed"
    text = f"Slack: {said.replace('_', ' ')}"
    if said in _ACCOUNT:
        return AccountError(f"Slack does not accept a token ({said})", _SETUP)
    if said == "missing_scope":
        needed = str(response.get("needed", "a scope"))
        return AccountError(f"Slack: the app lacks {needed}", "add it and install the app again")
    if said == "ratelimited":
        wait = str(response.headers.get("Retry-After", ""))
        return SendError(text, retry_after=float(wait) if wait.isdecimal() else 30.0)
    if said in _UNCHANGEABLE:
        return GoneError(text)
    return SendError(text, dead=said in _GONE)


def make(setup: Setup) -> Gateway:
    """The gateway by its settings."""
    config = setup.config
    return Slack(
        lambda: setup.secret(config.token_env),
        lambda: setup.secret(config.app_token_env),
        config.base_url,
        config.owners,
        config.groups,
    )
