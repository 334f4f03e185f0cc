"""Tell the system's service manager that the core is up and alive (`man 3 sd_notify`)."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping


class Notifier:
    """Sends to the socket the manager gave; does nothing when there is none.

    The signs of life come from the event loop itself: when it hangs, they stop, and the manager
    starts the core anew.
    """

    def __init__(self, env: Mapping[str, str] = os.environ) -> None:
        self._where = env.get("NOTIFY_SOCKET", "")
        limit = env.get("WATCHDOG_USEC", "")
        mine = env.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self.every_s = int(limit) / 2e6 if limit.isdigit() and mine else 0.0

    def tell(self, state: str) -> None:
        """Send one state, such as `READY=1`."""
        if not self._where:
            return
        name = "\0" + self._where[1:] if self._where.startswith("@") else self._where
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sock:
            sock.setblocking(False)
            try:
                sock.sendto(state.encode(), name)
            except OSError:
                return  # the manager has gone, or is busy: the next sign comes soon

    async def live(self) -> None:
        """Give signs of life until cancelled."""
        while self._where and self.every_s:
            self.tell("WATCHDOG=1")
            await asyncio.sleep(self.every_s)
