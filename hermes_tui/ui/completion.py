"""Slash commands that fit what is being typed."""

from __future__ import annotations

from hermes_tui.commands import BY_SLASH, COMMANDS, Command

ROWS = 6


def fitting(text: str) -> tuple[Command, ...]:
    """Commands for a text that is the beginning of a slash command; none for any other text."""
    if not text.startswith("/") or any(c.isspace() or c == "/" for c in text[1:]):
        return ()
    name = text[1:].lower()
    known = [one for one in COMMANDS if one.slash and "ui" in one.surfaces]
    first = [one for one in known if one.slash.startswith(name)]
    inside = [one for one in known if name in one.slash and one not in first]
    return (*first, *inside)


def usage(text: str) -> Command | None:
    """The command whose arguments are being typed, if it takes any."""
    name, space, _ = text[1:].partition(" ")
    command = BY_SLASH.get(name) if text.startswith("/") and space else None
    return command if command is not None and command.args else None


class Completion:
    """The list under the prompt: what fits, which one is marked, whether it is open."""

    def __init__(self) -> None:
        self.commands: tuple[Command, ...] = ()
        self.marked = 0
        self.rows = 0
        self.chosen = False
        self._closed_for = ""

    @property
    def open(self) -> bool:
        """Whether there is a list to choose from."""
        return bool(self.commands)

    def update(self, text: str) -> None:
        """The text in the prompt changed."""
        if text != self._closed_for:
            self._closed_for = ""
        self.commands = () if self._closed_for else fitting(text)
        self.marked, self.chosen = 0, False
        # The list does not shrink while one types, or the chat above would jump.
        self.rows = max(self.rows, min(ROWS, len(self.commands))) if self.commands else 0

    def move(self, step: int) -> None:
        """Mark the next or previous one."""
        self.marked = (self.marked + step) % len(self.commands)
        self.chosen = True

    def close(self, text: str) -> None:
        """Stay closed until the text changes."""
        self._closed_for = text
        self.commands, self.rows = (), 0

    @property
    def text(self) -> str:
        """What the marked command is completed to."""
        command = self.commands[self.marked]
        return f"/{command.slash}" + (" " if command.args else "")

    def visible(self) -> list[tuple[Command, bool]]:
        """The part of the list that is shown, each with whether it is marked."""
        top = max(0, min(self.marked - self.rows + 1, len(self.commands) - self.rows))
        part = self.commands[top : top + self.rows]
        return [(one, top + i == self.marked) for i, one in enumerate(part)]
