"""WhatsApp, by Meta's Cloud API: signed calls in, the Graph API out.

A message has no key there, so one whose answer was lost may have gone out. Outside a day after
somebody wrote, nothing can be said to them freely: then the platform refuses, and so does this.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import mimetypes
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from hermes_tui.errors import StoreError
from hermes_tui.gateways.base import (
    Abilities,
    AccountError,
    Address,
    Answer,
    Button,
    Call,
    Desk,
    Gateway,
    InFile,
    Listener,
    Message,
    RefusedError,
    SendError,
    Setup,
)
from hermes_tui.gateways.format import messages
from hermes_tui.gateways.whatsapp_events import (
    Media,
    Notice,
    Said,
    Value,
    about,
    inbound,
    keyboard,
)

if TYPE_CHECKING:
    import httpx2

_log = logging.getLogger(__name__)
PATH = "/gateways/whatsapp"
_SERVER = "https://graph.facebook.com/v23.0"
_LOST_S = 30.0
_ALIVE_S = 60.0
_MOST_ASKED = 1024
"""Characters of the text over buttons."""
_SLOW = (4, 80007, 130429, 131048, 131056, 133016)
"""Codes that say: slower."""
_GONE = (131026, 131047, 131049, 131051)
"""Codes that say: not to them, or not now and not by trying again."""


class _Error(Struct):
    code: int = 0
    message: str = ""


class _Id(Struct):
    id: str = ""


class _Reply(Struct):
    error: _Error | None = None
    messages: list[_Id] = []
    id: str = ""
    url: str = ""


class WhatsApp:
    """One number. token, secret, verify: the account's secrets, asked for when they are needed."""

    platform = "whatsapp"
    able = Abilities(buttons=True, files=True, typing=True)

    def __init__(
        self,
        phone_id: str,
        token: Callable[[], str],
        secret: Callable[[], str],
        verify: Callable[[], str],
        *,
        server: str,
        listener: Listener | None,
    ) -> None:
        self._phone_id = phone_id
        self._token = token
        self._secret = secret
        self._verify = verify
        self._server = (server or _SERVER).rstrip("/")
        self._listener = listener
        self._client: httpx2.AsyncClient | None = None
        self._desk: Desk | None = None
        self._newest: dict[str, str] = {}

    def messages(self, text: str) -> tuple[Message, ...]:
        """The exact messages a text becomes."""
        return messages(self.platform, text)

    # --- in ------------------------------------------------------------------------------

    async def run(self, desk: Desk) -> None:
        """Be called, until cancelled."""
        listener = self._checked()
        await self._graph("GET", f"{self._server}/{self._phone_id}")  # knows the token, or says no
        self._desk = desk
        listener.add("GET", PATH, self._asked)
        listener.add("POST", PATH, self._called)
        try:
            while True:
                desk.alive()  # nothing comes by itself: being listened to is being alive
                await asyncio.sleep(_ALIVE_S)
        finally:
            self._desk = None
            listener.remove(PATH)

    def _checked(self) -> Listener:
        if not self._phone_id:
            raise RefusedError("whatsapp.phone_id is not set", "Meta shows it beside the number")
        for named, value in (("token_env", self._token()), ("secret_env", self._secret())):
            if not value:
                raise RefusedError(
                    f"the secret that whatsapp.{named} names is missing",
                    "without the app secret anybody could call; `hermes gateway setup whatsapp`",
                )
        if self._listener is None:
            raise RefusedError("WhatsApp calls this machine, and no port is open", "set http.port")
        return self._listener

    async def _asked(self, call: Call) -> Answer:
        """Meta asks once whether this is the right place."""
        word = self._verify()
        given = call.query.get("hub.verify_token", "")
        if not word or not hmac.compare_digest(given.encode(), word.encode()):
            _log.warning("whatsapp: a call without the verify word was refused")
            return Answer(status=403)
        return Answer(body=call.query.get("hub.challenge", "").encode()[:200])

    async def _called(self, call: Call) -> Answer:
        """Messages come in: told that they arrived once every one of them is kept."""
        desk = self._desk
        if desk is None or not self._signed(call):
            _log.warning("whatsapp: a call that Meta did not sign was refused")
            return Answer(status=403)
        desk.alive()
        try:
            notice = msgspec.json.decode(call.body, type=Notice)
        except msgspec.MsgspecError as error:
            _log.warning("whatsapp: a call could not be read: %s", error)
            return Answer()  # it would come again for a week
        try:
            for value in notice.values(self._phone_id):
                await self._take(value, desk)
        except (StoreError, OSError) as error:
            _log.warning("whatsapp: a message was not taken, it comes again: %s", error)
            return Answer(status=503)
        return Answer()

    async def _take(self, value: Value, desk: Desk) -> None:
        for status in value.statuses:
            if status.status == "failed":
                why = ", ".join(f"{one.code} {one.title}" for one in status.errors)
                _log.warning("whatsapp: a message did not arrive: %s", why)
        for said in value.messages:
            message = inbound(said, value)
            if message is None:
                continue
            if said.file is not None and desk.knows(message.sender, message.chat, False):
                file = await self._fetched(said, said.file, desk)
                message = msgspec.structs.replace(message, files=(file,))
            await desk.take(message)
            self._newest[message.chat] = message.message

    def _signed(self, call: Call) -> bool:
        secret = self._secret()
        given = call.headers.get("x-hub-signature-256", "")
        made = "sha256=" + hmac.new(secret.encode(), call.body, hashlib.sha256).hexdigest()
        return bool(secret) and hmac.compare_digest(given.encode(), made.encode())

    async def _fetched(self, said: Said, media: Media, desk: Desk) -> InFile:
        """A file of a message. Meta keeps it at an address that its own token opens."""
        name, kind = about(media, said.type)
        try:
            reply = await self._graph("GET", f"{self._server}/{media.id}")
            if not _is_metas(reply.url, self._server):
                raise SendError(f"it lies at {urlsplit(reply.url).netloc or 'no address'}")
            client = self._ready()
            async with client.stream("GET", reply.url, headers=self._headers()) as answer:
                if answer.status_code != 200:
                    raise SendError(f"Meta answered {answer.status_code}")
                return await desk.keep_file(name, media.mime_type, kind, _bytes(answer))
        except (SendError, _network()) as error:
            problem = f"not fetched: {type(error).__name__}"
            if isinstance(error, SendError):
                problem = f"not fetched: {error.message}"
            return InFile(name=name, kind=kind, mime=media.mime_type, problem=problem)

    # --- out -----------------------------------------------------------------------------

    async def send(self, to: Address, message: Message, key: str) -> str:
        """Send one message and return its id."""
        text = {"body": message.text, "preview_url": False}
        return await self._sent(to, {"type": "text", "text": text})

    async def edit(self, to: Address, proof: str, message: Message) -> None:
        """WhatsApp changes no messages."""
        raise SendError("WhatsApp changes no messages")

    async def ask(
        self, to: Address, message: Message, buttons: tuple[Button, ...], key: str
    ) -> str:
        """Send a message with buttons; a long text goes before them."""
        text = message.text
        if len(text) > _MOST_ASKED:
            await self.send(to, message, key)
            text = "…"
        shown = keyboard(tuple((one.label, one.value) for one in buttons), text)
        return await self._sent(to, {"type": "interactive", "interactive": shown})

    async def send_file(self, to: Address, path: Path, name: str, caption: str, key: str) -> str:
        """Send a file: pictures and sound as such, everything else as a document."""
        mime = mimetypes.guess_type(name)[0] or "application/octet-stream"
        content = await asyncio.to_thread(path.read_bytes)
        files = {"file": (name, content, mime)}
        data = {"messaging_product": "whatsapp", "type": mime}
        reply = await self._graph(
            "POST", f"{self._server}/{self._phone_id}/media", data=data, files=files
        )
        kind = {"image/jpeg": "image", "image/png": "image", "audio/ogg": "audio"}.get(mime)
        kind = kind or "document"
        media: dict[str, Any] = {"id": reply.id}
        if kind != "audio" and caption:
            media["caption"] = caption[:1024]
        if kind == "document":
            media["filename"] = name
        if kind == "audio" and caption and caption != name:
            await self.send(to, Message(text=caption), key)
        return await self._sent(to, {"type": kind, kind: media})

    async def typing(self, to: Address) -> None:
        """Show that an answer is being written; this also shows the newest message as read."""
        newest = self._newest.get(to.chat)
        if newest:
            said = {
                "messaging_product": "whatsapp",
                "status": "read",
                "message_id": newest,
                "typing_indicator": {"type": "text"},
            }
            await self._graph("POST", f"{self._server}/{self._phone_id}/messages", json=said)

    async def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _sent(self, to: Address, what: dict[str, Any]) -> str:
        said = {
            "messaging_product": "whatsapp",
            "recipient_type": "individual",
            "to": to.chat,
            **what,
        }
        reply = await self._graph("POST", f"{self._server}/{self._phone_id}/messages", json=said)
        return reply.messages[0].id if reply.messages else ""

    async def _graph(self, method: str, url: str, **more: Any) -> _Reply:
        """One call of the Graph API. Raises SendError."""
        import httpx2

        try:
            answer = await self._ready().request(method, url, headers=self._headers(), **more)
        except httpx2.ConnectError as error:
            raise SendError("Meta can't be reached") from error
        except httpx2.HTTPError as error:
            text = f"Meta did not answer ({type(error).__name__})"
            raise SendError(text, doubt=method == "POST") from error
        try:
            reply = msgspec.json.decode(answer.content, type=_Reply)
        except msgspec.MsgspecError as error:
            lost = method == "POST" and answer.status_code < 400
            text = f"Meta answered {answer.status_code}, and not what it should"
            raise SendError(text, doubt=lost) from error
        if reply.error is not None or answer.status_code >= 400:
            raise _failure(reply.error or _Error(), answer)
        return reply

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token()}"}

    def _ready(self) -> httpx2.AsyncClient:
        if self._client is None:
            import httpx2

            self._client = httpx2.AsyncClient(timeout=_LOST_S)
        return self._client


def _failure(error: _Error, answer: httpx2.Response) -> SendError:
    text = f"WhatsApp: {error.message or f'Meta answered {answer.status_code}'}"
    if error.code == 190 or answer.status_code == 401:
        return AccountError(
            "WhatsApp: Meta does not accept the access token", "make a lasting one: see the page"
        )
    if error.code == 131047:
        return SendError(
            "WhatsApp: a day has passed since they wrote", "they have to write first", dead=True
        )
    if error.code in _SLOW or answer.status_code == 429:
        wait = answer.headers.get("retry-after", "")
        return SendError(text, retry_after=float(wait) if wait.isdecimal() else 30.0)
    return SendError(text, dead=error.code in _GONE)


def _is_metas(url: str, server: str) -> bool:
    """Whether an address may be given the token: Meta's own, or the server's that was set."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.netloc == urlsplit(server).netloc and server != _SERVER:
        return True
    own = (".facebook.com", ".fbcdn.net", ".fbsbx.com", ".whatsapp.net")
    return parts.scheme == "https" and host.endswith(own)


def _network() -> type[Exception]:
    import httpx2

    return httpx2.HTTPError


async def _bytes(answer: httpx2.Response) -> AsyncIterator[bytes]:
    async for piece in answer.aiter_bytes():
        yield piece


def make(setup: Setup) -> Gateway:
    """The gateway by its settings."""
    config = setup.config
    return WhatsApp(
        config.phone_id,
        lambda: setup.secret(config.token_env),
        lambda: setup.secret(config.secret_env),
        lambda: setup.secret(config.verify_env),
        server=config.base_url,
        listener=setup.listener,
    )
