"""One function decides for every face whether a tool call runs, asks or is denied.

Reads run, writes outside the workspace and commands ask, nobody present means no. Commands are
read (`risk_assess`): what would wreck a machine is refused in every mode, and the question says
what the command would do. Nothing else in the tree decides.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Literal

from msgspec import Struct

Kind = Literal["read", "write", "execute", "ask", "state"]
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

    kind: `read`, `write` (files), `execute` (processes), `ask` (the person) or `state` (the
    agent's own to-do list). title: few words; detail: the exact command or the unified diff;
    paths: absolute real paths it would touch; rule: what "always" would save.
    """

    tool: str
    kind: Kind
    title: str
    detail: str = ""
    detail_kind: Literal["command", "diff", "text"] = "text"
    paths: tuple[str, ...] = ()
    cwd: str = ""
    undo: str = ""
    rule: str = ""

    @property
    def digest(self) -> str:
        """A digest of exactly this action, for audit and replay."""
        text = json.dumps([self.tool, self.kind, self.detail, self.paths, self.cwd])
        return hashlib.sha256(text.encode()).hexdigest()


class Situation(Struct, frozen=True, kw_only=True):
    """Where the question comes up: mode, workspace, whether a person can answer, rules so far.

    home: the person's home folder; state: the agent's own folder.
    """

    mode: Mode = "ask"
    workspace: str = ""
    attended: bool = True
    rules: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    home: str = ""
    state: str = ""


class Decision(Struct, frozen=True, kw_only=True):
    """allow, ask or deny, with a reason a person understands."""

    verdict: Literal["allow", "ask", "deny"]
    reason: str = ""


def decide(action: Action, situation: Situation) -> Decision:
    """Decide about one action in one situation. Deny beats allow, unknown means ask."""
    decision = _decide(action, situation)
    if decision.verdict == "ask" and not situation.attended:
        return Decision(verdict="deny", reason=f"nobody is here to approve it ({decision.reason})")
    return decision


def _decide(action: Action, situation: Situation) -> Decision:
    if action.kind == "execute" and action.detail_kind == "command":
        return _command(action, situation)
    if matches(action, situation.denied):
        return Decision(verdict="deny", reason=DENIED)
    if action.kind in ("read", "ask", "state"):
        return Decision(verdict="allow", reason="it changes nothing outside the session")
    if (by_mode := _by_mode(situation)) is not None:
        return by_mode
    if matches(action, situation.rules):
        return Decision(verdict="allow", reason=ALLOWED)
    if action.kind == "write":
        return _write(action, situation)
    return Decision(verdict="ask", reason=RUNS)


DENIED = "a deny rule covers it"
ALLOWED = "an always rule covers it"
RUNS = "it runs a command"


def _by_mode(situation: Situation) -> Decision | None:
    if situation.mode == "plan":
        return Decision(verdict="deny", reason="plan mode changes nothing; leave it with /mode ask")
    if situation.mode == "yolo":
        return Decision(verdict="allow", reason="yolo mode")
    return None


def _command(action: Action, situation: Situation) -> Decision:
    """Decide about shell text by what it would do. The floor holds in every mode."""
    from hermes_tui.security import commands_rules
    from hermes_tui.security.risk_assess import assess

    found = assess(
        action.detail,
        cwd=action.cwd or situation.workspace,
        workspace=situation.workspace,
        home=situation.home,
        state=situation.state,
    )
    if found.floor:
        return Decision(verdict="deny", reason=found.reason or "it would wreck the machine")
    deny = _of_tool(action.tool, situation.denied)
    if action.detail in deny or commands_rules.denied(deny, found):
        return Decision(verdict="deny", reason=DENIED)
    if (by_mode := _by_mode(situation)) is not None:
        return by_mode
    allow = _of_tool(action.tool, situation.rules)
    if action.detail in allow or commands_rules.covered(allow, found):
        return Decision(verdict="allow", reason=ALLOWED)
    return Decision(verdict="ask", reason=found.reason or found.opaque_reason or RUNS)


def _of_tool(tool: str, rules: tuple[str, ...]) -> tuple[str, ...]:
    """The texts of the rules for one tool, without its name."""
    return tuple(rule[len(tool) + 1 :] for rule in rules if rule.startswith(tool + " "))


def _write(action: Action, situation: Situation) -> Decision:
    outside = [p for p in action.paths if not inside(p, situation.workspace)]
    if outside:
        return Decision(verdict="ask", reason=f"{outside[0]} is outside the workspace")
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
    subject = action.detail if action.kind == "execute" else " ".join(action.paths)
    return bool(subject) and subject in _of_tool(action.tool, rules)
