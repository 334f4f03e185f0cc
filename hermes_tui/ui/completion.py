"""The list under the prompt: what fits what is being typed, and which one is marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hermes_tui.commands import BY_SLASH, COMMANDS, Command

ROWS = 6


class Choice(NamedTuple):
    """Something that can be completed to. text: what then stands in the prompt."""

    label: str
    note: str
    text: str


def fitting(text: str) -> tuple[Command, ...]:
    """Commands for a text that is the beginning of a slash command; none for any other text."""
    if not text.startswith("/") or any(c.isspace() or c == "/" for c in text[1:]):
        return ()
    name = text[1:].lower()
    known = [one for one in COMMANDS if one.slash and "ui" in one.surfaces]
    first = [one for one in known if one.slash.startswith(name)]
    inside = [one for one in known if name in one.slash and one not in first]
    return (*first, *inside)


def command_choices(text: str) -> tuple[Choice, ...]:
    """The commands that fit, as choices."""
    return tuple(
        Choice(f"/{one.slash}", one.help, f"/{one.slash}" + (" " if one.args else ""))
        for one in fitting(text)
    )


def usage(text: str) -> Command | None:
    """The command whose arguments are being typed, if it takes any."""
    name, space, _ = text[1:].partition(" ")
    command = BY_SLASH.get(name) if text.startswith("/") and space else None
    return command if command is not None and command.args else None


class Completion:
    """What fits, which one is marked, whether the list is open."""

    def __init__(self) -> None:
        self.choices: tuple[Choice, ...] = ()
        self.marked = 0
        self.rows = 0
        self.chosen = False
        self._closed_for: str | None = None

    @property
    def open(self) -> bool:
        """Whether there is a list to choose from."""
        return bool(self.choices)

    def offer(self, text: str, choices: Sequence[Choice]) -> None:
        """What fits a text that was typed; the list stays closed for the text it was closed for."""
        if text != self._closed_for:
            self._closed_for = None
        self.choices = () if self._closed_for is not None else tuple(choices)
        self.marked, self.chosen = 0, False
        # The list does not shrink while one types, or the chat above would jump.
        self.rows = max(self.rows, min(ROWS, len(self.choices))) if self.choices else 0

    def move(self, step: int) -> None:
        """Mark the next or previous one."""
        self.marked = (self.marked + step) % len(self.choices)
        self.chosen = True

    def close(self, text: str) -> None:
        """Stay closed until the text changes."""
        self._closed_for = text
        self.choices, self.rows = (), 0

    @property
    def choice(self) -> Choice:
        """The marked one."""
        return self.choices[self.marked]

    def visible(self) -> list[tuple[Choice, bool]]:
        """The part of the list that is shown, each with whether it is marked."""
        top = max(0, min(self.marked - self.rows + 1, len(self.choices) - self.rows))
        part = self.choices[top : top + self.rows]
        return [(one, top + i == self.marked) for i, one in enumerate(part)]
