"""What happens with an assessed command: allowed, asked about or denied; inside or outside."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from hermes_tui.security.risk_types import Assessment

Level = Literal[1, 2, 3]
"""3 = namespaces (bwrap), 2 = Landlock and seccomp, 1 = no sandbox."""


class CommandDecision(Struct, frozen=True, kw_only=True):
    """allow, ask or deny; a reason for people; whether it would run inside the sandbox."""

    decision: Literal["allow", "ask", "deny"]
    reason: str
    sandbox: Literal["contained", "outside"]


def decide_command(assessment: Assessment, level: Level) -> CommandDecision:
    """Decide about a command under the default profile when a person can answer.

    The default profile: workspace writable, system read-only, home hidden, no network but
    through the egress proxy, which asks for each host by itself.
    """
    contained: Literal["contained", "outside"] = (
        "contained" if level > 1 and not assessment.outside else "outside"
    )
    if assessment.floor:
        return CommandDecision(decision="deny", reason=_sentence(assessment), sandbox=contained)
    if level == 1:
        reason = (
            _sentence(assessment) or "there is no sandbox on this machine, so each command asks"
        )
        return CommandDecision(decision="ask", reason=reason, sandbox="outside")
    if assessment.asks or assessment.outside:
        return CommandDecision(decision="ask", reason=_sentence(assessment), sandbox=contained)
    return CommandDecision(decision="allow", reason=_why_allowed(assessment), sandbox=contained)


def _sentence(assessment: Assessment) -> str:
    return assessment.reason or assessment.opaque_reason or assessment.outside


def _why_allowed(assessment: Assessment) -> str:
    hosts = [host for host in assessment.network if host != "?"]
    if hosts:
        return (
            f"it needs nothing outside the sandbox but {', '.join(hosts[:3])}, asked for by itself"
        )
    return "it needs nothing outside the sandbox"
