"""Files that people send in Telegram, fetched piece by piece."""

from __future__ import annotations

import asyncio
import ssl
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from hermes_tui.gateways.base import Desk, InFile
from hermes_tui.gateways.telegram_events import Attachment

if TYPE_CHECKING:
    from telegram import Bot

_LOST_S = 20.0
_MOST_TRIES = 3
_AT_ONCE = 4


class Files:
    """Fetches the files of one bot, some at a time."""

    def __init__(self, bot: Bot, tls: ssl.SSLContext) -> None:
        import httpx2

        self._bot = bot
        self._client = httpx2.AsyncClient(verify=tls, timeout=_LOST_S)
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._tries: Counter[str] = Counter()

    async def fetch(self, one: Attachment, desk: Desk) -> InFile:
        """Have a file kept. Raises ConnectionError while another try may help.

        One that Telegram does not hand out, or that broke off again and again, has a `problem`:
        it must not hold back its message for ever.
        """
        import httpx2
        from telegram.error import BadRequest, TelegramError

        try:
            async with self._at_once, aclosing(self._pieces(one.file_id, desk)) as pieces:
                kept = await desk.keep_file(one.name, one.mime, one.kind, pieces)
        except BadRequest as error:
            return left(one, f"Telegram does not hand it out: {error.message}")
        except (TelegramError, httpx2.HTTPError) as error:
            problem = f"it could not be fetched ({type(error).__name__})"
        else:
            self._tries.pop(one.unique, None)
            return kept
        self._tries[one.unique] += 1
        if self._tries[one.unique] < _MOST_TRIES:
            raise ConnectionError(f"Telegram: a message has a file, {problem}")
        del self._tries[one.unique]
        return left(one, problem)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()

    async def _pieces(self, file_id: str, desk: Desk) -> AsyncGenerator[bytes]:
        file = await self._bot.get_file(file_id)
        url = file.file_path or ""
        if not url.startswith(("http://", "https://")):
            from telegram.error import BadRequest

            raise BadRequest("the Bot API server runs with --local and keeps its files to itself")
        async with self._client.stream("GET", url) as response:
            response.raise_for_status()
            async for piece in response.aiter_bytes():
                desk.alive()
                yield piece


def left(one: Attachment, problem: str = "it was not fetched") -> InFile:
    """A file that stays at Telegram."""
    return InFile(name=one.name, kind=one.kind, mime=one.mime, size=one.size, problem=problem)
