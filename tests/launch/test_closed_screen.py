"""The screen is closed: chats are answered and jobs come all the same, told where one looks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.scripted_model import say
from tests.gateways.bot_api import TOKEN
from tests.launch.hermes import Place, until
from tests.launch.test_coming_back import hermes, ready
from tests.launch.test_leaving import headless
from tests.launch.test_phone_and_screen import Phone, telegram

pytestmark = pytest.mark.slow


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


def test_jobs_and_chats_go_on_when_the_screen_is_closed(place: Place, phone: Phone) -> None:
    place.model.script = [say("answered in the chat")]
    with hermes(place) as window:
        ready(window)
        core = place.core()
    until(lambda: headless(core))
    spoken = ("--say", "the kettle is on", "--deliver", "telegram")
    added = place.run("cron", "add", "in 3s", *spoken)
    assert added.code == 0, added
    phone.until("the kettle is on")
    phone.says("are you there?")
    phone.until("answered in the chat")
    assert place.core() == core
    assert phone.heard.count("the kettle is on") == 1
