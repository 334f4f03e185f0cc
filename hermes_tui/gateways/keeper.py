"""Keeps one gateway connected: back-off, watchdog, and an end where trying on would do harm."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable
from typing import Literal

from hermes_tui.errors import HermesError
from hermes_tui.gateways.base import ConflictError, Desk, Gateway, RefusedError

_log = logging.getLogger(__name__)
State = Literal["starting", "on", "waiting", "refused", "conflict", "off"]
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 300.0
STEADY_S = 120.0
"""So long must a connection last before the waits begin at the shortest again."""
SILENT_S = 150.0
"""Without a sign of life for so long the connection is taken to be dead."""
MOST_CONFLICTS = 3
"""So many times in an hour somebody else received with the same account: then it stops."""
HOUR_S = 3600.0


class Keeper:
    """Runs a gateway until it is cancelled, or until trying again is of no use.

    changed: called when the state changes. Silent connections are cut and made anew; `beat`
    shows that the keeper itself is at work.
    """

    def __init__(
        self,
        gateway: Gateway,
        desk: Desk,
        changed: Callable[[], None],
        *,
        silent_s: float = SILENT_S,
        first_wait_s: float = FIRST_WAIT_S,
    ) -> None:
        self.state: State = "off"
        self.problem = ""
        self.alive_at = 0.0
        self.beat = 0.0
        self._gateway = gateway
        self._desk = desk
        self._changed = changed
        self._silent_s = silent_s
        self._first_wait_s = first_wait_s
        self._conflicts: list[float] = []

    def alive(self) -> None:
        """The platform gave a sign of life."""
        self.alive_at = time.monotonic()
        if self.state != "on":
            self._to("on")

    async def run(self) -> None:
        """Connect, and connect again after failures."""
        tries = 0
        while True:
            began = time.monotonic()
            self._to("starting")
            try:
                await self._connected()
                problem, hint = "the connection ended", ""
            except RefusedError as error:
                self._to("refused", f"{error.message}: {error.hint}" if error.hint else str(error))
                return
            except ConflictError as error:
                if self._conflict(error):
                    return
                problem, hint = error.message, error.hint
            except (HermesError, OSError, TimeoutError) as error:
                problem, hint = str(error) or type(error).__name__, ""
            except Exception as error:  # noqa: BLE001 - one platform's library fails no other
                _log.exception("%s failed", self._gateway.platform)
                problem, hint = f"{type(error).__name__}", "`hermes daemon logs` has the story"
            tries = 0 if time.monotonic() - began > STEADY_S else tries + 1
            wait = min(self._first_wait_s * 2 ** min(tries, 16), LONGEST_WAIT_S)
            wait *= random.uniform(0.5, 1.0)
            said = f"{problem}; {hint}" if hint else problem
            _log.warning("%s: %s; again in %.0f s", self._gateway.platform, said, wait)
            self._to("waiting", said)
            await self._rest(wait)

    async def _connected(self) -> None:
        """Receive until the line is lost; a silent one is."""
        self.alive_at = time.monotonic()
        running = asyncio.create_task(self._gateway.run(self._desk))
        try:
            while not running.done():
                left = self.alive_at + self._silent_s - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"nothing came for {self._silent_s:.0f} s")
                self.beat = time.monotonic()
                await asyncio.wait([running], timeout=min(left, self._silent_s / 2) + 0.01)
            await running
        finally:
            running.cancel()
            await asyncio.wait([running], timeout=10)

    async def _rest(self, seconds: float) -> None:
        self.beat = time.monotonic() + seconds
        await asyncio.sleep(seconds)

    def _conflict(self, error: ConflictError) -> bool:
        """Count it; True when this one gives way. A good start in between changes no count."""
        now = time.monotonic()
        self._conflicts = [at for at in self._conflicts if now - at < HOUR_S] + [now]
        if len(self._conflicts) < MOST_CONFLICTS:
            return False
        _log.error("%s: %s; stopped", self._gateway.platform, error.message)
        self._to(
            "conflict",
            f"{error.message}. It was stopped here: end the other one, then "
            f"`hermes gateway start {self._gateway.platform}`",
        )
        return True

    def _to(self, state: State, problem: str = "") -> None:
        if (state, problem) != (self.state, self.problem):
            self.state, self.problem = state, problem
            self._changed()
