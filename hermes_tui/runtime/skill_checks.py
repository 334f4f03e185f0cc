"""The checks beside a skill, run: promises about its text, and commands that must end well.

A command runs in a copy of the skill's folder, decided, contained and recorded as any call of a
tool with nobody there. One that was not run, because it would need approval, breaks nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from hermes_tui.intents import Standing
from hermes_tui.intents.tools import CallTool
from hermes_tui.skills.checks import Check, failing, read_checks
from hermes_tui.skills.skill import FILE
from hermes_tui.skills.tree import TreeError, read_tree, write_tree

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core

_LIMIT_S = 60
_SHOWN = 400
_ENV = ("PATH", "HOME", "LANG", "TMPDIR")


class Ran(Struct, frozen=True, kw_only=True):
    """How one check came out. ok: None when it was not run; said: why, or what it printed last."""

    check: Check
    ok: bool | None
    said: str = ""


async def run_checks(core: Core, folder: Path, text: str) -> tuple[Ran, ...]:
    """All checks beside a skill, tried on a text of it."""
    checks = await asyncio.to_thread(read_checks, folder)
    bad = set(failing(text, checks))
    ran = {one: Ran(check=one, ok=str(one) not in bad) for one in checks if one.kind != "run"}
    commands = [one for one in checks if one.kind == "run"]
    ran |= {one.check: one for one in await _commands(core, folder, text, commands)}
    return tuple(ran[one] for one in checks)


async def newly_broken(core: Core, folder: Path, old: str, new: str) -> tuple[str, ...]:
    """The checks that a new text fails and the old one did not, as they are written."""
    fails = [one for one in await run_checks(core, folder, new) if one.ok is False]
    if not fails:
        return ()
    before = {one.check for one in await run_checks(core, folder, old) if one.ok is False}
    return tuple(str(one.check) for one in fails if one.check not in before)


async def _commands(core: Core, folder: Path, text: str, commands: Sequence[Check]) -> list[Ran]:
    if not commands:
        return []
    with tempfile.TemporaryDirectory(prefix="skill-checks-") as made:
        copy = Path(made) / folder.name
        try:
            await asyncio.to_thread(_copied, folder, copy, text)
        except TreeError as error:
            return [Ran(check=one, ok=None, said=error.message) for one in commands]
        return [await _run(core, copy, one) for one in commands]


def _copied(folder: Path, copy: Path, text: str) -> None:
    write_tree(copy, {**read_tree(folder).files, FILE: text.encode()})


async def _run(core: Core, folder: Path, check: Check) -> Ran:
    from hermes_tui.runtime.tool_call import Alone, run_alone

    env = {name: os.environ[name] for name in _ENV if name in os.environ}
    arguments = {"command": check.text, "timeout_s": _LIMIT_S}
    intent = CallTool(
        tool="run_command",
        arguments=json.dumps(arguments),
        standing=Standing(cwd=str(folder), env=env),
    )
    called = await run_alone(core, intent, Alone)
    if called.status in ("ok", "error"):
        ok = called.status == "ok" and called.details.get("exit_code", 0) == 0
        return Ran(check=check, ok=ok, said=called.output.strip()[-_SHOWN:])
    return Ran(check=check, ok=None, said=called.reason or called.output[:_SHOWN])
