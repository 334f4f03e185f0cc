"""Sessions: open, list, change, delete, import, fork."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import Struct

from hermes_tui.events import ApprovalAsked, InputReceived, QuestionAsked, Record, TodoItem
from hermes_tui.intents.base import Done, Intent, Standing


class SessionInfo(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One session in a list. state: `idle`, `working` or `waiting` (for a person).

    pinned, archived: where the person put it in the list; an archived one is out of the way.
    sandbox: level of what surrounds its commands, 1 for nothing, 0 while that is not known.
    effort: how hard its model is to think, empty: as the settings say (`CoreInfo.effort`).
    """

    id: str
    title: str = ""
    cwd: str = ""
    model: str = ""
    effort: str = ""
    mode: str = "ask"
    created: float = 0.0
    updated: float = 0.0
    messages: int = 0
    last: int = 0
    state: Literal["idle", "working", "waiting"] = "idle"
    pinned: bool = False
    archived: bool = False
    sandbox: int = 0


class SessionView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All a face needs to draw a session it has just opened.

    records: the newest events, oldest first, with numbers up to `info.last`; `more` says that
    older ones exist (`History`). waiting: inputs not yet taken. partial: text of the reply
    being streamed right now.
    """

    info: SessionInfo
    records: tuple[Record, ...] = ()
    more: bool = False
    waiting: tuple[InputReceived, ...] = ()
    approvals: tuple[ApprovalAsked, ...] = ()
    questions: tuple[QuestionAsked, ...] = ()
    todo: tuple[TodoItem, ...] = ()
    partial: str = ""


class OpenSession(Intent[SessionView], frozen=True, kw_only=True):
    """Open a session and get its events from now on.

    which: an id, a title, `last` (the folder's newest), `new`, or `last-or-new`. person, chat,
    group: of a new one, as `SessionStarted` has them.
    after: send only events numbered above this, None for the newest `tail`.
    """

    reply: ClassVar[Any] = SessionView
    which: str = "last-or-new"
    standing: Standing = Standing()
    mode: str = ""
    model: str = ""
    title: str = ""
    after: int | None = None
    tail: int = 400
    face: str = "ui"
    person: str = ""
    chat: str = ""
    group: bool = False


class CloseSession(Intent[Done], frozen=True, kw_only=True):
    """Stop sending this session's events to this face; the session itself goes on."""

    reply: ClassVar[Any] = Done
    session: str


class Page(Struct, frozen=True, kw_only=True):
    """A run of older events, oldest first."""

    records: tuple[Record, ...] = ()
    more: bool = False


class History(Intent[Page], frozen=True, kw_only=True):
    """Events numbered below `before`, the newest `limit` of them."""

    reply: ClassVar[Any] = Page
    session: str
    before: int
    limit: int = 1000


class SessionList(Struct, frozen=True, kw_only=True):
    """Sessions, newest first."""

    sessions: tuple[SessionInfo, ...] = ()


class ListSessions(Intent[SessionList], frozen=True, kw_only=True):
    """The sessions, newest first; `query` filters by title or folder."""

    reply: ClassVar[Any] = SessionList
    query: str = ""
    limit: int = 200


class ChangeSession(Intent[SessionInfo], frozen=True, kw_only=True):
    """Give a session another title, model, mode or effort, or another place in the list.

    Empty and None mean unchanged. effort: one of `config.EFFORTS`, or `default`: as the settings
    say again.
    """

    reply: ClassVar[Any] = SessionInfo
    session: str
    title: str = ""
    model: str = ""
    effort: str = ""
    mode: str = ""
    pinned: bool | None = None
    archived: bool | None = None


class DeleteSession(Intent[Done], frozen=True, kw_only=True):
    """Delete a session with all its events."""

    reply: ClassVar[Any] = Done
    session: str


class Imported(Struct, frozen=True, kw_only=True):
    """How many sessions and messages came in, and how many were there already."""

    sessions: int = 0
    messages: int = 0
    known: int = 0


class ImportedMessage(Struct, frozen=True, kw_only=True):
    """One message of an import, time in Unix seconds."""

    id: str
    role: str
    text: str
    ts: float


class ImportSession(Intent[Imported], frozen=True, kw_only=True):
    """Bring in a conversation held elsewhere; ids are kept, known messages are left alone."""

    reply: ClassVar[Any] = Imported
    id: str
    title: str = ""
    started_at: float = 0.0
    messages: tuple[ImportedMessage, ...] = ()


class ForkSession(Intent[SessionInfo], frozen=True, kw_only=True):
    """A new session with this one's conversation up to just before a turn; 0: all of it."""

    reply: ClassVar[Any] = SessionInfo
    session: str
    turn: int = 0
    title: str = ""
