"""What is known while shell text is followed: variables, working folders, functions."""

from __future__ import annotations

from msgspec import Struct

from hermes_tui.security.shell_tree import Node

UNKNOWN = "\ue000"
"""Stands in a text for a part that can't be known."""
BREAK = "\ue004"
"""Stands in an expanded text where one word ends and the next begins."""
NOTHING = "\ue006"
"""Stands in an expanded text for a list without items, which leaves no word behind."""
Sources = frozenset[int | str]
"""Where a text comes from: numbers of commands, names of variables of the environment."""
NO_SOURCES: Sources = frozenset()


class Value(Struct, frozen=True, kw_only=True):
    """What a variable holds: one text, or several for an array.

    maybe: what it holds if the last part that may or may not have run did run.
    """

    items: tuple[str, ...] = ()
    sources: Sources = NO_SOURCES
    array: bool = False
    maybe: tuple[str, ...] = ()

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

    __slots__ = (
        "aliases", "cwds", "exported", "functions", "home", "old", "positional", "variables",
        "zero",
    )  # fmt: skip

    def __init__(self, cwd: str, home: str) -> None:
        self.home = home
        self.cwds: tuple[str, ...] = (cwd,)
        self.old: tuple[str, ...] = (cwd,)
        self.positional: tuple[str, ...] | None = ()
        self.zero = "bash"
        self.exported: frozenset[str] = frozenset({"HOME", "PATH", "SHELL"})
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
        other.positional, other.zero, other.exported = self.positional, self.zero, self.exported
        other.functions = dict(self.functions)
        other.aliases = dict(self.aliases)
        other.variables = dict(self.variables)
        return other

    def child(self, assigns: tuple[tuple[str, str], ...] = ()) -> State:
        """The state of another shell started from this one: only what is exported is there."""
        other = State(self.cwds[-1], self.home)
        other.cwds, other.old = self.cwds, self.old
        other.exported = self.exported | {name for name, _ in assigns}
        for name in self.exported & self.variables.keys():
            other.variables[name] = self.variables[name]
        other.functions = {
            name: body for name, body in self.functions.items() if f"{name}()" in self.exported
        }
        for name, text in assigns:
            other.set_text(name, text)
        return other

    def value(self, name: str) -> Value | None:
        """What a variable holds; None when the text has not set it."""
        if name in ("PWD", "OLDPWD"):
            folders = self.cwds if name == "PWD" else self.old
            return Value(items=folders[-1:])
        return self.variables.get(name)

    def guessed(self) -> State | None:
        """The state if everything that may have run did; None when that makes no difference."""
        other = self.copy()
        for name, value in self.variables.items():
            if value.maybe:
                other.variables[name] = Value(
                    items=value.maybe, sources=value.sources, array=value.array
                )
        return other if any(value.maybe for value in self.variables.values()) else None

    def set(self, name: str, value: Value) -> None:
        """Assign a variable."""
        self.variables[name] = value

    def set_text(self, name: str, text: str, sources: Sources = NO_SOURCES) -> None:
        """Assign a variable one text."""
        self.variables[name] = Value(items=(text,), sources=sources)

    def blur(self, before: State, after: State) -> None:
        """Become what may be either of two states: what differs is no longer known.

        Both may be this one.
        """
        merged: dict[str, Value] = dict(after.variables)
        for name, new in after.variables.items():
            old = before.variables.get(name)
            if (old is None or new.items != old.items) and name != "_":
                sources = new.sources | (old.sources if old else NO_SOURCES)
                maybe = new.maybe if UNKNOWN in new.text else new.items
                merged[name] = Value(items=(UNKNOWN,), sources=sources, maybe=maybe)
        for name in before.variables.keys() - after.variables.keys():
            merged[name] = Value(items=(UNKNOWN,), sources=before.variables[name].sources)
        self.functions = {**before.functions, **after.functions}
        self.aliases = {**before.aliases, **after.aliases}
        self.cwds = tuple(dict.fromkeys((*before.cwds, *after.cwds)))[-4:]
        self.old, self.exported = after.old, before.exported | after.exported
        self.positional = after.positional if after.positional == before.positional else None
        self.variables = merged
