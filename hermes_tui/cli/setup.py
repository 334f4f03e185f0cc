"""`hermes setup`: three short questions to a model that answers; flags for scripts."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Annotated

import typer

from hermes_tui.cli import output, setup_ask
from hermes_tui.cli.connect import living, with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.configuration import schema
from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.intents import SetConfig
from hermes_tui.models import first_run

app = typer.Typer(**PLAIN)


@app.command()
def setup(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="Its name; with --local: qwen2.5-coder-0.5b, smollm2-135m or a GGUF file.",
        ),
    ] = "",
    local: Annotated[
        bool, typer.Option("--local", help="A small model that runs here and needs no key.")
    ] = False,
    base_url: Annotated[
        str, typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible endpoint.")
    ] = "",
    first: Annotated[bool, typer.Option("--first", help="Take the first that is found.")] = False,
    test: Annotated[
        bool, typer.Option(help="Ask the model for one word before it is kept.")
    ] = True,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find a model, try it and keep it. Without options: asks at most three questions.

    Example: hermes setup --base-url http://127.0.0.1:11434/v1 qwen3
    """
    home = Home.find()
    if local:
        chosen = setup_ask.local(home, model)
    elif base_url:
        chosen = first_run.custom(base_url, model)
    elif first:
        chosen = _first(home, model)
    elif sys.stdin.isatty() and sys.stderr.isatty() and not json:
        setup_ask.questions(home)
        _apply(home)
        return
    else:
        raise HermesError(
            "nobody is here to answer questions",
            "give --local, --base-url URL or --first; `hermes setup --help` has examples",
        )
    proof = asyncio.run(first_run.try_out(chosen, home, os.environ)) if test else None
    first_run.keep(chosen, home)
    _apply(home)
    _say(chosen, proof, json)


def _first(home: Home, model: str) -> first_run.Chosen:
    found = asyncio.run(first_run.choices(home, os.environ))
    if not found:
        raise HermesError(
            "no key and no local server was found",
            "set a key such as OPENROUTER_API_KEY, or run `hermes setup --local`",
        )
    return first_run.Chosen(model=found[0].config(model))


def _apply(home: Home) -> None:
    """Have a living core read the settings again."""
    if living(home):
        with_core(lambda client: client.ask(SetConfig(key="", value="")))


def _say(chosen: first_run.Chosen, proof: first_run.Proof | None, json: bool) -> None:
    if json:
        output.emit({"model": chosen.model, "proof": proof})
        return
    where = chosen.model.base_url or chosen.model.provider
    name = proof.name if proof else schema.show(chosen.model.name) or "the first model"
    after = f" answered after {proof.seconds:.1f} s and" if proof else ""
    print(f"{output.clean(name)} at {where}{after} is kept; `hermes` starts")
