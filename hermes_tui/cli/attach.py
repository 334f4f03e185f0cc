"""`hermes attach`: the screen of the core that runs, and never a new core."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from hermes_tui.cli.start_options import Options, UsageError
from hermes_tui.errors import CoreError, HermesError

if TYPE_CHECKING:
    from hermes_tui.cli.start_face import Reconnect, Visit
    from hermes_tui.cli.start_terminal import Terminal
    from hermes_tui.home import Home
    from hermes_tui.intents import EndCore
    from hermes_tui.runtime.client import CoreClient
    from hermes_tui.runtime.link import SocketClient

ANSWER_S = 1.5  # a reason, or the screen, within two seconds
COME_BACK = "The agent goes on in the background. `hermes` brings the screen back."

HELP = """\
usage: hermes attach [USER@HOST[:PORT]] [--session ID|TITLE] [--plain]

Open the screen of the agent that runs, here or, over ssh, on another machine: the screen is drawn
here, the agent stays there, and a line that is cut is made anew. Hosts, keys and jumps are those
of ~/.ssh. When none runs, or it does not answer, this says so and
exits with 3 within two seconds, and the terminal is left alone.

options
  -s, --session ID|TITLE  open this session instead of the folder's last one
      --plain             lines instead of a full screen
      --remote-command COMMAND  how hermes is called on the other machine, when neither its
                          login shell nor ~/.local/bin knows it
      --stdio             be the other machine's end of an attach over ssh

example: hermes attach me@server --session 'move the blog'
"""


def parse_attach(arguments: list[str]) -> Options | None:
    """Read what follows `hermes attach`; None when help was asked for and printed."""
    options = Options()
    options.what = "attach"
    left = list(arguments)
    while left:
        word = left.pop(0)
        name, equals, value = word.partition("=")
        if word in ("-h", "--help"):
            print(HELP, end="")
            return None
        if word == "--plain":
            options.plain = True
        elif word == "--stdio":
            options.stdio = True
        elif name == "--remote-command" and (equals or left):
            options.program = value if equals else left.pop(0)
        elif not word.startswith("-") and not options.target:
            options.target = word
        elif name in ("-s", "--session") and (equals or left):
            options.session = value if equals else left.pop(0)
        else:
            raise UsageError(f"not understood: hermes attach {word}", "hermes attach --help")
    return options


def attach(options: Options, terminal: Terminal) -> int:
    """Show the running core's screen; the exit code."""
    from hermes_tui.home import Home

    return asyncio.run(_attach(options, terminal, Home.find()))


async def _attach(options: Options, terminal: Terminal, home: Home) -> int:
    from hermes_tui.cli.start_face import Visit
    from hermes_tui.configuration.load import load
    from hermes_tui.runtime.link import SocketClient

    if options.target:
        return await _attach_far(options, terminal, home)
    client = await SocketClient.connect(home, ANSWER_S)
    config = load(home, os.environ).config
    return await visit_running(client, Visit(options, terminal, home, config.ui))


async def _attach_far(options: Options, terminal: Terminal, home: Home) -> int:
    from hermes_tui.cli.start_face import Visit
    from hermes_tui.configuration.load import load
    from hermes_tui.runtime.remote import Remote
    from hermes_tui.runtime.ssh import Place

    remote = Remote(Place.read(options.target), options.program)
    config = load(home.ensure(), os.environ).config
    try:
        client = await remote.connect()
        options.folder = remote.folder
        visit = Visit(options, terminal, home, config.ui)
        return await visit_running(client, visit, remote.connect)
    finally:
        remote.close()


async def visit_running(client: SocketClient, visit: Visit, again: Reconnect | None = None) -> int:
    """Show a core of another process until the person leaves it; the exit code.

    again: how a line that was cut is made anew; None: to this home's core.
    """
    from hermes_tui.cli.start_face import show, told, until_left
    from hermes_tui.intents import EndCore

    if visit.options.session:
        await client.ask(visit.wanted())  # no such session: said before the screen is taken
    terminal, again = visit.terminal, again or _reconnect(visit.home)
    close = asyncio.Event()
    loop = asyncio.get_running_loop()
    terminal.on_lost.append(lambda: loop.call_soon_threadsafe(close.set))
    terminal.on_end = lambda: loop.call_soon_threadsafe(close.set)
    loop.add_reader(terminal.alive, close.set)
    face = show(client, visit, embedded=False, reconnect=again)
    left = await until_left(face, close, terminal)
    loop.remove_reader(terminal.alive)
    if isinstance(left.failure, HermesError):
        raise left.failure
    if left.failure is not None:
        terminal.say("failed", f"hermes: the screen failed: {told(left.failure)}. {COME_BACK}")
        return 1
    if left.leave == "quit":
        await _end(again, EndCore(reason="quit"))
    elif not terminal.ending:
        terminal.say("detached", COME_BACK)
    return 0


async def _end(again: Reconnect, intent: EndCore) -> None:
    """The screen's own client may be closed by now."""
    try:
        client = await again()
    except CoreError:
        return  # it has ended already
    await client.ask(intent)
    await client.close()


def _reconnect(home: Home) -> Reconnect:
    async def again() -> CoreClient:
        from hermes_tui.runtime.link import SocketClient

        return await SocketClient.connect(home)

    return again
