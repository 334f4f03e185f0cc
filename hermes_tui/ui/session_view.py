"""The session on the screen: opens one, brings its history in, follows its events."""

from __future__ import annotations

import asyncio
from typing import Protocol

import msgspec

from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    InputEdited,
    InputMoved,
    InputReceived,
    InputTaken,
    InputWithdrawn,
    KeysChanged,
    QuestionAnswered,
    QuestionAsked,
    Record,
    SandboxFound,
    SessionChanged,
    TurnEnded,
)
from hermes_tui.intents import CloseSession, History, OpenSession, Page, SessionInfo, SessionView
from hermes_tui.ui.face import Face
from hermes_tui.ui.trace_model import TraceModel

PAGE = 300
"""Events of history fetched and drawn at once; more would hold up a key press."""
_BREATH_S = 0.03


class Story(Protocol):
    """Where the events of a session are told: `feed.Feed`."""

    def load(self, view: SessionView) -> None:
        """Begin anew with a session just opened."""
        ...

    def older(self, page: Page) -> None:
        """Put older events before all others."""
        ...

    def apply(self, record: Record) -> None:
        """Take in one more event."""
        ...


class SessionShown:
    """State of the open session that the screen's parts are drawn from.

    number: the newest event shown. reaches_back_to: the oldest; `complete` when it is the first.
    keys: how the keys of providers are, as far as that was told.
    """

    def __init__(self, face: Face, story: Story) -> None:
        self._face = face
        self._story = story
        self._kept: list[Record] | None = None
        self.info = SessionInfo(id="")
        self.trace = TraceModel()
        self.number = 0
        self.reaches_back_to = 0
        self.complete = True
        self.waiting: dict[str, InputReceived] = {}
        self.approvals: dict[str, ApprovalAsked] = {}
        self.questions: dict[str, QuestionAsked] = {}
        self.keys: dict[str, KeysChanged] = {}

    @property
    def id(self) -> str:
        """The session's id; empty before the first is open."""
        return self.info.id

    @property
    def busy(self) -> bool:
        """Whether a turn is running."""
        return self.trace.running is not None

    @property
    def moving(self) -> bool:
        """Whether anything runs in it: a turn, or a call that a person has run again."""
        return self.busy or self.trace.again is not None

    async def open(self, request: OpenSession) -> None:
        """Show another session. Raises HermesError; then the one shown stays."""
        before = self.id
        self._kept = kept = list[Record]()
        try:
            self._load(await self._face.ask(request))
        finally:
            self._kept = None
            for record in kept:
                self.apply(record)
        if before and before != self.id:
            await self._face.ask(CloseSession(session=before))

    async def resume(self, request: OpenSession) -> None:
        """Take up the same session over a new line, from the event after the last one seen."""
        self._kept = kept = list[Record]()
        try:
            view = await self._face.ask(request)
            kept[:0] = view.records
            self._take_asks(view)
        finally:
            self._kept = None
            for record in kept:
                self.apply(record)

    async def bring_in_history(self, until: int = 0) -> bool:
        """Fetch one more page of older events; False when there are none before `until`."""
        if self.complete or self.reaches_back_to <= until:
            return False
        session = self.id
        page = await self._face.ask(
            History(session=session, before=self.reaches_back_to, limit=PAGE)
        )
        if session != self.id:
            return False
        self.complete = not page.more or not page.records
        if page.records:
            self.reaches_back_to = page.records[0].n
            self._story.older(page)
            self.trace.prepend(page.records)
        return not self.complete and self.reaches_back_to > until

    async def bring_in_all(self, until: int = 0, breath_s: float = _BREATH_S) -> None:
        """Fetch all older events down to number `until`, with time for keys between pages."""
        more = True
        while more:
            more = await self.bring_in_history(until)
            await asyncio.sleep(breath_s)

    def apply(self, record: Record) -> bool:
        """Take in an event. False: it is not of this session, or was seen before."""
        if isinstance(record.event, KeysChanged):
            self.keys = {**self.keys, record.event.whose: record.event}
            return True
        if self._kept is not None:
            self._kept.append(record)
            return False
        if record.session != self.id or 0 < record.n <= self.number:
            return False
        self.number = max(self.number, record.n)
        self._follow(record)
        self.trace.apply(record)
        self._story.apply(record)
        return True

    # --- inside ------------------------------------------------------------------------------

    def _load(self, view: SessionView) -> None:
        self.info = view.info
        self.number = view.records[-1].n if view.records else view.info.last
        self.reaches_back_to = view.records[0].n if view.records else 0
        self.complete = not view.more
        self.waiting = {one.input_id: one for one in view.waiting}
        self._take_asks(view)
        self.trace = TraceModel()
        self.trace.cwd = view.info.cwd
        self.trace.load(view.records)
        self._story.load(view)

    def _take_asks(self, view: SessionView) -> None:
        self.approvals = {one.ask_id: one for one in view.approvals}
        self.questions = {one.ask_id: one for one in view.questions}

    def _follow(self, record: Record) -> None:
        match record.event:
            case InputReceived() as event:
                self.waiting[event.input_id] = event
            case InputTaken() | InputWithdrawn() as event:
                self.waiting.pop(event.input_id, None)
            case InputEdited() | InputMoved() as event:
                self.waiting = rearranged(self.waiting, event)
            case ApprovalAsked() as event:
                self.approvals[event.ask_id] = event
            case QuestionAsked() as event:
                self.questions[event.ask_id] = event
            case ApprovalAnswered() as event:
                self.approvals.pop(event.ask_id, None)
            case QuestionAnswered() as event:
                self.questions.pop(event.ask_id, None)
            case TurnEnded(turn=turn):
                self.approvals = {k: v for k, v in self.approvals.items() if v.turn != turn}
                self.questions = {k: v for k, v in self.questions.items() if v.turn != turn}
            case SessionChanged() as event:
                self.info = changed(self.info, event)
            case SandboxFound(level=level):
                self.info = msgspec.structs.replace(self.info, sandbox=level)
            case _:
                return


def changed(info: SessionInfo, event: SessionChanged) -> SessionInfo:
    """The info with what the event changed."""
    new = {name: getattr(event, name) for name in ("title", "cwd", "model", "mode", "effort")}
    return msgspec.structs.replace(info, **{k: v for k, v in new.items() if v is not None})


def rearranged(
    waiting: dict[str, InputReceived], event: InputEdited | InputMoved
) -> dict[str, InputReceived]:
    """What waits, with one input changed or in another place."""
    one = waiting.get(event.input_id)
    if one is None:
        return waiting
    if isinstance(event, InputEdited):
        changed = msgspec.structs.replace(one, text=event.text, how=event.how)
        return {**waiting, event.input_id: changed}
    order = [name for name in waiting if name != event.input_id]
    at = order.index(event.before) if event.before in order else len(order)
    order.insert(at, event.input_id)
    return {name: waiting[name] for name in order}
