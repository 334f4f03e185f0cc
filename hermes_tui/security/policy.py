"""One function decides for every face whether a tool call runs, asks or is denied.

Reads run, writes ask, commands run without a question where the sandbox takes their harm away,
nobody present means no. Commands are read (`risk_assess`): what would wreck a machine is refused
in every mode. After untrusted text was read, what goes out asks unless the person named the
target (`taint`). Nothing else in the tree decides.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Sequence, Set
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

Kind = Literal["read", "write", "execute", "ask", "state", "fetch", "send", "spend", "persist"]
Mode = Literal["ask", "auto-edit", "plan", "yolo"]
MODES: tuple[Mode, ...] = ("ask", "auto-edit", "plan", "yolo")


def mode_named(text: str) -> Mode:
    """The mode of a name; anything unknown is `ask`, so that a typo never loosens anything."""
    for mode in MODES:
        if mode == text:
            return mode
    return "ask"


class Action(Struct, frozen=True, kw_only=True):
    """What a tool call would do, said by the tool before it does it.

    kind: `read`, `write` (files), `execute` (processes), `ask` (the person), `state` (the
    agent's own to-do list), `fetch` (read from the network), `send` (to people or services),
    `spend` (money) or `persist` (what outlives the session: memory, skills, jobs). title: few
    words; detail: the exact command or the unified diff; paths: absolute real paths it would
    touch; sends: where it goes: URLs, hosts, addresses, chats; rule: what "always" would save;
    outside: it asks to run outside the sandbox.
    """

    tool: str
    kind: Kind
    title: str
    detail: str = ""
    detail_kind: Literal["command", "code", "diff", "text"] = "text"
    paths: tuple[str, ...] = ()
    cwd: str = ""
    undo: str = ""
    rule: str = ""
    sends: tuple[str, ...] = ()
    outside: bool = False

    @property
    def shell_text(self) -> str:
        """What the policy reads: the command, or the shell's way to run the Python code."""
        if self.detail_kind != "code":
            return self.detail
        return f"python3 -c {shlex.quote(self.detail)}"

    @property
    def digest(self) -> str:
        """A digest of exactly this action, for audit and replay."""
        about = (self.tool, self.kind, self.detail, self.paths, self.cwd, self.sends)
        text = json.dumps([*about, self.outside])
        return hashlib.sha256(text.encode()).hexdigest()


class Situation(Struct, frozen=True, kw_only=True):
    """Where the question comes up: mode, workspace, whether a person can answer, rules so far.

    home: the person's home folder; state: the agent's own folder. level: of the sandbox that a
    command would run in, 1 for none, and why_none says why. taint: where untrusted text came
    from that this conversation has read, empty for nowhere; said: what the person typed; found:
    addresses that searches returned. refused: why no command may run here at all. parks: what
    would ask while nobody is there is kept as a question.
    """

    mode: Mode = "ask"
    workspace: str = ""
    attended: bool = True
    rules: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    home: str = ""
    state: str = ""
    level: Literal[1, 2, 3] = 1
    why_none: str = ""
    taint: str = ""
    said: Sequence[str] = ()
    found: Set[str] = frozenset()
    refused: str = ""
    parks: bool = False


class Decision(Struct, frozen=True, kw_only=True):
    """allow, ask or deny, with a reason a person understands.

    contained: it runs inside the sandbox, also after a person's yes. parks: it is denied only
    because nobody is there; the question stays open for who comes later.
    """

    verdict: Literal["allow", "ask", "deny"]
    reason: str = ""
    contained: bool = False
    parks: bool = False


def decide(action: Action, situation: Situation) -> Decision:
    """Decide about one action in one situation. Deny beats allow, unknown means ask."""
    decision = _decide(action, situation)
    if decision.verdict == "ask" and not situation.attended:
        reason = f"nobody is here to approve it ({decision.reason})"
        return replace(decision, verdict="deny", reason=reason, parks=situation.parks)
    return decision


def _decide(action: Action, situation: Situation) -> Decision:
    if action.kind == "execute" and action.detail_kind in ("command", "code"):
        return _command(action, situation)
    if refused := _refused(action, situation):
        return Decision(verdict="deny", reason=refused)
    if action.kind in ("read", "ask", "state"):
        return Decision(verdict="allow", reason="it changes nothing outside the session")
    if action.kind == "fetch":
        return _fetch(action, situation)
    if (by_mode := _by_mode(situation)) is not None:
        return by_mode
    if matches(action, situation.rules):
        return Decision(verdict="allow", reason=ALLOWED)
    if action.kind == "write":
        return _write(action, situation)
    if action.kind in ("send", "spend", "persist"):
        return _outward(action, situation)
    return Decision(verdict="ask", reason=RUNS)


DENIED = "a deny rule covers it"
ALLOWED = "an always rule covers it"
RUNS = "it runs a command"
OWN = "the agent's own files are changed by its own commands alone"
OUTSIDE = "it wants to run outside the sandbox"


def _refused(action: Action, situation: Situation) -> str:
    """Why an action is out of the question whatever a person says; empty when it is not."""
    if matches(action, situation.denied):
        return DENIED
    here, state = situation.workspace, situation.state
    if action.kind != "write" or inside(os.path.realpath(here), state):
        return ""  # a workspace in the agent's folder was given to it by a person
    return OWN if any(inside(p, state) for p in action.paths) else ""


def _by_mode(situation: Situation) -> Decision | None:
    if situation.mode == "plan":
        return Decision(verdict="deny", reason="plan mode changes nothing; leave it with /mode ask")
    if situation.mode == "yolo":
        return Decision(verdict="allow", reason="yolo mode")
    return None


def _command(action: Action, situation: Situation) -> Decision:
    """Decide about shell text by what it would do. The floor holds in every mode."""
    from hermes_tui.security import commands_rules
    from hermes_tui.security.commands_decide import decide_command
    from hermes_tui.security.risk_assess import assess

    found = assess(
        action.shell_text,
        cwd=action.cwd or situation.workspace,
        workspace=situation.workspace,
        home=situation.home,
        state=situation.state,
    )
    by_risk = decide_command(found, situation.level)
    contained = by_risk.sandbox == "contained" and not action.outside

    def so(verdict: Literal["allow", "ask", "deny"], reason: str) -> Decision:
        return Decision(verdict=verdict, reason=reason, contained=contained)

    if by_risk.decision == "deny":
        return so("deny", by_risk.reason or "it would wreck the machine")
    if situation.refused:
        return so("deny", situation.refused)
    deny = _of_tool(action.tool, situation.denied)
    if action.detail in deny or commands_rules.denied(deny, found):
        return so("deny", DENIED)
    if (by_mode := _by_mode(situation)) is not None:
        return so(by_mode.verdict, by_mode.reason)
    allow = _of_tool(action.tool, situation.rules)
    if not action.outside and (action.detail in allow or commands_rules.covered(allow, found)):
        return so("allow", ALLOWED)
    if action.outside:
        return so("ask", found.reason or found.opaque_reason or OUTSIDE)
    if by_risk.decision == "allow":
        return so("allow", by_risk.reason)
    known = found.reason or found.opaque_reason or found.outside
    return so("ask", known or situation.why_none or by_risk.reason)


def _fetch(action: Action, situation: Situation) -> Decision:
    """Reading from the network: free, until something untrusted may have chosen the address."""
    from hermes_tui.security.taint import carries, host_of, strange, unnamed

    if situation.mode == "yolo" or matches(action, situation.rules):
        return Decision(verdict="allow", reason="it only reads")
    if not situation.taint:
        new = [one for one in unnamed(action.sends, situation.said) if one not in situation.found]
        laden = next((host_of(one) for one in new if carries(one)), "")
        if not laden:
            return Decision(verdict="allow", reason="it only reads")
        why = f"the address could carry data to {laden}, which you did not name"
        return Decision(verdict="ask", reason=why)
    far = strange(action.sends, situation)
    if not far:
        return Decision(verdict="allow", reason="you named it, or a search led there")
    return Decision(
        verdict="ask",
        reason=f"text from {situation.taint} was read, and you did not name {far[0]}",
    )


_SAYS = {
    "send": "it sends something out",
    "spend": "it spends money",
    "persist": "it is kept for later sessions",
}


def _outward(action: Action, situation: Situation) -> Decision:
    """What others would see, pay for, or what later sessions would go by."""
    from hermes_tui.security.taint import unnamed

    says = _SAYS[action.kind]
    far = unnamed(action.sends, situation.said)
    if action.kind == "persist" and not action.sends:
        far = ("it",) if situation.taint else ()
    elif not action.sends:
        far = ("its target",)
    if not far:
        return Decision(verdict="allow", reason=f"{says}, as you said")
    if situation.taint:
        return Decision(
            verdict="ask",
            reason=f"{says}, text from {situation.taint} was read, and you did not name {far[0]}",
        )
    return Decision(verdict="ask", reason=says)


def _of_tool(tool: str, rules: tuple[str, ...]) -> tuple[str, ...]:
    """The texts of the rules for one tool, without its name."""
    return tuple(rule[len(tool) + 1 :] for rule in rules if rule.startswith(tool + " "))


def _write(action: Action, situation: Situation) -> Decision:
    outside = [p for p in action.paths if not inside(p, situation.workspace)]
    if outside:
        return Decision(verdict="ask", reason=f"{outside[0]} is outside the workspace")
    from hermes_tui.security.file_places import trap

    followed = next(filter(None, (trap(p, situation.workspace) for p in action.paths)), "")
    if followed:
        return Decision(verdict="ask", reason=followed)
    if situation.mode == "auto-edit":
        return Decision(verdict="allow", reason="auto-edit mode, inside the workspace")
    return Decision(verdict="ask", reason="it changes a file")


def inside(path: str, folder: str) -> bool:
    """Whether a real absolute path lies in a folder (or is it)."""
    if not path or not folder:
        return False
    top = os.path.realpath(folder)
    return top != os.sep and (path == top or path.startswith(top + os.sep))


def matches(action: Action, rules: tuple[str, ...]) -> bool:
    """Whether one of the rules covers the action: its tool's name, a space, its exact subject."""
    mine = _of_tool(action.tool, rules)
    if action.kind in ("fetch", "send", "spend", "persist"):
        from hermes_tui.security.taint import host_of

        return bool(action.sends) and all(
            one in mine or host_of(one) in mine for one in action.sends
        )
    subject = action.detail if action.kind == "execute" else " ".join(action.paths)
    return bool(subject) and subject in mine
