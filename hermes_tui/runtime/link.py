"""A face in another process: the client's end of the core's socket."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import AsyncIterator
from typing import Any, TypeVar, cast

import msgspec

from hermes_tui import __version__
from hermes_tui.codec import encode
from hermes_tui.errors import CoreError
from hermes_tui.events import CoreEnding, Record
from hermes_tui.home import Home
from hermes_tui.intents import Intent
from hermes_tui.runtime import wire

R = TypeVar("R")
LINE_LIMIT = 64 * 1024 * 1024
CUT = "the connection to the core was cut"


class SocketClient:
    """CoreClient over the Unix socket. Made by `connect`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.version = ""
        self.installed = ""
        self.pid = 0
        self._reader = reader
        self._writer = writer
        self._numbers = 0
        self._calls: dict[int, asyncio.Future[wire.Reply]] = {}
        self._records: asyncio.Queue[Record] = asyncio.Queue()
        self._listening: asyncio.Task[None] | None = None
        self._closed = False

    @classmethod
    async def connect(cls, home: Home, limit_s: float = 2.0, face: str = "ui") -> SocketClient:
        """Connect and shake hands; raises CoreError within `limit_s` seconds otherwise."""
        where = str(home.socket)
        if _foreign(where):
            raise CoreError(f"{where} belongs to somebody else", "remove it or use another home")
        try:
            async with asyncio.timeout(limit_s):
                reader, writer = await asyncio.open_unix_connection(where, limit=LINE_LIMIT)
                client = cls(reader, writer)
                await client._greet(face)
        except (FileNotFoundError, ConnectionRefusedError):
            raise CoreError("no core is running", "start one with `hermes`") from None
        except TimeoutError:
            raise CoreError("the core does not answer", "`hermes daemon restart` helps") from None
        except OSError as error:
            raise CoreError(f"can't reach the core: {error}", "is it yours?") from error
        client._listening = asyncio.create_task(client._listen())
        return client

    @classmethod
    async def over(cls, sock: socket.socket, limit_s: float, face: str = "ui") -> SocketClient:
        """Shake hands over a connected socket; raises CoreError within `limit_s` seconds."""
        try:
            async with asyncio.timeout(limit_s):
                reader, writer = await asyncio.open_unix_connection(sock=sock, limit=LINE_LIMIT)
                client = cls(reader, writer)
                await client._greet(face)
        except TimeoutError:
            raise CoreError("the core does not answer", "`hermes daemon restart` helps") from None
        except OSError as error:
            raise CoreError(f"{CUT}: {error}", "try again") from error
        client._listening = asyncio.create_task(client._listen())
        return client

    async def _greet(self, face: str) -> None:
        hello = {"protocol": wire.PROTOCOL, "version": __version__, "face": face}
        self._writer.write(encode({"hello": hello}) + b"\n")
        try:
            answer: dict[str, Any] = msgspec.json.decode(await self._reader.readline())
        except (msgspec.MsgspecError, ValueError) as error:
            raise CoreError("what listens there is no core", "remove the socket file") from error
        if "error" in answer:
            error = answer["error"]
            raise CoreError(str(error.get("message")), str(error.get("hint", "")))
        body = answer.get("hello", {})
        self.version, self.pid = str(body.get("version")), int(body.get("pid", 0))
        self.installed = str(body.get("installed", self.version))
        if body.get("protocol") != wire.PROTOCOL:
            raise CoreError("the core speaks another protocol", "`hermes daemon restart` helps")

    async def ask(self, intent: Intent[R]) -> R:
        """Send an intent and wait for its reply."""
        if self._closed:
            raise CoreError(CUT, "`hermes` starts it again")
        self._numbers += 1
        number = self._numbers
        future: asyncio.Future[wire.Reply] = asyncio.get_running_loop().create_future()
        self._calls[number] = future
        self._writer.write(wire.encode_call(number, intent))
        try:
            frame = await future
        finally:
            self._calls.pop(number, None)
        if frame.error is not None:
            raise wire.to_error(frame.error)
        return cast("R", wire.decode_value(intent.reply, frame.ok))

    async def events(self) -> AsyncIterator[Record]:
        """Events of the opened sessions, until the line is cut or the core ends."""
        while True:
            record = await self._records.get()
            yield record
            if isinstance(record.event, CoreEnding):
                return

    async def close(self) -> None:
        """Leave; the core goes on."""
        self._writer.close()
        if self._listening is not None:
            with contextlib.suppress(asyncio.CancelledError):
                self._listening.cancel()
                await self._listening

    async def _listen(self) -> None:
        reason = CUT
        try:
            while line := await self._reader.readline():
                frame = wire.decode_frame(line)
                if frame.id:
                    self._replied(frame)
                    continue
                record = wire.decode_record(frame.event)
                if isinstance(record.event, CoreEnding):
                    reason = record.event.reason or reason
                    break
                self._records.put_nowait(record)
        except (OSError, ValueError, CoreError) as error:
            reason = f"{CUT}: {error}"
        finally:
            self._cut(reason)

    def _replied(self, frame: wire.Reply) -> None:
        future = self._calls.get(frame.id)
        if future is not None and not future.done():
            future.set_result(frame)

    def _cut(self, reason: str) -> None:
        self._closed = True
        ending = CoreEnding(reason=reason)
        self._records.put_nowait(Record(session="", n=0, ts=time.time(), event=ending))
        for future in self._calls.values():
            if not future.done():
                future.set_exception(CoreError(reason, "`hermes` starts it again"))


def _foreign(where: str) -> bool:
    return os.path.exists(where) and os.stat(where).st_uid != os.getuid()
