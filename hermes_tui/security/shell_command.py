"""One simple command as it would be run, and everything that is known about it."""

from __future__ import annotations

from msgspec import Struct

from hermes_tui.security.shell_state import NO_INPUT, NO_SOURCES, Sources, Stream


class Target(Struct, frozen=True, kw_only=True):
    """A redirection with its target filled in."""

    fd: str
    op: str
    path: str
    sources: Sources = NO_SOURCES

    @property
    def writes(self) -> bool:
        """Whether it opens a file for writing."""
        return self.op in (">", ">>", ">|", "&>", "&>>", "<>") or (
            self.op == ">&" and not self.path.rstrip("-").isdigit() and self.path != "-"
        )

    @property
    def reads(self) -> bool:
        """Whether it opens a file for reading."""
        return self.op in ("<", "<>")


class Command(Struct, frozen=True, kw_only=True):
    """A simple command: what runs, where, on what.

    number: its place, also what `sources` of others refer to. argv: as far as it can be known
    (UNKNOWN stands for the rest); empty for a lone redirection or assignment. name: the program
    without its folder. wraps: it runs another command that is listed as well, with this number
    as `parent`. place: "" here, `remote` or `container`. opaque: why it can't be known what it
    runs. swarm: it starts copies of itself or others without end.
    """

    number: int
    argv: tuple[str, ...] = ()
    name: str = ""
    cwds: tuple[str, ...] = ()
    redirects: tuple[Target, ...] = ()
    stdin: Stream = NO_INPUT
    sources: Sources = NO_SOURCES
    assigns: tuple[tuple[str, str], ...] = ()
    wrappers: tuple[str, ...] = ()
    parent: int = -1
    wraps: bool = False
    place: str = ""
    opaque: str = ""
    swarm: bool = False


class Reading(Struct, frozen=True, kw_only=True):
    """All simple commands of a text in the order they are met, and why some may be missing.

    files: absolute paths of files the text itself writes, and what is in them afterwards.
    """

    commands: tuple[Command, ...] = ()
    opaque: tuple[str, ...] = ()
    files: dict[str, str] = {}
