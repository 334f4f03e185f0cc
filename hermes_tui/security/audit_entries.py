"""What goes into the audit log about a decision, an answer, a change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from hermes_tui.security.audit import AuditEntry
from hermes_tui.security.policy import ALLOWED, DENIED, Action, Decision, Situation, matches

if TYPE_CHECKING:
    from hermes_tui.events import ApprovalAnswered


class Place(Struct, frozen=True, kw_only=True):
    """Which call of which session something is about."""

    session: str
    turn: int = 0
    call_id: str = ""
    ask_id: str = ""


def of_decision(
    place: Place, action: Action, situation: Situation, decision: Decision
) -> AuditEntry:
    """What the policy said about one action, and in what circumstances."""
    return AuditEntry(
        kind="decided",
        session=place.session,
        turn=place.turn,
        call_id=place.call_id,
        ask_id=place.ask_id,
        tool=action.tool,
        action=action.kind,
        title=action.title,
        detail=action.detail if action.detail_kind in ("command", "code") else "",
        cwd=action.cwd or situation.workspace,
        paths=action.paths,
        digest=action.digest,
        verdict=decision.verdict,
        reason=decision.reason,
        hosts=action.sends,
        rules=covering(action, situation, decision),
        mode=situation.mode,
        level=situation.level if action.kind == "execute" else 0,
        contained=decision.contained,
        taint=situation.taint,
        attended=situation.attended,
    )


def of_answer(session: str, answer: ApprovalAnswered) -> AuditEntry:
    """What somebody, or the time limit, answered to a question."""
    return AuditEntry(
        kind="answered",
        session=session,
        ask_id=answer.ask_id,
        verdict=answer.verdict,
        reason=answer.reason,
        rules=(answer.rule,) if answer.rule else (),
        detail=answer.arguments,
        face=answer.face,
    )


def of_cut_off(place: Place, tool: str, title: str) -> AuditEntry:
    """A call that was running when the core died."""
    return AuditEntry(
        kind="unknown",
        session=place.session,
        turn=place.turn,
        call_id=place.call_id,
        tool=tool,
        title=title,
        verdict="unknown",
        reason="the core died while it ran; whether it took effect is not known",
    )


def of_change(what: str, old: Any, new: Any, session: str = "", face: str = "") -> AuditEntry:
    """A setting or a mode that has another value now."""
    return AuditEntry(
        kind="changed", session=session, title=what, detail=f"{old} -> {new}", face=face
    )


def of_rule(session: str, rule: str, face: str) -> AuditEntry:
    """A standing rule that a person had saved."""
    return AuditEntry(
        kind="rule",
        session=session,
        title="policy.allow",
        verdict="added",
        rules=(rule,),
        face=face,
    )


def covering(action: Action, situation: Situation, decision: Decision) -> tuple[str, ...]:
    """The standing rules that a decision rests on, each by its whole text."""
    if decision.reason.startswith(ALLOWED):
        return _covering(action, situation, situation.rules)
    if decision.reason.startswith(DENIED):
        return _covering(action, situation, situation.denied)
    return ()


def _covering(action: Action, situation: Situation, rules: tuple[str, ...]) -> tuple[str, ...]:
    if action.kind != "execute" or action.detail_kind not in ("command", "code"):
        return tuple(rule for rule in rules if matches(action, (rule,)))
    from hermes_tui.security import commands_rules
    from hermes_tui.security.risk_assess import assess

    start = action.tool + " "
    found = assess(
        action.shell_text,
        cwd=action.cwd or situation.workspace,
        workspace=situation.workspace,
        home=situation.home,
        state=situation.state,
    )
    return tuple(
        rule
        for rule in rules
        if rule.startswith(start)
        and (rule == start + action.detail or commands_rules.denied((rule[len(start) :],), found))
    )
