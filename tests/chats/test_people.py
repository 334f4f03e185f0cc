"""Only who was let in is heard: by id, never by name, and not a moment longer than they are in."""

from __future__ import annotations

import logging
import string
from collections.abc import AsyncIterator

import pytest

from hermes_tui.config import Config, GatewaysConfig, TelegramConfig
from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.gateways.base import Inbound
from hermes_tui.home import Home
from hermes_tui.runtime.chats.people import People
from hermes_tui.store import pairing as rows
from hermes_tui.store.db import Database
from hermes_tui.store.pairing import Pairing, Person


def config(**telegram: object) -> Config:
    return Config(telegram=TelegramConfig(enabled=True, owners=("7",), **telegram))  # type: ignore[arg-type]


@pytest.fixture
async def people(home: Home) -> AsyncIterator[People]:
    db = Database(home.database).open()
    yield People(config, Pairing(db))
    await db.close()


def said(text: str = "hi", **more: object) -> Inbound:
    more = {"chat": "666", "message": "1", "sender": "666", "name": "Ada", **more}
    return Inbound(platform="telegram", text=text, **more)  # type: ignore[arg-type]


def test_an_id_makes_the_owner_and_a_name_makes_nothing(people: People) -> None:
    assert people.role("telegram", "7") == "owner"
    assert people.role("telegram", "666") is None
    assert people.role("discord", "7") is None
    assert people.role("telegram", "") is None


async def test_a_stranger_is_not_answered_and_noted_once(
    people: People, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "hermes_tui")
    assert await people.stranger(said()) is None
    assert await people.stranger(said("let me in", message="2")) is None
    assert [one.sender for one in await people.pairing.requests()] == ["666"]
    assert caplog.text.count("was not answered") == 2
    assert "Ada" not in caplog.text
    assert "let me in" not in caplog.text


async def test_at_most_three_strangers_wait_at_once(people: People) -> None:
    for number in range(9):
        await people.stranger(said(sender=str(600 + number)))
    assert len(await people.pairing.requests()) == 3


async def test_a_request_is_approved_by_its_code_and_only_once(people: People) -> None:
    await people.stranger(said())
    (request,) = await people.pairing.requests()
    assert set(request.code) <= set(string.ascii_uppercase + string.digits)
    assert len(request.code) == 8
    person = await people.pairing.approve(request.code.lower())
    await people.load()
    assert (person.sender, people.role("telegram", "666")) == ("666", "guest")
    with pytest.raises(NotFoundError):
        await people.pairing.approve(request.code)


async def test_a_code_lives_an_hour(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    await people.stranger(said())
    (request,) = await people.pairing.requests()
    now = rows.time.time()
    monkeypatch.setattr(rows.time, "time", lambda: now + 3601)
    with pytest.raises(NotFoundError):
        await people.pairing.approve(request.code)
    assert await people.pairing.requests() == ()


async def test_a_code_that_was_handed_on_lets_in_whoever_writes_it_first(people: People) -> None:
    made = await people.pairing.make_code("telegram", "guest")
    assert await people.stranger(said(f"/pair {made.code}", sender="5")) is not None
    assert people.role("telegram", "5") == "guest"
    assert await people.stranger(said(made.code, sender="6")) is None


async def test_a_code_of_one_platform_opens_no_other_and_none_opens_in_a_group(
    people: People,
) -> None:
    made = await people.pairing.make_code("discord", "owner")
    assert await people.stranger(said(made.code)) is None
    made = await people.pairing.make_code("telegram", "owner")
    assert await people.stranger(said(made.code, group=True)) is None


async def test_codes_cant_be_guessed_at_leisure(people: People) -> None:
    for number in range(5):
        await people.stranger(said(f"AAAAAAA{number + 2}"))
    made = await people.pairing.make_code("telegram", "guest")
    assert await people.stranger(said(made.code)) is None
    assert await people.stranger(said(made.code, sender="5")) is not None


async def test_ordinary_words_are_no_tries(people: People) -> None:
    for number in range(20):
        await people.stranger(said(f"hello number {number}"))
    made = await people.pairing.make_code("telegram", "guest")
    assert await people.stranger(said(made.code)) is not None


async def test_whoever_is_put_out_is_out_at_once(people: People) -> None:
    await people.pairing.let_in(Person(platform="telegram", sender="5"))
    await people.load()
    assert people.role("telegram", "5") == "guest"
    assert await people.pairing.revoke("telegram", "5")
    await people.load()
    assert people.role("telegram", "5") is None
    assert not await people.pairing.revoke("telegram", "5")


async def test_nobody_is_let_in_without_an_id(people: People) -> None:
    with pytest.raises(HermesError):
        await people.pairing.let_in(Person(platform="telegram", sender=""))


@pytest.mark.parametrize(
    ("groups", "mention", "spoken_to", "heard"),
    [
        ((), True, True, False),
        (("-100",), True, True, True),
        (("-100",), True, False, False),
        (("-100",), False, False, True),
        (("-200",), False, True, False),
        (("*",), True, True, True),
    ],
)
async def test_groups_count_when_they_are_named_and_it_is_spoken_to(
    home: Home, groups: tuple[str, ...], mention: bool, spoken_to: bool, heard: bool
) -> None:
    db = Database(home.database).open()
    people = People(lambda: config(groups=groups, mention=mention), Pairing(db))
    message = said(chat="-100", sender="7", group=True, spoken_to=spoken_to)
    assert people.listens(message) is heard
    await db.close()


async def test_requests_of_strangers_can_be_switched_off(home: Home) -> None:
    db = Database(home.database).open()
    quiet = Config(gateways=GatewaysConfig(pairing=False))
    people = People(lambda: quiet, Pairing(db))
    await people.stranger(said())
    assert await people.pairing.requests() == ()
    await db.close()
