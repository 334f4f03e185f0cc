"""`hermes format`: a text in, the exact messages of a platform out."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from hermes_tui.cli import output
from hermes_tui.cli.output import PLAIN
from hermes_tui.gateways.format import LOOKS, messages

app = typer.Typer(
    **PLAIN,
    help="Show what a text becomes in a chat.\n\n"
    "Example: hermes format --platform telegram < answer.md",
)


@app.command()
def format_(
    platform: Annotated[
        str, typer.Option("--platform", metavar="NAME", help=f"One of {', '.join(LOOKS)}.")
    ],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Read Markdown from standard input and print the messages that would be sent.

    Example: hermes format --platform telegram --json < answer.md
    """
    made = messages(platform, sys.stdin.read())
    if json:
        output.emit({"platform": platform, "limit": LOOKS[platform].limit, "messages": made})
        return
    for number, message in enumerate(made, 1):
        print(f"--- {number} of {len(made)}, {message.size} units")
        print(output.plain(message.text))
