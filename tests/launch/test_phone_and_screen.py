"""One conversation, live on a terminal and in Telegram at once; either can go."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest

from tests.fakes.scripted_model import say
from tests.gateways.bot_api import TOKEN
from tests.gateways.rig_telegram import TelegramRig, rig
from tests.launch.hermes import Place, until
from tests.launch.test_coming_back import hermes, ready
from tests.launch.test_leaving import headless


class Phone:
    """The owner's Telegram: a server in a thread of its own."""

    def __init__(self, made: TelegramRig, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._rig = made
        self.url = made.api.url

    def says(self, text: str) -> None:
        """Write to the bot."""
        asyncio.run_coroutine_threadsafe(self._rig.says(text), self.loop).result(5)

    @property
    def heard(self) -> str:
        """Everything the bot has written, as it stands."""
        shown = {one.proof: one.text for one in self._rig.sent()} | dict(self._rig.edited())
        return "\n".join(shown.values())

    def until(self, text: str, times: int = 1) -> None:
        """Wait for a text."""
        until(lambda: self.heard.count(text) >= times, what=lambda: self.heard)


@contextmanager
def telegram() -> Generator[Phone]:
    """A server that runs beside the test."""
    made: list[Phone] = []
    there, over = threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with rig() as one:
            made.append(Phone(one, asyncio.get_running_loop()))
            there.set()
            await over.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert there.wait(5)
    try:
        yield made[0]
    finally:
        made[0].loop.call_soon_threadsafe(over.set)
        thread.join(5)


@pytest.fixture
def phone(place: Place) -> Iterator[Phone]:
    with telegram() as made:
        place.more["TELEGRAM_BOT_TOKEN"] = TOKEN
        place.home.config.write_text(
            "gateways:\n  gather_s: 0.05\n"
            "telegram:\n  enabled: true\n  owners: ['7']\n  home_chat: '7'\n"
            f"  base_url: {made.url}\n"
        )
        yield made


@pytest.mark.slow
def test_terminal_and_telegram_are_one_live_conversation(place: Place, phone: Phone) -> None:
    place.model.script = [say("first answer"), say("second answer"), say("third answer")]
    with hermes(place) as window:
        ready(window)
        window.type("/link telegram\r")
        window.until("one conversation now")
        window.type("asked at the desk\r")
        window.until("first answer")
        phone.until("first answer")
        phone.until("asked at the desk")
        phone.says("asked on the phone")
        window.until("asked on the phone")
        window.until("second answer")
        phone.until("second answer")
        core = place.core()
    until(lambda: headless(core))
    phone.says("still there?")
    phone.until("third answer")
    with hermes(place, "attach") as window:
        window.until("third answer")
        window.until("still there?")
    assert [phone.heard.count(one) for one in ("first", "second", "third")] == [1, 1, 1]
    assert len(place.model.requests) == 3
