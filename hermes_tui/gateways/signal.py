"""Signal, through the HTTP daemon of signal-cli: JSON-RPC out, server-sent events in.

The daemon keeps its last events and gives them again after a number: what was not kept here comes
again as long as it runs. A message has no key: one whose answer was lost may have gone out.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from hermes_tui.gateways.base import (
    Abilities,
    Address,
    Button,
    Desk,
    Gateway,
    GoneError,
    InFile,
    Message,
    RefusedError,
    SendError,
    Setup,
)
from hermes_tui.gateways.format import messages
from hermes_tui.gateways.marks import counts_from
from hermes_tui.gateways.signal_events import (
    GROUP,
    Attachment,
    Event,
    Problem,
    Reply,
    Sent,
    about,
    inbound,
)

if TYPE_CHECKING:
    import httpx2

_log = logging.getLogger(__name__)
_LOST_S = 30.0
_SILENT_S = 60.0
"""The daemon says every fifteen seconds that it is there."""
_MOST_EVENT = 32 << 20
_MOST_FILE = 100_000_000
_PIECE = 1 << 16
_WAIT_S = 60.0
_TRUST = "`signal-cli trust`, after you made sure that it is them"


class _Account(Struct):
    number: str | None = None
    aci: str | None = None


class _Content(Struct):
    data: str = ""


class Signal:
    """One account of one daemon."""

    platform = "signal"
    able = Abilities(edits=True, edit_s=4.0, files=True, typing=True)

    def __init__(self, url: str, account: str) -> None:
        self._url = url.rstrip("/")
        self._account = account
        self._client: httpx2.AsyncClient | None = None
        self._numbers = itertools.count(1)

    def messages(self, text: str) -> tuple[Message, ...]:
        """The exact messages a text becomes."""
        return messages(self.platform, text)

    # --- in ------------------------------------------------------------------------------

    async def run(self, desk: Desk) -> None:
        """Listen, from the last event on that was kept."""
        import httpx2

        if not self._account:
            raise RefusedError("signal.account is not set", "the number of the agent's account")
        await self._check()
        since = await counts_from(desk)
        # After an id it does not know, it gives everything it has kept.
        headers = {"Accept": "text/event-stream", "Last-Event-ID": await desk.mark() or "none"}
        wait = httpx2.Timeout(_LOST_S, read=_SILENT_S)
        client = self._ready()
        try:
            async with client.stream(
                "GET", f"{self._url}/api/v1/events", headers=headers, timeout=wait
            ) as answer:
                if answer.status_code != 200:
                    raise OSError(f"signal-cli answered {answer.status_code}")
                desk.alive()
                await self._listen(answer, desk, since)
        except httpx2.HTTPError as error:
            raise OSError(f"the line to signal-cli is lost ({type(error).__name__})") from error
        raise OSError("signal-cli closed the line")

    async def _listen(self, answer: httpx2.Response, desk: Desk, since: float) -> None:
        async for number, event in _events(answer, desk):
            await self._heard(event, desk, since)
            if number:
                await desk.keep_mark(number)

    async def _check(self) -> None:
        """Raise RefusedError for an account the daemon does not have."""
        try:
            raw = await self._ask("listAccounts", {})
        except SendError as error:
            if "not implemented" in error.message.lower():
                return  # a daemon of one account has no list
            raise
        known = msgspec.json.decode(raw, type=list[_Account])
        if known and not any(self._account in (one.number, one.aci) for one in known):
            raise RefusedError(
                f"signal-cli has no account {self._account}",
                "`signal-cli -a NUMBER register`, or link one: `signal-cli link`",
            )

    async def _heard(self, event: Event, desk: Desk, since: float) -> None:
        if event.envelope is None or (event.account or self._account) != self._account:
            return
        found = inbound(event.envelope, self._account)
        if found is None:
            return
        message, files = found
        if message.ts < since:
            return
        if files and desk.knows(message.sender, message.chat, message.group):
            kept = [await self._fetched(one, message.chat, desk) for one in files]
            message = msgspec.structs.replace(message, files=tuple(kept))
        await desk.take(message)

    async def _fetched(self, file: Attachment, chat: str, desk: Desk) -> InFile:
        name, kind, mime = about(file)
        if (file.size or 0) > _MOST_FILE:
            return InFile(name=name, kind=kind, mime=mime, problem="too large for Signal")
        where = _to(chat)
        where = where if "groupId" in where else {"recipient": chat}
        try:
            asked = {"account": self._account, "id": file.id, **where}
            got = msgspec.json.decode(await self._ask("getAttachment", asked), type=_Content)
            content = base64.b64decode(got.data)
        except (SendError, ValueError) as error:
            return InFile(name=name, kind=kind, mime=mime, problem=f"not fetched: {error}")
        return await desk.keep_file(name, mime, kind, _pieces(content))

    # --- out -----------------------------------------------------------------------------

    async def send(self, to: Address, message: Message, key: str) -> str:
        """Send one message; its number is its time."""
        return await self._sent(to, message, {})

    async def edit(self, to: Address, proof: str, message: Message) -> None:
        """Change a message; Signal lets it be changed for a day."""
        await self._sent(to, message, {"editTimestamp": int(proof)})

    async def ask(
        self, to: Address, message: Message, buttons: tuple[Button, ...], key: str
    ) -> str:
        """Signal has no buttons: the codes are in the text."""
        return await self.send(to, message, key)

    async def send_file(self, to: Address, path: Path, name: str, caption: str, key: str) -> str:
        """Send a file."""
        content = await asyncio.to_thread(_read, path)
        if content is None:
            raise SendError(f"{name} is too large for Signal", dead=False)
        data = await asyncio.to_thread(lambda: base64.b64encode(content).decode())
        uri = f"data:application/octet-stream;filename={_plain(name)};base64,{data}"
        text = caption if caption and caption != name else ""
        return await self._sent(to, Message(text=text), {"attachments": [uri]})

    async def typing(self, to: Address) -> None:
        """Show that an answer is being written; it fades by itself."""
        await self._ask("sendTyping", {"account": self._account, **_to(to.chat)})

    async def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _sent(self, to: Address, message: Message, more: dict[str, Any]) -> str:
        styles = [f"{one.offset}:{one.length}:{one.kind}" for one in message.entities]
        said = {"account": self._account, **_to(to.chat), "message": message.text, **more}
        if styles:
            said["textStyle"] = styles
        got = msgspec.json.decode(await self._ask("send", said), type=Sent)
        _judge(got)
        return str(got.timestamp)

    async def _ask(self, method: str, params: dict[str, Any]) -> bytes:
        """One call; its result as JSON. Raises SendError."""
        import httpx2

        call = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params}
        try:
            answer = await self._ready().post(f"{self._url}/api/v1/rpc", json=call)
        except httpx2.ConnectError as error:
            raise SendError(
                "signal-cli does not answer", "is its daemon at work? `signal-cli daemon --http`"
            ) from error
        except httpx2.HTTPError as error:
            text = f"signal-cli did not answer ({type(error).__name__})"
            raise SendError(text, doubt=True) from error
        try:
            said = msgspec.json.decode(answer.content, type=Reply)
        except msgspec.MsgspecError as error:
            text = f"signal-cli answered {answer.status_code}, and not what it should"
            raise SendError(text, doubt=True) from error
        if said.error is not None:
            raise _failure(said.error, changing="editTimestamp" in params)
        return bytes(said.result)

    def _ready(self) -> httpx2.AsyncClient:
        if self._client is None:
            import httpx2

            self._client = httpx2.AsyncClient(timeout=_LOST_S, trust_env=False)
        return self._client


async def _events(answer: httpx2.Response, desk: Desk) -> AsyncIterator[tuple[str, Event]]:
    """(id, event) of each event that can be read."""
    number, size = "", 0
    data: list[str] = []
    async for line in answer.aiter_lines():
        desk.alive()
        size += len(line)
        if size > _MOST_EVENT:
            raise OSError("signal-cli sent an event without end")
        field, _, value = line.partition(":")
        if field == "data":
            data.append(value.removeprefix(" "))
        elif field == "id":
            number = value.removeprefix(" ")
        elif not line:
            found = _event("\n".join(data))
            data, size = [], 0
            if found is not None:
                yield number, found


def _event(text: str) -> Event | None:
    try:
        return msgspec.json.decode(text, type=Event) if text else None
    except msgspec.MsgspecError as error:
        _log.warning("signal: an event could not be read: %s", error)
        return None


def _to(chat: str) -> dict[str, Any]:
    if chat.startswith(GROUP):
        return {"groupId": chat.removeprefix(GROUP)}
    return {"recipient": [chat]}


def _judge(sent: Sent | None) -> None:
    """Raise SendError for what did not reach anybody it was for."""
    results = (sent.results if sent is not None else None) or []
    if any(one.type == "SUCCESS" for one in results):
        return
    for one in results:
        match one.type:
            case "UNREGISTERED_FAILURE":
                raise SendError("Signal: nobody is registered there any more", dead=True)
            case "RATE_LIMIT_FAILURE":
                wait = one.retry_after_seconds or _WAIT_S
                raise SendError("Signal: too many messages", retry_after=wait)
            case "IDENTITY_FAILURE":
                raise SendError("Signal: their safety number changed", _TRUST)
            case _:
                raise SendError(f"Signal: {one.type.lower().replace('_', ' ')}")


def _failure(problem: Problem, *, changing: bool) -> SendError:
    try:
        _judge(problem.data.response if problem.data is not None else None)
    except SendError as error:
        return error
    text = problem.message or "it failed"
    match problem.code:
        case -5:  # too many
            return SendError(f"Signal: {text}", retry_after=_WAIT_S)
        case -4:  # a key that is not trusted
            return SendError(f"Signal: {text}", _TRUST)
        case -1 if changing:  # what was asked for can't be
            return GoneError(f"Signal: {text}")
        case -1 if "nregistered" in text or "not a member" in text.lower():
            return SendError(f"Signal: {text}", dead=True)
        case _:
            return SendError(f"Signal: {text}")


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in name) or "file"


def _read(path: Path) -> bytes | None:
    if path.stat().st_size > _MOST_FILE:
        return None
    return path.read_bytes()


async def _pieces(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), _PIECE):
        yield content[start : start + _PIECE]


def make(setup: Setup) -> Gateway:
    """The gateway by its settings."""
    return Signal(setup.config.url, setup.config.account)
