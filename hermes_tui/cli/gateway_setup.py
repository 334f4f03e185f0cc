"""`hermes gateway setup`: what to do on the platform, what to give, and who the owner is.

Who you are is not asked for by name: you write to the agent, and confirm that it was you.
"""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import os
import sys
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from msgspec.structs import replace

from hermes_tui.cli import output
from hermes_tui.cli.connect import living, with_core
from hermes_tui.configuration import edit
from hermes_tui.configuration.load import load
from hermes_tui.errors import HermesError
from hermes_tui.gateways import registry
from hermes_tui.gateways.base import Inbound, InFile, MenuEntry, RefusedError, Setup
from hermes_tui.gateways.steps import STEPS, Steps
from hermes_tui.home import Home
from hermes_tui.intents import ChangeGateway, GetStatus
from hermes_tui.security.vault import Vault

WAIT_S = 300.0


def set_up(name: str, owner: str, home_chat: str, *, ask: bool) -> None:
    """Set a gateway up. Raises HermesError."""
    steps = STEPS.get(name)
    if steps is None:
        raise HermesError(f"no gateway {name!r}", f"one of {', '.join(STEPS)}")
    home = Home.find().ensure()
    if ask:
        if not sys.stdin.isatty():
            raise HermesError(
                "set-up asks, and nobody is here to answer",
                f"set {name}.* and the secrets, then `hermes gateway setup {name} --owner ID "
                "--enable`",
            )
        _ask(home, steps, name)
    if not owner:
        owner, home_chat = _found(home, steps, name) if ask else ("", home_chat)
    if not owner:
        raise HermesError(f"{name} needs an owner", "--owner ID: your own id on the platform")
    edit.put(home, f"{name}.owners", msgspec.json.encode([owner]).decode())
    if home_chat or owner:
        edit.put(home, f"{name}.home_chat", home_chat or owner)
    edit.put(home, f"{name}.enabled", "true")
    print(f"{steps.name} is enabled; you are {output.clean(owner)} there.")
    _tell_core(home, name)


def _ask(home: Home, steps: Steps, name: str) -> None:
    for number, line in enumerate(steps.before, 1):
        print(f"{number}. {line}")
    settings = getattr(load(home, dict(os.environ)).config, name)
    for one in steps.asks:
        now = str(getattr(settings, one.field))
        if one.secret:
            have = os.environ.get(now, "") or Vault(home).get(now)
            said = getpass.getpass(f"{one.question}{' (Enter keeps it)' if have else ''}: ").strip()
            if said:
                Vault(home).put(now, said)
            elif not have:
                raise HermesError(f"{steps.name} needs it: {one.question.lower()}")
        else:
            said = input(f"{one.question}{f' [{now}]' if now else ''}: ").strip() or now
            if not said and not one.optional:
                raise HermesError(f"{steps.name} needs it: {one.question.lower()}")
            if said != now:
                edit.put(home, f"{name}.{one.field}", said)


def _found(home: Home, steps: Steps, name: str) -> tuple[str, str]:
    """(owner, chat) of who writes to the agent and says here that it was them."""
    if steps.webhook:
        said = input("Your own id there (for WhatsApp your number, digits alone): ").strip()
        return said, said
    if living(home):
        status = with_core(lambda client: client.ask(GetStatus()))
        print(f"(The core {status.pid} is at work; this only listens until you are found.)")
    print(steps.greet)
    found = asyncio.run(_first(home, name))
    who = f"{output.clean(found.name) or 'somebody'} ({output.clean(found.sender)})"
    print(f"{who} wrote: {output.clean(found.text)[:80]!r}")
    if not output.confirmed("Is this you?"):
        raise HermesError("then nothing was set up", "run it again when you can write there")
    return found.sender, found.chat


async def _first(home: Home, name: str) -> Inbound:
    vault = Vault(home).values()
    config = getattr(load(home, dict(os.environ)).config, name)

    def secret(variable: str) -> str:
        return (os.environ.get(variable, "") or vault.get(variable, "")).strip()

    if getattr(config, "webhook_url", ""):  # nobody can call here: it is asked while setting up
        config = replace(config, webhook_url="")
    gateway = registry.make(name, Setup(config=config, secret=secret))
    desk = _Ear()
    running = asyncio.create_task(gateway.run(desk))
    hearing = asyncio.create_task(desk.heard())
    try:
        async with asyncio.timeout(WAIT_S):
            await asyncio.wait([running, hearing], return_when=asyncio.FIRST_COMPLETED)
        if not hearing.done():
            await running  # says what went wrong
            raise RefusedError(f"{name} ended the connection", "try again")
        return hearing.result()
    except TimeoutError:
        raise HermesError(f"nobody wrote within {WAIT_S / 60:.0f} minutes") from None
    finally:
        for task in (running, hearing):
            task.cancel()
        await asyncio.wait([running, hearing], timeout=5)
        await gateway.close()


class _Ear:
    """A desk that only waits for the first direct message, and keeps nothing."""

    menu: tuple[MenuEntry, ...] = ()

    def __init__(self) -> None:
        self._first: asyncio.Future[Inbound] = asyncio.get_running_loop().create_future()

    async def heard(self) -> Inbound:
        """The first one."""
        return await self._first

    def knows(self, sender: str, chat: str, group: bool) -> bool:
        """Nobody yet."""
        return False

    async def take(self, message: Inbound) -> bool:
        """Hear it."""
        if not message.group and not self._first.done():
            self._first.set_result(message)
        return True

    async def keep_file(
        self, name: str, mime: str, kind: str, pieces: AsyncIterator[bytes]
    ) -> InFile:
        """Keep none."""
        return InFile(name=name, kind=kind, mime=mime, problem="set-up keeps no files")

    def alive(self) -> None:
        """Nothing is watched."""

    async def mark(self, name: str = "") -> str:
        """From now on."""
        return ""

    async def keep_mark(self, value: str, name: str = "") -> None:
        """Nothing is kept."""


def _tell_core(home: Home, name: str) -> None:
    if not living(home):
        print("It connects when the agent starts: `hermes daemon start`, or `hermes`.")
        return
    change: Any = ChangeGateway(name=name, change="restart")
    with contextlib.suppress(HermesError):
        found = with_core(lambda client: client.ask(change))
        print(f"{found.name}: {found.state}" + (f"; {found.problem}" if found.problem else ""))
    print(f"`hermes gateway test {name}` sends you a line.")
