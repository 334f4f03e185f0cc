"""What was reworded while it waited is found, shown and learned from in its last wording."""

from __future__ import annotations

import pytest

from hermes_tui.agent.reflection_turn import turns_of
from hermes_tui.events import (
    Event,
    InputEdited,
    InputReceived,
    InputTaken,
    Record,
    ReplyReceived,
    SessionStarted,
    TurnEnded,
    TurnStarted,
)
from hermes_tui.intents import SessionInfo
from hermes_tui.runtime.origins import told_by, worded
from hermes_tui.search.index import search
from hermes_tui.store import message_index
from hermes_tui.store.log import Log

EVENTS: tuple[Event, ...] = (
    SessionStarted(),
    InputReceived(input_id="i1", text="paint the fence turquoise"),
    InputReceived(input_id="i2", text="feed the heron"),
    InputEdited(input_id="i1", text="paint the gate magenta, please?"),
    InputEdited(input_id="i1", text="paint the gate vermilion"),
    TurnStarted(turn=1),
    InputTaken(input_id="i1", turn=1),
    ReplyReceived(turn=1, step=1, text="Done."),
    TurnEnded(turn=1, outcome="done"),
)
RECORDS = [Record(session="s", n=n, ts=100.0 + n, event=one) for n, one in enumerate(EVENTS, 1)]


@pytest.mark.parametrize("batches", [1, len(EVENTS)])
async def test_the_last_wording_is_found_and_the_first_is_not(log: Log, batches: int) -> None:
    first, rest = (RECORDS, []) if batches == 1 else (RECORDS[:1], RECORDS[1:])
    key = await log.create(SessionInfo(id="s"), first)
    for record in rest:
        await log.append(key, [record])
    for gone in ("turquoise", "fence", "magenta"):
        assert [hit.text for hit in await search(log.db, gone, 5)] == []
    (hit,) = await search(log.db, "vermilion", 5)
    assert (hit.text, hit.n, hit.message) == ("paint the gate vermilion", 2, "s:2")
    (other,) = await search(log.db, "heron", 5)
    assert other.text == "feed the heron"
    await log.delete("s")
    assert await search(log.db, "vermilion", 5) == ()
    assert await log.db.read(lambda c: c.execute("SELECT * FROM recall_edit").fetchall()) == []


@pytest.mark.parametrize("limit", [1, 2, 100])
async def test_an_older_home_is_indexed_by_last_wordings(log: Log, limit: int) -> None:
    await log.create(SessionInfo(id="s"), RECORDS)

    def forget(c: object) -> None:
        message_index.remove(c, 1)  # type: ignore[arg-type]
        c.execute("DELETE FROM recall_edit")  # type: ignore[attr-defined]
        c.execute("INSERT INTO recall_pending (session) VALUES (1)")  # type: ignore[attr-defined]

    await log.db.write(forget)
    assert await search(log.db, "vermilion", 5) == ()
    while await log.db.write(lambda c: message_index.index_some(c, limit)):
        continue
    assert await search(log.db, "turquoise", 5) == ()
    assert [hit.text for hit in await search(log.db, "vermilion", 5)] == [
        "paint the gate vermilion"
    ]


def test_learning_and_memory_see_the_last_wording() -> None:
    (turn,) = turns_of("s", RECORDS)
    assert turn.said == ("paint the gate vermilion",)
    source, _ = told_by("paint the gate vermilion", "s", worded(RECORDS))
    assert (source.who, source.message) == ("user", "s:2")
    source, _ = told_by("paint the fence turquoise", "s", worded(RECORDS))
    assert source.who == "agent"
