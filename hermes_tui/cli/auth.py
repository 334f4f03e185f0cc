"""`hermes auth`: several keys for a provider: add, list, remove, have resting ones tried again."""

from __future__ import annotations

import os
import sys
import time
from typing import Annotated

import typer
from msgspec import Struct

from hermes_tui.cli import output
from hermes_tui.cli.connect import living, with_core
from hermes_tui.cli.output import PLAIN
from hermes_tui.configuration.load import load
from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.intents import SetConfig
from hermes_tui.models.credentials import KEY
from hermes_tui.models.pools import Key, Pools, family, keys_of
from hermes_tui.models.providers import place_named, places
from hermes_tui.security.vault import Vault

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="Keys of model providers, several of each.\n\nExample: hermes auth add openrouter",
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Whose = Annotated[
    str,
    typer.Argument(
        metavar="PROVIDER",
        help="Such as openrouter, or a variable; custom: the endpoint that is set.",
    ),
]


class Shown(Struct, frozen=True, kw_only=True):
    """A key as it is listed; ending: its last characters. until: Unix time it rests to, or 0."""

    provider: str
    variable: str
    place: str
    ending: str
    state: str
    until: float = 0.0
    said: str = ""
    uses: int = 0


@app.command("list")
def list_(json: Json = False) -> None:
    """List the keys there are, where each is kept and how it is.

    Example: hermes auth list
    """
    home = Home.find()
    shown = _shown(home)
    if json:
        output.emit({"keys": shown})
        return
    if not shown:
        print("no key is set; `hermes auth add PROVIDER` adds one")
        return
    rows = [
        (one.provider, one.variable, one.place, one.ending, _state(one), one.said[:60])
        for one in shown
    ]
    output.table(rows, ("PROVIDER", "VARIABLE", "KEPT IN", "ENDS", "STATE", "LAST FAILURE"))


@app.command()
def add(
    provider: Whose,
    json: Json = False,
) -> None:
    """Add a key, typed unseen or read from standard input.

    The first one goes by the provider's usual variable, further ones by its name with a number.

    Example: hermes auth add openrouter < key.txt
    """
    home = Home.find()
    base = _family(home, provider)
    value = _typed(base)
    env, secrets = dict(os.environ), Vault(home).values()
    known = keys_of(base, env, secrets)
    if any(key.value == value for key in known):
        raise HermesError("this key is there already", "`hermes auth list` shows it")
    taken = {*env, *secrets}
    names = (base if n == 1 else f"{base}_{n}" for n in range(1, 1000))
    name = next(one for one in names if one not in taken)
    Vault(home).put(name, value)
    _applied(home)
    if json:
        output.emit({"variable": name, "keys": len(known) + 1})
    else:
        print(f"kept as {name}; {_count(len(known) + 1)} for {provider}")


@app.command()
def remove(
    provider: Whose,
    number: Annotated[
        int, typer.Argument(metavar="N", help="Which one, as its variable is numbered.", min=1)
    ] = 1,
    json: Json = False,
) -> None:
    """Forget a key of the home. One in the environment is not ours to remove.

    Example: hermes auth remove openrouter 2
    """
    home = Home.find()
    base = _family(home, provider)
    name = base if number == 1 else f"{base}_{number}"
    value = Vault(home).get(name)
    if not Vault(home).remove(name):
        where = "it is set in the environment: unset it there" if name in os.environ else ""
        raise HermesError(f"no key is kept as {name}", where or "`hermes auth list` shows them")
    if value:
        Pools(home).change(Key(name=name, value=value).mark, None)
    _applied(home)
    if json:
        output.emit({"removed": name})
    else:
        print(f"{name} is gone")


@app.command()
def reset(
    provider: Annotated[
        str, typer.Argument(metavar="PROVIDER", help="Whose keys; default: everybody's.")
    ] = "",
    json: Json = False,
) -> None:
    """Have resting and refused keys tried again.

    Example: hermes auth reset openrouter
    """
    home = Home.find()
    env, secrets = dict(os.environ), Vault(home).values()
    bases = [_family(home, provider)] if provider else list(_families(home))
    pools = Pools(home)
    woken: list[str] = []
    for key in (one for base in bases for one in keys_of(base, env, secrets)):
        if pools.health(key.mark).kind:
            pools.change(key.mark, None)
            woken.append(key.name)
    if json:
        output.emit({"reset": woken})
    else:
        print(f"{_count(len(woken))} will be tried again" if woken else "no key was resting")


def _families(home: Home) -> dict[str, str]:
    """Variables that keys go by, and whose they are."""
    config = load(home, dict(os.environ)).config.model
    found = {name: place.id for place in places().values() for name in place.keys}
    if config.api_key_env and family(config.api_key_env) not in found:
        found[family(config.api_key_env)] = "custom"
    return {KEY: "custom", **found}


def _family(home: Home, provider: str) -> str:
    """The variable the keys of a provider go by. Raises HermesError for one nobody knows."""
    if provider.isupper():
        return family(provider)
    if provider.lower() == "custom":
        return next(
            (name for name, whose in reversed(_families(home).items()) if whose == "custom"), KEY
        )
    place = place_named(provider)
    if place is None or not place.keys:
        known = sorted(one.id for one in places().values() if one.keys)
        raise HermesError(
            f"{provider!r} is no provider with a key",
            f"known: {', '.join(known)}, custom; or name a variable such as MY_API_KEY",
        )
    env, secrets = dict(os.environ), Vault(home).values()
    return next((one for one in place.keys if keys_of(one, env, secrets)), place.keys[0])


def _shown(home: Home) -> list[Shown]:
    env, secrets = dict(os.environ), Vault(home).values()
    pools = Pools(home)
    now = time.time()
    shown: list[Shown] = []
    for base, whose in _families(home).items():
        for key in keys_of(base, env, secrets):
            health = pools.health(key.mark)
            resting = "refused" if health.until < 0 else "resting"
            shown.append(
                Shown(
                    provider=whose,
                    variable=key.name,
                    place="environment" if env.get(key.name) else "secrets",
                    ending="…" + key.value[-4:] if len(key.value) >= 16 else "…",
                    state=resting if health.rests(now) else "ready",
                    until=max(health.until, 0.0) if health.rests(now) else 0.0,
                    said=health.said,
                    uses=health.uses,
                )
            )
    return shown


def _state(one: Shown) -> str:
    at = time.strftime("%H:%M:%S", time.localtime(one.until)) if one.until else ""
    return f"rests until {at}" if at else one.state


def _typed(name: str) -> str:
    if sys.stdin.isatty():
        from getpass import getpass

        value = getpass(f"{name} (it is not shown): ").strip()
    else:
        value = sys.stdin.readline().strip()
    if not value:
        raise HermesError("no key was given", "type it, or put it on standard input")
    if not (value.isascii() and value.isprintable()) or " " in value:
        raise HermesError("that holds characters that no key has", "copy it once more")
    return value


def _count(number: int) -> str:
    return "1 key" if number == 1 else f"{number} keys"


def _applied(home: Home) -> None:
    """A running agent reads its settings and keys again."""
    if living(home):
        with_core(lambda client: client.ask(SetConfig(key="", value="")))
