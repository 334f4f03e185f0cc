"""What is known while shell text is followed: variables, working folders, functions."""

from __future__ import annotations

from msgspec import Struct

from hermes_tui.security.shell_tree import Node

UNKNOWN = "\ue000"
"""Stands in a text for a part that can't be known."""
BREAK = "\ue004"
"""Stands in an expanded text where one word ends and the next begins."""
Sources = frozenset[int | str]
"""Where a text comes from: numbers of commands, names of variables of the environment."""
NO_SOURCES: Sources = frozenset()


class Value(Struct, frozen=True, kw_only=True):
    """What a variable holds: one text, or several for an array."""

    items: tuple[str, ...] = ()
    sources: Sources = NO_SOURCES
    array: bool = False

    @property
    def text(self) -> str:
        """The value as one text."""
        return self.items[0] if self.items else ""


class Stream(Struct, frozen=True, kw_only=True):
    """What flows into or out of a command; text is None when it can't be known.

    given: False for the input a command has when nothing is redirected or piped into it.
    """

    text: str | None = None
    sources: Sources = NO_SOURCES
    given: bool = True


NO_INPUT = Stream(given=False)


def known(text: str) -> bool:
    """Whether nothing in a text is unknown."""
    return UNKNOWN not in text


class State:
    """One shell's state. A subshell gets a copy."""

    __slots__ = ("aliases", "cwds", "functions", "home", "old", "positional", "variables")

    def __init__(self, cwd: str, home: str) -> None:
        self.home = home
        self.cwds: tuple[str, ...] = (cwd,)
        self.old: tuple[str, ...] = (cwd,)
        self.positional: tuple[str, ...] | None = ()
        self.functions: dict[str, Node] = {}
        self.aliases: dict[str, str] = {}
        self.variables: dict[str, Value] = {
            name: Value(items=(text,))
            for name, text in (
                ("HOME", home),
                ("IFS", " \t\n"),
                ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
                ("SHELL", "/bin/bash"),
                ("BASH", "/bin/bash"),
            )
        }

    def copy(self) -> State:
        """A state that can change without this one."""
        other = State.__new__(State)
        other.home, other.cwds, other.old = self.home, self.cwds, self.old
        other.positional = self.positional
        other.functions = dict(self.functions)
        other.aliases = dict(self.aliases)
        other.variables = dict(self.variables)
        return other

    def value(self, name: str) -> Value | None:
        """What a variable holds; None when the text has not set it."""
        if name in ("PWD", "OLDPWD"):
            folders = self.cwds if name == "PWD" else self.old
            return Value(items=folders[-1:])
        return self.variables.get(name)

    def set(self, name: str, value: Value) -> None:
        """Assign a variable."""
        self.variables[name] = value

    def set_text(self, name: str, text: str, sources: Sources = NO_SOURCES) -> None:
        """Assign a variable one text."""
        self.variables[name] = Value(items=(text,), sources=sources)

    def blur(self, before: State, after: State) -> None:
        """Become what may be either of two states: what differs is no longer known.

        What only `after` has is kept, as the less harmless case; both may be this one.
        """
        merged: dict[str, Value] = dict(after.variables)
        for name, old in before.variables.items():
            new = after.variables.get(name)
            if new is not None and new.items != old.items and name != "_":
                merged[name] = Value(items=(UNKNOWN,), sources=old.sources | new.sources)
        self.functions = {**before.functions, **after.functions}
        self.aliases = {**before.aliases, **after.aliases}
        self.cwds = tuple(dict.fromkeys((*before.cwds, *after.cwds)))[-4:]
        self.old = after.old
        self.positional = after.positional if after.positional == before.positional else None
        self.variables = merged
