"""What every gateway promises, and what a platform's rig has to offer so that it can be tried.

A rig is a loopback server of one platform with its real client library in front of it. It is
registered in RIGS: the module has `rig()`, an async context manager that yields a `Rig`. The
promises themselves are in `test_contract.py`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from hermes_tui.gateways.base import Address, Gateway, Inbound, InFile, MenuEntry

RIGS: dict[str, str] = {
    "discord": "tests.gateways.rig_discord",
    "signal": "tests.gateways.rig_signal",
    "slack": "tests.gateways.rig_slack",
    "whatsapp": "tests.gateways.rig_whatsapp",
    "telegram": "tests.gateways.rig_telegram",
    "telegram_called": "tests.gateways.rig_telegram_called",
}
"""Platform → module with `rig()`. One line for each gateway."""

Power = Literal[
    "again",  # the platform may tell the same thing twice
    "catch_up",  # it hands over what came while nobody listened
    "acknowledged",  # it is told what arrived, or is asked from a mark on
    "groups",
    "menu",
    "rival",  # it tells that somebody else receives with the same account
    "line",  # there is a connection that can be lost
    "retry_after",  # it says how long to wait
    "deleted",  # a message that was sent can be taken away by a person
]


class Sent(Struct, frozen=True, kw_only=True):
    """A message the server got. file: (name, content); buttons: (label, value)."""

    proof: str
    chat: str
    text: str
    thread: str = ""
    buttons: tuple[tuple[str, str], ...] = ()
    file: tuple[str, bytes] | None = None


class Rig(Protocol):
    """One platform on loopback: an account of the agent, its owner, a stranger, a chat, a group.

    powers: what this platform can be tried for; secrets: what must be in no log and no error;
    chat: the owner's direct chat; thread: one in which something can be said, empty for none.
    Whatever is awaited returns as soon as the server knows it, whether or not anybody listens.
    """

    platform: str
    powers: frozenset[Power]
    secrets: tuple[str, ...]
    owner: str
    stranger: str
    chat: str
    group: str
    thread: str

    def gateway(self) -> Gateway:
        """A new gateway of the same account, as another start of the program makes one."""
        ...

    def settings(self) -> list[str]:
        """Lines of YAML for the platform's part of the settings, beside `enabled` and `owners`."""
        ...

    def environment(self) -> dict[str, str]:
        """Variables with the account's secrets."""
        ...

    def refused(self) -> Gateway:
        """A gateway whose token or secret is wrong."""
        ...

    async def says(
        self,
        text: str,
        *,
        sender: str = "",
        chat: str = "",
        thread: str = "",
        mention: bool = False,
        reply_to: str = "",
        files: tuple[tuple[str, str, bytes], ...] = (),
    ) -> str:
        """Somebody (else the owner) writes in a chat (else their direct one).

        files: (kind, name, content). Returns what `acknowledged` and `again` take.
        """
        ...

    async def again(self, told: str) -> None:
        """The platform tells the same thing a second time."""
        ...

    async def presses(self, proof: str, value: str) -> str:
        """The owner presses a button of a message. Returns what `acknowledged` takes."""
        ...

    async def noise(self) -> None:
        """What is nobody's message: own ones, other bots', joins, changed messages, reactions."""
        ...

    def acknowledged(self, told: str) -> bool:
        """Whether the platform knows that this arrived, so that it won't come again."""
        ...

    def sent(self) -> list[Sent]:
        """What the server got, oldest first."""
        ...

    def edited(self) -> list[tuple[str, str]]:
        """(proof, text) of messages that were changed."""
        ...

    def fetched(self) -> int:
        """How many files were fetched from the server."""
        ...

    def typed(self) -> int:
        """How often it was shown that an answer is being written."""
        ...

    def menu(self) -> list[str]:
        """The names of commands that were registered."""
        ...

    def fail_next(self, kind: Literal["busy", "slow_down", "gone"]) -> None:
        """The next message is not taken: for now, for 7 seconds, because the chat is gone."""
        ...

    def delete(self, proof: str) -> None:
        """Somebody takes away a message of the agent."""
        ...

    async def break_line(self) -> None:
        """The connection is lost."""
        ...

    async def rival(self) -> None:
        """Another program begins to receive with the same account."""
        ...


class RecordingDesk:
    """A desk that lasts as a store does: over the ends of gateways, and each message once.

    heard: everything that was handed in; kept: what was new. hold: while cleared, nothing comes
    back from `take`; failures: raised first, one each.
    """

    def __init__(self, folder: Path, known: set[str]) -> None:
        self.menu = (
            MenuEntry(name="status", help="show how it stands"),
            MenuEntry(name="queue", help="say something for later", args="TEXT"),
        )
        self.heard: list[Inbound] = []
        self.kept: list[Inbound] = []
        self.marks: dict[str, str] = {}
        self.failures: list[Exception] = []
        self.hold = asyncio.Event()
        self.hold.set()
        self.beats = 0
        self._known = known
        self._folder = folder

    def knows(self, sender: str, chat: str, group: bool) -> bool:
        """Whether somebody may talk here."""
        return sender in self._known

    async def take(self, message: Inbound) -> bool:
        """Keep a message that is new."""
        self.heard.append(message)
        await self.hold.wait()
        if self.failures:
            raise self.failures.pop(0)
        same = (message.chat, message.message)
        if any((one.chat, one.message) == same for one in self.kept):
            return False
        self.kept.append(message)
        return True

    async def keep_file(
        self, name: str, mime: str, kind: str, pieces: AsyncIterator[bytes]
    ) -> InFile:
        """Keep a file on disk."""
        path = self._folder / f"{len(list(self._folder.iterdir()))}.kept"
        with path.open("wb") as file:
            async for piece in pieces:
                file.write(piece)
        size = path.stat().st_size
        return InFile(name=name, kind=kind, mime=mime, path=str(path), size=size)

    def alive(self) -> None:
        """A sign of life."""
        self.beats += 1

    async def mark(self, name: str = "") -> str:
        """Where an earlier run had come to."""
        return self.marks.get(name, "")

    async def keep_mark(self, value: str, name: str = "") -> None:
        """Keep how far everything was taken."""
        self.marks[name] = value

    def texts(self, chat: str = "") -> list[str]:
        """The texts that were kept, of one chat or all."""
        return [one.text for one in self.kept if not chat or one.chat == chat]


@asynccontextmanager
async def receiving(
    rig: Rig, desk: RecordingDesk
) -> AsyncGenerator[tuple[Gateway, asyncio.Task[None]]]:
    """A gateway at work; its end takes two seconds at most."""
    gateway = rig.gateway()
    task = asyncio.create_task(gateway.run(desk))
    try:
        await until(lambda: desk.beats > 0 or task.done(), "the gateway is connected")
        yield gateway, task
    finally:
        await ended(task)
        await gateway.close()


async def ended(task: asyncio.Task[None]) -> None:
    """Cancel a gateway and see it end."""
    began = time.monotonic()
    task.cancel()
    await asyncio.wait([task], timeout=2)
    assert task.done(), "it does not end when it is cancelled"
    assert time.monotonic() - began < 2


async def until(condition: Callable[[], object], what: str, limit_s: float = 3.0) -> None:
    """Wait for something, not longer than a few seconds."""
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, f"not within {limit_s:.0f} s: {what}"
        await asyncio.sleep(0.005)


def address(rig: Rig, *, chat: str = "", thread: str = "") -> Address:
    """An address on the platform of a rig."""
    return Address(platform=rig.platform, chat=chat or rig.chat, thread=thread)
