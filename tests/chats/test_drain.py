"""What waits is worked on in order, the owner's first, however much it is."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import apsw
import msgspec
import pytest

from hermes_tui.configuration.load import load
from hermes_tui.gateways.base import Inbound
from hermes_tui.home import Home
from hermes_tui.runtime.core import Core
from hermes_tui.store.db import Database
from hermes_tui.store.pairing import Pairing, Person
from tests.chats.conftest import settle
from tests.fakes.scripted_model import Asked, Reply, ScriptedModel, say

GUESTS = 30
EACH = 10


async def flood(
    home: Home, owner_at: int, ts: float = 0.0, *, guests: int = GUESTS, each: int = EACH
) -> None:
    """Messages of many guests, and one of the owner somewhere among them."""
    db = Database(home.database).open()
    pairing = Pairing(db)
    await pairing.let_in(Person(platform="cli", sender="me", role="owner"))
    rows: list[tuple[str, str, str, int]] = []
    for number in range(guests * each):
        who = f"guest{number % guests}"
        if number < guests:
            await pairing.let_in(Person(platform="cli", sender=who))
        rows.append((who, str(number), f"{who}-mark{number // guests}", 1))
        if number == owner_at:
            rows.append(("me", "m", "the owner's word", 0))
    await db.write(lambda c: c.executemany(_INSERT, [_row(*row, ts) for row in rows]).get)
    await db.close()


_INSERT = (
    "INSERT INTO inbox (platform, chat, message, state, received, data, target, rank)"
    " VALUES ('cli', ?, ?, 'waiting', ?, ?, ?, ?)"
)


def _row(who: str, number: str, text: str, rank: int, ts: float) -> tuple[object, ...]:
    message = Inbound(platform="cli", chat=who, message=number, sender=who, text=text, ts=ts)
    data = msgspec.json.encode(message).decode()
    return (who, number, time.time() - 5, data, f"cli:{who}", rank)


def heard(asked: Asked) -> str:
    return str([one for one in asked.json["messages"] if one["role"] == "user"][-1]["content"])


async def settled(core: Core, limit_s: float = 20.0) -> None:
    """Until nothing waits and nobody works."""
    async with asyncio.timeout(limit_s):
        while await core.outside.chats.inbox.waiting() or any(  # noqa: ASYNC110
            one.working for one in core.sessions.values()
        ):
            await asyncio.sleep(0.02)


async def test_the_owner_comes_first_and_every_chat_keeps_its_order(
    home: Home, scripted: ScriptedModel
) -> None:
    settle(home, scripted.url)
    await flood(home, owner_at=GUESTS * EACH - 1)
    scripted.answer = lambda asked: say("fine")
    core = await Core(home, load(home, {}).config, headless=True).start(listen=False)
    await core.outside.chats.start()
    await settled(core)
    said = [heard(asked) for asked in scripted.requests]
    first = next(n for n, text in enumerate(said) if "the owner's word" in text)
    assert first <= core.config.gateways.parallel
    assert scripted.peak_live <= core.config.gateways.parallel + 1
    words = [word.split("-mark") for word in " ".join(said).split() if "-mark" in word]
    for guest in range(GUESTS):
        marks = [int(mark) for who, mark in words if who == f"guest{guest}"]
        assert marks == list(range(EACH))
    await core.end("done")


async def test_what_is_too_old_is_listed_and_not_worked_on(
    home: Home, scripted: ScriptedModel
) -> None:
    settle(home, scripted.url)
    await flood(home, owner_at=0, ts=time.time() - 3 * 86_400)
    core = await Core(home, load(home, {}).config, headless=True).start(listen=False)
    await core.outside.chats.start()
    await settled(core)
    assert scripted.requests == []
    db = apsw.Connection(str(Path(home.database)), flags=apsw.SQLITE_OPEN_READONLY)
    texts = [str(row[0]) for row in db.execute("SELECT text FROM outbox")]
    db.close()
    assert len(texts) == GUESTS + 1
    assert all("I was away too long" in text for text in texts)
    assert any("the owner's word (3 days ago)" in text for text in texts)
    await core.end("done")


@pytest.mark.parametrize("ago", [30, 900])
async def test_an_input_says_when_it_was_sent_if_that_is_long_ago(
    home: Home, scripted: ScriptedModel, ago: int
) -> None:
    settle(home, scripted.url)
    await flood(home, owner_at=0, ts=time.time() - ago)

    def answer(asked: Asked) -> Reply:
        return say("fine")

    scripted.answer = answer
    core = await Core(home, load(home, {}).config, headless=True).start(listen=False)
    await core.outside.chats.start()
    await scripted.until(1)
    assert ("[sent 15 min ago]" in heard(scripted.requests[0])) is (ago == 900)
    await core.end("done")
