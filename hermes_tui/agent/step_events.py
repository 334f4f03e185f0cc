"""The events and audit entries of one tool call, made of what was decided about it."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING

import msgspec

from hermes_tui.events import ApprovalAnswered, ApprovalAsked, Status, ToolCall, ToolEnded
from hermes_tui.security import audit_entries

if TYPE_CHECKING:
    from hermes_tui.agent.agent import TurnSession
    from hermes_tui.security.audit import AuditEntry
    from hermes_tui.security.policy import Action, Decision, Situation


PARKED_S = 7 * 86_400.0
MOST_PARKED = 20


class StepEvents:
    """Makes the events of one step of a turn."""

    def __init__(self, session: TurnSession) -> None:
        self._session = session
        self._seen: Situation | None = None
        self.turn = session.conversation.turn
        self.step = session.conversation.step

    def look(self) -> Situation:
        """The situation as it is now, which what is told next is about."""
        self._seen = self._session.situation()
        return self._seen

    @property
    def situation(self) -> Situation:
        """The situation as it was looked at last."""
        return self._seen or self.look()

    def ended(self, call: ToolCall, status: Status, text: str) -> ToolEnded:
        """A call's end, with what the model reads."""
        return ToolEnded(
            turn=self.turn,
            step=self.step,
            call_id=call.id,
            tool=call.tool,
            status=status,
            for_model=text,
        )

    def refusal(self, call: ToolCall, answer: ApprovalAnswered) -> ToolEnded:
        """The end of a call that a person, or the time limit, refused."""
        why = f": {answer.reason}" if answer.reason else ""
        if answer.verdict == "expired":
            text = f"nobody answered in time; it was not run{why}. The question stays open for them"
            return self.ended(call, "denied", text)
        return self.ended(call, "denied", f"the user denied this{why}")

    def asking(self, call: ToolCall, action: Action, decision: Decision) -> ApprovalAsked:
        """The question about a call."""
        return ApprovalAsked(
            ask_id=uuid.uuid4().hex[:12],
            turn=self.turn,
            step=self.step,
            call_id=call.id,
            tool=call.tool,
            arguments=call.arguments,
            title=action.title,
            detail=action.detail,
            detail_kind=action.detail_kind,
            where=self.where(action, decision) or "local",
            reason=decision.reason,
            undo=self._session.undo(action) or action.undo,
            rule=action.rule,
        )

    def parking(
        self, call: ToolCall, action: Action, decision: Decision
    ) -> tuple[ApprovalAsked, ...]:
        """The question about a call that nobody is there to answer, or has answered in time; none
        if it is open already.
        """
        if not (decision.parks or decision.verdict == "ask"):
            return ()
        parked = [one for one in self._session.conversation.approvals.values() if one.until]
        same = any((one.tool, one.arguments) == (call.tool, call.arguments) for one in parked)
        if same or len(parked) >= MOST_PARKED:
            return ()
        asked = self.asking(call, action, decision)
        return (msgspec.structs.replace(asked, turn=0, step=0, until=time.time() + PARKED_S),)

    def where(self, action: Action, decision: Decision) -> str:
        """What surrounds the process that an action starts; empty when it starts none."""
        if action.kind != "execute" or action.detail_kind not in ("command", "code"):
            return ""
        level = self.situation.level
        if decision.contained:
            return f"local, inside the sandbox (level {level})"
        return "local, outside the sandbox" if level > 1 else "local, no sandbox"

    def cut_off(self, call: ToolCall) -> AuditEntry:
        """For the audit log: it ran when the core died."""
        return audit_entries.of_cut_off(self._place(call), call.tool, call.arguments)

    def decided(
        self, call: ToolCall, action: Action, decision: Decision, ask_id: str = ""
    ) -> AuditEntry:
        """For the audit log: what was decided."""
        place = self._place(call, ask_id)
        return audit_entries.of_decision(place, action, self.situation, decision)

    def _place(self, call: ToolCall, ask_id: str = "") -> audit_entries.Place:
        return audit_entries.Place(
            session=self._session.id, turn=self.turn, call_id=call.id, ask_id=ask_id
        )
