"""A core that only remembers what it was asked, and says what a test tells it to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from hermes_tui.events import CoreEnding, Event, Record
from hermes_tui.intents import CoreInfo, OpenSession, Send, Sent, SessionInfo, SessionView


class FakeClient:
    """Implements `CoreClient`. asked: all intents; answers: replies by intent class."""

    def __init__(self, view: SessionView | None = None) -> None:
        self.view = view or SessionView(info=SessionInfo(id="s", title="Tidy", model="opus"))
        self.asked: list[Any] = []
        self.answers: dict[type[Any], Any] = {
            OpenSession: lambda _: self.view,
            Send: lambda sent: Sent(input_id=sent.input_id, state="started"),
        }
        self._events: asyncio.Queue[Record] = asyncio.Queue()
        self._n = self.view.info.last

    async def ask(self, intent: Any) -> Any:
        """Remember the intent; a function, an error or a value answers it."""
        self.asked.append(intent)
        answer = self.answers.get(type(intent))
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Callable):
            return answer(intent)
        if answer is not None:
            return answer
        if intent.reply is CoreInfo:
            return CoreInfo(pid=1, version="0", started=0.0, home="", faces=1)
        accepted = {"accepted": True} if "accepted" in intent.reply.__struct_fields__ else {}
        return intent.reply(**accepted)

    def of(self, kind: type[Any]) -> list[Any]:
        """What was asked of one kind."""
        return [one for one in self.asked if isinstance(one, kind)]

    def happen(self, *events: Event) -> None:
        """Let events happen in the session."""
        for event in events:
            self._n += 1
            self._events.put_nowait(Record(session="s", n=self._n, ts=0.0, event=event))

    async def events(self) -> AsyncIterator[Record]:
        """What happens."""
        while True:
            record = await self._events.get()
            yield record
            if isinstance(record.event, CoreEnding):
                return

    async def close(self) -> None:
        """Leave."""
