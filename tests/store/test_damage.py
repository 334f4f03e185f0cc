"""A damaged file is noticed, indexes are made anew, and nothing is written over other damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.errors import DamagedError, StoreError
from hermes_tui.events import InputReceived, Record, SessionStarted
from hermes_tui.home import Home
from hermes_tui.intents import SessionInfo
from hermes_tui.search.index import search
from hermes_tui.store import damage, message_index, spool
from hermes_tui.store.db import Database
from hermes_tui.store.log import Log
from tests.store.damaging import spoil


async def filled(path: Path, count: int = 40) -> int:
    """A closed database with one session of so many messages; the session's key."""
    db = Database(path).open()
    log = Log(db)
    info = SessionInfo(id="one", title="about one", cwd="/tmp", created=1.0, updated=1.0)
    first = Record(session="one", n=1, ts=1.0, event=SessionStarted(title="t", cwd="/tmp"))
    key = await log.create(info, [first])
    await log.append(key, [typed(n) for n in range(2, count + 2)])
    await db.close()
    return key


def typed(n: int, text: str = "") -> Record:
    event = InputReceived(input_id=f"in-{n}", text=text or f"marmalade number {n}")
    return Record(session="one", n=n, ts=float(n), event=event)


async def index_all(db: Database) -> None:
    while await db.write(lambda c: message_index.index_some(c, 100)):
        pass


@pytest.mark.parametrize(
    "table", ["recall_index_data", "recall_index_idx", "recall_message", "recall_index_docsize"]
)
async def test_a_damaged_search_index_is_made_anew_and_every_message_still_goes_in(
    home: Home, table: str
) -> None:
    key = await filled(home.database)
    spoil(home.database, table)
    db, told = Database(home.database).open(), list[str]()
    db.on_damage = told.append
    log = Log(db)
    await log.append(key, [typed(42, "oranges arrived")])
    db.examine()
    await log.append(key, [typed(43, "sugar arrived")])
    assert (db.damage, told) == ("", [""])
    await index_all(db)
    for word, count in (("marmalade", 40), ("oranges", 1), ("sugar", 1)):
        assert len(await search(db, word, limit=100)) == count, word
    assert [one.n for one in await log.read("one")] == list(range(1, 44))
    assert await db.read(damage.damaged) == ()
    await db.close()


async def test_damage_in_the_events_stops_all_writing_and_messages_go_to_a_file(
    home: Home,
) -> None:
    key = await filled(home.database)
    spoil(home.database, "event")
    db, told = Database(home.database).open(), list[str]()
    db.on_damage = told.append
    log = Log(db)
    before = home.database.read_bytes()
    for n in (42, 43):
        with pytest.raises(DamagedError, match="is kept in"):
            await log.append(key, [typed(n, f"kept {n}")])
    assert "event" in db.damage
    assert told == [db.damage]
    assert [one.text for one in spool.waiting(home.database)] == ["kept 42", "kept 43"]
    assert home.database.with_name(spool.NAME).stat().st_mode & 0o077 == 0
    with pytest.raises(DamagedError, match="is damaged"):
        await db.write(lambda c: c.execute("DELETE FROM session").close())
    await db.close()
    assert home.database.read_bytes() == before


async def test_a_file_without_its_first_page_is_refused_at_the_start(home: Home) -> None:
    await filled(home.database)
    with home.database.open("r+b") as file:
        file.write(bytes(4096))
    with pytest.raises(StoreError) as caught:
        Database(home.database).open()
    assert "damaged" in caught.value.message
    assert "hermes restore" in caught.value.hint


async def test_a_read_that_meets_damage_has_the_file_looked_at(home: Home) -> None:
    await filled(home.database)
    spoil(home.database, "event")
    db = Database(home.database).open()
    with pytest.raises(StoreError):
        await Log(db).read("one")
    with pytest.raises(DamagedError):
        await db.write(lambda c: None)
    await db.close()


async def test_a_line_of_the_file_that_was_cut_off_hides_no_other(home: Home) -> None:
    spool.keep(home.database, spool.lines([typed(1), typed(2)]))
    path = home.database.with_name(spool.NAME)
    path.write_bytes(path.read_bytes()[:-9])
    assert [one.input_id for one in spool.waiting(home.database)] == ["in-1"]
