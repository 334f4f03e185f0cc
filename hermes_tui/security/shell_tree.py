"""The tree that shell text is read into: commands, and what joins them."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class HereDoc:
    """A here-document: its delimiter as written, and its text once that has been read."""

    __slots__ = ("body", "delimiter", "literal", "strip")

    def __init__(self, delimiter: str, strip: bool, literal: bool) -> None:
        self.delimiter = delimiter
        self.strip = strip
        self.literal = literal
        self.body = ""


class Redirect(Struct, frozen=True, kw_only=True):
    """One redirection: file descriptor as written, operator, target word as written."""

    fd: str
    op: str
    target: str
    here: HereDoc | None = None


class Node(Struct, frozen=True, kw_only=True):
    """Anything that can stand where a command can."""

    redirects: tuple[Redirect, ...] = ()


class Simple(Node, frozen=True, kw_only=True):
    """A simple command: assignments and words as they are written."""

    assigns: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class Pipeline(Node, frozen=True, kw_only=True):
    """Commands whose output is the next one's input."""

    stages: tuple[Node, ...]


class Step(Struct, frozen=True, kw_only=True):
    """A pipeline in a list, how it depends on the one before, whether it is waited for."""

    node: Node
    join: Literal["", "&&", "||"] = ""
    background: bool = False


class Sequence(Node, frozen=True, kw_only=True):
    """Pipelines one after the other."""

    steps: tuple[Step, ...]


class Group(Node, frozen=True, kw_only=True):
    """`{ … }`, `( … )` or a coproc; the last two have a shell of their own."""

    body: Sequence
    own_shell: bool = False


class Branches(Node, frozen=True, kw_only=True):
    """`if` and `case`: words expanded and conditions run first, then at most one body each."""

    words: tuple[str, ...] = ()
    conditions: tuple[Sequence, ...] = ()
    bodies: tuple[Sequence, ...] = ()


class Loop(Node, frozen=True, kw_only=True):
    """`while`, `until`, `for`, `select`; items is None for loops without a list."""

    variable: str = ""
    items: tuple[str, ...] | None = None
    condition: Sequence | None = None
    arithmetic: str = ""
    body: Sequence
    endless: bool = False


class Function(Node, frozen=True, kw_only=True):
    """A function definition."""

    name: str
    body: Node


class Test(Node, frozen=True, kw_only=True):
    """`[[ … ]]` or `(( … ))` as written; runs nothing but what is substituted in it."""

    text: str
    arithmetic: bool = False


class Script(Struct, frozen=True, kw_only=True):
    """A whole text: what could be read, and what could not or only with doubt."""

    body: Sequence
    problem: str = ""
    doubts: tuple[str, ...] = ()
