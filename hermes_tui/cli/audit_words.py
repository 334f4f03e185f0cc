"""Lines of the audit log in words."""

from __future__ import annotations

from hermes_tui.cli import output
from hermes_tui.security.audit import AuditEntry

_DECIDED = {"allow": "allowed", "ask": "asked about", "deny": "refused"}
_ANSWERED = {
    "once": "approved once",
    "session": "approved for the session",
    "always": "approved, and always from now on",
    "deny": "denied",
    "expired": "expired",
}
_WANTED = {
    "read": "read something",
    "write": "change files",
    "execute": "run a command",
    "ask": "ask you something",
    "state": "change its own notes",
    "fetch": "read from the network",
    "send": "send something out",
    "spend": "spend money",
    "persist": "keep something for later sessions",
}


def sentence(one: AuditEntry) -> str:
    """What happened, on one line."""
    match one.kind:
        case "decided":
            said = f"{_DECIDED.get(one.verdict, one.verdict)} {one.tool}: {one.title}"
            return said + (f" ({one.reason})" if one.reason else "")
        case "answered":
            return answer(one)
        case "unknown":
            return f"cut off {one.tool}: {one.reason}"
        case "rule":
            return f"rule {one.verdict} in {one.title}: {', '.join(one.rules)}{_by(one)}"
        case "changed":
            return f"changed {one.title}: {one.detail}{_by(one)}"
        case "blocked" | "granted":
            about = " ".join(part for part in (one.tool, one.title, *one.hosts) if part)
            return f"{one.kind} {about}" + (f" ({one.reason})" if one.reason else "") + _by(one)
        case _:
            return f"{one.kind}: {one.reason}"


def answer(one: AuditEntry) -> str:
    """Who answered a question, and how."""
    said = _ANSWERED.get(one.verdict, one.verdict) + _by(one)
    if one.detail:
        said += ", after changing it"
    if one.rules and one.verdict in ("session", "always"):
        said += f"; rule: {', '.join(one.rules)}"
    return said + (f" ({one.reason})" if one.reason else "")


def _by(one: AuditEntry) -> str:
    who = one.who or one.face
    return (f" by {who}" if who else "") + (f" in {one.where}" if one.where else "")


def asked_for(one: AuditEntry) -> str:
    """What the agent wanted to do."""
    wish = f"The agent wanted to {_WANTED.get(one.action, 'do something')} ({one.tool})"
    what = one.detail or one.title
    return f"{wish}: {output.clean(what)}" if what else f"{wish}."


def decision(one: AuditEntry) -> str:
    """What the policy said, and why."""
    said = {
        "allow": "It ran without a question",
        "ask": "The policy asked you first",
        "deny": "The policy refused it",
    }.get(one.verdict, one.verdict)
    return f"{said}: {one.reason}." if one.reason else f"{said}."


def circumstances(one: AuditEntry) -> str:
    """Mode, sandbox, presence, targets, what had been read."""
    parts = [f"the mode was {one.mode}" if one.mode else ""]
    inside = "inside" if one.contained else "outside"
    parts.append(f"it was to run {inside} the sandbox (level {one.level})" if one.level else "")
    parts.append(f"it would have reached {', '.join(one.hosts)}" if one.hosts else "")
    parts.append("" if one.attended else "nobody was there to answer")
    parts.append(f"text from {one.taint} had been read before" if one.taint else "")
    told = ", ".join(part for part in parts if part)
    return f"{told[0].upper()}{told[1:]}." if told else ""
