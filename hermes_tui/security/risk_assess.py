"""From the text of a command line to what it would do: one call for every face."""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from msgspec import structs

from hermes_tui.security import (
    risk_cloud,
    risk_facts,
    risk_files,
    risk_git,
    risk_interpreters,
    risk_packages,
    risk_permissions,
    risk_secrets,
    risk_self,
    risk_sql,
    risk_system,
)
from hermes_tui.security.risk_files import Handler, shown
from hermes_tui.security.risk_flow import flow
from hermes_tui.security.risk_paths import Places
from hermes_tui.security.risk_roles import ROLES
from hermes_tui.security.risk_scene import Scene
from hermes_tui.security.risk_types import RISKS, Assessment, Finding, Part
from hermes_tui.security.shell_call import program_name
from hermes_tui.security.shell_command import Command, Reading
from hermes_tui.security.shell_options import names
from hermes_tui.security.shell_second import disagreement
from hermes_tui.security.shell_start import follow
from hermes_tui.security.shell_state import UNKNOWN
from hermes_tui.security.shell_wrapper_table import SHELLS

_TABLES = (
    risk_files.PROGRAMS,
    risk_permissions.PROGRAMS,
    risk_system.PROGRAMS,
    risk_git.PROGRAMS,
    risk_sql.PROGRAMS,
    risk_cloud.PROGRAMS,
    risk_packages.PROGRAMS,
    risk_secrets.PROGRAMS,
    risk_interpreters.PROGRAMS,
    risk_self.PROGRAMS,
)
_MAX_NESTED = 6
_REMEMBERED = 32
# Programs whose output is made for `eval`: they print settings for the shell.
_SETTING_UP = frozenset(
    names(
        "ssh-agent brew direnv pyenv rbenv nodenv conda mamba starship dircolors opam fnm zoxide "
        "mise asdf lesspipe luarocks minikube"
    )
)
_SPELT_OUT = SHELLS | {"rm", "shred", "dd", "sudo", "python3", "python", "perl", "chmod", "find"}
# Characters that look like ASCII ones but are not folded by NFKC: Cyrillic, Greek, slashes, dashes.
_LOOKALIKES = str.maketrans(
    "аеорсухіѕјԁһӏкмтвнгԛԝοναρτικϲ⁄∕⧸╱‐‑‒–—―−˗᠆ǀ∣∗⁎；˜∼ˋ",
    "aeopcyxisjdhlkmtbhrqwovaptikc////---------||**;~~`",
)


def assess(command: str, *, cwd: str, workspace: str, home: str, state: str) -> Assessment:
    """What a command line would do if it were run in `cwd`.

    workspace, home, state: absolute folders the agent works in, the person's own, and the
    product's. Nothing is run and no file is looked at, so the same text is read once.
    """
    return _read(command, cwd, workspace, home, state)


@lru_cache(maxsize=_REMEMBERED)
def _read(command: str, cwd: str, workspace: str, home: str, state: str) -> Assessment:
    places = Places(workspace, home, state)
    plain = _assess(command, cwd, places)
    folded = fold(command)
    if folded == command or plain.floor:
        return plain
    looked = _assess(folded, cwd, places)
    if looked.floor or (plain.cls == "none" and looked.cls != "none"):
        reason = f"written with look-alike characters, {looked.reason}"
        return _with(looked, command, reason)
    return plain


def fold(text: str) -> str:
    """A text with look-alike and invisible characters replaced by what they look like."""
    if text.isascii():
        return text
    kept = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", kept).translate(_LOOKALIKES)


def _assess(text: str, cwd: str, places: Places) -> Assessment:
    reading = follow(text, cwd, places.home)
    scene = _judged(reading, places, 0)
    scene.opaque += reading.opaque
    doubt = disagreement(text, reading)
    if doubt:
        scene.opaque.append(doubt)
    return _summed_up(text, reading, scene)


def _judged(reading: Reading, places: Places, depth: int) -> Scene:
    scene = Scene(reading.commands, places)

    def judge(text: str, command: Command) -> bool:
        if depth >= _MAX_NESTED or not text.strip():
            return False
        inner_reading = follow(text, command.cwds[-1] if command.cwds else "/", places.home)
        inner = _judged(inner_reading, places, depth + 1)
        scene.findings += inner.findings
        scene.opaque += inner.opaque + list(inner_reading.opaque)
        facts = scene.facts[command.number]
        for one in inner.facts.values():
            facts.reads += one.reads
            facts.writes += one.writes
            facts.hosts += one.hosts
            facts.taint |= one.taint
        return bool(inner.findings or inner.opaque)

    scene.judge = judge
    scene.texts = reading.files
    risk_facts.gather(scene)
    for command in reading.commands:
        _judge_command(command, scene)
    return scene


def _judge_command(command: Command, scene: Scene) -> None:
    if command.opaque and not _sets_up(command, scene):
        scene.opaque.append(command.opaque)
    if command.argv and command.argv[0].startswith(("/etc/init.d/", "/etc/rc.d/")):
        scene.find("service", "it changes services", outside=True)
    handlers = [*_handlers(command.name)]
    for handler in handlers:
        handler(command, scene)
    if not handlers and command.name not in ROLES and not command.wraps:
        _unknown_wrapper(command, scene)
    risk_self.own_process(command, scene)
    risk_self.own_settings(command, scene)
    flow(command, scene)


def _sets_up(command: Command, scene: Scene) -> bool:
    """Whether `eval` reads nothing but what a known program prints to set up a shell."""
    numbers = {one for one in command.sources if isinstance(one, int)}
    printers = [one for one in scene.commands if one.number in numbers]
    return (
        command.name == "eval"
        and bool(printers)
        and len(command.sources) == len(printers)
        and all(one.name in _SETTING_UP and len(one.argv) < 5 for one in printers)
    )


def _unknown_wrapper(command: Command, scene: Scene) -> None:
    """A program nobody has described may run the command that its arguments spell out."""
    for at, (word, following) in enumerate(pairwise(command.argv[1:]), 1):
        if program_name(word) in _SPELT_OUT and following.startswith(("-", "of=", "if=")):
            scene.judge(shlex.join(command.argv[at:]), command)
            return


def _handlers(name: str) -> Iterable[Handler]:
    plain = risk_facts.plain_name(name)
    for table in _TABLES:
        handler = table.get(name) or table.get(plain)
        if handler:
            yield handler
    if name.startswith("mkfs.") and name not in risk_system.PROGRAMS:
        yield risk_system.PROGRAMS["mkfs"]


def _rank(finding: Finding) -> tuple[bool, bool, int]:
    return (not finding.floor, finding.harmless_inside, RISKS.index(finding.cls))


def _summed_up(text: str, reading: Reading, scene: Scene) -> Assessment:
    findings = sorted(scene.findings, key=_rank)
    opaque = list(dict.fromkeys(scene.opaque))
    first = findings[0] if findings else None
    facts = scene.facts.values()
    writes = tuple(dict.fromkeys(path for one in facts for path in one.writes))
    outside = next((one.reason for one in findings if one.outside), "")
    if not outside:
        outside = _outside_write(writes, scene)
    asking = any(not one.harmless_inside for one in findings)
    return Assessment(
        command=text,
        cls=first.cls if first else ("opaque" if opaque else "none"),
        reason=first.reason if first else (opaque[0] if opaque else ""),
        floor=bool(first and first.floor),
        opaque=bool(opaque),
        opaque_reason=opaque[0] if opaque else "",
        network=tuple(dict.fromkeys(_visible(host) for one in facts for host in one.hosts if host)),
        reads=tuple(dict.fromkeys(_visible(path) for one in facts for path in one.reads)),
        writes=tuple(_visible(path) for path in writes),
        outside=outside,
        asks=asking or bool(opaque),
        parts=tuple(_part(one, scene) for one in reading.commands),
    )


def _outside_write(writes: tuple[str, ...], scene: Scene) -> str:
    for path in writes:
        if scene.places.zone(path) in ("home", "other", "system"):
            return f"it changes {shown(path, scene)}, which is outside the workspace"
    return ""


def _part(command: Command, scene: Scene) -> Part:
    targets = [one for one in command.redirects if one.writes]
    return Part(
        number=command.number,
        argv=tuple(_visible(word) for word in command.argv),
        parent=command.parent,
        wraps=command.wraps,
        exact=not command.opaque and not any(UNKNOWN in word for word in command.argv),
        writes=tuple(_visible(p) for one in targets for p in scene.resolve(one.path, command)),
    )


def _visible(text: str) -> str:
    return text.replace(UNKNOWN, "?")


def _with(assessment: Assessment, command: str, reason: str) -> Assessment:
    return structs.replace(assessment, command=command, reason=reason)
