"""What the core does for each intent: one function each, found by the intent's class."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hermes_tui import __version__, intents
from hermes_tui.errors import CoreError, HermesError, ModelError, NotFoundError
from hermes_tui.events import MessageImported, Notice, Record, SessionChanged, SessionStarted
from hermes_tui.intents import Done, SessionInfo
from hermes_tui.runtime import answers
from hermes_tui.runtime.face import Face
from hermes_tui.runtime.session import Session
from hermes_tui.search.index import search
from hermes_tui.security.policy import MODES

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

Handler = Callable[["Core", Any, Face], Awaitable[Any]]


async def handle(core: Core, intent: intents.Intent[Any], face: Face) -> Any:
    """Do what a face asks and return the reply; raises HermesError for the face to show."""
    handler = HANDLERS.get(type(intent))
    if handler is None:
        raise CoreError(f"this core does not know {intent.op!r}")
    return await handler(core, intent, face)


# --- sessions ------------------------------------------------------------------------------


async def open_session(core: Core, intent: intents.OpenSession, face: Face) -> Any:
    """Open a session and send its events to the face from now on."""
    session = await _pick(core, intent)
    session.stand(intent.standing)
    if intent.mode and intent.mode != session.conversation.mode:
        await _change(core, session, SessionChanged(mode=_mode(intent.mode)))
    records = await _records(core, session, intent)
    session.faces.add(face)  # nothing may wait between here and the reply
    face.sessions.add(session.id)
    first = intent.after + 1 if intent.after is not None else 1
    talk = session.conversation
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
    return intents.SessionList(sessions=tuple(live.get(one.id, one) for one in stored))


async def change_session(core: Core, intent: intents.ChangeSession, face: Face) -> SessionInfo:
    """Another title, model or mode."""
    session = await core.session(intent.session)
    change = SessionChanged(
        title=intent.title or None,
        model=intent.model or None,
        mode=_mode(intent.mode) if intent.mode else None,
    )
    await _change(core, session, change)
    return session.info


async def _change(core: Core, session: Session, change: SessionChanged) -> None:
    await session.add(change)
    await core.log.describe(session.key, session.info)


def _mode(text: str) -> str:
    if text not in MODES:
        raise HermesError(f"there is no mode {text!r}", "modes: " + ", ".join(MODES))
    return text


async def delete_session(core: Core, intent: intents.DeleteSession, face: Face) -> Done:
    """Delete a session with all its events; a running turn is stopped first."""
    session = await core.session(intent.session)
    await session.stop()
    await core.log.delete(session.id)
    core.shelf.forget(session.id)
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


# --- talking -------------------------------------------------------------------------------


async def send(core: Core, intent: intents.Send, face: Face) -> intents.Sent:
    """Say something."""
    session = await core.session(intent.session)
    if not intent.text.strip():
        raise HermesError("there is nothing to send")
    if not intent.input_id:
        intent = msgspec.structs.replace(intent, input_id=uuid.uuid4().hex)
    untitled = not session.conversation.title
    sent = await session.send(intent)
    if untitled:
        await core.log.describe(session.key, session.info)
    return sent


async def withdraw(core: Core, intent: intents.Withdraw, face: Face) -> intents.Withdrawn:
    """Take a waiting input back."""
    return await (await core.session(intent.session)).withdraw(intent.input_id)


async def stop(core: Core, intent: intents.Stop, face: Face) -> intents.Stopped:
    """Stop the running turn."""
    return await (await core.session(intent.session)).stop()


async def answer_approval(core: Core, intent: intents.AnswerApproval, face: Face) -> Any:
    """Answer a pending approval; an "always" rule goes to the configuration file."""
    session = await core.session(intent.session)
    asked = session.conversation.approvals.get(intent.ask_id)
    answered = await session.answer_approval(intent)
    rule = intent.rule or (asked.rule if asked else "")
    if answered.accepted and intent.verdict == "always" and rule:
        await _save_rule(core, session, rule)
    return answered


async def _save_rule(core: Core, session: Session, rule: str) -> None:
    from hermes_tui.configuration import edit

    try:
        await asyncio.to_thread(edit.add, core.home, "policy.allow", rule)
        await core.settings.reload()
    except HermesError as error:
        text = f"the rule holds for this session only, it could not be saved: {error.message}"
        await session.add(Notice(text=text, hint=error.hint, level="warning"))


async def answer_question(core: Core, intent: intents.AnswerQuestion, face: Face) -> Any:
    """Answer a pending question."""
    return await (await core.session(intent.session)).answer_question(intent)


# --- looking things up ---------------------------------------------------------------------


async def find(core: Core, intent: intents.Search, face: Face) -> intents.Hits:
    """Search all messages."""
    return intents.Hits(hits=await search(core.db, intent.query, intent.limit))


async def list_skills(core: Core, intent: intents.ListSkills, face: Face) -> intents.SkillList:
    """All skills."""
    from hermes_tui.skills.library import Library

    skills = await asyncio.to_thread(Library(core.home).all)
    return intents.SkillList(skills=tuple(answers.skill_info(skill) for skill in skills))


async def read_skill(core: Core, intent: intents.ReadSkill, face: Face) -> intents.Text:
    """The SKILL.md of one skill."""
    from hermes_tui.skills.library import Library

    return intents.Text(text=await asyncio.to_thread(Library(core.home).read, intent.name))


async def read_output(core: Core, intent: intents.ReadOutput, face: Face) -> intents.Text:
    """The output of a call, whole if it was kept on disk."""
    ended = await core.log.output(intent.session, intent.call_id)
    path = Path(ended.output_path)
    folder = core.home.outputs / intent.session
    whole = None
    if ended.output_path and path.is_relative_to(folder):
        whole = await asyncio.to_thread(_part, path, intent.offset, intent.limit)
    if whole is None:
        whole = ended.for_model[intent.offset : intent.offset + intent.limit]
    return intents.Text(text=whole)


def _part(path: Path, offset: int, limit: int) -> str | None:
    if not path.exists():
        return None
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(limit).decode("utf-8", "replace")


async def prompt_history(core: Core, intent: intents.PromptHistory, face: Face) -> intents.Lines:
    """What was typed before."""
    return intents.Lines(lines=await core.log.typed(intent.limit))


async def list_models(core: Core, intent: intents.ListModels, face: Face) -> intents.ModelList:
    """The models the endpoint offers; a problem is told, not raised."""
    from hermes_tui.models.choose import list_models as ask

    current = core.config.model.name
    try:
        names = await ask(core.config.model, core.home, dict(os.environ))
    except ModelError as error:
        return intents.ModelList(current=current, problem=str(error))
    return intents.ModelList(models=tuple(names), current=current)


async def run_command(core: Core, intent: intents.RunCommand, face: Face) -> intents.Text:
    """A command that the core answers with text."""
    session = await core.session(intent.session)
    return intents.Text(text=await answers.answer(core, session, intent.command, intent.args))


# --- the core itself -----------------------------------------------------------------------


async def get_status(core: Core, intent: intents.GetStatus, face: Face) -> intents.CoreInfo:
    """How the core is, and what would be cut off if it ended."""
    live = [s.info for s in core.sessions.values()]
    return intents.CoreInfo(
        pid=os.getpid(),
        version=__version__,
        started=core.started,
        home=str(core.home.path),
        faces=sum(one is not face for one in core.faces),
        sessions=len(live),
        working=tuple(s.title for s in live if s.state == "working"),
        waiting=tuple(s.title for s in live if s.state == "waiting"),
        processes=core.running(),
        headless=core.headless,
        outdated=core.outdated(),
        model=core.config.model.name,
    )


async def end_core(core: Core, intent: intents.EndCore, face: Face) -> Done:
    """End the core, once this reply is out."""
    asyncio.get_running_loop().call_soon(core.end_soon, intent.reason, intent.drain)
    return Done()


async def set_config(core: Core, intent: intents.SetConfig, face: Face) -> Done:
    """Write one setting, if one is named, and read the file again."""
    from hermes_tui.configuration import edit

    if intent.key:
        await asyncio.to_thread(edit.put, core.home, intent.key, intent.value)
    await core.settings.reload()
    return Done()


HANDLERS: dict[type[Any], Handler] = {
    intents.OpenSession: open_session,
    intents.CloseSession: close_session,
    intents.History: history,
    intents.ListSessions: list_sessions,
    intents.ChangeSession: change_session,
    intents.DeleteSession: delete_session,
    intents.ImportSession: import_session,
    intents.Send: send,
    intents.Withdraw: withdraw,
    intents.Stop: stop,
    intents.AnswerApproval: answer_approval,
    intents.AnswerQuestion: answer_question,
    intents.Search: find,
    intents.ListSkills: list_skills,
    intents.ReadSkill: read_skill,
    intents.ReadOutput: read_output,
    intents.PromptHistory: prompt_history,
    intents.ListModels: list_models,
    intents.RunCommand: run_command,
    intents.GetStatus: get_status,
    intents.EndCore: end_core,
    intents.SetConfig: set_config,
}
