"""What of the conversation goes into the next request, and how room is made when it is full.

Old results are masked first, deep and rarely, so that the cached beginning of the prompt changes
seldom; when that is not enough, the oldest stretch is compacted (`compress`).
"""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tui.agent.agent import Agent, TurnSession
from hermes_tui.agent.conversation import Conversation
from hermes_tui.agent.view import size_of, size_of_message
from hermes_tui.events import ResultsMasked
from hermes_tui.models.base import Message

__all__ = ["BYTES_A_TOKEN", "budget_of", "make_more_room", "make_room", "size_of", "tail_start"]

BYTES_A_TOKEN = 3.0
"""Cautious: English text has about 4 bytes a token, code and Chinese about 3."""
RESERVE = 0.85
TAIL = 0.25
"""The newest part of the budget that is never touched."""
ENOUGH = 0.65
"""Masking alone is enough when it brings the view below this part of the budget."""
WORTH = 400
"""Results smaller than this many bytes are not masked: the line is hardly shorter."""
LEFT_OUT = "[output left out to make room; read it again if it is needed]"


async def make_room(session: TurnSession, agent: Agent) -> tuple[Message, ...]:
    """The messages for the next request, after room was made where it is needed."""
    talk = session.conversation
    budget = budget_of(agent)
    if talk.view.size > budget:
        await mask_old(session, budget)
        if talk.view.size > budget * ENOUGH:
            from hermes_tui.agent.compress import compress

            await compress(session, agent)
    return _fitted(talk.view.messages, talk.view.size, budget)


async def make_more_room(session: TurnSession, agent: Agent) -> bool:
    """The endpoint took less than was thought: shorten what there is; whether that helped."""
    from hermes_tui.agent.compress import compress

    before = session.conversation.view.size
    await mask_old(session, before // 2)
    await compress(session, agent, room=before // 2)
    return session.conversation.view.size < before * 0.9


def budget_of(agent: Agent) -> int:
    """Bytes that the conversation may take up in a request."""
    prefix = sum(size for _, size in agent.prefix.parts)
    return max(int(agent.model.window * RESERVE * BYTES_A_TOKEN) - prefix, 2000)


def tail_start(talk: Conversation, budget: int) -> int:
    """Where the newest part begins, as a place in the list of all messages.

    It begins with a message of the user or a reply, so no result stands without its call.
    """
    room = budget * TAIL
    start = len(talk.messages)
    while start > talk.compacted_to and room > 0:
        start -= 1
        room -= size_of_message(talk.as_seen(talk.messages[start]))
    while start > talk.compacted_to and talk.messages[start].role == "tool":
        start -= 1
    return start


async def mask_old(session: TurnSession, budget: int) -> bool:
    """Mask the results before the newest part; whether there were any."""
    talk = session.conversation
    old = talk.messages[talk.compacted_to : tail_start(talk, budget)]
    found = [
        message.call_id
        for message in old
        if message.role == "tool"
        and message.call_id not in talk.masked
        and size_of_message(message) > WORTH
    ]
    if found:
        await session.add(ResultsMasked(turn=talk.turn, call_ids=tuple(found)))
    return bool(found)


def _fitted(messages: Sequence[Message], size: int, budget: int) -> tuple[Message, ...]:
    """The messages; while they still don't fit, without the oldest results in this request."""
    need = size - budget
    view: list[Message] = []
    for message in messages:
        if need > 0 and message.role == "tool" and size_of_message(message) > 4 * len(LEFT_OUT):
            need -= size_of_message(message) - len(LEFT_OUT)
            message = Message(role="tool", content=LEFT_OUT, call_id=message.call_id)
        view.append(message)
    return tuple(view)
