"""The product's own command line, processes and settings are out of bounds for commands."""

from __future__ import annotations

import re

from hermes_tui.security.risk_files import Handler
from hermes_tui.security.risk_scene import Scene
from hermes_tui.security.shell_command import Command

_NAME = re.compile(r"(?:\S*/)?hermes(?:[-_]tui)?(?:d|\.service|\.socket|-core|_core)?\Z")
_SETTING = re.compile(r"HERMES(?:_TUI)?_\w+=")
_READING: dict[str, frozenset[str]] = {
    "sessions": frozenset({"list", "show"}),
    "skills": frozenset({"list", "show", "check", "lint", "route", "history", "stats", "waiting"}),
    "tools": frozenset({"list"}),
    "tool": frozenset({"list"}),
    "config": frozenset({"get", "list", "path"}),
    "policy": frozenset({"check", "url", "why", "rules"}),
    "daemon": frozenset({"status", "logs", "restart"}),  # a restart drains turns, loses nothing
    "model": frozenset({"list"}),
    "audit": frozenset({"list", "verify"}),
    "search": frozenset(),
    "doctor": frozenset(),
    "redact": frozenset(),
    "--version": frozenset(),
    "--help": frozenset(),
    "-h": frozenset(),
}


def _tampers(scene: Scene, reason: str) -> None:
    scene.find("self-tampering", reason, floor=True, outside=True)


def _hermes(command: Command, scene: Scene) -> None:
    words = command.argv[1:]
    allowed = _READING.get(words[0]) if words else None
    if "--help" in words or (
        allowed is not None and (not allowed or (words[1:2] and words[1] in allowed))
    ):
        return
    _tampers(scene, "it drives the agent itself, or changes its settings")


def own_process(command: Command, scene: Scene) -> None:
    """Note what ends the agent: `kill` by its pid file, `pkill hermes`, stopping its service."""
    name = command.name
    if name in (
        "kill",
        "pkill",
        "killall",
        "systemctl",
        "launchctl",
        "service",
        "skill",
        "taskkill",
    ):
        named = any(
            _NAME.match(arg) or (name == "pkill" and "hermes" in arg) for arg in command.argv[1:]
        )
        if named or "own" in scene.incoming(command):
            _tampers(scene, "it ends the agent itself")
    if name == "kill" and any(
        one.name in ("pgrep", "pidof") and any("hermes" in arg for arg in one.argv[1:])
        for one in scene.commands
        if one.number in command.sources | command.stdin.sources
    ):
        _tampers(scene, "it ends the agent itself")


def own_settings(command: Command, scene: Scene) -> None:
    """Note variables that would change the agent."""
    pairs = [f"{name}=" for name, _ in command.assigns]
    if command.name in ("export", "declare", "typeset", "readonly", "env", "setenv", "launchctl"):
        pairs += list(command.argv[1:])
    if any(_SETTING.match(one) for one in pairs):
        _tampers(scene, "it changes the agent's settings")


PROGRAMS: dict[str, Handler] = dict.fromkeys(("hermes", "hermes-tui", "hermes_tui"), _hermes)
