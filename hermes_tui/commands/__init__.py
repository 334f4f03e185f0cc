"""Every action a person can take, once: slash list, palette, keys, help and docs read it."""

from __future__ import annotations

import difflib

from hermes_tui.commands import chats, look, screen, sessions, talk
from hermes_tui.commands.base import CORE, UI, Command, Surface

__all__ = [
    "BY_ID",
    "BY_SLASH",
    "COMMANDS",
    "CORE",
    "UI",
    "Command",
    "Surface",
    "is_command",
    "nearest",
    "parse",
]

COMMANDS: tuple[Command, ...] = (
    *talk.COMMANDS,
    *sessions.COMMANDS,
    *look.COMMANDS,
    *screen.COMMANDS,
    *chats.COMMANDS,
)

BY_SLASH: dict[str, Command] = {c.slash: c for c in COMMANDS if c.slash}
BY_ID: dict[str, Command] = {c.id: c for c in COMMANDS}


def parse(line: str) -> tuple[Command | None, str, str]:
    """(command, name, arguments) of a line that starts with `/`; command None when unknown."""
    name, _, args = line.strip()[1:].partition(" ")
    return BY_SLASH.get(name.lower()), name, args.strip()


def is_command(text: str) -> bool:
    """Whether typed text is a slash command rather than something to say (`/etc/hosts is`)."""
    head = text.lstrip().split(maxsplit=1)[:1]
    return (
        bool(head)
        and head[0].startswith("/")
        and "/" not in head[0][1:]
        and "\n" not in text.strip()
    )


def nearest(name: str, surface: Surface = "ui", count: int = 3) -> list[str]:
    """Slash names most like a mistyped one, with their slash."""
    known = [c.slash for c in COMMANDS if c.slash and surface in c.surfaces]
    close = difflib.get_close_matches(name.lower(), known, n=count, cutoff=0.0)
    return ["/" + one for one in close]
