"""Telegram as a rig, the other way round: the server calls the gateway's webhook."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import msgspec

from hermes_tui.gateways.base import Gateway
from tests.gateways.bot_api import TOKEN, bot_api
from tests.gateways.contract import Power
from tests.gateways.rig_telegram import HOOK, TelegramRig


class CalledRig(TelegramRig):
    """See `contract.Rig`. `deliver` runs beside it: one call after the other, until it is taken."""

    powers: frozenset[Power] = TelegramRig.powers - {"rival", "line"}

    def gateway(self, token: str = TOKEN, **settings: Any) -> Gateway:
        return super().gateway(token, webhook_url=HOOK, **settings)

    async def deliver(self) -> None:
        """Call the webhook with what waits, the oldest first; it waits until it is answered."""
        while True:
            url = str(self.api.webhook["url"])
            secret = str(self.api.webhook.get("secret_token", ""))
            if url and self.api.updates:
                update = self.api.updates[0]
                answer = await self.listener.call(
                    urlsplit(url).path,
                    msgspec.json.encode(update),
                    headers={"X-Telegram-Bot-Api-Secret-Token": secret},
                )
                if answer.status == 200:
                    self.api.confirmed.add(update["update_id"])
                    self.api.updates.remove(update)
                    continue
            await asyncio.sleep(0.005)


@asynccontextmanager
async def rig() -> AsyncGenerator[CalledRig]:
    """A rig that lives while the test runs."""
    async with bot_api() as api:
        made = CalledRig(api)
        delivering = asyncio.create_task(made.deliver())
        try:
            yield made
        finally:
            delivering.cancel()
            await asyncio.wait([delivering])
