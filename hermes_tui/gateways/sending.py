"""From the outbox to a platform: in order in each chat, again when it failed, noted when sent."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from hermes_tui.faults import point
from hermes_tui.gateways.base import (
    Address,
    Button,
    Gateway,
    GoneError,
    Message,
    SendError,
    Transport,
)
from hermes_tui.store.outbox import Outbox, Outgoing

_log = logging.getLogger(__name__)
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 300.0
_IDLE_S = 30.0


class Sender:
    """Sends what waits for one platform. `run` goes on until it is cancelled; `wake` says: look.

    gateway: the transport, if it can do more than send text. dead: told of a chat that will
    never take a message, and why.
    """

    def __init__(
        self,
        outbox: Outbox,
        transport: Transport,
        parallel: int = 8,
        *,
        gateway: Gateway | None = None,
        dead: Callable[[str, str], Awaitable[None]] | None = None,
    ) -> None:
        self._outbox = outbox
        self._transport = transport
        self._gateway = gateway
        self._dead = dead
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
            except Exception as error:  # noqa: BLE001 - a library's fault holds up no other chat
                _log.exception("%s: a message did not go", target)
                text = f"{self._transport.platform} failed inside: {type(error).__name__}"
                await self._again(rows, SendError(text, doubt=True))
                return
            point("outbox.sent")
            await self._outbox.sent(rows, proof)
            point("outbox.noted")

    async def _send(self, rows: tuple[Outgoing, ...]) -> str:
        """Send one row, or several as one text; the number of the last message of it."""
        first = rows[0]
        to = Address.of(first.target)
        if first.kind == "file":
            return await self._file(to, first)
        text = "\n\n".join(row.text for row in rows)
        parts = self._transport.messages(text)
        proof = first.proof
        for number, message in enumerate(parts):
            if number < first.parts:
                continue
            last = number == len(parts) - 1
            proof = await self._part(to, first, number, message, last)
            point("outbox.part")
            await self._outbox.progressed(first.id, number + 1, proof)
        return proof

    async def _part(
        self, to: Address, row: Outgoing, number: int, message: Message, last: bool
    ) -> str:
        key = f"{row.key}#{number}"
        gateway = self._gateway
        if gateway is not None and number == 0 and row.edits and gateway.able.edits:
            try:
                await gateway.edit(to, row.edits, message)
            except GoneError as error:
                _log.info("%s: sent anew: %s", row.target, error.message)
            else:
                return row.edits
        if gateway is not None and last and row.kind == "ask" and gateway.able.buttons:
            buttons = tuple(Button(label=label, value=value) for label, value in _pairs(row.data))
            return await gateway.ask(to, message, buttons, key)
        return await self._transport.send(to, message, key)

    async def _file(self, to: Address, row: Outgoing) -> str:
        """Send a file; where that can't be, say so in a text."""
        path, name = next(iter(_pairs(row.data)), ("", ""))
        gateway = self._gateway
        there = await asyncio.to_thread(os.path.isfile, path)
        if gateway is not None and gateway.able.files and there:
            return await gateway.send_file(to, Path(path), name, row.text, row.key)
        why = f"(the file {name} can't be sent here)" if there else f"(the file {name} is gone)"
        message = self._transport.messages(f"{row.text}\n\n{why}".strip())[0]
        return await self._transport.send(to, message, row.key)

    async def _again(self, rows: tuple[Outgoing, ...], error: SendError) -> None:
        if error.dead:
            _log.warning("%s takes no messages: %s", rows[0].target, error.message)
            await self._outbox.failed(rows, error.message)
            if self._dead is not None:
                await self._dead(rows[0].target, error.message)
            return
        wait = min(FIRST_WAIT_S * 2 ** min(rows[0].attempts, 16), LONGEST_WAIT_S)
        wait = max(wait * random.uniform(0.75, 1.25), error.retry_after)
        await self._outbox.failed(rows, error.message, time.time() + wait, error.doubt)


def _pairs(data: str) -> list[tuple[str, str]]:
    """What a row carries beside its text: (label, value) of buttons, or (path, name) of a file."""
    return msgspec.json.decode(data, type=list[tuple[str, str]]) if data else []
