"""Calling a person to what waits for them: in their own chat, when nobody looks at a screen."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hermes_tui.events import ApprovalAsked, QuestionAsked
from hermes_tui.runtime.chats import asking
from hermes_tui.runtime.chats.people import HOOKS, TERMINAL
from hermes_tui.store.chats import Chat
from hermes_tui.store.outbox import Fresh

if TYPE_CHECKING:
    from hermes_tui.runtime.chats.chats import Chats
    from hermes_tui.runtime.session import Session


SCREENS = ("ui", "plain")
WAIT_S = 20.0
"""Somebody at a screen has so long before their phone is called."""


async def later(chats: Chats, session: Session, ask_id: str) -> None:
    """Call after a while, if no screen shows the session; a screen calls by itself."""
    await asyncio.sleep(WAIT_S)
    if not any(face.name in SCREENS for face in session.faces):
        await call(chats, session, ask_id)


async def call(chats: Chats, session: Session, ask_id: str) -> int:
    """Tell the person's own chats what waits, with buttons that answer it; how many were told.

    Each is told once. Chats that the session is in are told by `telling` already.
    """
    talk = session.conversation
    asked = talk.approvals.get(ask_id) or talk.questions.get(ask_id)
    if asked is None or talk.person:
        return 0
    told = {one.target for one in chats.telling.bound(session.id)}
    homes = [one for one in _homes(chats) if one not in told]
    for target in homes:
        chat = Chat(key=f"home|{target}", target=target, session=session.id)
        await chats.outbox.put_all([await _fresh(chats, chat, asked)], chat.key, 0)
        chats.wake(target)
    return len(homes)


def _homes(chats: Chats) -> list[str]:
    """The person's own chats, of every platform that is set up and has one."""
    names = (name for name in chats.platforms() if name not in (HOOKS, TERMINAL))
    return [home for name in names if (home := chats.home(name))]


async def _fresh(chats: Chats, chat: Chat, asked: ApprovalAsked | QuestionAsked) -> Fresh:
    if isinstance(asked, ApprovalAsked):
        text, data = await asking.approval(chats.rows, chat, asked)
    else:
        text, data = await asking.question(chats.rows, chat, asked)
    session = await chats.core.session(chat.session)
    title = session.conversation.title or "A conversation"
    key = f"{chat.target}|call|{chat.session}|{asked.ask_id}"
    text = f"*{title}* waits for you.\n\n{text}"
    return Fresh(key=key, target=chat.target, text=text, kind="ask", data=data)
