"""A question beside the conversation: answered from what was said, and not added to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui.errors import HermesError, ModelError
from hermes_tui.events import AsideAnswered, Usage
from hermes_tui.models.base import Message, Request

if TYPE_CHECKING:
    from hermes_tui.agent.conversation import Conversation
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.session import Session

_ABOUT = (
    "[A question beside your work. Answer it at once from what you know, in a few sentences; no"
    " tool can be called for it. Then forget it: your work goes on as it was.]"
)


async def begin(core: Core, session: Session, text: str) -> None:
    """Ask; the answer comes as `AsideAnswered`. Raises HermesError for an empty question."""
    if not text.strip():
        raise HermesError("there is no question", "write it after the command: /btw TEXT")
    question = session.redactor.redact_held(text.strip()).text
    core.spawn(_answer(core, session, question))


async def _answer(core: Core, session: Session, question: str) -> None:
    try:
        told = await _asked(core, session, question)
    except HermesError as error:
        told = AsideAnswered(question=question, error=str(error))
    await session.add(told)


async def _asked(core: Core, session: Session, question: str) -> AsideAnswered:
    agent = await core.workshop.agent_for(session, core.config)
    asked = Message(role="user", content=f"{question}\n\n{_ABOUT}")
    messages = (*settled(session.conversation), asked)
    request = Request(system=agent.prefix.system, messages=messages, tools=agent.prefix.tools)
    text, usage = "", Usage()
    async for delta in agent.model.stream(request):
        text += delta.text
        usage = delta.usage or usage
    if not text.strip():
        raise ModelError("the model said nothing", "ask again, or ask it in the conversation")
    clean = session.redactor.redact(text.strip()).text
    return AsideAnswered(question=question, text=clean, usage=usage)


def settled(talk: Conversation) -> tuple[Message, ...]:
    """What the model has seen, up to the last calls that all have results."""
    messages = list(talk.view.messages)
    if talk.open_calls:
        while messages and not messages.pop().calls:
            continue
    return tuple(messages)
