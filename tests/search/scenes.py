"""Stores with talks in them, for the tests of search."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tui.events import Event, MessageImported, Record, SessionStarted
from hermes_tui.intents import SessionInfo
from hermes_tui.store.log import Log
from tests.data.recall.talks import Talk

Line = tuple[str, str]
"""Role and text."""


async def put(
    log: Log, session: str, lines: Sequence[Line], *, ts: float = 1_760_000_000.0, **started: object
) -> int:
    """A session with these messages, a minute apart, under the ids `SESSION/1` and on; its key."""
    first = SessionStarted(title=str(started.pop("title", "")), origin="import")
    for name, value in started.items():
        first = type(first)(
            **{**{f: getattr(first, f) for f in first.__struct_fields__}, name: value}
        )
    events: list[Event] = [first]
    events += [
        MessageImported(message_id=f"{session}/{i}", role=role, text=text)
        for i, (role, text) in enumerate(lines, 1)
    ]
    records = [
        Record(session=session, n=n, ts=ts + 60 * n, event=event)
        for n, event in enumerate(events, 1)
    ]
    info = SessionInfo(id=session, title=first.title, created=ts, updated=ts)
    return await log.create(info, records)


async def put_talk(log: Log, talk: Talk) -> None:
    """A talk of the evaluation set."""
    lines = [(turn.role, turn.text) for turn in talk.turns]
    await put(log, talk.id, lines, ts=talk.start.timestamp(), title=talk.title)
