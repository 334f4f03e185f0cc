"""The way of a command to its core: the living one, or one of its own for as long as it takes."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import TypeVar

from hermes_tui.cli import quick
from hermes_tui.errors import CoreError
from hermes_tui.home import Home
from hermes_tui.runtime.client import CoreClient

T = TypeVar("T")
PATIENCE_S = 10.0
_POLL_S = 0.05


def with_core(work: Callable[[CoreClient], Awaitable[T]]) -> T:
    """Run `work` with a client of this home's core and return what it returns.

    Waits while another short command has the core. Raises HermesError as the core does.
    """
    return asyncio.run(within_core(work))


def living(home: Home) -> bool:
    """Whether a core lives in this home."""
    return quick.held(home)


async def within_core(work: Callable[[CoreClient], Awaitable[T]]) -> T:
    """The same inside an event loop."""
    async with AsyncExitStack() as stack:
        return await work(await _client(Home.find(), stack))


async def _client(home: Home, stack: AsyncExitStack) -> CoreClient:
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            return await (_attach if living(home) else _own)(home, stack)
        except CoreError as error:
            if time.monotonic() > until or error.message.startswith("the core speaks"):
                raise
        await asyncio.sleep(_POLL_S)


async def _attach(home: Home, stack: AsyncExitStack) -> CoreClient:
    from hermes_tui.runtime.link import SocketClient

    client = await SocketClient.connect(home, face="cli")
    stack.push_async_callback(client.close)
    return client


async def _own(home: Home, stack: AsyncExitStack) -> CoreClient:
    from hermes_tui.configuration.load import load
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.local import LocalClient

    config = load(home, os.environ).config
    core = Core(home, config, headless=True, resume=False)
    await core.start(listen=False)
    stack.push_async_callback(core.end, "the command is done")
    client = LocalClient(core, "cli")
    stack.push_async_callback(client.close)
    return client
