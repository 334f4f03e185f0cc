"""What can be wrong with a command, and what is said about a whole command line."""

from __future__ import annotations

from typing import Literal, get_args

from msgspec import Struct

Risk = Literal[
    "self-tampering",
    "disk",
    "destruction",
    "bulk",
    "remote-execution",
    "exfiltration",
    "persistence",
    "privilege",
    "secret-reading",
    "sql-destructive",
    "git-destructive",
    "overwrite",
    "permission",
    "process",
    "service",
    "network",
]
RISKS: tuple[Risk, ...] = get_args(Risk)
"""All risk classes, the one that is named first when several apply."""
Class = Literal["none", "opaque"] | Risk


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that is risky about one command.

    floor: nothing overrides it. outside: it needs more than the sandbox gives. harmless_inside:
    the sandbox takes its effect away, so there is nothing to ask inside one.
    """

    cls: Risk
    reason: str
    floor: bool = False
    outside: bool = False
    harmless_inside: bool = False


class Part(Struct, frozen=True, kw_only=True):
    """One simple command: its argv as far as known ("?" stands for what is not).

    number, parent: a wrapper's number is the parent of what it runs. exact: nothing about it is
    unknown. writes: files it is redirected to.
    """

    number: int
    argv: tuple[str, ...]
    parent: int = -1
    wraps: bool = False
    exact: bool = True
    writes: tuple[str, ...] = ()


class Assessment(Struct, frozen=True, kw_only=True):
    """What a command line would do.

    cls: `none`, `opaque` or the gravest risk class; reason: a clause for people. floor: never
    allowed. opaque: some of what it runs can't be known. network: hosts it names. reads,
    writes: absolute paths it names. outside: what needs more than the sandbox, empty for
    nothing. parts: every simple command.
    """

    command: str
    cls: Class = "none"
    reason: str = ""
    floor: bool = False
    opaque: bool = False
    opaque_reason: str = ""
    network: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    outside: str = ""
    asks: bool = False
    parts: tuple[Part, ...] = ()
