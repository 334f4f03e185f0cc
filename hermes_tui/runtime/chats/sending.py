"""Chats as the tools of one session use them."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hermes_tui.errors import ToolError
from hermes_tui.security import paths
from hermes_tui.store.outbox import Fresh

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.session import Session

_WAIT_S = 15.0


class SessionChats:
    """Sends what one session's agent wants sent, once, with no secret in it."""

    def __init__(self, core: Core, session: Session) -> None:
        self._core = core
        self._session = session

    async def send(self, to: str, text: str, files: list[tuple[str, bytes]], call_id: str) -> str:
        """Keep a text and files for a chat and say what became of them. Raises ToolError."""
        chats = self._core.outside.chats
        target = chats.address(to) if to else self._here()
        redactor = self._core.surroundings.redactor
        for path, content in files:
            found = redactor.redact_held(content.decode("utf-8", "ignore")).found
            if found:
                raise ToolError(f"{path} holds the secret {found[0].label}; it was not sent")
        key = f"{self._session.id}:{call_id}"
        clean = redactor.redact(text, "outgoing-message").text
        rows = [Fresh(key=key, target=target, text=clean, rank=0)] if clean.strip() else []
        for number, (path, content) in enumerate(files):
            kept = await asyncio.to_thread(_kept, self._session.outputs, path, content)
            data = msgspec.json.encode([(kept, os.path.basename(path))]).decode()
            name = os.path.basename(path)
            rows.append(
                Fresh(key=f"{key}#{number}", target=target, text=name, kind="file", data=data)
            )
        await chats.outbox.put_all(rows, "", 0)
        chats.wake(target)
        return await self._told(target, rows)

    def _here(self) -> str:
        mine = self._core.outside.chats.telling.bound(self._session.id)
        if not mine:
            raise ToolError("this session is in no chat", "say where to, such as to=telegram")
        if mine[0].grouped:
            raise ToolError("others read along in this chat", f"name it: to={mine[0].target}")
        return mine[0].target

    async def _told(self, target: str, rows: list[Fresh]) -> str:
        chats = self._core.outside.chats
        number = await chats.outbox.number(rows[-1].key)
        row = await chats.settled(number, _WAIT_S) if number is not None else None
        if row is not None and row.state == "sent":
            return f"Sent to {target}."
        if row is not None and row.state in ("failed", "expired"):
            raise ToolError(f"it did not go to {target}: {row.error}")
        why = f" ({row.error})" if row is not None and row.error else ""
        return f"Kept for {target}; it goes out as soon as it can{why}."


def _kept(folder: str, path: str, content: bytes) -> str:
    """A copy as it is now: what is sent is what was looked at."""
    file, kept = paths.create_private(str(Path(folder) / "sent"), os.path.basename(path))
    with file:
        file.write(content)
    return kept
