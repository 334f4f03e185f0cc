"""What a first run has to find out, without a screen: who could answer, does it, keep it.

`hermes setup` and the first screen of the full-screen UI ask the same questions with these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from hermes_tui.config import ModelConfig
from hermes_tui.configuration import edit
from hermes_tui.configuration.schema import show
from hermes_tui.errors import ConfigError, ModelError
from hermes_tui.home import Home
from hermes_tui.models import catalog, credentials
from hermes_tui.models.choose import choose
from hermes_tui.models.discover import Candidate, Proof, discover, probe

__all__ = [
    "Candidate",
    "Proof",
    "choices",
    "custom",
    "describe",
    "fetch_local",
    "keep",
    "needed",
    "try_out",
]


class Chosen(Struct, frozen=True, kw_only=True):
    """A model that was chosen, and the key typed for it, which goes to the secrets file."""

    model: ModelConfig
    key_name: str = ""
    key: str = ""


def needed(config: ModelConfig, home: Home, env: Mapping[str, str]) -> bool:
    """Whether nothing is set up that could answer."""
    try:
        choose(config, home, env)
    except ModelError as error:
        return error.kind == "missing"
    return False


async def choices(home: Home, env: Mapping[str, str]) -> tuple[Candidate, ...]:
    """Who could answer on this machine: keys, local servers, a model that was fetched."""
    return await discover(home, env)


def describe(candidate: Candidate) -> str:
    """One line that says where a candidate was found."""
    if candidate.kind == "key":
        return f"key in {candidate.key_env}"
    if candidate.kind == "embedded":
        return "a model file in this home; needs no key and no network"
    more = len(candidate.models) - 1
    return f"{candidate.base_url}: {candidate.models[0]}" + (f" and {more} more" if more else "")


def custom(base_url: str, name: str = "", key: str = "") -> Chosen:
    """An endpoint that a person typed. Raises ConfigError when the address is none."""
    base_url = base_url.strip().rstrip("/")
    try:
        made = ModelConfig(name=name, base_url=base_url)
        model = msgspec.convert(msgspec.structs.asdict(made), ModelConfig)
    except msgspec.ValidationError as error:
        hint = "it reads like http://127.0.0.1:11434/v1"
        raise ConfigError(f"{base_url!r} is not an address", hint) from error
    if not key:
        return Chosen(model=model)
    variable = _key_name(base_url)
    model = msgspec.structs.replace(model, api_key_env=variable)
    return Chosen(model=model, key_name=variable, key=key)


async def try_out(chosen: Chosen, home: Home, env: Mapping[str, str]) -> Proof:
    """Ask the chosen model for one word, before anything is kept. Raises ModelError."""
    given = {**env, chosen.key_name: chosen.key} if chosen.key else env
    return await probe(chosen.model, home, given)


def keep(chosen: Chosen, home: Home) -> None:
    """Write the choice into the configuration, the key into the secrets. Raises ConfigError."""
    if chosen.key:
        credentials.save_secret(home, chosen.key_name, chosen.key)
    usual = ModelConfig()
    for name in ("provider", "base_url", "name", "api_key_env", "file"):
        value = getattr(chosen.model, name)
        if value == getattr(usual, name):
            edit.unset(home, f"model.{name}")
        else:
            edit.put(home, f"model.{name}", show(value))


def _key_name(base_url: str) -> str:
    """The variable a key for this endpoint is kept under: the provider's usual one, or its own."""
    provider = catalog.provider_at(base_url)
    if provider is not None:
        return provider.keys[0]
    host = base_url.partition("://")[2].partition("/")[0]
    return "KEY_OF_" + re.sub(r"[^A-Z0-9]+", "_", host.upper()).strip("_")


async def fetch_local(home: Home, which: str, on_progress: Callable[[int, int], None]) -> Path:
    """Fetch the embedded model; `on_progress(bytes so far, bytes in all)`. Raises ModelError."""
    from hermes_tui.models.fetch import DEFAULT, fetch

    return await fetch(home, which or DEFAULT, on_progress)
