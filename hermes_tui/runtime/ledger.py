"""A session's record: events numbered, stored, folded into its state, then shown to its faces."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from hermes_tui.agent.conversation import Conversation
from hermes_tui.errors import StoreError
from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    InputReceived,
    InputTaken,
    MessageImported,
    QuestionAnswered,
    QuestionAsked,
    Record,
    ReplyReceived,
    SessionChanged,
    TextDelta,
    Transient,
    TurnEnded,
    TurnStarted,
)
from hermes_tui.faults import point
from hermes_tui.intents import SessionInfo
from hermes_tui.runtime.face import Face
from hermes_tui.runtime.notes import dated
from hermes_tui.runtime.open_asks import OpenAsks
from hermes_tui.store.log import Log

_SEEN_IN_LISTS = (
    TurnStarted,
    TurnEnded,
    SessionChanged,
    ApprovalAsked,
    ApprovalAnswered,
    QuestionAsked,
    QuestionAnswered,
)


class Ledger:
    """The record of one live session. All changes go through `add`: stored first, then shown."""

    def __init__(self, log: Log, key: int, info: SessionInfo) -> None:
        self.id = info.id
        self.key = key
        self.created = info.created
        self.updated = info.updated
        self.messages = info.messages
        self.last = info.last
        self.shown = info.last
        self.cwd = info.cwd
        self._partial: list[str] = []
        self.faces: set[Face] = set()
        self.noted = ""
        self._log = log
        self._conversation = Conversation()
        self._held: list[Record] = []
        self._behind = False
        self._open_asks = OpenAsks()

    async def load(self) -> None:
        """Rebuild the state from the log."""
        self._conversation, self._held, self._behind = Conversation(), [], False
        self.last = self.shown = 0
        self._open_asks = OpenAsks()
        for record in await self._log.read(self.id):
            self._open_asks.apply(record.event, record.ts)
            self._conversation.apply(record.event)
            if isinstance(record.event, InputTaken):
                self.noted = dated(record.event.note) or self.noted
            self.last = self.shown = record.n

    @property
    def conversation(self) -> Conversation:
        """Everything the log amounts to so far."""
        return self._conversation

    async def add(
        self, events: Sequence[Event] | Event, *, durable: bool = True, hold: bool = False
    ) -> None:
        """Store events, then show them; `hold` keeps them for the next commit."""
        fresh = [events] if isinstance(events, Event) else events
        self._held.extend(self._number(event) for event in fresh)
        if hold or not self._held:
            return
        records, self._held = self._held, []
        point("before commit")
        storing = self._log.append(self.key, records, durable=durable)
        storing.add_done_callback(lambda stored: self._stored(records, stored))
        try:
            await asyncio.shield(storing)
        except StoreError:
            await self.catch_up()
            raise
        point("after commit")

    def _stored(self, records: list[Record], storing: asyncio.Future[None]) -> None:
        """Show what is in the log now, also when whoever added it was cancelled meanwhile."""
        if storing.cancelled() or storing.exception() is not None:
            self._behind = True
            return
        for record in records:
            self._show(record)

    async def catch_up(self) -> None:
        """After a failed write the state is ahead of the log: go back to what is stored."""
        if self._behind:
            await self.load()

    def emit(self, event: Transient) -> None:
        """Show something that is not stored."""
        if isinstance(event, TextDelta):
            self._partial.append(event.text)
        self._deliver(Record(session=self.id, n=0, ts=time.time(), event=event))

    async def import_events(self, events: Sequence[tuple[float, Event]]) -> None:
        """Add events that happened elsewhere, each with its own time in Unix seconds."""
        self._held.extend(self._number(event, ts) for ts, event in events)
        await self.add([])

    def _number(self, event: Event, ts: float | None = None) -> Record:
        self.last += 1
        at = time.time() if ts is None else ts
        self.updated = max(at, self.updated)
        self._conversation.apply(event)
        self._open_asks.apply(event, at)
        return Record(session=self.id, n=self.last, ts=at, event=event)

    def _show(self, record: Record) -> None:
        self.shown = record.n
        if isinstance(record.event, (InputReceived, ReplyReceived, MessageImported)):
            self.messages += 1
        if isinstance(record.event, (ReplyReceived, TurnEnded)):
            self._partial = []
        self._deliver(record)
        if isinstance(record.event, (ApprovalAsked, QuestionAsked)):
            self.waits(record.event.ask_id)
        if isinstance(record.event, _SEEN_IN_LISTS):
            self.listed()

    @property
    def partial(self) -> str:
        """The reply that is being streamed, as far as it has come."""
        return "".join(self._partial)

    def waits(self, ask_id: str) -> None:
        """Called when something waits for a person."""

    def _deliver(self, record: Record) -> None:
        for face in self.faces:
            face.deliver(record)

    def listed(self) -> None:
        """Called when something changed that lists of sessions show."""
