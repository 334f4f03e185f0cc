"""From what happens in sessions to what their chats are told: each thing once, also after a crash.

How far a chat was told is kept in the same commit as the texts it was told with. What an earlier
core had not come to is read from the log.
"""

from __future__ import annotations

import asyncio
import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    CoreEnding,
    Event,
    InputReceived,
    Notice,
    QuestionAnswered,
    QuestionAsked,
    Record,
    ReplyReceived,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from hermes_tui.faults import point
from hermes_tui.runtime.chats import asking
from hermes_tui.runtime.chats.people import HOOKS
from hermes_tui.runtime.chats.showing import Showing
from hermes_tui.runtime.cron_delivery import is_silent
from hermes_tui.runtime.face import Face
from hermes_tui.store.chats import Chat
from hermes_tui.store.outbox import Fresh

if TYPE_CHECKING:
    from hermes_tui.runtime.chats.chats import Chats
    from hermes_tui.runtime.session import Session

_log = logging.getLogger(__name__)
FACE = "chats"
_ELSEWHERE = {"ui": "on the screen", "plain": "in the terminal", "cli": "from a command"}
_PIECE = 500


class Telling:
    """Watches the sessions that are in chats. `run` goes on until it is cancelled."""

    def __init__(self, chats: Chats) -> None:
        self.face = Face(FACE, holds=False)
        self.showing = Showing(chats)
        self._chats = chats
        self._core = chats.core
        self._bound: dict[str, dict[str, Chat]] = {}
        self._told: dict[str, int] = {}

    # --- which chats ---------------------------------------------------------------------

    def bind(self, chat: Chat) -> None:
        """From now on a chat hears of its session, and of no other."""
        self.unbind(chat.key)
        if chat.target.startswith(f"{HOOKS}:"):
            return  # nobody reads there
        self._bound.setdefault(chat.session, {})[chat.key] = chat
        self._told[chat.key] = chat.told
        if session := self._core.sessions.get(chat.session):
            session.faces.add(self.face)

    def unbind(self, key: str) -> None:
        """A chat hears nothing more."""
        for chats in self._bound.values():
            chats.pop(key, None)

    def bound(self, session: str) -> tuple[Chat, ...]:
        """The chats that a session is in."""
        return tuple(self._bound.get(session, {}).values())

    def loaded(self, session: Session) -> None:
        """A session came into memory."""
        if self._bound.get(session.id):
            session.faces.add(self.face)

    # --- what happens --------------------------------------------------------------------

    async def run(self) -> None:
        """Tell what an earlier core had not come to, then what happens."""
        await self.catch_up()
        while True:
            record = await self.face.next()
            if isinstance(record.event, CoreEnding):
                if self._core.end_reason:
                    return
                await self._again()
                continue
            try:
                await self.heard(record)
            except HermesError as error:
                _log.warning("chats were not told: %s", error)
                await asyncio.sleep(1.0)
                await self.catch_up()

    async def _again(self) -> None:
        """This one did not keep up: begin anew from the log."""
        self.face = Face(FACE, holds=False)
        for session in self._core.sessions.values():
            self.loaded(session)
        await self.catch_up()

    async def catch_up(self) -> None:
        """Tell every chat what its session's log has beyond what it was told."""
        for session, chats in list(self._bound.items()):
            for chat in list(chats.values()):
                try:
                    await self._catch_up(session, chat)
                except NotFoundError:  # it was deleted
                    self.unbind(chat.key)
                    await self._chats.rows.remove(chat.key)

    async def _catch_up(self, session: str, chat: Chat) -> None:
        after = self._told[chat.key]
        while records := await self._core.log.read(session, after=after, before=after + _PIECE):
            for record in records:
                await self._tell(chat, record)
            after = records[-1].n

    async def heard(self, record: Record) -> None:
        """Something happened in a session that is in a chat."""
        event = record.event
        for chat in self.bound(record.session):
            if isinstance(event, TextDelta):
                self.showing.more(chat, event)
            elif record.n:
                await self._tell(chat, record)
        if isinstance(event, TurnEnded):
            self._chats.router.turn_ended(record.session)

    async def _tell(self, chat: Chat, record: Record) -> None:
        if record.n <= self._told.get(chat.key, 0):
            return
        event = record.event
        if isinstance(event, TurnStarted):
            self.showing.begin(chat)
        if isinstance(event, (ReplyReceived, TurnEnded, ApprovalAsked, QuestionAsked)):
            await self.showing.settle(chat)
        texts = await self._texts(chat, record)
        over = isinstance(event, TurnEnded)
        if texts or over:
            await self._chats.outbox.put_all(texts, chat.key, record.n)
            point("chat.told")
            if over:
                self.showing.end(chat)
                await self._chats.outbox.close_drafts(chat.target)
            self._chats.wake(chat.target)
        self._told[chat.key] = record.n

    async def _texts(self, chat: Chat, record: Record) -> list[Fresh]:
        event = record.event
        if isinstance(event, ReplyReceived):
            return await self._reply(chat, event)
        text, data, kind = await self._words(chat, event), "", "text"
        if isinstance(event, ApprovalAsked) and not chat.person:
            (text, data), kind = await asking.approval(self._chats.rows, chat, event), "ask"
        elif isinstance(event, QuestionAsked):
            (text, data), kind = await asking.question(self._chats.rows, chat, event), "ask"
        if not text:
            return []
        key = f"{chat.key}|{chat.session}|{record.n}"
        return [self._fresh(chat, key, text, kind, data)]

    async def _words(self, chat: Chat, event: Event) -> str:
        match event:
            case InputReceived() if event.typed and event.face != chat.target:
                where = _ELSEWHERE.get(event.face, event.face)
                return f"*{where}:* {event.text}"
            case TurnEnded(outcome="failed" | "limit"):
                hint = f"\n\n{event.hint}" if event.hint else ""
                return f"⚠ {event.error}{hint}"
            case ApprovalAnswered():
                await self._chats.rows.used(chat.session, event.ask_id)
                if event.face in ("", chat.target):
                    return "" if event.verdict != "expired" else f"⌛ {event.reason}"
                said = "denied" if event.verdict in ("deny", "expired") else "allowed"
                return f"✓ {said} {_ELSEWHERE.get(event.face, event.face)}"
            case QuestionAnswered():
                await self._chats.rows.used(chat.session, event.ask_id)
                if event.face in ("", chat.target):
                    return ""
                return f"*{_ELSEWHERE.get(event.face, event.face)}:* {event.text}"
            case Notice(level="warning" | "error") if not chat.person:
                hint = f" ({event.hint})" if event.hint else ""
                return f"⚠ {event.text}{hint}"
            case _:
                return ""

    async def _reply(self, chat: Chat, event: ReplyReceived) -> list[Fresh]:
        text = event.text.strip()
        if not text or (is_silent(text) and not event.calls):
            return []
        key = reply_key(chat, event.turn, event.step)
        most = self._core.config.gateways.file_chars
        if len(text) <= most:
            return [self._fresh(chat, key, text)]
        name = f"answer-{event.turn}-{event.step}.md"
        path = self._core.home.outputs / chat.session / name
        await asyncio.to_thread(_written, path, text)
        head = text[: most // 4].rpartition("\n")[0] or text[: most // 4]
        data = msgspec.json.encode([(str(path), name)]).decode()
        return [
            self._fresh(chat, key, f"{head}\n\n… all of it is in the file."),
            self._fresh(chat, f"{key}|file", name, "file", data),
        ]

    def _fresh(self, chat: Chat, key: str, text: str, kind: str = "text", data: str = "") -> Fresh:
        rank = 1 if chat.person else 0
        return Fresh(key=key, target=chat.target, text=text, kind=kind, data=data, rank=rank)


def reply_key(chat: Chat, turn: int, step: int) -> str:
    """The key under which a reply goes to a chat, from its first words to its last."""
    return f"{chat.key}|{chat.session}|{turn}.{step}"


def _written(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def seconds_ago(ts: float) -> str:
    """How long ago, in words."""
    minutes = max(int((time.time() - ts) / 60), 0)
    if minutes < 120:
        return f"{minutes} min ago"
    return f"{minutes // 60} h ago" if minutes < 48 * 60 else f"{minutes // 1440} days ago"
