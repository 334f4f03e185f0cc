"""A process with a core in it that has one thing done for it; killed at any point by the test.

python -m tests.crash.scenario HOME URL FOLDER
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from hermes_tui.events import TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, Send, Standing
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.runtime.conftest import config_for

INPUT = "the-one-input"


async def main(home: str, url: str, folder: str) -> None:
    """Send the one input, unless an earlier run has, and wait for the end of its turn."""
    core = await Core(Home(home), config_for(url, mode="yolo"), headless=True).start()
    client = LocalClient(core)
    standing = Standing(cwd=folder, env={"PATH": "/usr/bin:/bin"})
    view = await client.ask(OpenSession(which="last-or-new", standing=standing))
    send = Send(session=view.info.id, text="do the three steps", input_id=INPUT)
    await client.ask(send)
    await asyncio.to_thread(Path(folder, "acknowledged").touch)
    session = core.sessions[view.info.id]
    if session.conversation.in_turn:
        async for record in client.events():
            if isinstance(record.event, TurnEnded):
                break
    await core.end("done")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
