"""Texts reach Telegram through the real library: whole, marked, in topics, and on record."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import apsw
import pytest
from msgspec.structs import replace

from hermes_tui.config import Config, TelegramConfig
from hermes_tui.errors import HermesError
from hermes_tui.gateways.base import Address, Message, SendError
from hermes_tui.gateways.telegram import Telegram
from hermes_tui.home import Home
from hermes_tui.intents import SendOut
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.security.vault import write_file
from tests.gateways.bot_api import TOKEN, BotApi, bot_api, refusal

HERE = Address(platform="telegram", chat="7")


@pytest.fixture
async def api() -> AsyncIterator[BotApi]:
    async with bot_api() as server:
        yield server


@pytest.fixture
async def telegram(api: BotApi) -> AsyncIterator[Telegram]:
    made = Telegram(lambda: TOKEN, api.url)
    yield made
    await made.close()


async def test_marks_and_topics_arrive(api: BotApi, telegram: Telegram) -> None:
    (message,) = telegram.messages("🚀 **bold** [a](http://e.test/x)")
    to = Address(platform="telegram", chat="-1007", thread="9")
    assert await telegram.send(to, message, "k") == "101"
    (got,) = api.got
    assert (got["chat_id"], got["message_thread_id"], got["text"]) == ("-1007", "9", "🚀 bold a")
    assert got["entities"] == [
        {"type": "bold", "offset": 3, "length": 4},
        {"type": "text_link", "offset": 8, "length": 1, "url": "http://e.test/x"},
    ]


async def test_what_telegram_does_not_understand_goes_as_plain_text(
    api: BotApi, telegram: Telegram
) -> None:
    api.failures = [refusal(400, "Bad Request: can't parse entities: what is that")]
    (message,) = telegram.messages("**bold**")
    await telegram.send(HERE, message, "k")
    assert [(one["text"], one["entities"]) for one in api.got] == [("bold", [])]


async def test_failures_say_whether_and_when_to_try_again(api: BotApi, telegram: Telegram) -> None:
    api.failures = [
        refusal(429, "Too Many Requests: retry after 9", retry_after=9),
        refusal(403, "Forbidden: bot was blocked by the user"),
        refusal(400, "Bad Request: chat not found"),
        refusal(502, "Bad Gateway"),
    ]
    seen: list[tuple[float, bool]] = []
    for _ in range(4):
        with pytest.raises(SendError) as failure:
            await telegram.send(HERE, Message(text="x"), "k")
        seen.append((failure.value.retry_after, failure.value.dead))
    assert seen == [(9.0, False), (0.0, True), (0.0, True), (0.0, False)]


async def test_without_a_token_nothing_is_sent(api: BotApi) -> None:
    with pytest.raises(SendError, match="no token"):
        await Telegram(lambda: "  ", api.url).send(HERE, Message(text="x"), "k")


def due_now(c: apsw.Connection) -> None:
    c.execute("UPDATE outbox SET due = 0")


def settings(api: BotApi, home_chat: str = "7") -> Config:
    telegram = TelegramConfig(enabled=True, base_url=api.url, home_chat=home_chat)
    return replace(Config(), telegram=telegram)


@pytest.mark.parametrize("stays", [True, False])
async def test_a_face_sends_and_knows_it_arrived(api: BotApi, home: Home, stays: bool) -> None:
    home.ensure()
    write_file(home, "TELEGRAM_BOT_TOKEN", TOKEN)
    core = await Core(home, settings(api), headless=True, resume=stays).start(listen=False)
    try:
        client = LocalClient(core, through_codec=True)
        sent = await client.ask(SendOut(target="telegram", text="x" * 5000, key="once"))
        again = await client.ask(SendOut(target="telegram", text="x" * 5000, key="once"))
        with pytest.raises(HermesError, match="no gateway"):
            await client.ask(SendOut(target="moon:1", text="x"))
    finally:
        await core.end("the test is over")
    assert sent == again
    assert (sent.state, sent.target, sent.proof) == ("sent", "telegram:7", "102")
    assert [len(one["text"]) for one in api.got] == [4096, 904]


async def test_what_could_not_be_sent_goes_out_with_the_next_core(api: BotApi, home: Home) -> None:
    home.ensure()
    write_file(home, "TELEGRAM_BOT_TOKEN", TOKEN)
    api.failures = [refusal(502, "Bad Gateway")]
    first = await Core(home, settings(api), headless=True, resume=False).start(listen=False)
    sent = await LocalClient(first).ask(SendOut(target="telegram:8", text="later"))
    assert (sent.state, api.got) == ("waiting", [])
    await first.db.write(due_now)
    await first.end("the test kills it")
    second = await Core(home, settings(api), headless=True).start(listen=False)
    until = time.monotonic() + 2
    try:
        chats = second.outbox
        assert chats is not None
        row = await chats.settled(sent.number, 2)
        while row is not None and row.state != "sent" and time.monotonic() < until:
            row = await chats.settled(sent.number, 0.1)
        assert row is not None
        assert row.state == "sent"
    finally:
        await second.end("the test is over")
    assert [one["text"] for one in api.got] == ["later"]
