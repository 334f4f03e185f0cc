"""What the core does with sessions: open, list, change, delete, import, fork."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from hermes_tui import intents
from hermes_tui.config import EFFORTS
from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.events import MessageImported, Record, SessionChanged, SessionStarted
from hermes_tui.intents import Done, SessionInfo
from hermes_tui.runtime import branches
from hermes_tui.runtime.face import Face
from hermes_tui.runtime.session import Session
from hermes_tui.security import audit_entries
from hermes_tui.security.policy import MODES

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

_SANDBOX_S = 0.7


async def open_session(core: Core, intent: intents.OpenSession, face: Face) -> Any:
    """Open a session and send its events to the face from now on."""
    session = await _pick(core, intent)
    session.stand(intent.standing)
    talk = session.conversation
    mode = _mode(intent.mode) if intent.mode not in ("", talk.mode) else None
    model = intent.model if intent.model not in ("", talk.model) else None
    if mode or model:
        await _change(core, session, SessionChanged(mode=mode, model=model), intent.face)
    records = await _records(core, session, intent)
    if intent.face in ("ui", "plain"):
        asyncio.get_running_loop().call_later(_SANDBOX_S, _look_around, core, session)
    session.faces.add(face)  # nothing may wait between here and the reply
    face.sessions.add(session.id)
    first = intent.after + 1 if intent.after is not None else 1
    return intents.SessionView(
        info=session.info,
        records=records,
        more=bool(records) and records[0].n > first,
        waiting=tuple(talk.waiting.values()),
        approvals=tuple(talk.approvals.values()),
        questions=tuple(talk.questions.values()),
        todo=talk.todo,
        partial=session.partial,
    )


def _look_around(core: Core, session: Session) -> None:
    """Find out about the sandbox once the first screen has been drawn."""
    if core.surroundings.level is None and not core.end_reason:
        core.spawn(session.know_sandbox())


async def _records(core: Core, session: Session, intent: intents.OpenSession) -> tuple[Record, ...]:
    """The events asked for, up to the newest that was shown when this returns."""
    limit = -1 if intent.after is not None else intent.tail
    newest = session.shown
    read = core.log.read
    got = await read(session.id, after=intent.after or 0, before=newest + 1, limit=limit)
    while session.shown > newest:
        after, newest = newest, session.shown
        got += await read(session.id, after=after, before=newest + 1)
    return got


async def _pick(core: Core, intent: intents.OpenSession) -> Session:
    which = intent.which
    if intent.mode:
        _mode(intent.mode)
    if which in ("last", "last-or-new"):
        found = await core.log.newest(intent.standing.cwd)
        if found:
            return await core.session(found)
        if which == "last":
            raise NotFoundError("this folder has no session yet", "start one with `hermes`")
    if which in ("new", "last-or-new"):
        return await core.shelf.create(intent)
    return await core.session(which)


async def close_session(core: Core, intent: intents.CloseSession, face: Face) -> Done:
    """Stop sending a session's events to the face."""
    face.sessions.discard(intent.session)
    if session := core.sessions.get(intent.session):
        session.faces.discard(face)
    return Done()


async def history(core: Core, intent: intents.History, face: Face) -> intents.Page:
    """A run of older events."""
    records = await core.log.read(intent.session, before=intent.before, limit=intent.limit)
    return intents.Page(records=records, more=bool(records) and records[0].n > 1)


async def list_sessions(core: Core, intent: intents.ListSessions, face: Face) -> Any:
    """The sessions, newest first, with the state of the live ones."""
    stored = await core.log.list(intent.query, intent.limit)
    live = {s.id: s.info for s in core.sessions.values()}
    both = (_placed(live.get(one.id, one), one.pinned, one.archived) for one in stored)
    return intents.SessionList(sessions=tuple(both))


def _placed(info: SessionInfo, pinned: bool, archived: bool) -> SessionInfo:
    """The info with its place in the list, which only the store knows."""
    if (info.pinned, info.archived) == (pinned, archived):
        return info
    return replace(info, pinned=pinned, archived=archived)


async def change_session(core: Core, intent: intents.ChangeSession, face: Face) -> SessionInfo:
    """Another title, model, mode or effort, or another place in the list."""
    session = await core.session(intent.session)
    change = SessionChanged(
        title=intent.title or None,
        model=intent.model or None,
        mode=_mode(intent.mode) if intent.mode else None,
        effort=_effort(intent.effort) if intent.effort else None,
    )
    if change != SessionChanged():
        await _change(core, session, change, face.name)
    place = await core.log.place(session.id, intent.pinned, intent.archived)
    core.changed(session.id)
    return _placed(session.info, *place)


async def _change(core: Core, session: Session, change: SessionChanged, by: str) -> None:
    old = session.conversation.mode
    if change.mode and change.mode != old:
        await session.record(audit_entries.of_change("mode", old, change.mode, session.id, by))
    await session.add(change)
    await core.log.describe(session.key, session.info)


def _mode(text: str) -> str:
    if text not in MODES:
        raise HermesError(f"there is no mode {text!r}", "modes: " + ", ".join(MODES))
    return text


def _effort(text: str) -> str:
    if text == "default":
        return ""
    if text not in EFFORTS:
        hint = "efforts: default, " + ", ".join(EFFORTS)
        raise HermesError(f"there is no effort {text!r}", hint)
    return text


async def delete_session(core: Core, intent: intents.DeleteSession, face: Face) -> Done:
    """Delete a session with all its events; a running turn is stopped first."""
    session = await core.session(intent.session)
    await core.session_gone(session.id)
    await session.stop()
    await core.log.delete(session.id)
    await core.memory.session_deleted(session.id)
    core.shelf.forget(session.id)
    if core.home.checkpoints.exists():
        core.checkpoints.forget()
    return Done()


async def import_session(core: Core, intent: intents.ImportSession, face: Face) -> Any:
    """Bring in a conversation held elsewhere."""
    known = await core.log.imported(intent.id)
    fresh = [m for m in intent.messages if m.id not in known]
    counted = intents.Imported(
        sessions=1, messages=len(fresh), known=len(intent.messages) - len(fresh)
    )
    events = [(m.ts, MessageImported(message_id=m.id, role=m.role, text=m.text)) for m in fresh]
    try:
        session = await core.session(intent.id)
    except NotFoundError:
        session = None
    if session is not None and session.id == intent.id:
        await session.import_events(events)
        return counted
    started = intent.started_at or (fresh[0].ts if fresh else time.time())
    first = SessionStarted(title=intent.title, origin="import", mode=core.config.agent.mode)
    info = SessionInfo(id=intent.id, title=intent.title, created=started, updated=started)
    numbered = enumerate([(started, first), *events], 1)
    records = [Record(session=intent.id, n=n, ts=ts, event=event) for n, (ts, event) in numbered]
    await core.log.create(info, records)
    core.changed(intent.id)
    return counted


async def fork_session(core: Core, intent: intents.ForkSession, face: Face) -> SessionInfo:
    """A new session with this one's conversation."""
    session = await core.session(intent.session)
    return await branches.fork(core, session, intent.turn, intent.title)
