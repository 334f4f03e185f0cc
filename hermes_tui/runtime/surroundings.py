"""What surrounds the agent's processes on this machine: the sandbox, by the settings in force."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, Protocol, cast

from msgspec import Struct

from hermes_tui.config import Config
from hermes_tui.errors import ToolError
from hermes_tui.home import Home
from hermes_tui.security.secrets import Redactor

if TYPE_CHECKING:
    from hermes_tui.backends.egress import Egress
    from hermes_tui.backends.sandbox import Sandbox
    from hermes_tui.backends.sandbox_probe import Level

_REQUEST_LEAVES_S = 0.3
_SECRET_NAMES = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")


class Owner(Protocol):
    """What is needed of the core."""

    home: Home

    @property
    def config(self) -> Config:
        """The settings in force."""
        ...


class Place(Struct, frozen=True, kw_only=True):
    """What one folder gets. level: 1 for no sandbox, and `why` says why; refused: no commands."""

    level: Literal[1, 2, 3]
    why: str = ""
    refused: str = ""


class Surroundings:
    """The sandbox of one core. `probe` finds out, once, what this machine can do."""

    def __init__(self, core: Owner) -> None:
        self._core = core
        self._level: Level | None = None
        self._probing: asyncio.Task[Level] | None = None
        self._wanted = asyncio.Event()
        self._environment = _keys_of_environment()
        self._redactor: tuple[tuple[int, int], Redactor] | None = None

    @property
    def level(self) -> Level | None:
        """What this machine can do; None before it was tried."""
        return self._level

    def prepare(self) -> None:
        """Soon begin with what the first command will need, before anybody waits for it."""
        if self._probing is None:
            self._probing = asyncio.create_task(self._prepared(), name="sandbox probe")

    async def probe(self) -> Level:
        """Try what this machine can do, once; whoever comes meanwhile waits for the same trial."""
        self.prepare()
        self._wanted.set()
        assert self._probing is not None
        self._level = level = await asyncio.shield(self._probing)
        return level

    async def _prepared(self) -> Level:
        """Try it, while the code that reads commands is loaded beside it: both take their time.

        Unless it is wanted now, the request to the model leaves first.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(_REQUEST_LEAVES_S):
                await self._wanted.wait()
        probe = await asyncio.to_thread(_load_probe)
        trial = probe(scratch=str(self._core.home.scratch))
        level, _ = await asyncio.gather(trial, asyncio.to_thread(_load_policy))
        return level

    async def close(self) -> None:
        """End a trial that still runs."""
        if self._probing is not None and not self._probing.done():
            self._probing.cancel()
            await asyncio.wait([self._probing], timeout=1)

    def known(self, folder: str, person: str) -> int:
        """The level that commands in a folder get; 0 before the machine was tried."""
        return self.place(folder, person).level if self._level is not None else 0

    def place(self, folder: str, person: str) -> Place:
        """What commands in a folder get, by what is known now. person: the person's home."""
        settings = self._core.config.sandbox
        have = self._level.number if self._level is not None else 1
        if have < settings.level:
            return Place(
                level=1,
                refused=f"the settings want sandbox level {settings.level} at least, and this"
                f" machine has level {have}: see `hermes doctor`",
            )
        if settings.profile == "full":
            return Place(level=1, why="the sandbox is switched off in the settings")
        if have == 1 or self._level is None:
            why = "; ".join(self._level.reasons[:1]) if self._level is not None else ""
            return Place(level=1, why=f"there is no sandbox here: {why}" if why else "")
        from hermes_tui.backends.sandbox import unfit

        reason = unfit(self._around(folder, person, have)) if folder else "there is no folder"
        if reason:
            return Place(level=1, why=f"there is no sandbox here: {reason}")
        return Place(level=cast("Literal[2, 3]", have))

    def sandbox(self, folder: str, env: Mapping[str, str], command: str, egress: Egress) -> Sandbox:
        """What surrounds one command in a folder. Raises ToolError where there is no sandbox."""
        from msgspec.structs import replace

        person = env.get("HOME", "") or os.path.expanduser("~")
        place = self.place(folder, person)
        if place.level == 1:
            raise ToolError(
                f"it was to run inside the sandbox, and there is none now: {place.why}",
                "ask for it again: it is decided anew",
            )
        around = self._around(folder, person, place.level)
        grants = replace(around.grants, git_config=_sets_up_branch(command, folder))
        return replace(around, egress=egress, grants=grants)

    def _around(self, folder: str, person: str, level: int) -> Sandbox:
        from hermes_tui.backends.sandbox import Sandbox
        from hermes_tui.security.grants import Grants

        settings = self._core.config.sandbox
        home = self._core.home
        return Sandbox(
            level=level,
            workspace=folder,
            home=person or os.path.expanduser("~"),
            scratch=str(home.scratch),
            hidden=(str(home.path),),
            profile=settings.profile,
            grants=Grants(
                read=tuple(map(os.path.expanduser, settings.read)),
                write=tuple(map(os.path.expanduser, settings.write)),
                env=settings.env,
                ssh_agent=settings.ssh_agent,
            ),
        )

    # --- secrets -------------------------------------------------------------------------

    @property
    def redactor(self) -> Redactor:
        """Hides the home's secrets, made anew when they have changed, and the keys that this
        process was started with.
        """
        mark = self._core.home.secrets_mark()
        if self._redactor is None or self._redactor[0] != mark:
            from hermes_tui.security.vault import Vault

            values = Vault(self._core.home).values()
            self._redactor = (mark, Redactor(self._environment | values))
        return self._redactor[1]


def _load_probe() -> Callable[..., Awaitable[Level]]:
    from hermes_tui.backends.sandbox_probe import probe

    return probe


def _load_policy() -> None:
    from hermes_tui.security import commands_decide
    from hermes_tui.security.risk_assess import assess

    commands_decide.decide_command(assess("true", cwd="", workspace="", home="", state=""), 1)


def _sets_up_branch(command: str, folder: str) -> bool:
    if "git" not in command:
        return False
    from hermes_tui.security.grants_git_config import may_set_up_branch
    from hermes_tui.security.risk_assess import assess

    found = assess(command, cwd=folder, workspace=folder, home="", state="")
    argvs = [one.argv for one in found.parts if one.argv]
    return not found.opaque and any(map(may_set_up_branch, argvs))


def _keys_of_environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if len(value) >= 12 and name.upper().endswith(_SECRET_NAMES)
    }
