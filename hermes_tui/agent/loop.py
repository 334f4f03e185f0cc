"""The loop: ask the model, run its tools, repeat until it has nothing left to do."""

from __future__ import annotations

from hermes_tui.agent.agent import Agent, TurnSession
from hermes_tui.agent.claims import claims_in
from hermes_tui.agent.context import make_more_room, make_room
from hermes_tui.agent.reply import stream_reply
from hermes_tui.agent.steps import run_tools
from hermes_tui.errors import ModelError
from hermes_tui.events import ClaimsChecked, Outcome, ReplyReceived


async def run_turn(session: TurnSession, agent: Agent) -> Outcome:
    """Answer the user: ask the model, run its tools, repeat until it has nothing left to do.

    Picks up where a turn was cut off: calls without a result are settled first. Raises
    ModelError when the model can't be reached; cancelling it stops the turn.
    """
    talk = session.conversation
    await run_tools(talk.open_calls, agent, session)
    for _ in range(agent.max_rounds):
        if talk.answered and not session.steering_waiting:
            return "done"
        await session.add(session.take_steering(), hold=True)
        reply = await _reply(session, agent)
        await session.add(reply, hold=bool(reply.calls))
        if not reply.calls and (claims := claims_in(reply.text, talk.done)):
            await session.add(ClaimsChecked(turn=talk.turn, claims=claims), hold=True)
        await run_tools(talk.open_calls, agent, session)
    return "done" if talk.answered else "limit"


async def _reply(session: TurnSession, agent: Agent) -> ReplyReceived:
    """Ask the model; when it says that this was too much, make room and ask once more."""
    messages = await make_room(session, agent)
    try:
        return await stream_reply(agent, messages, session)
    except ModelError as error:
        if error.kind != "context":
            raise
        if not await make_more_room(session, agent):
            raise
    return await stream_reply(agent, await make_room(session, agent), session)
