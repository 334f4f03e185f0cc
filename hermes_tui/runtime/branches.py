"""Going back and going elsewhere: a session taken back to before a turn, or continued as a copy."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_tui.errors import NotFoundError
from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    InputReceived,
    InputTaken,
    ProcessEnded,
    ProcessStarted,
    QuestionAsked,
    Record,
    Rewound,
    SessionChanged,
    SessionStarted,
    SubagentEnded,
    SubagentStarted,
    TurnStarted,
)
from hermes_tui.intents import Rewind, SessionInfo, WentBack
from hermes_tui.runtime.notes import session_id
from hermes_tui.runtime.session import Session

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

_NOT_COPIED = (
    ProcessStarted,
    ProcessEnded,
    ApprovalAsked,
    ApprovalAnswered,
    QuestionAsked,
    SessionChanged,
    SubagentStarted,
    SubagentEnded,
)


async def rewind(core: Core, session: Session, intent: Rewind) -> WentBack:
    """Take the conversation, the files or both back to just before a turn.

    The reply has what started the turn, for the prompt, unless the conversation stays.
    """
    turn = intent.turn
    if turn not in session.conversation.marks:
        raise NotFoundError(f"turn {turn} is not part of the conversation any more")
    await session.stop()
    text = _typed_in(turn, await core.log.read(session.id))
    chat = Rewound(turn=turn, text=text)
    if intent.what == "chat":
        await session.add(chat)
        return WentBack(text=text)
    from hermes_tui.runtime.going_back import Wish, before_turn, go_back

    both = intent.what == "both"
    wish = Wish(
        pick=before_turn(turn),
        yours=intent.yours,
        chat=chat if both else None,
        face=intent.face,
    )
    try:
        return await go_back(core, session, wish)
    except NotFoundError as error:
        if not both:
            raise
        await session.add(chat)
        return WentBack(text=text, problem=error.message)


async def fork(core: Core, session: Session, turn: int, title: str) -> SessionInfo:
    """A new session with the conversation up to just before a turn (0: all of it)."""
    records = await core.log.read(session.id)
    if turn:
        if turn not in session.conversation.marks:
            raise NotFoundError(f"turn {turn} is not part of the conversation any more")
        end = next(r.n for r in records if r.event == TurnStarted(turn=turn))
        records = tuple(record for record in records if record.n < end)
    now = time.time()
    talk = session.conversation
    info = SessionInfo(
        id=session_id(now),
        title=title or f"{talk.title} (fork)",
        cwd=session.cwd,
        model=talk.model,
        effort=talk.effort,
        mode=talk.mode,
        created=now,
        updated=now,
    )
    started = SessionStarted(
        title=info.title,
        cwd=info.cwd,
        model=info.model,
        effort=info.effort,
        mode=info.mode,
        origin="fork",
        person=talk.person,
        chat=talk.chat,
        group=talk.group,
    )
    taken = {r.event.input_id for r in records if isinstance(r.event, InputTaken)}
    copied = [(now, started), *((r.ts, r.event) for r in records if _goes_along(r.event, taken))]
    numbered = [
        Record(session=info.id, n=n, ts=ts, event=event) for n, (ts, event) in enumerate(copied, 1)
    ]
    key = await core.log.create(info, numbered)
    await core.log.share_prefix(session.key, key)
    await core.memory.forked(session.id, info.id)
    core.changed(info.id)
    return info


def _goes_along(event: Event, taken: set[str]) -> bool:
    if isinstance(event, InputReceived):
        return event.input_id in taken
    return not isinstance(event, (SessionStarted, *_NOT_COPIED))


def _typed_in(turn: int, records: Sequence[Record]) -> str:
    """What was typed to start a turn: the texts taken between its start and its first step."""
    texts = {r.event.input_id: r.event.text for r in records if isinstance(r.event, InputReceived)}
    begun = False
    found: list[str] = []
    for record in records:
        event = record.event
        if isinstance(event, TurnStarted):
            begun = event.turn == turn
        elif begun and isinstance(event, InputTaken):
            found.append(texts.get(event.input_id, ""))
        elif begun and event.kind == "model_asked":
            break
    return "\n\n".join(found)
