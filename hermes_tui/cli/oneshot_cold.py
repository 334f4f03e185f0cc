"""One answer from a core of our own, which lives for it, and on if others have come to use it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import TYPE_CHECKING

from hermes_tui.cli import quick
from hermes_tui.cli.oneshot import new_id, through
from hermes_tui.cli.oneshot_answer import Answer
from hermes_tui.cli.start_memory import imported
from hermes_tui.configuration.load import load
from hermes_tui.errors import CoreError
from hermes_tui.home import Home
from hermes_tui.intents import ChangeSession, OpenSession, Send, Stop
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.runtime.standing import here
from hermes_tui.runtime.wire import encode_record

if TYPE_CHECKING:
    from hermes_tui.cli.start_options import Options
    from hermes_tui.cli.start_terminal import Terminal

_POLL_S = 0.2
_SCREENS = ("ui", "plain")


def answer(options: Options, terminal: Terminal) -> int:
    """Answer the prompt with a core in this process; the exit code."""
    imported()
    home = Home.find().ensure()
    config = load(home, os.environ).config
    return asyncio.run(_answer(options, terminal, Core(home, config, headless=True, resume=False)))


async def _answer(options: Options, terminal: Terminal, core: Core) -> int:
    try:
        await core.start()
    except CoreError:
        line = quick.connect(core.home, "oneshot")  # another was quicker to take the lock
        if line is None:
            raise
        return through(line, options)
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    terminal.on_end = lambda: loop.call_soon_threadsafe(told.set)
    terminal.on_lost.append(lambda: loop.call_soon_threadsafe(told.set))
    loop.add_reader(terminal.alive, told.set)
    client = LocalClient(core, "oneshot")
    try:
        code = await _ask(client, options, told)
        await client.close()
        loop.remove_reader(terminal.alive)
        if _needed(core) and not told.is_set():
            await _outstay(core, terminal, code)
    finally:
        await core.end("the answer is given")
    return 128 + signal.Signals[terminal.ending] if terminal.ending else code


async def _ask(client: LocalClient, options: Options, told: asyncio.Event) -> int:
    where = here()
    which = options.which("new")
    view = await client.ask(
        OpenSession(
            which=which,
            standing=where,
            mode=options.mode,
            model=options.model,
            tail=10 if which == "new" else 0,
            face="oneshot",
        )
    )
    session = view.info.id
    if options.model not in ("", view.info.model):
        await client.ask(ChangeSession(session=session, model=options.model))
    reply = Answer(session, new_id(), options.json)
    for record in view.records:
        reply.take(encode_record(record))
    send = Send(
        session=session,
        text=options.prompt,
        how="queue",
        input_id=reply.input_id,
        standing=where,
        attended=False,
        face="oneshot",
    )
    await client.ask(send)
    following = asyncio.create_task(_follow(client, reply))
    stopping = asyncio.create_task(told.wait())
    await asyncio.wait({following, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if not following.done():
        await client.ask(Stop(session=session))
    stopping.cancel()
    if not following.done():
        following.cancel()
        return 130
    await following
    return reply.code


async def _follow(client: LocalClient, reply: Answer) -> None:
    async for record in client.events():
        reply.take(encode_record(record))
        if reply.done:
            return


def _needed(core: Core) -> bool:
    """Whether somebody else has come to use this core meanwhile."""
    return bool(core.faces) or any(session.working for session in core.sessions.values())


async def _outstay(core: Core, terminal: Terminal, code: int) -> None:
    """Let the command return, and live on as long as others need it: for good, if a screen came."""
    from hermes_tui.cli.start import Life
    from hermes_tui.cli.start_log import CoreLog

    sys.stdout.flush()
    log = CoreLog(core.home.log, core.config.core.log_bytes)
    terminal.log = log.fd
    terminal.leave()
    log.take_outputs()
    terminal.say("exit", str(code))
    terminal.close()
    os.chdir(core.home.path)
    core.remember_files()
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(_end_when_unneeded(core))
        await Life(core, terminal, log).run()
        watching.cancel()


async def _end_when_unneeded(core: Core) -> None:
    while _needed(core):
        if any(face.name in _SCREENS for face in core.faces):
            await core.resume_open_turns()
            return
        await asyncio.sleep(_POLL_S)
    await core.end("the answers are given")
