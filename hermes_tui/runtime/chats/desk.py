"""The core's desk for one gateway: a message is kept before the platform hears that it was."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

from hermes_tui.config import GatewaysConfig
from hermes_tui.errors import StoreError
from hermes_tui.faults import point
from hermes_tui.gateways.base import Inbound, InFile, MenuEntry
from hermes_tui.runtime.chats.people import People
from hermes_tui.store.chats import Chats
from hermes_tui.store.inbox import Inbox


def target_of(message: Inbound) -> str:
    """Where answers to a message go."""
    thread = f":{message.thread}" if message.thread else ""
    return f"{message.platform}:{message.chat}{thread}"


class House(Struct, frozen=True, kw_only=True):
    """What all desks share. folder: for files; wake: called with a chat something waits from."""

    people: People
    inbox: Inbox
    rows: Chats
    folder: Path
    limits: Callable[[], GatewaysConfig]
    menu: tuple[MenuEntry, ...]
    wake: Callable[[str], None]


class CoreDesk:
    """Implements `gateways.base.Desk`. alive: called at every sign of life."""

    def __init__(self, platform: str, house: House, alive: Callable[[], None]) -> None:
        self.menu = house.menu
        self.last_in = 0.0
        self._platform = platform
        self._people = house.people
        self._inbox = house.inbox
        self._rows = house.rows
        self._folder = house.folder
        self._limits = house.limits
        self._wake = house.wake
        self._alive = alive

    def knows(self, sender: str, chat: str, group: bool) -> bool:
        """Whether somebody may talk here."""
        return self._people.role(self._platform, sender) is not None

    async def take(self, message: Inbound) -> bool:
        """Keep a message. False: it was known already, or nobody may hear it."""
        self._alive()
        role = self._people.role(message.platform, message.sender)
        if role is None:
            person = await self._people.stranger(message)
            if person is None:
                return False
            role = person.role
            message = msgspec.structs.replace(message, text="/start", files=())
        if not self._people.listens(message):
            return False
        self.last_in = time.time()
        data = msgspec.json.encode(message).decode()
        target = target_of(message)
        point("chat.received")
        rank = 0 if role == "owner" else 1
        number = await self._inbox.take(
            message.platform, message.chat, message.message, data, target=target, rank=rank
        )
        point("chat.kept")
        if number is not None:
            self._wake(target)
        return number is not None

    async def keep_file(
        self, name: str, mime: str, kind: str, pieces: AsyncIterator[bytes]
    ) -> InFile:
        """Keep a file that came in; one that is too large has a `problem` and no path."""
        most = self._limits().most_bytes
        path = self._folder / f"{secrets.token_hex(6)}-{_safe(name)}"
        made = InFile(name=name[:200], kind=kind, mime=mime[:100])
        try:
            file = await asyncio.to_thread(_opened, path)
        except OSError as error:
            raise StoreError(f"the file {name!r} was not kept: {error.strerror}") from error
        size = 0
        try:
            async for piece in pieces:
                size += len(piece)
                if size > most:
                    break
                await asyncio.to_thread(file.write, piece)
        except BaseException:
            await asyncio.to_thread(_dropped, file, path)
            raise
        if size > most:
            await asyncio.to_thread(_dropped, file, path)
            return msgspec.structs.replace(made, problem=f"larger than {most:,} bytes")
        await asyncio.to_thread(file.close)
        return msgspec.structs.replace(made, path=str(path), size=size)

    def alive(self) -> None:
        """Something came from the platform."""
        self._alive()

    async def mark(self, name: str = "") -> str:
        """Where an earlier run had come to."""
        return await self._rows.mark(self._platform, name)

    async def keep_mark(self, value: str, name: str = "") -> None:
        """Keep how far everything was taken."""
        await self._rows.keep_mark(self._platform, name, value)


def _safe(name: str) -> str:
    """A file name of what somebody sent: no path, no surprise, the end of it kept."""
    plain = re.sub(r"[^\w.\-]+", "_", os.path.basename(name.replace("\\", "/")))
    return plain.strip("._")[-80:] or "file"


def _opened(path: Path) -> IO[bytes]:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _dropped(file: IO[bytes], path: Path) -> None:
    file.close()
    path.unlink(missing_ok=True)
