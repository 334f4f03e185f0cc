"""What a running command may reach of the network: by rule, or because a person says so now."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Iterable
from typing import Literal

from hermes_tui.agent.agent import TurnSession
from hermes_tui.backends.egress import Egress, Trip, Wish
from hermes_tui.backends.egress_names import WEB_PORTS, HostRule, NameRefusedError
from hermes_tui.events import ApprovalAnswered, ApprovalAsked
from hermes_tui.security import audit_entries
from hermes_tui.security.policy import Action, Decision

TOOL = "network"


class Network:
    """The way to the network of one call's processes. `over` ends what it still asks.

    command: the whole of what runs; lasting: the processes outlive the call, and so do their
    questions.
    """

    def __init__(self, session: TurnSession, call_id: str, command: str, lasting: bool) -> None:
        self.reached: list[str] = []
        self._session = session
        self._call_id = call_id
        self._command = command
        self._lasting = lasting
        self._over = asyncio.Event()
        self._waited = 0.0
        self._since: dict[str, float] = {}
        situation = session.situation()
        self._denied = host_rules(situation.denied)
        allowed = host_rules(situation.rules)
        self.egress = Egress(allowed, ask=self._ask, on_trip=self._travelled)

    def over(self) -> None:
        """The call has ended."""
        if not self._lasting:
            self._over.set()

    def waited(self) -> float:
        """Seconds in which a question was open."""
        now = time.monotonic()
        return self._waited + max((now - one for one in self._since.values()), default=0.0)

    def _travelled(self, trip: Trip) -> None:
        if trip.address and trip.host not in self.reached:
            self.reached.append(trip.host)

    async def _ask(self, wish: Wish) -> bool:
        """Whether a host may be reached; a deny rule, nobody there or no answer means no."""
        if any(rule.covers(wish.host, wish.port) for rule in self._denied):
            return False
        situation = self._session.situation()
        asked = self._asking(wish)
        verdict: Literal["allow", "ask", "deny"] = "ask" if situation.attended else "deny"
        if situation.mode == "yolo" and not situation.taint:
            verdict = "allow"
        action = Action(tool=TOOL, kind="fetch", title=asked.title, sends=(wish.host,))
        decision = Decision(verdict=verdict, reason=asked.reason)
        place = audit_entries.Place(
            session=self._session.id,
            turn=asked.turn,
            call_id=self._call_id,
            ask_id=asked.ask_id if verdict == "ask" else "",
        )
        entry = audit_entries.of_decision(place, action, situation, decision)
        await self._session.record(entry)
        if verdict != "ask":
            return verdict == "allow"
        return await self._answer(asked)

    async def _answer(self, asked: ApprovalAsked) -> bool:
        self._since[asked.ask_id] = time.monotonic()
        try:
            await self._session.add(asked)
            answer = asyncio.ensure_future(self._session.approval(asked))
            over = asyncio.ensure_future(self._over.wait())
            await asyncio.wait((answer, over), return_when=asyncio.FIRST_COMPLETED)
            over.cancel()
            if answer.done():
                return answer.result().verdict in ("once", "session", "always")
            answer.cancel()
            why = "what wanted it has ended"
            expired = ApprovalAnswered(ask_id=asked.ask_id, verdict="expired", reason=why)
            await self._session.record(audit_entries.of_answer(self._session.id, expired))
            await self._session.add(expired)
            return False
        finally:
            self._waited += time.monotonic() - self._since.pop(asked.ask_id)

    def _asking(self, wish: Wish) -> ApprovalAsked:
        host = wish.host if wish.port in WEB_PORTS else f"{wish.host}:{wish.port}"
        does = "send much to" if wish.upload else "reach"
        return ApprovalAsked(
            ask_id=uuid.uuid4().hex[:12],
            turn=self._session.conversation.turn,
            step=self._session.conversation.step,
            call_id=self._call_id,
            tool=TOOL,
            title=f"{does} {host}",
            detail=self._command,
            detail_kind="command",
            where="local, through the sandbox's proxy",
            reason=f"the command wants to {does} {host}",
            undo="what was sent can't be taken back",
            rule=f"{TOOL} {host}",
        )


def host_rules(rules: Iterable[str]) -> list[HostRule]:
    """The hosts that rules grant (or refuse) by name; a rule that names none counts for nothing."""
    found: list[HostRule] = []
    for rule in rules:
        tool, _, host = rule.partition(" ")
        if tool != TOOL:
            continue
        try:
            found.append(HostRule(host))
        except NameRefusedError:
            continue
    return found
