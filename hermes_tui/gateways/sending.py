"""From the outbox to a platform: in order in each chat, again when it failed, noted when sent."""

from __future__ import annotations

import asyncio
import logging
import random
import time

from hermes_tui.faults import point
from hermes_tui.gateways.base import Address, SendError, Transport
from hermes_tui.store.outbox import Outbox, Outgoing

_log = logging.getLogger(__name__)
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 300.0
_IDLE_S = 30.0


class Sender:
    """Sends what waits for one platform. `run` goes on until it is cancelled; `wake` says: look."""

    def __init__(self, outbox: Outbox, transport: Transport, parallel: int = 8) -> None:
        self._outbox = outbox
        self._transport = transport
        self._parallel = asyncio.Semaphore(parallel)
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """Something was put."""
        self._wake.set()

    async def run(self) -> None:
        """Send what waits and what comes. A failure of one chat holds up no other."""
        while True:
            self._wake.clear()
            if not await self.once():
                await self._rest()

    async def once(self) -> int:
        """Send everything that is due now; how many chats something was due for."""
        targets = await self._outbox.targets(self._transport.platform, time.time())
        async with asyncio.TaskGroup() as group:
            for target in targets:
                group.create_task(self._next(target))
        return len(targets)

    async def _rest(self) -> None:
        due = await self._outbox.next_due(self._transport.platform)
        wait = _IDLE_S if due is None else min(max(due - time.time(), 0.05), _IDLE_S)
        try:
            async with asyncio.timeout(wait):
                await self._wake.wait()
        except TimeoutError:
            return

    async def _next(self, target: str) -> None:
        async with self._parallel:
            rows = await self._outbox.claim(target, time.time())
            if not rows:
                return
            point("outbox.claimed")
            try:
                proof = await self._send(rows)
            except SendError as error:
                await self._again(rows, error)
                return
            point("outbox.sent")
            await self._outbox.sent(rows, proof)
            point("outbox.noted")

    async def _send(self, rows: tuple[Outgoing, ...]) -> str:
        """Send the messages of one row, or of several as one text; from where it stopped."""
        first = rows[0]
        to = Address.of(first.target)
        text = "\n\n".join(row.text for row in rows)
        proof = first.proof
        for number, message in enumerate(self._transport.messages(text)):
            if number < first.parts:
                continue
            proof = await self._transport.send(to, message, f"{first.key}#{number}")
            point("outbox.part")
            await self._outbox.progressed(first.id, number + 1, proof)
        return proof

    async def _again(self, rows: tuple[Outgoing, ...], error: SendError) -> None:
        if error.dead:
            _log.warning("%s takes no messages: %s", rows[0].target, error.message)
            await self._outbox.failed(rows, error.message)
            return
        wait = min(FIRST_WAIT_S * 2 ** min(rows[0].attempts, 16), LONGEST_WAIT_S)
        wait = max(wait * random.uniform(0.75, 1.25), error.retry_after)
        await self._outbox.failed(rows, error.message, time.time() + wait)
