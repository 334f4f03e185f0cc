"""The log keeps what it was given, in order, and survives what happens around it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import apsw
import pytest

from hermes_tui.errors import NotFoundError, StoreError
from hermes_tui.events import (
    InputReceived,
    Notice,
    Record,
    ReplyReceived,
    SessionStarted,
    TurnEnded,
    TurnStarted,
)
from hermes_tui.home import Home
from hermes_tui.intents import SessionInfo
from hermes_tui.search.index import search
from hermes_tui.store.db import MIGRATIONS, Database
from hermes_tui.store.log import Log


@pytest.fixture
async def log(home: Home) -> AsyncIterator[Log]:
    db = Database(home.database).open()
    yield Log(db)
    await db.close()


async def made(log: Log, name: str = "one", cwd: str = "/tmp", ts: float = 10.0) -> int:
    info = SessionInfo(id=name, title=f"about {name}", cwd=cwd, created=ts, updated=ts)
    first = Record(session=name, n=1, ts=ts, event=SessionStarted(title=info.title, cwd=cwd))
    return await log.create(info, [first])


def notices(session: str, first: int, count: int) -> list[Record]:
    return [
        Record(session=session, n=n, ts=float(n), event=Notice(text=f"no {n}"))
        for n in range(first, first + count)
    ]


async def test_events_come_back_as_they_went_in(log: Log) -> None:
    key = await made(log)
    records = notices("one", 2, 5)
    await log.append(key, records)
    assert (await log.read("one"))[1:] == tuple(records)
    assert [r.n for r in await log.read("one", after=2, before=6)] == [3, 4, 5]
    assert [r.n for r in await log.read("one", limit=2)] == [5, 6]


async def test_a_number_is_never_used_twice(log: Log) -> None:
    key = await made(log)
    await log.append(key, notices("one", 2, 1))
    with pytest.raises(apsw.ConstraintError):
        await log.append(key, notices("one", 2, 1))
    assert len(await log.read("one")) == 2


async def test_one_failing_write_does_not_take_its_neighbours_along(log: Log) -> None:
    key = await made(log)
    results = await asyncio.gather(
        log.append(key, notices("one", 2, 1)),
        log.append(key, notices("one", 2, 1)),
        log.append(key, notices("one", 3, 1)),
        return_exceptions=True,
    )
    assert [type(r).__name__ for r in results] == ["NoneType", "ConstraintError", "NoneType"]
    assert [r.n for r in await log.read("one")] == [1, 2, 3]


async def test_writes_that_wait_together_share_a_commit(log: Log) -> None:
    key = await made(log)
    before = log.db.durable_commits
    await asyncio.gather(*(log.append(key, notices("one", n, 1)) for n in range(2, 102)))
    assert log.db.durable_commits - before < 50
    assert len(await log.read("one")) == 101


async def test_a_plain_write_is_readable_and_costs_no_durable_commit(log: Log) -> None:
    key = await made(log)
    before = log.db.durable_commits
    await log.append(key, notices("one", 2, 1), durable=False)
    assert log.db.durable_commits == before
    assert len(await log.read("one")) == 2


async def test_sessions_are_found_by_id_start_of_id_and_title(log: Log) -> None:
    await made(log, "20261130-0941-ab")
    await made(log, "other")
    for which in ("20261130-0941-ab", "20261130", "ABOUT other", "about oth"):
        _, info = await log.find(which)
        assert info.id in ("20261130-0941-ab", "other")
    with pytest.raises(NotFoundError, match="no session 'gone'"):
        await log.find("gone")


async def test_the_newest_session_of_a_folder(log: Log) -> None:
    await made(log, "old", "/a", 5.0)
    await made(log, "new", "/a", 9.0)
    await made(log, "elsewhere", "/b", 99.0)
    assert await log.newest("/a") == "new"
    assert await log.newest("/none") == ""


async def test_an_open_turn_is_known_until_it_ends(log: Log) -> None:
    key = await made(log)
    await log.append(key, [Record(session="one", n=2, ts=2.0, event=TurnStarted(turn=1))])
    assert await log.open_turns() == ("one",)
    await log.append(key, [Record(session="one", n=3, ts=3.0, event=TurnEnded(turn=1))])
    assert await log.open_turns() == ()


async def test_deleting_a_session_leaves_nothing_in_the_index(log: Log) -> None:
    key = await made(log)
    said = ReplyReceived(turn=1, step=1, text="the marmalade recipe")
    await log.append(key, [Record(session="one", n=2, ts=2.0, event=said)])
    assert len(await search(log.db, "marmalade", 5)) == 1
    await log.delete("one")
    assert await search(log.db, "marmalade", 5) == ()
    assert await log.list() == ()

    def check(c: apsw.Connection) -> None:
        for table in ("recall_message", "recall_block", "recall_index_docsize"):
            assert c.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
        c.execute("INSERT INTO recall_index (recall_index) VALUES ('integrity-check')")

    await log.db.write(check)


@pytest.mark.parametrize(
    "query", ["", "  ", "AND", '"', "a* OR (", "C:\\x", "naïve", "-x", "NEAR("]
)
async def test_no_text_is_bad_grammar(log: Log, query: str) -> None:
    key = await made(log)
    said = InputReceived(input_id="i", text="a naive AND simple x near C# thing")
    await log.append(key, [Record(session="one", n=2, ts=2.0, event=said)])
    hits = await search(log.db, query, 5)
    assert all(hit.session == "one" for hit in hits)


async def test_typed_lines_come_newest_first_without_repeats(log: Log) -> None:
    key = await made(log)
    typed = ["first", "second", "first"]
    records = [
        Record(session="one", n=n, ts=float(n), event=InputReceived(input_id=f"{n}", text=text))
        for n, text in enumerate(typed, 2)
    ]
    await log.append(key, records)
    assert await log.typed(10) == ("first", "second")


async def test_a_newer_database_is_refused_with_a_sentence(home: Home) -> None:
    db = Database(home.database).open()
    await db.write(lambda c: c.pragma("user_version", 999))
    await db.close()
    with pytest.raises(StoreError, match="newer version"):
        Database(home.database).open()


async def test_a_file_that_is_no_database_is_refused_and_left_alone(home: Home) -> None:
    home.database.write_bytes(b"not a database, but precious" * 100)
    with pytest.raises(StoreError, match="damaged"):
        Database(home.database).open()
    assert home.database.read_bytes().startswith(b"not a database")


async def test_a_pinned_and_an_archived_session_stay_so_and_keep_their_age(log: Log) -> None:
    await made(log, "one")
    assert await log.place("one", True, None) == (True, False)
    assert await log.place("one", None, True) == (True, True)
    (info,) = await log.list()
    assert (info.pinned, info.archived, info.updated) == (True, True, 10.0)
    assert await log.newest("/tmp") == ""
    assert await log.place("one", False, False) == (False, False)
    assert await log.newest("/tmp") == "one"
    with pytest.raises(NotFoundError):
        await log.place("none", True, None)


async def test_a_home_of_the_first_version_gets_the_new_columns(home: Home) -> None:
    first = apsw.Connection(str(home.database))
    first.execute((MIGRATIONS / "0001.sql").read_text()).fetchall()
    first.execute(
        "INSERT INTO session (id, title, created, updated) VALUES ('old', 'Old', 1, 2)"
    ).fetchall()
    first.pragma("user_version", 1)
    first.close()
    db = Database(home.database).open()
    (info,) = await Log(db).list()
    assert (info.id, info.pinned, info.archived) == ("old", False, False)
    await db.close()
