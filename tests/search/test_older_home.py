"""A home of an older version is searched in full again, without a long start."""

from __future__ import annotations

import apsw
import pytest

from hermes_tui.codec import encode_event
from hermes_tui.config import Config
from hermes_tui.events import InputReceived, MessageImported, Record, SessionStarted
from hermes_tui.home import Home
from hermes_tui.intents import Search
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.search.index import search
from hermes_tui.store import message_index
from hermes_tui.store.db import MIGRATIONS, Database
from hermes_tui.store.log import Log

SESSIONS, MESSAGES = 3, 25


@pytest.fixture
def older(home: Home) -> Home:
    """A home as version 2 of the store left it."""
    c = apsw.Connection(str(home.database))
    for number in ("0001", "0002"):
        c.execute((MIGRATIONS / f"{number}.sql").read_text()).fetchall()
    c.pragma("user_version", 2)
    for key in range(1, SESSIONS + 1):
        c.execute(
            "INSERT INTO session (key, id, created, updated, last) VALUES (?, ?, ?, ?, ?)",
            (key, f"s{key}", 5.0, 5.0 + key, MESSAGES + 1),
        )
        events = [SessionStarted(origin="import")]
        texts = [f"otters number {i} of {key}" for i in range(MESSAGES)]
        events += [
            MessageImported(message_id=f"{i}", role="user", text=t) for i, t in enumerate(texts)
        ]
        for n, event in enumerate(events, 1):
            kind, version, data = encode_event(event)
            row = (key, n, 5.0 + n, kind, version, data.decode())
            c.execute(
                "INSERT INTO event (session, n, ts, kind, v, data) VALUES (?, ?, ?, ?, ?, ?)", row
            )
    c.close()
    return home


async def test_old_messages_enter_the_index_in_small_steps(older: Home) -> None:
    db = Database(older.database).open()
    assert await search(db, "otters", 5) == ()
    steps, left = 0, SESSIONS
    while left:
        left = await db.write(lambda c: message_index.index_some(c, 10))
        steps += 1
    assert steps == SESSIONS * 3
    assert len(await search(db, "otters", 200)) == SESSIONS * MESSAGES
    await db.close()


async def test_what_is_said_while_the_past_is_indexed_is_found_once(older: Home) -> None:
    db = Database(older.database).open()
    log = Log(db)
    await db.write(lambda c: message_index.index_some(c, 10))  # a part of s3
    said = InputReceived(input_id="new", text="otters of today")
    await log.append(3, [Record(session="s3", n=MESSAGES + 2, ts=99.0, event=said)])
    while await db.write(lambda c: message_index.index_some(c, 10)):
        pass
    hits = list(await search(db, "otters in:s3", 200))
    assert sorted(hit.n for hit in hits) == list(range(2, MESSAGES + 3))
    await db.close()


async def test_a_session_deleted_before_it_was_indexed_is_gone(older: Home) -> None:
    db = Database(older.database).open()
    await Log(db).delete("s2")
    while await db.write(lambda c: message_index.index_some(c, 10)):
        pass
    assert {hit.session for hit in await search(db, "otters", 200)} == {"s1", "s3"}
    await db.close()


@pytest.mark.parametrize("resume", [True, False])
async def test_a_core_finds_the_past_of_an_older_home(older: Home, resume: bool) -> None:
    core = await Core(older, Config(), headless=True, resume=resume).start(listen=False)
    client = LocalClient(core, "test")

    async def found() -> int:
        return len((await client.ask(Search(query="otters", limit=200))).hits)

    count = await found()
    while resume and count < SESSIONS * MESSAGES:
        reply = await client.ask(Search(query="otters", limit=200))
        assert reply.waiting or len(reply.hits) == SESSIONS * MESSAGES
        count = len(reply.hits)
    assert count == SESSIONS * MESSAGES
    await client.close()
    await core.end("over")
