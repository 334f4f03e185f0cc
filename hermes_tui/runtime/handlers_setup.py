"""What the core does to set itself up: find, try, keep and fetch models; list the settings."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from typing import TYPE_CHECKING, Any, cast

from hermes_tui import intents
from hermes_tui.errors import HermesError, ModelError
from hermes_tui.events import SettingsChanged
from hermes_tui.intents import ChosenModel, Done, ModelChoice
from hermes_tui.runtime.face import Face

if TYPE_CHECKING:
    from hermes_tui.configuration.load import Loaded
    from hermes_tui.configuration.schema import Key
    from hermes_tui.models.discover import Candidate
    from hermes_tui.models.first_run import Chosen
    from hermes_tui.runtime.core import Core

_MODELS_OF_ONE_SERVER = 30

# --- who answers ---------------------------------------------------------------------------


async def find_models(core: Core, intent: intents.FindModels, face: Face) -> intents.ModelChoices:
    """Who could answer, and whether anybody is set up to."""
    needed = await asyncio.to_thread(_needed, core)
    if not intent.look:
        return intents.ModelChoices(needed=needed)
    from hermes_tui.models import catalog
    from hermes_tui.models.discover import discover

    found = await discover(core.home, os.environ, catalog.LOCAL_SERVERS)
    made = [choice for candidate in found for choice in _offered(candidate)]
    return intents.ModelChoices(needed=needed, choices=(*made, *_files(core)))


async def try_model(core: Core, intent: intents.TryModel, face: Face) -> intents.ModelProof:
    """Ask the chosen model for one word."""
    from hermes_tui.models import first_run
    from hermes_tui.models.metered import Scope

    chosen = _chosen(intent.chosen)
    if chosen.model.provider != "embedded":
        await core.spend.check(Scope(task="trial"))
    proof = await first_run.try_out(chosen, core.home, os.environ)
    return intents.ModelProof(name=proof.name, text=proof.text, seconds=proof.seconds)


async def keep_model(core: Core, intent: intents.KeepModel, face: Face) -> Done:
    """Write a choice down and go by it."""
    from hermes_tui.models import first_run

    await asyncio.to_thread(first_run.keep, _chosen(intent.chosen), core.home)
    await core.settings.reload()
    core.announce(SettingsChanged())
    return Done()


async def fetch_model(core: Core, intent: intents.FetchModel, face: Face) -> Done:
    """Fetch a model file, or join the fetch that runs."""
    await core.fetching.fetch(intent.name)
    return Done()


async def stop_fetch(core: Core, intent: intents.StopFetch, face: Face) -> Done:
    """Stop the fetch that runs, if one does."""
    await core.fetching.stop()
    return Done()


def _needed(core: Core) -> bool:
    """Whether a turn that starts now would find no model to ask."""
    config = core.config.model
    if config.provider == "embedded":
        from hermes_tui.models.weights import is_there

        return not is_there(core.home, config.file)
    if config.base_url:
        return False
    from hermes_tui.models.choose import choose

    try:
        choose(config, core.home, os.environ)
    except ModelError as error:
        return error.kind == "missing"
    return False


def _offered(candidate: Candidate) -> list[ModelChoice]:
    """One choice for each model of a provider or server."""
    if candidate.kind == "embedded":
        return []  # `_files` tells those one by one
    where = f"key in {candidate.key_env}" if candidate.kind == "key" else candidate.base_url
    return [
        ModelChoice(
            kind="key" if candidate.kind == "key" else "server",
            title=candidate.provider,
            note=where,
            chosen=ChosenModel(base_url=candidate.base_url, name=name, key_env=candidate.key_env),
        )
        for name in candidate.models[:_MODELS_OF_ONE_SERVER]
    ]


def _files(core: Core) -> list[ModelChoice]:
    """The models that can run here without a key: those that were fetched first."""
    from hermes_tui.models.weights import WEIGHTS, is_there

    here = importlib.util.find_spec("xllamacpp") is not None
    problem = "" if here else "needs `pip install 'hermes-tui[local]'`"
    made: list[ModelChoice] = []
    for name, weights in WEIGHTS.items():
        there = is_there(core.home, weights.file)
        made.append(
            ModelChoice(
                kind="embedded" if there else "fetch",
                title=weights.title,
                note="runs here; needs no key and no network",
                chosen=ChosenModel(provider="embedded", file=weights.file),
                fetch=name,
                size=weights.size,
                problem=problem,
            )
        )
    return sorted(made, key=lambda one: one.kind)


def _chosen(given: ChosenModel) -> Chosen:
    """A choice as `first_run` keeps it. Raises ConfigError when it can't be one."""
    from hermes_tui.config import ModelConfig
    from hermes_tui.models import catalog, first_run

    if given.base_url.endswith(".gguf"):
        given = ChosenModel(provider="embedded", file=given.base_url.strip())
    if given.provider != "auto":
        model = ModelConfig(provider="embedded", file=given.file)
        return first_run.Chosen(model=model)
    base_url, key = given.base_url.strip(), given.key.strip()
    if not base_url:
        provider = catalog.provider_of_key(key)
        if provider is None:
            raise HermesError(
                "there is no telling whose key that is" if key else "there is nothing to try yet",
                "give the address of the endpoint, such as http://127.0.0.1:11434/v1",
            )
        base_url, name = provider.base_url, given.name or provider.model
        return first_run.custom(base_url, name, key)
    if given.key_env and not key:
        return first_run.Chosen(
            model=ModelConfig(name=given.name, base_url=base_url, api_key_env=given.key_env)
        )
    return first_run.custom(base_url, given.name, key)


# --- settings ------------------------------------------------------------------------------


async def list_settings(
    core: Core, intent: intents.ListSettings, face: Face
) -> intents.SettingList:
    """Every setting with the value that counts and where it comes from."""
    return intents.SettingList(settings=await asyncio.to_thread(_settings, core))


def _settings(core: Core) -> tuple[intents.SettingInfo, ...]:
    from hermes_tui.configuration import load, schema

    loaded = load.load(core.home, os.environ)
    return tuple(_info(key, loaded) for key in schema.settings().values())


def _info(key: Key, loaded: Loaded) -> intents.SettingInfo:
    from hermes_tui.configuration import load, schema

    section, _, name = key.name.partition(".")
    source = loaded.sources.get(key.name, "")
    kinds: dict[type, Any] = {bool: "toggle", int: "whole", float: "number", tuple: "list"}
    return intents.SettingInfo(
        name=key.name,
        kind="choice" if key.choices else kinds.get(key.base, "text"),
        must=key.type,
        group=(schema.sections()[section].__doc__ or "").strip(),
        help=key.help,
        value=_plain(getattr(getattr(loaded.config, section), name)),
        default=_plain(key.default),
        choices=key.choices,
        source=source,
        fixed=source in load.ENVIRONMENT,
    )


def _plain(value: Any) -> Any:
    return list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value


async def set_config(core: Core, intent: intents.SetConfig, face: Face) -> Done:
    """Write one setting, if one is named, and read the file again."""
    from hermes_tui.configuration import edit

    if intent.key and intent.reset:
        await asyncio.to_thread(edit.unset, core.home, intent.key)
    elif intent.key:
        await asyncio.to_thread(edit.put, core.home, intent.key, intent.value)
    await core.settings.reload()
    core.announce(SettingsChanged())
    return Done()
