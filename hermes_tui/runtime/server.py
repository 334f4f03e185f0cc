"""The Unix socket: faces of other processes, one connection each, own user only."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hermes_tui import __version__
from hermes_tui.codec import encode
from hermes_tui.errors import CoreError, HermesError
from hermes_tui.events import CoreEnding, Record
from hermes_tui.runtime import wire
from hermes_tui.runtime.face import Face
from hermes_tui.runtime.handlers import handle

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

LINE_LIMIT = 64 * 1024 * 1024
GREETING_LIMIT_S = 5.0
_log = logging.getLogger(__name__)


class Server:
    """Listens on the home's socket and speaks JSON lines (`runtime.wire`)."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._server: asyncio.Server | None = None
        self._path = Path()

    async def start(self, path: Path) -> None:
        """Bind; a socket file left by a dead core is replaced (the lock says it is dead)."""
        self._path = path
        _make_room(path)
        before = os.umask(0o177)
        try:
            self._server = await asyncio.start_unix_server(
                self._connected, str(path), limit=LINE_LIMIT
            )
        finally:
            os.umask(before)

    async def stop(self) -> None:
        """Stop listening; open connections end with their faces."""
        if self._server is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)
            self._server = None

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not _same_user(writer):
            writer.close()
            return
        try:
            face = await self._greet(reader, writer)
            if face is not None:
                connection = _Connection(self._core, face, reader, writer)
                self._core.spawn(connection.serve())
                return
        except (OSError, TimeoutError, ValueError, CoreError) as error:
            _log.info("a connection was refused: %s", error)
        writer.close()

    async def _greet(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> Face | None:
        line = await asyncio.wait_for(reader.readline(), GREETING_LIMIT_S)
        try:
            hello: dict[str, Any] = msgspec.json.decode(line)["hello"]
            protocol, name = hello["protocol"], str(hello.get("face", "socket"))
        except (msgspec.MsgspecError, KeyError, TypeError, AttributeError):
            protocol, name = None, ""
        if protocol != wire.PROTOCOL:
            text = f"this core speaks protocol {wire.PROTOCOL}, you speak {protocol}"
            hint = "`hermes daemon restart` brings both to the installed version"
            writer.write(encode({"error": {"message": text, "hint": hint}}) + b"\n")
            await writer.drain()
            return None
        answer = {"protocol": wire.PROTOCOL, "version": __version__, "pid": os.getpid()}
        newer = self._core.outdated()
        writer.write(encode({"hello": {**answer, "installed": newer or __version__}}) + b"\n")
        await writer.drain()
        return self._core.join(name)


class _Connection:
    """One face over the socket: calls in, replies and events out, in order."""

    def __init__(
        self,
        core: Core,
        face: Face,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._core = core
        self._face = face
        self._reader = reader
        self._writer = writer

    async def serve(self) -> None:
        """Until the other side leaves or the core ends."""
        pump = self._core.spawn(self._pump())
        calls: set[asyncio.Task[None]] = set()
        try:
            while line := await self._reader.readline():
                task = self._core.spawn(self._answer(line))
                calls.add(task)
                task.add_done_callback(calls.discard)
        except (OSError, ValueError, CoreError) as error:
            _log.info("face %s: %s", self._face.name, error)
        finally:
            self._core.part(self._face)
            self._face.leave("gone")
            pump.cancel()
            self._writer.close()

    async def _pump(self) -> None:
        while True:
            records = [await self._face.next(), *self._face.waiting()]
            try:
                self._write(b"".join(map(_push, records)))
                await self._writer.drain()
            except OSError:
                return
            if any(isinstance(record.event, CoreEnding) for record in records):
                self._writer.close()
                return

    async def _answer(self, line: bytes) -> None:
        number = 0
        try:
            number, intent = wire.decode_call(line)
            value: Any = await handle(self._core, intent, self._face)
        except HermesError as error:
            value = error
        self._write(wire.encode_reply(number, value))

    def _write(self, data: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(data)


def _make_room(path: Path) -> None:
    folder = path.parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise CoreError(f"{folder} belongs to somebody else", "set XDG_RUNTIME_DIR")
    path.unlink(missing_ok=True)


def _push(record: Record) -> bytes:
    return wire.encode_push(record)


def _same_user(writer: asyncio.StreamWriter) -> bool:
    peer: socket.socket = writer.get_extra_info("socket")
    if hasattr(socket, "SO_PEERCRED"):
        raw = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return struct.unpack("3i", raw)[1] == os.getuid()
    level, option = 0, 1  # macOS: SOL_LOCAL, LOCAL_PEERCRED -> struct xucred (sys/ucred.h)
    raw = peer.getsockopt(level, option, 76)
    return struct.unpack_from("=II", raw)[1] == os.getuid()
