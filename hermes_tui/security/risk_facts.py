"""Gathers what each command reads, writes and talks to, before anything is judged."""

from __future__ import annotations

import posixpath
import re

from hermes_tui.security.risk_archives import archive_facts
from hermes_tui.security.risk_hosts import network_facts
from hermes_tui.security.risk_roles import ROLES, Role
from hermes_tui.security.risk_scene import Facts, Scene
from hermes_tui.security.shell_command import Command
from hermes_tui.security.shell_options import Options, names, parse
from hermes_tui.security.shell_state import UNKNOWN
from hermes_tui.security.shell_wrappers import find_starts

_SCRIPT_VERSION = re.compile(r"(?:\d+(?:\.\d+)*|\.exe)$")
_PRIVATE = frozenset(
    names(
        "whoami id hostname env printenv history ps who w last lastlog uname ifconfig ip "
        "lsof netstat ss groups getent dmidecode lspci lsusb ioreg system_profiler arp "
        "crontab journalctl dmesg pbpaste xclip xsel wl-paste screencapture scrot import"
    )
)
_DECODERS = frozenset(
    names(
        "base64 gbase64 base32 xxd openssl gunzip zcat uudecode rev gpg bzcat xzcat "
        "basenc ascii85 od"
    )
)


def plain_name(name: str) -> str:
    """A program's name without a version: `python3.11` is `python3`."""
    if name in ROLES or not name[-1:].isdigit():
        return name.removesuffix(".exe")
    base = re.sub(r"[\d.]+$", "", name)
    return (
        base if base in ROLES or base in ("python", "pip", "lua", "php", "ruby", "perl") else name
    )


def gather(scene: Scene) -> None:
    """Fill in the facts of every command, in order, so that files carry what was put in them."""
    for command in scene.commands:
        facts = scene.facts.setdefault(command.number, Facts())
        _redirected(command, facts, scene)
        if command.argv:
            _program(command, facts, scene)
        _tainted(command, facts, scene)


def _redirected(command: Command, facts: Facts, scene: Scene) -> None:
    for target in command.redirects:
        if target.path.startswith("/dev/fd/"):
            continue
        if target.path.startswith(("/dev/tcp/", "/dev/udp/")):
            facts.hosts.append(target.path.split("/")[3] if target.path.count("/") > 2 else "?")
            facts.sends = facts.sends or target.writes
        elif target.writes:
            facts.writes += scene.resolve(target.path, command)
        elif target.reads:
            facts.reads += scene.resolve(target.path, command)


def _program(command: Command, facts: Facts, scene: Scene) -> None:
    if command.place:
        return
    name = plain_name(command.name)
    if archive_facts(name, command, facts, scene) or network_facts(name, command, facts, scene):
        return
    role = ROLES.get(name)
    if role is not None:
        options = parse(command.argv[1:], role.options)
        if options.has("help", "version") and not options.operands:
            return
        _apply(role, options, command, facts, scene)
    elif not command.wraps:
        # A program nobody has described may read any file it is given.
        words = [
            word.partition("=")[2] if word.startswith("-") else word for word in command.argv[1:]
        ]
        facts.reads += scene.paths((word for word in words if _looks_like_path(word)), command)


def _looks_like_path(word: str) -> bool:
    return (
        bool(word)
        and "\n" not in word
        and " " not in word[:1]
        and "://" not in word
        and len(word) < 500
    )


def _apply(role: Role, options: Options, command: Command, facts: Facts, scene: Scene) -> None:
    facts.deep = "*" in role.deep or options.has(*role.deep)
    facts.reads += scene.paths(options.every(*role.reads), command)
    facts.writes += scene.paths(options.every(*role.writes), command)
    words = list(options.operands)
    if role.operands == "pattern" and not options.has(*role.patterned):
        words = words[1:] if command.name != "sqlite3" else words[:1]
    kind = role.operands
    if kind in ("data", "list"):
        return
    words = [*words, *_listed(words, command, scene)]
    if kind == "script":
        inline = any(
            arg in ("-c", "-e", "-m", "-r", "--eval", "-E", "-ne", "-pe")
            for arg in command.argv[1:3]
        )
        facts.reads += [] if inline else scene.paths(words, command)
    elif kind == "remove":
        facts.removes += scene.paths(words, command)
    elif kind == "write":
        facts.writes += scene.paths(words, command)
    elif kind == "copy":
        _copied(words, options, command, facts, scene)
    else:
        found = scene.paths(words, command)
        facts.reads += found
        facts.writes += found if options.has(*role.in_place) and role.in_place else []


def _listed(words: list[str], command: Command, scene: Scene) -> list[str]:
    """Where a word is unknown: the names that the commands it comes from look for."""
    if UNKNOWN not in words:
        return []
    sources = command.sources | command.stdin.sources
    found: list[str] = []
    for one in scene.commands:
        if one.number not in sources or one.name not in (
            "find",
            "ls",
            "fd",
            "locate",
            "fdfind",
            "gfind",
        ):
            continue
        start = find_starts(one.argv)[0] if one.name in ("find", "gfind") else ""
        names = [word for word in one.argv[1:] if not word.startswith("-") and word != start]
        found += [posixpath.join(start, word) for word in names]
    return found


def _copied(
    words: list[str], options: Options, command: Command, facts: Facts, scene: Scene
) -> None:
    folder = options.value("t", "target-directory")
    if folder:
        sources, target = words, folder
    elif len(words) > 1:
        sources, target = words[:-1], words[-1]
    else:
        facts.reads += scene.paths(words, command)
        return
    if command.name != "ln":
        facts.reads += scene.paths(sources, command)
    if command.name == "mv":
        facts.removes += scene.paths(sources, command)
    facts.writes += scene.paths([target], command)
    facts.writes += scene.paths(
        (posixpath.join(target, posixpath.basename(one.rstrip("/"))) for one in sources), command
    )


def _tainted(command: Command, facts: Facts, scene: Scene) -> None:
    """What the output carries, and with it the files the output or the program writes."""
    if any(scene.places.secret(path, facts.deep) for path in facts.reads):
        facts.taint.add("secret")
    if any(scene.places.is_own(path) for path in facts.reads):
        facts.taint.add("own")
    if command.name in _PRIVATE:
        facts.taint.add("private")
    if command.name in ("env", "printenv") and len(command.argv) == 1:
        facts.taint.add("secret")
    if facts.reads and command.argv:
        facts.taint.add("file")
    if command.name in _DECODERS:
        facts.taint.add("decoded")
    for path in facts.reads:
        facts.taint |= scene.files.get(path, set())
    flowing = facts.taint | scene.taints(command.sources | command.stdin.sources)
    for path in facts.writes:
        scene.files[path] = scene.files.get(path, set()) | flowing
