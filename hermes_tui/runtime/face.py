"""A face as the core sees it: a name, the sessions it watches, what is still to be sent."""

from __future__ import annotations

import asyncio

from hermes_tui.events import CoreEnding, Record, Transient

LIMIT = 20_000


class Face:
    """The core's end of one client. A face that does not read is dropped, never waited for.

    holds: the sessions it watches stay in memory for it.
    """

    def __init__(self, name: str, *, holds: bool = True) -> None:
        self.name = name
        self.holds = holds
        self.sessions: set[str] = set()
        self.gone = False
        self._queue: asyncio.Queue[Record] = asyncio.Queue()

    def deliver(self, record: Record) -> None:
        """Queue an event for this face; never blocks."""
        if self.gone:
            return
        if isinstance(record.event, Transient) and self._queue.qsize() > LIMIT // 2:
            return
        self._queue.put_nowait(record)
        if self._queue.qsize() > LIMIT:
            self.leave("this screen did not keep up and was left behind; attach again")

    def leave(self, reason: str, at: float = 0.0) -> None:
        """Say goodbye: the last record this face will get."""
        if not self.gone:
            self.gone = True
            event = CoreEnding(reason=reason)
            self._queue.put_nowait(Record(session="", n=0, ts=at, event=event))

    async def next(self) -> Record:
        """The next event for this face."""
        return await self._queue.get()

    def waiting(self) -> list[Record]:
        """Everything that can be sent right now, without waiting."""
        records: list[Record] = []
        while not self._queue.empty():
            records.append(self._queue.get_nowait())
        return records
