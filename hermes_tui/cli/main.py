"""The command groups of `hermes`: each in its own file, imported when it is the one asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

from msgspec import Struct

from hermes_tui.errors import HermesError


class Group(Struct, frozen=True):
    """A command or a group of commands: the module with its typer `app`, one line of help."""

    module: str
    help: str


GROUPS: dict[str, Group] = {
    "setup": Group("setup", "choose a model; --local fetches one that needs no key"),
    "config": Group("config", "get, set, unset, edit and list settings"),
    "sessions": Group("sessions", "list, show, rename, delete, export and import"),
    "search": Group("search", "search everything that was ever said"),
    "memory": Group("memory", "list, add, edit, forget, undo, ask, export and import"),
    "skills": Group("skills", "list, read, write, check, find, install and export skills"),
    "cron": Group("cron", "make, list, run and remove jobs at set times; when they come"),
    "tool": Group("tools", "list the agent's tools, call one without a model"),
    "learning": Group("learning", "what was learned from the work, and whether it helped"),
    "mcp": Group("mcp", "add, accept, test and remove servers of tools; be one"),
    "policy": Group("policy", "say what the agent may run, and why"),
    "audit": Group("audit", "list what was decided; prove that the record is whole"),
    "redact": Group("redact", "hide secrets in text: standard input to standard output"),
    "gateway": Group("gateway", "chats: set up, start, stop, status and test of each platform"),
    "http": Group("http", "the HTTP port: OpenAI's API for programs, webhooks; its key"),
    "pairing": Group("pairing", "who may talk to the agent: list, approve, revoke, make a code"),
    "chat": Group("chat", "talk as in a chat, from this terminal"),
    "send": Group("send", "send a text to a chat, kept until it arrived"),
    "format": Group("format", "show the exact messages a text becomes in a chat"),
    "model": Group("model", "choose, list and test the model that answers"),
    "auth": Group("auth", "keys of providers, several of each: add, list, remove, reset"),
    "usage": Group("usage", "show tokens and money, and what the caps leave"),
    "insights": Group("insights", "show where tokens and money went"),
    "keys": Group("keys", "show what the terminal sends for a key; list the keys"),
    "web": Group("web", "show the screen in a browser on this machine"),
    "prompt": Group("prompt", "show what a new session's prompt is made of"),
    "backup": Group("backup", "pack the home into one file that was read back and proved"),
    "restore": Group("restore", "put the database back as it was in a copy or a backup"),
    "update": Group("update", "install the newest version and change over to it; --check looks"),
    "doctor": Group("doctor", "look for problems and say what to do; changes nothing"),
}


OLD_NAMES = {"tools": "tool"}


class UnknownCommandError(HermesError):
    """There is no such command."""

    exit_code = 2


def app(args: Sequence[str], prog_name: str = "hermes", standalone_mode: bool = False) -> int:
    """Run `hermes GROUP …` and return the exit code. Raises HermesError for the caller to show."""
    name, rest = (args[0] if args else ""), list(args[1:])
    name = OLD_NAMES.get(name, name)
    group = GROUPS.get(name)
    if group is None:
        raise UnknownCommandError(f"there is no command {name!r}", _nearest(name))
    command = load(name)
    try:
        result = command(args=rest, prog_name=f"{prog_name} {name}")
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 1
    return result if isinstance(result, int) else 0


def load(name: str) -> Callable[..., object]:
    """The command of a group, ready to be called with `args` and `prog_name`."""
    from typer.main import get_command

    return get_command(importlib.import_module(f"hermes_tui.cli.{GROUPS[name].module}").app)


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, [*GROUPS, "attach", "daemon"], n=1, cutoff=0.5)
    hint = f"did you mean `hermes {near[0]}`? " if near else ""
    return hint + "`hermes --help` lists them"
