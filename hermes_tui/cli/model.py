"""`hermes model`: choose the model that answers, see what is on offer, try it."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Annotated

import msgspec
import typer

from hermes_tui.cli import output
from hermes_tui.cli.connect import living, with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.config import Config, ModelConfig
from hermes_tui.configuration import edit as editing
from hermes_tui.configuration.load import load
from hermes_tui.errors import HermesError, ModelError
from hermes_tui.home import Home
from hermes_tui.intents import SetConfig

app = typer.Typer(
    **PLAIN,
    help="The model that answers; alone: choose it from a list."
    "\n\nExample: hermes model set anthropic:claude-sonnet-4-5",
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.callback(invoke_without_command=True)
def pick(context: typer.Context) -> None:
    """Choose the model that answers from what could answer here.

    Example: hermes model
    """
    if context.invoked_subcommand is not None:
        return
    home = Home.find()
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        for line in _about(load(home, os.environ).config.model, home):
            print(line)
        return
    from hermes_tui.cli import model_pick
    from hermes_tui.models import first_run

    try:
        chosen = model_pick.pick(home)
    except EOFError:
        return
    if chosen is None:
        return
    first_run.keep(chosen, home)
    _applied(home)
    for line in _about(load(home, os.environ).config.model, home):
        print(line)


@app.command("set")
def set_(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[PROVIDER:]MODEL", help="Of the endpoint that is set, or of a provider."
        ),
    ],
    test: Annotated[bool, typer.Option("--test", help="Ask it for one word first.")] = False,
    json: Json = False,
) -> None:
    """Have this model answer from the next turn on.

    Example: hermes model set anthropic:claude-sonnet-4-5
    """
    from hermes_tui.models.choose import choose
    from hermes_tui.models.discover import probe

    home = Home.find()
    config = load(home, os.environ).config
    wanted = msgspec.structs.replace(config.model, name=name)
    choose(wanted, home, os.environ)
    if test:
        _may(config)
        asyncio.run(probe(wanted, home, os.environ))
    editing.put(home, "model.name", name)
    _applied(home)
    if json:
        output.emit({"model": name})
        return
    for line in _about(wanted, home):
        print(line)


def _about(config: ModelConfig, home: Home) -> list[str]:
    """What is known of a model without asking anybody."""
    from hermes_tui.models.choose import choose, place_and_price
    from hermes_tui.models.prices import known, price_of

    target = choose(config, home, os.environ)
    provider, price = place_and_price(config, home, os.environ)
    found = known(target.name)
    price = price or price_of(target.name, provider)
    where = target.base_url or provider or target.way
    lines = [f"{target.name or 'the first model offered'} at {where}"]
    window = config.window or (found.window if found is not None else 0)
    if window:
        lines.append(f"window: {window:,} tokens")
    if price is None:
        lines.append("price: not known; model.price_in and model.price_out set it")
    elif price.prompt or price.completion:
        sure = "" if price.certain else " (as its maker asks)"
        lines.append(f"price: ${price.prompt:g} in, ${price.completion:g} out a million{sure}")
    else:
        lines.append("price: free")
    return lines


def _may(config: Config) -> None:
    """A cap of nothing holds for a trial, too."""
    if config.spend.day == 0 or config.spend.day_tokens == 0:
        raise ModelError("spend.day allows no model call", "raise it, or unset it", "cap")


def _applied(home: Home) -> None:
    """A running agent takes it over at once."""
    if living(home):
        with_core(lambda client: client.ask(SetConfig(key="", value="")))


@app.command("list")
def list_(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Only names with this in them.")] = "",
    provider: Annotated[
        str, typer.Option("--provider", metavar="ID", help="Ask this provider instead.")
    ] = "",
    providers: Annotated[
        bool, typer.Option("--providers", help="List the providers that are known.")
    ] = False,
    json: Json = False,
) -> None:
    """List the models of the endpoint; * marks the chosen one.

    Example: hermes model list qwen
    """
    from hermes_tui.models.choose import list_models

    home = Home.find()
    if providers:
        _providers(home, json)
        return
    everything = load(home, os.environ).config
    _may(everything)
    config = everything.model
    if provider:
        _known(provider)
        config = msgspec.structs.replace(config, name=f"{provider}:")
    every = asyncio.run(list_models(config, home, os.environ))
    names = [name for name in every if text.lower() in name.lower()]
    if json:
        output.emit({"current": config.name, "models": names})
        return
    if not names:
        why = f"none of the models on offer has {text!r} in its name"
        raise HermesError(why if every else "no model is on offer there")
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
    everything = load(home, os.environ).config
    _may(everything)
    config = everything.model
    if name:
        config = msgspec.structs.replace(config, name=name)
    proof = asyncio.run(probe(config, home, os.environ))
    if json:
        output.emit(proof)
    else:
        print(f"{output.clean(proof.name)} answered {output.clean(proof.text)!r}", end="")
        print(f" after {proof.seconds:.1f} s")


def _known(provider: str) -> None:
    from hermes_tui.models.providers import place_named, places

    if place_named(provider) is None:
        raise HermesError(f"no provider is called {provider!r}", f"known: {', '.join(places())}")


def _providers(home: Home, json: bool) -> None:
    """The providers, with the variables of their keys and whether there is one."""
    from hermes_tui.models import credentials
    from hermes_tui.models.providers import places

    secrets = credentials.read_secrets(home)
    rows = [
        (
            place.id,
            place.title,
            place.base_url or f"through {place.way}",
            ", ".join(place.keys),
            "yes" if credentials.first_key(place.keys, os.environ, secrets) else "",
        )
        for place in places().values()
    ]
    names = ("id", "title", "endpoint", "variables", "key")
    if json:
        output.emit({"providers": [dict(zip(names, row, strict=True)) for row in rows]})
    else:
        output.table(rows, [name.upper() for name in names])
