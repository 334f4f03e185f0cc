"""The connections of one Telegram bot, and what the errors on them mean."""

from __future__ import annotations

import asyncio
import logging
import re
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from hermes_tui.gateways.base import ConflictError, RefusedError, SendError

if TYPE_CHECKING:
    from telegram.error import RetryAfter, TelegramError

_LOST_S = 20.0
LOST_FILE_S = 120.0
_TOKEN = re.compile(r"\d+:[\w-]{20,}")
_NO_TOKEN = (
    "there is no token of the Telegram bot",
    "@BotFather gives one; put it into the variable that telegram.token_env names, or into"
    " secrets.env in the home",
)
NO_LIBRARY = ("Telegram needs an extra", "pip install 'hermes-tui[telegram]'")
_NO_PROXY = (
    "Telegram can't be reached by the proxy that the environment names",
    "http:// and https:// work as they are; socks5:// needs pip install 'httpx[socks]'"
    " 'httpx2[socks]'",
)


class Line:
    """The bot and its connections. Made in a thread: it reads certificates."""

    def __init__(self, token: str, base_url: str) -> None:
        import httpx2
        from telegram import Bot
        from telegram.request import HTTPXRequest
        from telegram.warnings import PTBDeprecationWarning, PTBUserWarning

        from hermes_tui.gateways.telegram_files import Files

        warnings.filterwarnings("ignore", ".*retry_after", PTBDeprecationWarning)
        warnings.filterwarnings("ignore", "Please use 'Bot.getUpdates'", PTBUserWarning)
        for name in ("httpx", "httpx2", "telegram"):  # they log addresses, with the token in them
            logging.getLogger(name).setLevel(logging.WARNING)
        tls = httpx2.create_ssl_context()
        kwargs: dict[str, Any] = {
            "read_timeout": _LOST_S,
            "write_timeout": _LOST_S,
            "connect_timeout": _LOST_S,
            "pool_timeout": _LOST_S,
            "media_write_timeout": LOST_FILE_S,
            "httpx_kwargs": {"verify": tls},
        }
        self._requests = (
            HTTPXRequest(connection_pool_size=2, **kwargs),
            HTTPXRequest(connection_pool_size=32, **kwargs),
        )
        self.bot = Bot(
            token,
            base_url=base_url,
            base_file_url=f"{base_url.removesuffix('/bot')}/file/bot",
            get_updates_request=self._requests[0],
            request=self._requests[1],
        )
        self.files = Files(self.bot, tls)

    async def close(self) -> None:
        """Let go of all of them."""
        for request in self._requests:
            await request.shutdown()
        await self.files.close()


def installed() -> bool:
    """Whether the extra is there."""
    return find_spec("telegram") is not None


async def connected(token: Callable[[], str], base_url: str) -> Line:
    """A line with the token as it is now. Raises SendError."""
    value = (await asyncio.to_thread(token)).strip()
    if not value:
        raise SendError(*_NO_TOKEN)
    if not installed():
        raise SendError(*NO_LIBRARY)
    try:
        return await asyncio.to_thread(Line, value, base_url)
    except ImportError as error:
        raise SendError(*(_NO_PROXY if "socks" in str(error) else NO_LIBRARY)) from error
    except (RuntimeError, ValueError):  # they may show the password of a proxy
        raise SendError(*_NO_PROXY) from None


def seconds(error: RetryAfter) -> float:
    """How long Telegram asks to wait."""
    wait = error.retry_after
    return float(wait) if isinstance(wait, int) else wait.total_seconds()


def _hidden(text: str) -> str:
    """A text without tokens: addresses of the Bot API hold one."""
    return _TOKEN.sub("<token>", text)


def failure(error: TelegramError) -> SendError:
    """Why a message did not go; errors of the library may show the token."""
    from telegram.error import BadRequest, Forbidden, InvalidToken, RetryAfter

    if isinstance(error, InvalidToken):
        return SendError("Telegram refuses the token", "is it right? @BotFather shows it")
    text = _hidden(f"Telegram: {error.message}")
    if isinstance(error, RetryAfter):
        return SendError(text, retry_after=seconds(error))
    return SendError(text, dead=isinstance(error, (BadRequest, Forbidden)), doubt=_lost(error))


def _lost(error: TelegramError) -> bool:
    """Whether a call may have been heard though its answer was not."""
    import httpx
    from telegram.error import BadRequest, NetworkError

    if not isinstance(error, NetworkError) or isinstance(error, BadRequest):
        return False
    unheard = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
    return not isinstance(error.__cause__, unheard)


def stopped(error: TelegramError) -> Exception:
    """Why receiving ended."""
    from telegram.error import Conflict, EndPointNotFound, InvalidToken

    if isinstance(error, Conflict):
        return ConflictError(
            "another program receives the messages to this bot",
            "end it, or give one of the two a bot of its own",
        )
    if isinstance(error, (InvalidToken, EndPointNotFound)):
        return RefusedError(
            "Telegram refuses the token of the bot",
            "@BotFather shows the right one: /mybots, API Token",
        )
    return ConnectionError(_hidden(f"Telegram: {error.message}"))
