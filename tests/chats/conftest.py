"""A real core with a chat that a terminal holds: everything of chats but a network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Literal

import pytest

from hermes_tui.configuration.load import load
from hermes_tui.events import ChatSaid
from hermes_tui.home import Home
from hermes_tui.intents import SayAs
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.fakes.scripted_model import ScriptedModel


class Phone:
    """One person with one chat."""

    def __init__(self, core: Core, name: str, role: Literal["owner", "guest"] = "owner") -> None:
        self.core = core
        self.name = name
        self.role: Literal["owner", "guest"] = role
        self.client = LocalClient(core, f"phone {name}", through_codec=True)
        self.said: list[ChatSaid] = []
        self._listening = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        async for record in self.client.events():
            if isinstance(record.event, ChatSaid):
                self.said.append(record.event)

    async def say(self, text: str, message: str = "", pressed: str = "") -> None:
        said = SayAs(name=self.name, text=text, message=message, pressed=pressed, role=self.role)
        await self.client.ask(said)

    async def until(self, text: str, limit_s: float = 5.0) -> ChatSaid:
        """The first message that holds a text and was not waited for yet."""
        try:
            async with asyncio.timeout(limit_s):
                while True:
                    for n, one in enumerate(self.said):
                        if text in one.text:
                            del self.said[: n + 1]
                            return one
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise AssertionError(f"waited for {text!r}, heard {self.said}") from None

    async def close(self) -> None:
        self._listening.cancel()
        await self.client.close()


def settle(home: Home, url: str, more: str = "") -> None:
    home.config.write_text(
        f"model:\n  name: scripted\n  base_url: {url}\n"
        f"gateways:\n  folder: {home.path.parent / 'chats'}\n  gather_s: 0.02\n{more}"
    )


@pytest.fixture
async def core(home: Home, scripted: ScriptedModel) -> AsyncIterator[Core]:
    settle(home, scripted.url)
    core = await Core(home, load(home, {}).config, headless=True).start()
    yield core
    await core.end("test over")


@pytest.fixture
async def phone(core: Core) -> AsyncIterator[Phone]:
    phone = Phone(core, "ann")
    yield phone
    await phone.close()
