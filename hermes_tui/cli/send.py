"""`hermes send`: a text to a chat, from scripts."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from hermes_tui.cli import output
from hermes_tui.cli.connect import with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.intents import SendOut

app = typer.Typer(
    **PLAIN,
    help="Send a text to a chat; it is kept until it arrived.\n\n"
    "Example: hermes send telegram 'The backup is done'",
)


@app.command()
def send(
    target: Annotated[str, typer.Argument(help="`telegram`, or `telegram:CHAT[:TOPIC]`.")],
    text: Annotated[str, typer.Argument(help="The text in Markdown; - reads standard input.")],
    key: Annotated[
        str, typer.Option("--key", help="The same key again sends nothing a second time.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Send a text and say what became of it; code 1 unless it arrived.

    Example: make 2>&1 | tail -5 | hermes send telegram -
    """
    said = sys.stdin.read() if text == "-" else text
    sent = with_core(lambda client: client.ask(SendOut(target=target, text=said, key=key)))
    if json:
        output.emit(sent)
    elif sent.state == "sent":
        print(f"sent to {output.clean(sent.target)} as {output.clean(sent.proof)}")
    else:
        print(f"{sent.state}: {output.clean(sent.error)}", file=sys.stderr)
    if sent.state != "sent":
        raise typer.Exit(1)
