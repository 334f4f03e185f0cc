"""A simple command on its way through the walk."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from hermes_tui.security.shell_command import Target
from hermes_tui.security.shell_state import NO_SOURCES, Sources, State, Stream


class Call:
    """A simple command on its way: words expanded, not yet taken apart."""

    __slots__ = (
        "argv", "assigns", "number", "opaque", "parent", "place", "redirects", "sources",
        "state", "stdin", "wrappers",
    )  # fmt: skip

    def __init__(self, number: int, argv: list[str], state: State, stdin: Stream) -> None:
        self.number = number
        self.argv = argv
        self.state = state
        self.stdin = stdin
        self.redirects: tuple[Target, ...] = ()
        self.sources: Sources = NO_SOURCES
        self.assigns: tuple[tuple[str, str], ...] = ()
        self.wrappers: tuple[str, ...] = ()
        self.parent = -1
        self.place = ""
        self.opaque = ""

    def within(self, number: int, argv: tuple[str, ...], wrapper: str) -> Call:
        """The call a wrapper makes."""
        inner = Call(number, list(argv), self.state, self.stdin)
        inner.redirects, inner.sources = self.redirects, self.sources
        inner.wrappers = (*self.wrappers, wrapper)
        inner.parent, inner.place = self.number, self.place
        return inner

    @contextmanager
    def assigned(self) -> Generator[None]:
        """Within this, the assignments before the command hold; afterwards the old values do."""
        variables = self.state.variables
        before = {name: variables.get(name) for name, _ in self.assigns}
        for name, text in self.assigns:
            self.state.set_text(name, text)
        try:
            yield
        finally:
            for name, value in before.items():
                variables.pop(name, None)
                if value is not None:
                    variables[name] = value


def program_name(word: str) -> str:
    """The name of a program without its folder."""
    return word.rstrip("/").rpartition("/")[2] if "/" in word else word
