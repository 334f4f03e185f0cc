"""Chats that a terminal of this machine holds: `hermes chat --as`, a gateway without a network."""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_tui.events import ChatSaid, Record
from hermes_tui.gateways.base import Abilities, Address, Button, Desk, Inbound, Message, SendError
from hermes_tui.gateways.format import messages
from hermes_tui.runtime.chats.people import TERMINAL
from hermes_tui.runtime.face import Face

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

_QUIET_S = 60.0
_PATIENCE_S = 5.0


class TerminalChats:
    """A gateway whose other side are faces. What nobody shows waits until somebody does."""

    platform = TERMINAL
    able = Abilities(keyed=True, edits=True, edit_s=0.5, buttons=True, files=True, threads=True)

    def __init__(self, core: Core) -> None:
        self._core = core
        self._desk: Desk | None = None
        self._ready = asyncio.Event()
        self._faces: dict[str, Face] = {}

    def listen(self, name: str, face: Face) -> None:
        """A face shows a chat from now on."""
        self._faces[name] = face

    async def say(self, name: str, text: str, message: str = "", pressed: str = "") -> bool:
        """Something was typed in a chat; False when it is known already."""
        desk = await self._there()
        heard = Inbound(
            platform=TERMINAL,
            chat=name,
            message=message or uuid.uuid4().hex,
            sender=name,
            name=name,
            text=text,
            pressed=pressed,
            ts=time.time(),
        )
        return await desk.take(heard)

    async def run(self, desk: Desk) -> None:
        """Be there."""
        self._desk = desk
        self._ready.set()
        try:
            while True:
                desk.alive()
                await asyncio.sleep(_QUIET_S)
        finally:
            self._desk = None
            self._ready.clear()

    async def _there(self) -> Desk:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                await self._ready.wait()
        if self._desk is None:
            raise SendError("chats are not at work", "`hermes daemon logs` has the story")
        return self._desk

    def messages(self, text: str) -> tuple[Message, ...]:
        """A text as it is: a terminal has no limit."""
        return messages("plain", text) if not text.strip() else (Message(text=text),)

    async def send(self, to: Address, message: Message, key: str) -> str:
        """Show a message."""
        return self._show(to, message, key)

    async def edit(self, to: Address, proof: str, message: Message) -> None:
        """Show that a message reads otherwise."""
        self._show(to, message, proof, edits=proof)

    async def ask(
        self, to: Address, message: Message, buttons: tuple[Button, ...], key: str
    ) -> str:
        """Show a message with what can be pressed."""
        return self._show(to, message, key, tuple((one.label, one.value) for one in buttons))

    async def send_file(self, to: Address, path: Path, name: str, caption: str, key: str) -> str:
        """Say where a file is."""
        return self._show(to, Message(text=caption or name), key, file=str(path))

    async def typing(self, to: Address) -> None:
        """A terminal shows no sign."""

    async def close(self) -> None:
        """Nothing is held."""

    def _show(
        self,
        to: Address,
        message: Message,
        key: str,
        buttons: tuple[tuple[str, str], ...] = (),
        *,
        edits: str = "",
        file: str = "",
    ) -> str:
        face = self._faces.get(to.chat)
        if face is None or face.gone or face not in self._core.faces:
            raise SendError(f"no terminal shows the chat {to.chat}")
        said = ChatSaid(
            target=f"{TERMINAL}:{to.chat}",
            message=key,
            text=message.text,
            edits=edits,
            buttons=buttons,
            file=file,
        )
        face.deliver(Record(session="", n=0, ts=time.time(), event=said))
        return key
