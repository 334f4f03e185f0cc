"""Which key does what: the table's keys or a person's own, and those after the leader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from msgspec.structs import replace
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.binding import Binding

from hermes_tui import commands
from hermes_tui.commands import Command

# Textual reads alt+1 and so on as what one terminal of one system types with them ("™" for
# alt+2); everywhere else they would never arrive.
for _digit in "1234567890":
    cast("dict[str, object]", ANSI_SEQUENCES_KEYS).pop(f"\x1b{_digit}", None)

NEVER = frozenset({"ctrl+i", "ctrl+m", "ctrl+left_square_bracket", "ctrl+h"})
"""Keys that terminals send as tab, enter, escape and backspace."""

YIELDING = frozenset(
    {"stop", "queue", "approve", "prompt.history", "prompt.editor", "prompt.attach", "leader"}
)
"""Commands whose keys the focused part may take first: escape closes what is open in it."""

LEADER = "leader"
_NAMES = {
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "enter": "↵",
    "slash": "/",
    "question_mark": "?",
    "equals_sign": "=",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}


class KeyTable:
    """The commands with the keys they have now. own: keys that replace the default ones of a
    command, or of a part (see `part_keys`).

    A key given to a command is taken from the one that had it by default.
    """

    def __init__(self, own: Mapping[str, Sequence[str]] | None = None) -> None:
        own = self.own = own or {}
        taken = {key for name, keys in own.items() if name in commands.BY_ID for key in keys}
        leader = next(iter(own.get(LEADER, commands.BY_ID[LEADER].keys)), "")
        self.commands: tuple[Command, ...] = tuple(
            replace(command, keys=_keys(command, own, taken, leader))
            for command in commands.COMMANDS
        )
        self.by_id = {command.id: command for command in self.commands}

    @property
    def on_screen(self) -> list[Command]:
        """The commands of the full screen."""
        return [command for command in self.commands if "ui" in command.surfaces]

    def first(self, command_id: str) -> str:
        """A command's first key as people read it, empty for none."""
        return key_words(self.by_id[command_id].keys[:1])

    def bindings(self) -> list[Binding]:
        """One binding for every single key of every command."""
        return [
            Binding(
                key,
                f"command('{command.id}')",
                command.title,
                show=False,
                priority=command.id not in YIELDING,
                id=command.id,
            )
            for command in self.on_screen
            for key in command.keys
            if " " not in key
        ]

    def chords(self) -> dict[str, Command]:
        """What each key does after the leader."""
        return {
            key.partition(" ")[2]: command
            for command in self.on_screen
            for key in command.keys
            if " " in key
        }


def _keys(
    command: Command, own: Mapping[str, Sequence[str]], taken: set[str], leader: str
) -> tuple[str, ...]:
    mine = own.get(command.id)
    kept = mine if mine is not None else [key for key in command.keys if key not in taken]
    moved = (f"{leader} {key.partition(' ')[2]}" if " " in key else key for key in kept)
    return tuple(key for key in moved if not key.startswith(" "))


def key_words(keys: Sequence[str]) -> str:
    """Keys as people read them: `ctrl+pgup`, `esc`, `ctrl+x n`."""
    return ", ".join(" ".join(_chord(part) for part in key.split(" ")) for key in keys)


def _chord(key: str) -> str:
    return "+".join(_NAMES.get(part, part) for part in key.split("+"))
