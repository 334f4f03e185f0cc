"""`hermes model`: what the configured endpoint offers, and whether the chosen model answers."""

from __future__ import annotations

import asyncio
import os
from typing import Annotated

import msgspec
import typer

from hermes_tui.cli import output
from hermes_tui.cli.output import PLAIN
from hermes_tui.configuration.load import load
from hermes_tui.home import Home

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="The model that answers.\n\nExample: hermes model test",
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Only names with this in them.")] = "",
    json: Json = False,
) -> None:
    """List the models the configured endpoint offers; * marks the chosen one.

    Example: hermes model list qwen
    """
    from hermes_tui.models.choose import list_models

    home = Home.find()
    config = load(home, os.environ).config.model
    every = asyncio.run(list_models(config, home, os.environ))
    names = [name for name in every if text.lower() in name.lower()]
    if json:
        output.emit({"current": config.name, "models": names})
        return
    for name in names:
        print(("* " if name == config.name else "  ") + output.clean(name))


@app.command("test")
def ask(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A model; default: the chosen one.")
    ] = "",
    json: Json = False,
) -> None:
    """Ask the model for one word, live.

    Example: hermes model test openrouter/auto
    """
    from hermes_tui.models.discover import probe

    home = Home.find()
    config = load(home, os.environ).config.model
    if name:
        config = msgspec.structs.replace(config, name=name)
    proof = asyncio.run(probe(config, home, os.environ))
    if json:
        output.emit(proof)
    else:
        print(f"{output.clean(proof.name)} answered {output.clean(proof.text)!r}", end="")
        print(f" after {proof.seconds:.1f} s")
