"""Leave for what a running tool wants to do besides its call: decided, recorded, asked for.

As with the call itself the policy decides and the audit log knows of it first; what is allowed is
this once.
"""

from __future__ import annotations

import uuid

from hermes_tui.agent.agent import TurnSession
from hermes_tui.events import ApprovalAsked
from hermes_tui.security import audit_entries
from hermes_tui.security.policy import Action, decide


async def leave_for(session: TurnSession, call_id: str, action: Action, where: str) -> str:
    """Why an action may not be done; empty when it may. where: who would do it, for the card."""
    situation = session.situation()
    decision = decide(action, situation)
    talk = session.conversation
    asked = ApprovalAsked(
        ask_id=uuid.uuid4().hex[:12],
        turn=talk.turn,
        step=talk.step,
        call_id=call_id,
        tool=action.tool,
        title=action.title,
        detail=action.detail,
        where=where,
        reason=decision.reason,
        undo=action.undo,
    )
    asks = decision.verdict == "ask"
    place = audit_entries.Place(
        session=session.id,
        turn=asked.turn,
        call_id=call_id,
        ask_id=asked.ask_id if asks else "",
    )
    await session.record(audit_entries.of_decision(place, action, situation, decision))
    if not asks:
        return "" if decision.verdict == "allow" else decision.reason
    await session.add(asked)
    answer = await session.approval(asked)
    if answer.verdict in ("once", "session", "always"):
        return ""
    if answer.verdict == "expired":
        return answer.reason or "nobody answered in time"
    return f"the person refused: {answer.reason}" if answer.reason else "the person refused"
