"""Finds out which level of sandbox this machine has, by really running a command in each."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile

from msgspec import Struct

from hermes_tui.backends import landlock, sandbox_bwrap, sandbox_seatbelt, seccomp
from hermes_tui.backends.sandbox import Sandbox, start
from hermes_tui.backends.sandbox_view import cache_of
from hermes_tui.errors import HermesError

_TRIAL_S = 10.0
_SIGN, _GOOD = "not-to-be-shown", "works"
_SCRIPT = f'read line < "$1" && echo new > "$1.new" && {{ cat "$2"; echo {_GOOD}; }}'


class Level(Struct, frozen=True, kw_only=True):
    """number: 3, 2 or 1; name: what it is made of; reasons: sentences on what is missing."""

    number: int
    name: str
    reasons: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"sandbox {self.number} ({self.name})"


_NAMES = {3: "bubblewrap", 2: "Landlock and seccomp", 1: "none: each command asks"}
_WEAKER = (
    "level 2 hides no process list, and tells you of changes to git hooks, editor and agent files "
    "of the workspace afterwards instead of refusing them",
    "at level 2 a command has no shared memory and no local sockets, and what it makes in a "
    "folder beside a secret file can be read from the next command on",
)
_known: Level | None = None


async def probe(*, again: bool = False, scratch: str = "") -> Level:
    """The best level that works here; tried once, then remembered.

    scratch: where sandboxes of the core keep what they share; what the trial makes there is of
    use to the first command.
    """
    global _known
    if _known is None or again:
        _known = await _probe(scratch)
    return _known


async def _probe(scratch: str) -> Level:
    reasons: list[str] = []
    for number in (3, 2):
        missing = _missing(number) or await _trial(number, scratch)
        if not missing:
            name = "sandbox-exec" if sys.platform == "darwin" else _NAMES[number]
            more = _WEAKER if number == 2 else ()
            return Level(number=number, name=name, reasons=(*reasons, *more))
        reasons.append(missing)
    return Level(number=1, name=_NAMES[1], reasons=tuple(reasons))


def _missing(number: int) -> str:
    if sys.platform == "darwin":
        if number == 2 and os.access(sandbox_seatbelt.PROGRAM, os.X_OK):
            return ""
        return "macOS has no namespaces" if number == 3 else "sandbox-exec is missing"
    if number == 3:
        hint = "bubblewrap is not installed (package: bubblewrap)"
        return "" if sandbox_bwrap.program() else hint
    if not landlock.abi():
        return "this kernel has no Landlock, or it is switched off"
    return "" if seccomp.supported() else f"no seccomp filter for {os.uname().machine}"


async def _trial(number: int, scratch: str = "") -> str:
    """Run a command at a level that must see one file and not another; what went wrong."""
    with tempfile.TemporaryDirectory(prefix="hermes-tui-probe-") as folder:
        sandbox = _try_place(folder, number, scratch)
        seen, unseen = (f"{one}/file" for one in (sandbox.workspace, sandbox.home))
        argv = ["/bin/sh", "-c", _SCRIPT, "sh", seen, unseen]
        try:
            async with asyncio.timeout(_TRIAL_S):
                return await _said(argv, sandbox)
        except TimeoutError:
            return f"{_NAMES[number]} did not answer within {_TRIAL_S:.0f} s"
        except (HermesError, OSError) as error:
            return f"{_NAMES[number]} can't be used: {error}"
        finally:
            if scratch:
                shutil.rmtree(cache_of(sandbox, sandbox.workspace), ignore_errors=True)


def _try_place(folder: str, number: int, scratch: str) -> Sandbox:
    """A small world to try a level in."""
    top = os.path.realpath(folder)
    for name in ("work", "home", "scratch"):
        os.mkdir(os.path.join(top, name))
        with open(os.path.join(top, name, "file"), "w", encoding="ascii") as file:
            file.write(f"{_SIGN}\n")
    return Sandbox(
        level=number,
        workspace=f"{top}/work",
        home=f"{top}/home",
        scratch=scratch or f"{top}/scratch",
    )


async def _said(argv: list[str], sandbox: Sandbox) -> str:
    trial = await start(argv, sandbox, cwd=sandbox.workspace, env={"PATH": "/usr/bin:/bin"})
    output = b""
    try:
        while chunk := await trial.read():
            output += chunk
        code = await trial.wait()
    finally:
        await trial.kill(grace=0)
    text = output.decode(errors="replace").strip()
    if code == 0 and text.endswith(_GOOD) and _SIGN not in text:
        return ""
    lines = text.splitlines() or [f"exit code {code}"]
    return f"{_NAMES[sandbox.level]} does not work here: {lines[-1]}"
