"""The session of a subagent: made once, under the id that its row names."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from hermes_tui.errors import NotFoundError
from hermes_tui.events import Delegated, Event, Record, SessionStarted
from hermes_tui.intents import SessionInfo, Standing
from hermes_tui.runtime.notes import title_of
from hermes_tui.runtime.session import Session
from hermes_tui.store.subagents import Row

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core


async def make_session(core: Core, row: Row) -> Session:
    """The session of a row, made if it is not there yet."""
    child = await _known(core, row.session)
    if child is None:
        now = time.time()
        parent = await _known(core, row.parent)
        info = SessionInfo(
            id=row.session,
            title=title_of(row.goal),
            cwd=row.cwd,
            model=row.model,
            mode=row.mode,
            created=now,
            updated=now,
        )
        events: list[Event] = [
            SessionStarted(
                title=info.title,
                cwd=info.cwd,
                model=info.model,
                effort=parent.conversation.effort if parent is not None else "",
                mode=info.mode,
                origin="subagent" if row.aim == "delegate" else "bg",
                **_whose(parent),
            )
        ]
        if row.aim == "delegate":
            events.append(await _delegated(core, row))
        numbered = enumerate(events, 1)
        first = [Record(session=info.id, n=n, ts=now, event=event) for n, event in numbered]
        await core.log.create(info, first)
        if row.aim == "delegate":
            await core.log.place(info.id, None, True)
        core.changed(info.id)
        child = await core.session(row.session)
    child.stand(Standing(cwd=row.cwd, env=row.env))
    return child


def _whose(parent: Session | None) -> dict[str, Any]:
    """Who talks, and where: a subagent hears of nothing that its session may not hear of."""
    if parent is None:
        return {}
    talk = parent.conversation
    return {"person": talk.person, "chat": talk.chat, "group": talk.group}


async def _known(core: Core, session: str) -> Session | None:
    try:
        found = await core.session(session)
    except NotFoundError:
        return None
    return found if found.id == session else None


async def _delegated(core: Core, row: Row) -> Delegated:
    """What it may do, and what the session it was begun in had read by now."""
    talk = (await core.session(row.parent)).conversation
    return Delegated(
        subagent=row.id,
        parent=row.parent,
        account=row.account,
        depth=row.depth,
        tools=row.tools or (),
        rounds=row.rounds,
        taint=talk.taint,
        said=tuple(talk.said),
        found=tuple(sorted(talk.found)),
    )
