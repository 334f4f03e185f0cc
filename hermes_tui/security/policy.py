"""One function decides for every face whether a tool call runs, asks or is denied.

A first policy: reads run, writes outside the workspace and commands ask, nobody present
means no. Stronger rules replace the inside of `decide`; nothing else in the tree decides.
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
    """Where the question comes up: mode, workspace, whether a person can answer, rules so far."""

    mode: Mode = "ask"
    workspace: str = ""
    attended: bool = True
    rules: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()


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
    if matches(action, situation.denied):
        return Decision(verdict="deny", reason="a deny rule covers it")
    if action.kind in ("read", "ask", "state"):
        return Decision(verdict="allow", reason="it changes nothing outside the session")
    if situation.mode == "plan":
        return Decision(verdict="deny", reason="plan mode changes nothing; leave it with /mode ask")
    if situation.mode == "yolo":
        return Decision(verdict="allow", reason="yolo mode")
    if matches(action, situation.rules):
        return Decision(verdict="allow", reason="an always rule covers it")
    if action.kind == "write":
        return _write(action, situation)
    return Decision(verdict="ask", reason="it runs a command")


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
    """Whether one of the rules covers the action. A rule is `tool` + space + exact text.

    A rule covers one exact command line, or with a final ` *` never more than one simple
    command with those first words; text with shell operators is only ever covered exactly.
    """
    return any(_covers(rule, action) for rule in rules)


_OPERATORS = frozenset(";|&<>`$(){}\n\\*?[]~#!'\"")


def _covers(rule: str, action: Action) -> bool:
    tool, _, text = rule.partition(" ")
    subject = action.detail if action.kind == "execute" else " ".join(action.paths)
    if tool != action.tool or not text or not subject:
        return False
    if text == subject:
        return True
    if not text.endswith(" *") or action.kind != "execute" or _OPERATORS & set(subject):
        return False
    prefix = text[:-2].split()
    return bool(prefix) and subject.split()[: len(prefix)] == prefix
