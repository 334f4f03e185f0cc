"""`hermes web`: the same screen in a browser on this machine; each tab is one more face."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from hermes_tui.cli import output, quick
from hermes_tui.cli.daemon import CODE, launch
from hermes_tui.cli.output import PLAIN
from hermes_tui.errors import HermesError
from hermes_tui.home import Home

if TYPE_CHECKING:
    from hermes_tui.runtime.client import CoreClient

app = typer.Typer(
    **PLAIN,
    help="Show the screen in a browser on this machine.\n\nExample: hermes web --port 8123",
)


@app.command()
def serve(
    port: Annotated[int, typer.Option("--port", metavar="N", help="0: any free one.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print links as JSON, one a line.")] = False,
    tab: Annotated[bool, typer.Option("--tab", hidden=True)] = False,
) -> None:
    """Serve the screen on 127.0.0.1 and print a link that opens it, once. ctrl+c ends.

    Every tab is a face of the agent that runs; closing it, or this command, stops no work.

    Example: hermes web --port 8123
    """
    if tab:
        asyncio.run(_tab(Home.find()))
        return
    try:
        from hermes_tui.cli.web_server import run
    except ModuleNotFoundError as error:
        if error.name not in ("textual_serve", "aiohttp", "aiohttp_jinja2", "jinja2"):
            raise
        hint = "install it with `pip install 'hermes-tui[web]'`"
        raise HermesError("the web screen needs textual-serve", hint) from error
    home = Home.find().ensure()
    if not quick.held(home):
        launch(home).close()
    asyncio.run(run(tab_command(), port, _link_as_json if json else _link))


def _link(link: str) -> None:
    print(f"Open this in a browser on this machine; it opens once:\n{link}", flush=True)


def _link_as_json(link: str) -> None:
    output.emit({"url": link})
    sys.stdout.flush()


def tab_command() -> str:
    """The shell line that starts the screen of a tab, for this very installation."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return shlex.join([sys.executable, "-P", "-c", CODE, package, "web", "--tab"])


async def _tab(home: Home) -> None:
    """Be the screen of one tab: the server drives it over standard input and output."""
    from textual.drivers.web_driver import WebDriver

    from hermes_tui.configuration.load import load
    from hermes_tui.intents import EndCore, OpenSession
    from hermes_tui.runtime.link import SocketClient
    from hermes_tui.runtime.standing import here
    from hermes_tui.ui.app import Host, run_app

    async def again() -> CoreClient:
        return await SocketClient.connect(home)

    client = await SocketClient.connect(home)
    ui = load(home, os.environ).config.ui
    request = OpenSession(which="last-or-new", standing=here())
    host = Host(reconnect=again, driver=WebDriver)
    left: Literal["detach", "quit"] | None = await run_app(
        client, request, home, ui, embedded=False, host=host
    )
    if left == "quit":
        await (await SocketClient.connect(home)).ask(EndCore(reason="quit"))
