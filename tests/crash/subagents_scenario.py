"""A process with a core whose session gives work to two subagents; killed at any point by the test.

python -m tests.crash.subagents_scenario HOME URL FOLDER
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from hermes_tui.events import ReplyReceived
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, Send, Standing
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.runtime.conftest import config_for

INPUT = "the-one-input"
LAST = "I have heard of both."


async def main(home: str, url: str, folder: str) -> None:
    """Send the one input, unless an earlier run has, and wait until the reports were heard."""
    core = await Core(Home(home), config_for(url, mode="yolo"), headless=True).start()
    client = LocalClient(core)
    standing = Standing(cwd=folder, env={"PATH": "/usr/bin:/bin"})
    view = await client.ask(OpenSession(which="last-or-new", standing=standing))
    await client.ask(Send(session=view.info.id, text="count both", input_id=INPUT))
    await asyncio.to_thread(Path(folder, "acknowledged").touch)
    session = await core.session(view.info.id)
    while not await _heard(core, session.id):
        await anext(client.events())
    for row in await core.subagents.list():
        await core.subagents.wait(row.parent, row.call_id)
    while session.task is not None:
        await asyncio.wait([session.task])
    await core.end("done")


async def _heard(core: Core, session: str) -> bool:
    return any(
        isinstance(record.event, ReplyReceived) and record.event.text == LAST
        for record in await core.log.read(session)
    )


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
