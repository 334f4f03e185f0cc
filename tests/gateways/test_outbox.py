"""What goes out arrives once, in order, whatever happens on the way."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest

from hermes_tui.errors import HermesError
from hermes_tui.gateways.base import Address, Message, SendError
from hermes_tui.gateways.sending import Sender
from hermes_tui.home import Home
from hermes_tui.store import outbox as rows
from hermes_tui.store.db import Database
from hermes_tui.store.inbox import Inbox
from hermes_tui.store.outbox import Outbox, OutboxFullError


class Platform:
    """A platform that keeps what it got, and fails as often as it is told."""

    platform = "telegram"

    def __init__(self) -> None:
        self.got: list[tuple[str, str]] = []
        self.keys: list[str] = []
        self.failures: list[Exception] = []

    def messages(self, text: str) -> tuple[Message, ...]:
        return tuple(Message(text=part) for part in text.split("|"))

    async def send(self, to: Address, message: Message, key: str) -> str:
        if self.failures:
            raise self.failures.pop(0)
        self.got.append((to.chat, message.text))
        self.keys.append(key)
        return str(len(self.got))


class DiedError(BaseException):
    """Stands for the end of the process: nothing after it is done."""


@pytest.fixture
async def db(home: Home) -> AsyncIterator[Database]:
    db = Database(home.database).open()
    yield db
    await db.close()


@pytest.fixture
def outbox(db: Database) -> Outbox:
    return Outbox(db)


async def test_what_was_put_arrives_with_its_number(outbox: Outbox) -> None:
    platform = Platform()
    number = await outbox.put("telegram:7", "hello")
    await Sender(outbox, platform).once()
    row = await outbox.row(number)
    assert platform.got == [("7", "hello")]
    assert row is not None
    assert (row.state, row.proof, row.doubt) == ("sent", "1", False)


async def test_the_same_key_is_one_text(outbox: Outbox) -> None:
    first = await outbox.put("telegram:7", "hello", key="k")
    assert await outbox.put("telegram:7", "hello", key="k") == first
    platform = Platform()
    await Sender(outbox, platform).once()
    assert await outbox.put("telegram:7", "hello", key="k") == first
    await Sender(outbox, platform).once()
    assert platform.got == [("7", "hello")]


async def test_a_failure_is_tried_again_and_keeps_the_order(
    outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.gateways.sending.FIRST_WAIT_S", 0.0)
    platform = Platform()
    platform.failures = [SendError("502"), SendError("502"), SendError("502")]
    for text in ("one", "two"):
        await outbox.put("telegram:7", text)
    sender = Sender(outbox, platform)
    until = time.monotonic() + 2
    while len(platform.got) < 2 and time.monotonic() < until:
        await sender.once()
    assert [text for _, text in platform.got] == ["one", "two"]


async def test_nothing_overtakes_a_text_that_waits_for_its_time(outbox: Outbox) -> None:
    platform = Platform()
    platform.failures = [SendError("slow down", retry_after=60)]
    await outbox.put("telegram:7", "one")
    await outbox.put("telegram:7", "two")
    await outbox.put("telegram:8", "other")
    sender = Sender(outbox, platform)
    await sender.once()
    await sender.once()
    assert platform.got == [("8", "other")]


async def test_a_dead_chat_is_given_up_and_holds_up_nothing(outbox: Outbox) -> None:
    platform = Platform()
    platform.failures = [SendError("blocked by the user", dead=True)]
    number = await outbox.put("telegram:7", "one")
    sender = Sender(outbox, platform)
    await sender.once()
    row = await outbox.row(number)
    assert row is not None
    assert (row.state, row.error) == ("failed", "blocked by the user")


async def test_after_a_death_only_what_is_missing_goes_out_and_doubt_is_marked(
    outbox: Outbox,
) -> None:
    platform = Platform()
    done = await outbox.put("telegram:6", "done")
    await Sender(outbox, platform).once()
    number = await outbox.put("telegram:7", "a|b|c", key="long")
    platform.failures = []
    real = outbox.progressed
    calls: list[int] = []

    async def dying(number: int, parts: int, proof: str) -> None:
        calls.append(parts)
        if parts == 2:
            raise DiedError
        await real(number, parts, proof)

    outbox.progressed = dying  # type: ignore[method-assign]
    with pytest.raises(BaseExceptionGroup):
        await Sender(outbox, platform).once()
    outbox.progressed = real  # type: ignore[method-assign]
    assert await outbox.recover() == 1
    await Sender(outbox, platform).once()
    row, other = await outbox.row(number), await outbox.row(done)
    assert [text for chat, text in platform.got if chat == "7"] == ["a", "b", "b", "c"]
    assert len(set(platform.keys)) == 4, "b went twice under one key, so a platform can tell"
    assert row is not None
    assert row.doubt
    assert row.state == "sent"
    assert other is not None
    assert not other.doubt


async def test_what_waited_too_long_is_not_sent(outbox: Outbox) -> None:
    platform = Platform()
    number = await outbox.put("telegram:7", "old", age_s=-1)
    await Sender(outbox, platform).once()
    row = await outbox.row(number)
    assert platform.got == []
    assert row is not None
    assert row.state == "expired"


async def test_a_flood_goes_as_fewer_messages_and_none_is_missing(outbox: Outbox) -> None:
    platform = Platform()
    texts = [f"line {number}" for number in range(60)]
    for text in texts:
        await outbox.put("telegram:7", text)
    sender = Sender(outbox, platform)
    while await sender.once():
        assert len(platform.got) < 60
    assert "\n\n".join(text for _, text in platform.got).split("\n\n") == texts
    assert len(platform.got) <= 3


async def test_a_chat_that_takes_nothing_ends_the_flood_at_its_source(
    outbox: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MOST_WAITING", 3)
    for number in range(3):
        await outbox.put("telegram:7", str(number))
    with pytest.raises(OutboxFullError):
        await outbox.put("telegram:7", "more")
    await outbox.put("telegram:8", "another chat is not concerned")


@pytest.mark.parametrize(("target", "text"), [("telegram", "x"), (":7", "x"), ("telegram:7", " ")])
async def test_nowhere_and_nothing_are_refused(outbox: Outbox, target: str, text: str) -> None:
    with pytest.raises(HermesError):
        await outbox.put(target, text)


async def test_a_message_that_comes_twice_is_taken_once(db: Database) -> None:
    inbox = Inbox(db)
    number = await inbox.take("telegram", "7", "1001", "{}")
    assert number is not None
    assert await inbox.take("telegram", "7", "1001", "{}") is None
    assert await inbox.waiting() == ((number, "{}"),)
    await inbox.done(number)
    assert await inbox.take("telegram", "7", "1001", "{}") is None
    assert await inbox.waiting() == ()


async def test_a_fault_of_a_library_holds_up_no_other_chat_and_is_in_doubt(outbox: Outbox) -> None:
    platform = Platform()
    platform.failures = [ZeroDivisionError("inside a library")]
    first = await outbox.put("telegram:7", "hello")
    second = await outbox.put("telegram:8", "there")
    sender = Sender(outbox, platform)
    await sender.once()
    rows = [await outbox.row(number) for number in (first, second)]
    states = {row.state: row.doubt for row in rows if row is not None}
    assert states == {"waiting": True, "sent": False}


async def test_what_may_have_been_shown_twice_is_counted(outbox: Outbox) -> None:
    await outbox.put("telegram:7", "surely once")
    await outbox.put("telegram:8", "perhaps twice")
    await outbox.claim("telegram:8", time.time())
    assert await outbox.recover() == 1
    await Sender(outbox, Platform()).once()
    counts = (await outbox.counts())["telegram"]
    assert (counts.waiting, counts.failed, counts.doubtful) == (0, 0, 1)


async def test_a_core_that_starts_tries_at_once_what_waited_long_to_be_tried(
    outbox: Outbox,
) -> None:
    await outbox.put("telegram:7", "hello")
    rows = await outbox.claim("telegram:7", time.time())
    await outbox.failed(rows, "no line", time.time() + 300)
    await outbox.recover()
    assert await outbox.targets("telegram", time.time()) == ("telegram:7",)
    row = await outbox.row(rows[0].id)
    assert row is not None
    assert not row.doubt
