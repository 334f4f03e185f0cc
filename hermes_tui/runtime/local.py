"""A face in the core's own process: no socket, the same protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, TypeVar, cast

from hermes_tui.events import CoreEnding, Record
from hermes_tui.intents import Intent
from hermes_tui.runtime import wire
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.handlers import handle

R = TypeVar("R")


class LocalClient:
    """CoreClient without a hop.

    through_codec: send everything through the wire codec as the socket would, so that tests
    notice when the two drift apart.
    """

    def __init__(self, core: Core, name: str = "ui", *, through_codec: bool = False) -> None:
        self._core = core
        self._face = core.join(name)
        self._through_codec = through_codec

    async def ask(self, intent: Intent[R]) -> R:
        """Send an intent and wait for its reply."""
        if not self._through_codec:
            return cast("R", await handle(self._core, intent, self._face))
        _, again = wire.decode_call(wire.encode_call(1, intent))
        reply: Any = await handle(self._core, again, self._face)
        frame = wire.decode_frame(wire.encode_reply(1, reply))
        return cast("R", wire.decode_value(intent.reply, frame.ok))

    async def events(self) -> AsyncIterator[Record]:
        """Events of the opened sessions until the core ends."""
        while True:
            record = await self._face.next()
            if self._through_codec:
                record = wire.decode_record(wire.encode_record(record))
            yield record
            if isinstance(record.event, CoreEnding):
                return

    async def close(self) -> None:
        """Leave; the core goes on."""
        self._core.part(self._face)
        self._face.leave("closed")
