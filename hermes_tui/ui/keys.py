"""Key bindings of the app, made from the command table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.binding import Binding

from hermes_tui import commands

# Textual reads alt+1 and so on as what one terminal of one system types with them ("™" for
# alt+2); everywhere else they would never arrive.
for _digit in "1234567890":
    cast("dict[str, object]", ANSI_SEQUENCES_KEYS).pop(f"\x1b{_digit}", None)

NEVER = frozenset({"ctrl+i", "ctrl+m", "ctrl+left_square_bracket", "ctrl+h"})
"""Keys that terminals send as tab, enter, escape and backspace."""

YIELDING = frozenset(
    {"stop", "queue", "approve", "prompt.history", "prompt.editor", "prompt.attach"}
)
"""Commands whose keys the focused part may take first: escape closes what is open in it."""


def bindings(table: Mapping[str, commands.Command] = commands.BY_ID) -> list[Binding]:
    """One binding for every key of every command of the full-screen UI."""
    return [
        Binding(
            key,
            f"command('{command.id}')",
            command.title,
            show=False,
            priority=command.id not in YIELDING,
            id=command.id,
        )
        for command in table.values()
        if "ui" in command.surfaces
        for key in command.keys
    ]
