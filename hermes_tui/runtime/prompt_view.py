"""The prompt that a session begun here and now would have, for people who want to see it."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from hermes_tui.agent.context import BYTES_A_TOKEN
from hermes_tui.events import SessionStarted
from hermes_tui.intents import SessionInfo
from hermes_tui.intents.prompt import PromptPart, PromptView, ShowPrompt
from hermes_tui.runtime.face import Face
from hermes_tui.runtime.session import Session

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core


async def show_prompt(core: Core, intent: ShowPrompt, face: Face) -> PromptView:
    """The composition of a new session's prompt."""
    info = SessionInfo(id=f"prompt-{secrets.token_hex(6)}", cwd=intent.standing.cwd)
    session = Session(core, 0, info)
    session.stand(intent.standing)
    session.conversation.apply(SessionStarted(cwd=session.cwd, origin="prompt"))
    agent = await core.agent_for(session)
    parts = tuple(
        PromptPart(name=name, bytes=size, tokens=round(size / BYTES_A_TOKEN))
        for name, size in agent.prefix.parts
    )
    size = sum(one.bytes for one in parts)
    return PromptView(
        model=agent.model.name,
        parts=parts,
        bytes=size,
        tokens=round(size / BYTES_A_TOKEN),
        window=agent.model.window,
        system=agent.prefix.system,
        tools=tuple(one.name for one in agent.prefix.tools),
    )
