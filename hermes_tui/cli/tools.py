"""`hermes tools`: what the agent can do."""

from __future__ import annotations

import os
from typing import Annotated, Literal

import typer

from hermes_tui.cli import output
from hermes_tui.cli.output import PLAIN
from hermes_tui.configuration.load import load
from hermes_tui.home import Home

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="The tools the model can call.\n\nExample: hermes tools list",
)


@app.callback()
def group() -> None:
    """Keep `list` a command of its own while it is the only one."""


@app.command("list")
def list_(
    profile: Annotated[
        str,
        typer.Option(
            "--profile", metavar="NAME", help="full, or lean: what a small local model gets."
        ),
    ] = "full",
    json: Annotated[bool, typer.Option("--json", help="Print JSON, schemas included.")] = False,
) -> None:
    """List the tools.

    Example: hermes tools list --profile lean
    """
    from hermes_tui.tools.registry import build

    if profile not in ("full", "lean"):
        raise typer.BadParameter("full or lean")
    which: Literal["full", "lean"] = "lean" if profile == "lean" else "full"
    tools = build(load(Home.find(), os.environ).config.tools, which)
    if json:
        output.emit([tool.schema for tool in tools.values()])
        return
    rows = [(tool.name, tool.description.split(". ")[0].rstrip(".")) for tool in tools.values()]
    output.table(rows, ("tool", "what it does"))
