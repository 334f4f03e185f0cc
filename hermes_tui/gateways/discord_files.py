"""Files of Discord: fetched from its own hosts, without the bot's token."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from hermes_tui.gateways.base import Desk, Inbound, InFile

if TYPE_CHECKING:
    import discord
    import httpx2

_LOST_S = 60.0
_HOSTS = ("cdn.discordapp.com", "media.discordapp.net")


class Files:
    """Fetches files. base_url: of a server of one's own, whose host counts as Discord's."""

    def __init__(self, base_url: str) -> None:
        self._own = urlsplit(base_url).netloc
        self._client: httpx2.AsyncClient | None = None

    async def fetched(
        self, message: Inbound, files: Sequence[discord.Attachment], desk: Desk
    ) -> Inbound:
        """The message with its files kept."""
        kept = [await self._fetch(one, desk) for one in files]
        return msgspec.structs.replace(message, files=tuple(kept))

    async def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _fetch(self, file: discord.Attachment, desk: Desk) -> InFile:
        import httpx2

        mime = file.content_type or ""
        kind = "image" if mime.startswith("image/") else "file"
        kind = "voice" if file.is_voice_message() else kind
        parts = urlsplit(file.url)
        own = bool(self._own) and parts.netloc == self._own
        if not own and (parts.scheme != "https" or parts.hostname not in _HOSTS):
            return InFile(name=file.filename, kind=kind, mime=mime, problem="it lies elsewhere")
        if self._client is None:
            self._client = httpx2.AsyncClient(timeout=_LOST_S)
        try:
            async with self._client.stream("GET", file.url) as answer:
                if answer.status_code == 200:
                    return await desk.keep_file(file.filename, mime, kind, _bytes(answer))
                problem = f"Discord answered {answer.status_code}"
        except httpx2.HTTPError as error:
            problem = f"not fetched ({type(error).__name__})"
        return InFile(name=file.filename, kind=kind, mime=mime, problem=problem)


async def _bytes(answer: httpx2.Response) -> AsyncIterator[bytes]:
    async for piece in answer.aiter_bytes():
        yield piece
