"""How a face talks to a core, in this process or over the socket: the same protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol, TypeVar

from hermes_tui.events import Record
from hermes_tui.intents import Intent

R = TypeVar("R")


class CoreClient(Protocol):
    """A face's end of the line. `runtime.local.LocalClient` and `runtime.link.SocketClient`."""

    async def ask(self, intent: Intent[R]) -> R:
        """Send an intent and wait for its reply.

        Raises HermesError as the core raised it, CoreError when the line is cut.
        """
        ...

    def events(self) -> AsyncIterator[Record]:
        """All events of the sessions opened through this client, in order, until it closes.

        Ends with a `CoreEnding` record (session "") when the core ends or the line is cut.
        """
        ...

    async def close(self) -> None:
        """Leave. The core and its sessions go on."""
        ...
