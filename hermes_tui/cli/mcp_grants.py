"""What a server's program gets in its sandbox: taken from its arguments and asked for by name."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator

from msgspec.structs import replace

from hermes_tui.cli import mcp_servers, output
from hermes_tui.cli.mcp_servers import Found
from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.mcp import servers
from hermes_tui.mcp.servers import Server

_MOST_HOSTS = 8
_SCRIPTS = (".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".sh", ".jar", ".php")
_TOP_OF_PROJECT = (".git", "package.json", "pyproject.toml", "Cargo.toml", "go.mod", "Gemfile")


def granted(one: Server, sees: list[str], writes: list[str], hosts: list[str]) -> Server:
    """An entry with what a person grants by options, and what its own arguments name."""
    if one.url or one.sandbox == "off":
        if sees or writes or hosts:
            raise HermesError(
                "only a program in the sandbox is granted anything",
                "leave out --see, --write and --host",
            )
        return one
    seen, written = [*one.sees, *map(_real, sees)], [*one.writes, *map(_real, writes)]
    for path in _named_paths(one):
        if os.path.isdir(path):
            written.append(path)
        elif path.endswith(_SCRIPTS):
            seen.append(_project(path))
        else:
            seen.append(path)
    return replace(
        one,
        sees=tuple(dict.fromkeys(path for path in seen if path not in written)),
        writes=tuple(dict.fromkeys(written)),
        hosts=tuple(dict.fromkeys([*one.hosts, *hosts])),
    )


def described(one: Server) -> str:
    """What an entry grants, as a person reads it."""
    parts = [("read", one.sees), ("change", one.writes), ("reach", one.hosts)]
    told = [f"{does} {', '.join(names)}" for does, names in parts if names]
    return f"it may {'; '.join(told)}" if told else ""


def reach(home: Home, name: str, one: Server, *, sure: bool) -> tuple[Found, Server]:
    """Connect; a host it wants is asked for, written into its entry, and it is tried again.

    Raises HermesError with the reason when it can't be reached.
    """
    refused: set[str] = set()
    while True:
        wanted: list[str] = []
        try:
            found, failed = mcp_servers.reach(home, name, one, wanted), None
        except HermesError as error:
            found, failed = None, error
        new = [host for host in dict.fromkeys(wanted) if host not in refused]
        allowed = [] if sure else _asked(name, new)
        refused |= set(new)
        if allowed and len(one.hosts) < _MOST_HOSTS:
            one = replace(one, hosts=(*one.hosts, *allowed))
            servers.put(home, name, one)
        elif found is not None:
            return found, one
        else:
            raise _with_hint(failed or HermesError(f"{name} can't be reached"), name, wanted, one)


def _asked(name: str, hosts: list[str]) -> list[str]:
    return [
        one
        for one in hosts
        if output.confirmed(f"{name} wants to reach {output.clean(one)}. Let it, from now on?")
    ]


def _with_hint(error: HermesError, name: str, wanted: list[str], one: Server) -> HermesError:
    if one.url or one.sandbox == "off":
        return error
    hint = "it ran in the sandbox: --see, --write and --host give it more, --no-sandbox everything"
    if wanted:
        hosts = " ".join(f"--host {host}" for host in dict.fromkeys(wanted))
        hint = f"`hermes mcp add {name} {hosts} …` lets it reach what it wanted"
    return HermesError(error.message, error.hint or hint)


def around(one: Server, level: int) -> str:
    """What surrounds a server's program on a machine of a level."""
    if one.url:
        return "elsewhere"
    if one.sandbox == "off":
        return "free, as you said"
    if level > 1:
        return f"sandbox (level {level})"
    return "not started: no sandbox here" if one.sandbox else "free: no sandbox here"


def level_here() -> int:
    """The sandbox level of this machine; tries it."""
    from hermes_tui.backends.sandbox_probe import probe

    return asyncio.run(probe()).number


def note(one: Server) -> None:
    """Tell what a program gets, before it is started for the first time."""
    if one.url:
        return
    text = described(one)
    print(f"{around(one, level_here())}{f'; {text}' if text else ''}", file=sys.stderr)


def _named_paths(one: Server) -> Iterator[str]:
    """Files and folders that arguments name, but for the system's and the whole home."""
    home = os.path.realpath(os.path.expanduser("~"))
    for part in one.args:
        for text in (part, part.partition("=")[2]):
            if not os.path.isabs(text) or not os.path.exists(text):
                continue
            path = os.path.realpath(text)
            if not (home + "/").startswith(path.rstrip("/") + "/") and not _is_system(path):
                yield path


def _is_system(path: str) -> bool:
    tops = ("/usr", "/bin", "/sbin", "/lib", "/etc", "/proc", "/sys", "/dev", "/run")
    return any(f"{path}/".startswith(f"{top}/") for top in tops) or path.count("/") < 2


def _project(script: str) -> str:
    """The folder a script belongs to: up to what makes it a project, else its own."""
    home = os.path.realpath(os.path.expanduser("~"))
    folder = top = os.path.dirname(script)
    while len(folder) > 1 and not (home + "/").startswith(folder + "/"):
        if any(os.path.exists(os.path.join(folder, one)) for one in _TOP_OF_PROJECT):
            return folder
        folder = os.path.dirname(folder)
    return top


def _real(path: str) -> str:
    whole = os.path.realpath(os.path.expanduser(path))
    if not os.path.exists(whole):
        raise HermesError(f"{path} is not there, so it can't be granted")
    return whole
