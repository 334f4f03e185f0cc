"""The stage a command line plays on: its commands, what flows between them, paths, hosts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable

from hermes_tui.security.risk_paths import Places
from hermes_tui.security.risk_types import Finding, Risk
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_state import UNKNOWN, Sources

_SECRET_VARIABLE = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|SECRET|TOKEN|PASSWORD|PASSWD|PASS|PAT|CREDENTIALS?|AUTH|PRIVATE"
    r"|ACCESS_KEY_ID|DATABASE_URL|DSN|SESSION|COOKIE|WEBHOOK)(?:$|_)|_(?:KEY|TOKEN|SECRET)\d*$",
    re.IGNORECASE,
)
_NOT_SECRET_VARIABLE = re.compile(
    r"MAX_|_FILE$|_PATH$|_LENGTH$|_COUNT$|TOKENIZERS|PUBLIC|^KEY$|^PASS$|AUTHOR", re.IGNORECASE
)


class Facts:
    """What one command reads, writes and talks to; `taint` is what its output carries.

    taint: `network`, `secret`, `private` (about this machine and person), `file`, `decoded`,
    `own` (the product's state).
    """

    __slots__ = ("deep", "hosts", "reads", "removes", "sends", "taint", "writes")

    def __init__(self) -> None:
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.removes: list[str] = []
        self.hosts: list[str] = []
        self.taint: set[str] = set()
        self.deep = False
        self.sends = False


class Scene:
    """All commands of a line with their facts, and the findings about them.

    judge: judges shell text found inside a command; true when something was found.
    """

    def __init__(self, commands: tuple[Command, ...], places: Places) -> None:
        self.commands = commands
        self.places = places
        self.facts: dict[int, Facts] = {}
        self.findings: list[Finding] = []
        self.files: dict[str, set[str]] = {}
        self.texts: dict[str, str] = {}
        self.opaque: list[str] = []
        self.judge: Callable[[str, Command], bool] = lambda _text, _command: False

    def find(self, cls: Risk, reason: str, *, floor: bool = False, outside: bool = False) -> None:
        """Note what is risky."""
        self.findings.append(Finding(cls=cls, reason=reason, floor=floor, outside=outside))

    def resolve(self, path: str, command: Command) -> list[str]:
        """The absolute paths a word may name where the command runs."""
        if path.startswith(UNKNOWN):
            return [path if "/" not in path else posixpath.normpath(path)]
        if path == "~" or path.startswith("~/"):
            path = self.places.home + path[1:]
        return [_normal(posixpath.join(cwd, path)) for cwd in command.cwds or ("/",)]

    def paths(self, words: Iterable[str], command: Command) -> list[str]:
        """The absolute paths several words may name."""
        return [path for word in words if word for path in self.resolve(word, command)]

    def taints(self, sources: Sources) -> set[str]:
        """What text from these sources carries."""
        found: set[str] = set()
        for source in sources:
            if isinstance(source, str):
                found |= {"secret"} if secret_variable(source) else set()
            elif source in self.facts:
                found |= self.facts[source].taint
        return found

    def incoming(self, command: Command) -> set[str]:
        """What a command's arguments and input carry, files it reads included."""
        found = self.taints(command.sources | command.stdin.sources)
        for path in self.facts[command.number].reads if command.number in self.facts else ():
            found |= self.files.get(path, set())
        return found


def secret_variable(name: str) -> bool:
    """Whether a variable of this name usually holds a secret."""
    return bool(_SECRET_VARIABLE.search(name)) and not _NOT_SECRET_VARIABLE.search(name)


def _normal(path: str) -> str:
    plain = posixpath.normpath(path)
    # POSIX keeps two leading slashes; Linux does not care.
    return "/" + plain.lstrip("/") if plain.startswith("//") else plain
