"""`hermes gateway setup`, as somebody with a new bot goes through it, and what a program does."""

from __future__ import annotations

import socket

import pytest

from tests.gateways.bot_api import TOKEN
from tests.gateways.rig_telegram import HOOK, HOOK_SECRET
from tests.launch.hermes import Place, command, until
from tests.launch.test_phone_and_screen import telegram
from tests.launch.window import Window

pytestmark = pytest.mark.slow


def with_webhook() -> str:
    """Settings of somebody whose bot is to be called."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return f"  webhook_url: {HOOK}\nhttp:\n  port: {port}\n  api: false\n"


@pytest.mark.parametrize("called", [False, True])
def test_the_owner_is_who_writes_and_says_so(place: Place, called: bool) -> None:
    with telegram() as phone:
        place.more["TELEGRAM_WEBHOOK_SECRET"] = HOOK_SECRET
        more = with_webhook() if called else ""
        place.home.config.write_text(f"telegram:\n  base_url: {phone.url}\n{more}")
        setup = command("gateway", "setup", "telegram")
        with Window(setup, place.env, place.folder) as window:
            window.until("The bot's token")
            window.type(f"{TOKEN}\r")
            window.until("write it any word")
            phone.says("it is me")
            window.until("Is this you?")
            assert "'it is me'" in window.text
            window.type("y\r")
            window.until("Telegram is enabled; you are 7 there.")
            assert window.ended() == 0
            assert TOKEN.partition(":")[2].encode() not in window.raw
        assert TOKEN not in place.home.config.read_text()
        assert place.run("daemon", "start").code == 0
        until(lambda: place.run("gateway", "test", "telegram").code == 0)
        phone.until("Hermes can reach you here")
        place.end()
        assert TOKEN.partition(":")[2] not in place.home.log.read_text()


def test_who_says_no_sets_nothing_up(place: Place) -> None:
    with telegram() as phone:
        place.home.config.write_text(f"telegram:\n  base_url: {phone.url}\n")
        setup = command("gateway", "setup", "telegram")
        with Window(setup, place.env, place.folder) as window:
            window.until("The bot's token")
            window.type(f"{TOKEN}\r")
            window.until("write it any word")
            phone.says("somebody else")
            window.until("Is this you?")
            window.type("n\r")
            window.until("nothing was set up")
            assert window.ended() == 1
        assert "owners" not in place.home.config.read_text()


def test_a_program_sets_a_gateway_up_without_being_asked(place: Place) -> None:
    with telegram() as phone:
        place.home.config.write_text(f"telegram:\n  base_url: {phone.url}\n")
        asked = place.run("gateway", "setup", "telegram")
        assert asked.code == 1
        assert "--owner ID --enable" in asked.out + asked.err
        nobody = place.run("gateway", "setup", "telegram", "--enable")
        assert nobody.code == 1
        assert "needs an owner" in nobody.out + nobody.err
        place.more["TELEGRAM_BOT_TOKEN"] = TOKEN
        done = place.run("gateway", "setup", "telegram", "--enable", "--owner", "7")
        assert done.code == 0, done
        assert place.run("daemon", "start").code == 0
        until(lambda: place.run("gateway", "test", "telegram").code == 0)
        phone.until("Hermes can reach you here")
