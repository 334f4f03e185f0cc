"""The chats in which the agent is reached and reaches you."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from hermes_tui.config.base import doc


class TelegramConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Telegram bot of yours."""

    enabled: Annotated[bool, doc("send to chats of Telegram")] = False
    token_env: Annotated[
        str, doc("environment variable or stored secret with the token of the bot")
    ] = "TELEGRAM_BOT_TOKEN"
    home_chat: Annotated[
        str, doc("number of your own chat with the bot: where `telegram` alone goes")
    ] = ""
    base_url: Annotated[
        str, doc("address of a Bot API server of your own, ending in /bot; empty: Telegram's")
    ] = ""
