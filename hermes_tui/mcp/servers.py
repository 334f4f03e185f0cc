"""The servers of a home: `mcp.json`, in the form that servers' own pages print.

A server that stands there is not started before a person has accepted it (`accepted`), so an
entry that something planted does nothing. A broken entry is told of; the others count.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

from hermes_tui.configuration import files
from hermes_tui.errors import ConfigError
from hermes_tui.home import Home
from hermes_tui.security.vault import Vault

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_REFERENCE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_.-]*)\}")
_SECTION = "mcpServers"


class Server(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One entry. Either `command` (a program that talks over its input and output) or `url`.

    env, headers: values may hold `${NAME}`, a secret of the home or a variable of the core.
    only, without: which of its tools there are at all, `*` at the end for any rest; reads: which
    of them run without a question, because they change and tell nothing. timeout_s: of one call.
    sandbox: a program gets no network but `hosts`, and of the disk `cwd` (a folder of its own
    without one), the system, to read what `sees` names and to change what `writes` names. Without
    a word it is so where the machine has a sandbox; `workspace` and `read-only` never run without
    one; `off` is a person's word that it may do whatever they may.
    """

    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    cwd: str = ""
    url: str = ""
    headers: dict[str, str] = {}
    type: Literal["", "stdio", "http", "streamable-http", "streamableHttp"] = ""
    auth: Literal["", "oauth"] = ""
    scope: str = ""
    disabled: bool = False
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    sampling: Literal["ask", "off"] = "ask"
    sandbox: Literal["", "off", "workspace", "read-only"] = ""
    sees: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    timeout_s: float = 0.0

    @property
    def line(self) -> str:
        """What is started or reached, as a person reads it."""
        return self.url or " ".join([self.command, *self.args])

    @property
    def digest(self) -> str:
        """A digest of what is started or reached, and with which names of secrets."""
        about = (self.command, self.args, self.cwd, self.url, self.env, self.headers, self.auth)
        within = (self.sandbox, self.sees, self.writes, self.hosts)
        encoded = msgspec.json.encode((*about, *within), order="deterministic")
        return hashlib.sha256(encoded).hexdigest()

    def has(self, tool: str) -> bool:
        """Whether the filters let a tool through."""
        return (not self.only or _listed(tool, self.only)) and not _listed(tool, self.without)

    def only_reads(self, tool: str) -> bool:
        """Whether a person said that this tool changes and tells nothing."""
        return _listed(tool, self.reads)


class Servers(Struct, frozen=True, kw_only=True):
    """All entries that can be used, by name, and a sentence for each that can't."""

    servers: dict[str, Server] = {}
    problems: tuple[str, ...] = ()


def file_of(home: Home) -> Path:
    """Where the servers are written down."""
    return home.path / "mcp.json"


def read(home: Home) -> Servers:
    """The servers of a home; none when there is no file."""
    try:
        tree = _tree(home)
    except ConfigError as error:
        return Servers(problems=(str(error),))
    found: dict[str, Server] = {}
    problems: list[str] = []
    for name, entry in tree.items():
        try:
            found[name] = check(name, entry)
        except ConfigError as error:
            problems.append(error.message)
    return Servers(servers=found, problems=tuple(problems))


def check(name: str, entry: Any) -> Server:
    """One entry, checked. Raises ConfigError."""
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{name!r} can't name a server", "letters, digits, - and _, at most 40")
    try:
        one = msgspec.convert(entry, Server)
    except msgspec.ValidationError as error:
        raise ConfigError(f"the server {name} in mcp.json: {error}") from error
    if bool(one.command) == bool(one.url):
        raise ConfigError(f"the server {name} needs a command or a url, and not both")
    if one.url and not re.match(r"https?://", one.url):
        raise ConfigError(f"the server {name}: {one.url} is no http or https address")
    for host in one.hosts:
        _check_host(name, host)
    return one


def _check_host(name: str, host: str) -> None:
    from hermes_tui.backends.egress_names import HostRule, NameRefusedError

    try:
        HostRule(host)
    except NameRefusedError as error:
        raise ConfigError(f"the server {name}: {error.message}") from error


def put(home: Home, name: str, one: Server) -> None:
    """Write one entry, the others untouched. Raises ConfigError."""
    entry = msgspec.to_builtins(one)
    check(name, entry)
    home.ensure()
    with files.locked(home.path / "config.lock"):
        _write(home, {**_tree(home), name: entry})


def remove(home: Home, name: str) -> bool:
    """Take one entry out; whether there was one."""
    with files.locked(home.path / "config.lock"):
        tree = _tree(home)
        there = tree.pop(name, None) is not None
        if there:
            _write(home, tree)
    return there


def filled(texts: Mapping[str, str], home: Home, name: str) -> dict[str, str]:
    """Values with their `${NAME}` put in. Raises ConfigError when one is not there."""
    vault = Vault(home)

    def value(found: re.Match[str]) -> str:
        known = vault.get(found[1]) or os.environ.get(found[1])
        if not known:
            raise ConfigError(
                f"the server {name} needs {found[1]}, which is nowhere",
                f"`hermes mcp add {name} --secret {found[1]} …` stores it",
            )
        return known

    return {key: _REFERENCE.sub(value, text) for key, text in texts.items()}


def _listed(tool: str, names: tuple[str, ...]) -> bool:
    return any(
        tool == one or (one.endswith("*") and tool.startswith(one.rstrip("*"))) for one in names
    )


def _tree(home: Home) -> dict[str, Any]:
    path = file_of(home)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path} can't be read: {error.strerror}") from error
    try:
        whole = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is no JSON: {error}", "no server is used until it is") from error
    below: Any = cast("dict[str, Any]", whole).get(_SECTION, {}) if _is_dict(whole) else None
    if not _is_dict(below):
        raise ConfigError(f"{path} has no {_SECTION} object", f'it reads {{"{_SECTION}": {{…}}}}')
    return below


def _is_dict(value: Any) -> bool:
    return isinstance(value, dict)


def _write(home: Home, tree: dict[str, Any]) -> None:
    text = msgspec.json.format(msgspec.json.encode({_SECTION: tree}), indent=2).decode()
    files.write(file_of(home), text + "\n")
