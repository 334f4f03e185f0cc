"""From the configuration to a model: which endpoint, which key, which way of reaching it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.config import ModelConfig
from hermes_tui.errors import ModelError
from hermes_tui.home import Home
from hermes_tui.models import catalog, credentials
from hermes_tui.models.base import Model
from hermes_tui.models.chat_completions import ChatCompletions

if TYPE_CHECKING:
    from hermes_tui.models.pooled import Keyed
    from hermes_tui.models.pools import Key, Pools
    from hermes_tui.models.prices import Price
    from hermes_tui.models.providers import Place


class Target(Struct, frozen=True, kw_only=True):
    """How a model is reached. way: `openai` (base_url, key), `litellm`, or `embedded`."""

    way: str
    name: str
    base_url: str = ""
    key: str = ""


def make_model(
    config: ModelConfig,
    home: Home,
    env: Mapping[str, str],
    name: str = "",
    pools: Pools | None = None,
) -> Model:
    """The configured model, or another one by `name`: of the same endpoint, or `PROVIDER:MODEL`.

    Where there are several keys for it, a failing one is followed by the next. Nothing is asked
    or loaded yet. Raises ModelError of kind `missing` when none is configured.
    """
    config, name = _settled(config, name)
    target = choose(config, home, env, name)
    model = _pooled(_reached(target, config, home), target, (config, home, env), pools)
    if config.tool_format in ("auto", "native"):
        return model
    from hermes_tui.models.text_formats import format_named
    from hermes_tui.models.text_tools import TextTools

    return TextTools(model, format_named(config.tool_format))


def _settled(config: ModelConfig, name: str) -> tuple[ModelConfig, str]:
    """Settings without what was said of the configured endpoint, for a model that is elsewhere."""
    if ":" not in (name or config.name):
        return config, name
    from hermes_tui.models.providers import resolved, split

    if split(name or config.name)[0] is None:
        return config, name
    elsewhere = resolved(config, name)
    return replace(elsewhere, name=name or config.name), ""


def _pooled(
    model: Model,
    target: Target,
    where: tuple[ModelConfig, Home, Mapping[str, str]],
    pools: Pools | None,
) -> Model:
    """The model, reached with any of its keys where it has several."""
    config, home, env = where
    if not target.key:
        return model
    from hermes_tui.models.pools import Pool, Pools

    def keys() -> tuple[Key, ...]:
        return _siblings(target.key, env, credentials.read_secrets(home))

    found = keys()
    if len(found) < 2:
        return model
    from hermes_tui.models.pooled import PooledModel

    whose = target.base_url.split("://", 1)[-1].split("/", 1)[0] or target.name.partition("/")[0]
    pool = Pool(whose, found, pools or Pools(home), config.rotation)
    return PooledModel(cast("Keyed", model), pool, keys)


def _siblings(key: str, env: Mapping[str, str], secrets: Mapping[str, str]) -> tuple[Key, ...]:
    """All keys of the family that a key is of."""
    from hermes_tui.models.pools import family, keys_of

    names = (name for source in (env, secrets) for name in source if source[name].strip() == key)
    name = next((one for one in names if one.isupper()), "")
    return keys_of(family(name), env, secrets) if name else ()


def _reached(target: Target, config: ModelConfig, home: Home) -> Model:
    if target.way == "embedded":
        from hermes_tui.models.embedded import Embedded
        from hermes_tui.models.weights import find, only_talks

        file = find(home, config.file)
        talks = only_talks(file)
        window, stall_s = config.window, config.stall_s
        return Embedded(file, window=window, stall_s=stall_s, only_talks=talks)
    prices = _own_prices(config, target.name)
    window = config.window or catalog.window_of(target.name) or _known_window(target.name)
    if target.way == "litellm":
        from hermes_tui.models.litellm_models import LitellmModel

        model = LitellmModel(
            target.name,
            key=target.key,
            base_url=target.base_url,
            window=window,
            stall_s=config.stall_s,
            prices=prices,
        )
        model.told_sees = _told(config)
        model.effort = "" if config.effort == "auto" else config.effort
        return model
    model = ChatCompletions(
        target.name,
        target.base_url,
        key=target.key,
        window=config.window,
        stall_s=config.stall_s,
        prices=prices,
    )
    model.guess_window(window)
    model.told_sees = _told(config)
    model.effort = "" if config.effort == "auto" else config.effort
    return model


def place_and_price(
    config: ModelConfig, home: Home, env: Mapping[str, str], name: str = ""
) -> tuple[str, Price | None]:
    """Whose model it is (an id of `providers`, or empty), and its price where that was set.

    What runs on a person's own machine is free. Raises ModelError as `choose` does.
    """
    from hermes_tui.models.prices import Price
    from hermes_tui.models.providers import place_of, places

    config, name = _settled(config, name)
    target = choose(config, home, env, name)
    provider = place_of(target.base_url, target.way, target.name)
    price_in, price_out = _own_prices(config, target.name)
    if price_in is not None and price_out is not None:
        return provider, Price(prompt=price_in, completion=price_out)
    free = provider in places() and places()[provider].free
    return provider, Price(prompt=0.0, completion=0.0) if free else None


def _own_prices(config: ModelConfig, name: str) -> tuple[float | None, float | None]:
    """The prices that were set, for the model they were set for and for models nobody knows."""
    set_for = (config.price_in, config.price_out)
    if set_for == (None, None) or config.name in ("", name):
        return set_for
    from hermes_tui.models.prices import known

    return set_for if known(name) is None else (None, None)


def _known_window(name: str) -> int:
    """The window the table of prices knows, 0 for none."""
    from hermes_tui.models.prices import known

    found = known(name)
    return found.window if found is not None else 0


def _told(config: ModelConfig) -> bool | None:
    """Whether the model sees, None where its name has to tell."""
    return None if config.sees == "auto" else config.sees == "yes"


def choose(config: ModelConfig, home: Home, env: Mapping[str, str], name: str = "") -> Target:
    """Where the configured model is. Raises ModelError of kind `missing` when it is nowhere.

    An endpoint that is set wins; then a key in the environment or the secrets file stands for
    its provider; then a model file that was fetched is the embedded model.
    """
    wanted = name or config.name
    if ":" in wanted:
        from hermes_tui.models.providers import split

        place, model = split(wanted)
        if place is not None:
            return _at(place, model, config, home, env)
    if config.provider == "embedded":
        return Target(way="embedded", name=wanted)
    if config.provider == "litellm":
        found = _by_prefix(wanted, env, credentials.read_secrets(home))
        key = credentials.api_key(config, home, env) or (found[2] if found else "")
        return Target(way="litellm", name=wanted, base_url=config.base_url, key=key)
    if config.base_url:
        key = credentials.api_key(config, home, env)
        return Target(way="openai", name=wanted, base_url=config.base_url, key=key)
    secrets = credentials.read_secrets(home)
    found = _by_prefix(wanted, env, secrets) if config.provider == "auto" else None
    found = found or _by_own_key(config, env, secrets) or _by_provider(env, secrets)
    if found is not None:
        way, provider, key = found
        url = provider.base_url if provider and way == "openai" else ""
        usual = provider.model if provider else ""
        return Target(way=way, name=wanted or usual, base_url=url, key=key)
    if config.provider == "auto":
        from hermes_tui.models.weights import is_there

        if is_there(home, config.file):
            return Target(way="embedded", name=wanted)
    raise ModelError(
        "no model is set up yet",
        "run `hermes setup`, or set OPENROUTER_API_KEY, OPENAI_API_KEY or another provider's key",
        "missing",
    )


def _at(
    place: Place, model: str, config: ModelConfig, home: Home, env: Mapping[str, str]
) -> Target:
    """A model at a provider that was named: only that provider's own keys go there."""
    model = model or place.model
    if place.way == "embedded":
        return Target(way="embedded", name=model)
    secrets = credentials.read_secrets(home)
    key = credentials.first_key(place.keys, env, secrets)
    own = place.way == "litellm" and not (place.base_url and not has_litellm())
    if own and (key or not place.base_url):  # others find credentials of their own kind
        full = model if model.startswith(place.prefix + "/") else f"{place.prefix}/{model}"
        return Target(way="litellm", name=full, key=key)
    if not key and place.keys:
        raise ModelError(
            f"there is no key for {place.title}",
            f"add one with `hermes auth add {place.id}`, or set {place.keys[0]}",
            "missing",
        )
    return Target(way="openai", name=model, base_url=place.base_url, key=key)


def has_litellm() -> bool:
    """Whether the package for other protocols is there."""
    from importlib.util import find_spec

    return find_spec("litellm") is not None


async def list_models(config: ModelConfig, home: Home, env: Mapping[str, str]) -> tuple[str, ...]:
    """Names the configured endpoint offers. Raises ModelError when it can't be asked."""
    config, _ = _settled(config, "")
    model = _reached(choose(config, home, env), config, home)
    try:
        if isinstance(model, ChatCompletions):
            return tuple(one.name for one in await model.list_models())
        return (model.name,)
    finally:
        await model.close()


_Found = tuple[str, catalog.Provider | None, str]


def _by_prefix(name: str, env: Mapping[str, str], secrets: Mapping[str, str]) -> _Found | None:
    """`anthropic/…` and the like, with that provider's own key: litellm.

    Without it the name may be one of an aggregator, which names its models the same way.
    """
    prefix = name.partition("/")[0] if "/" in name else ""
    if prefix not in catalog.OTHER_PROTOCOLS:
        return None
    for provider in catalog.PROVIDERS:
        if provider.prefix == prefix and (key := credentials.key_of(provider, env, secrets)):
            return "litellm", provider, key
    if _by_provider(env, secrets) is None:
        return "litellm", None, credentials.first_key([credentials.KEY], env, secrets)
    return None


def _by_own_key(
    config: ModelConfig, env: Mapping[str, str], secrets: Mapping[str, str]
) -> _Found | None:
    """A key set for us alone, at the provider whose keys look like it."""
    names = [credentials.KEY] + [config.api_key_env] * bool(config.api_key_env)
    key = credentials.first_key(names, env, secrets)
    if not key:
        return None
    named = [one for one in catalog.PROVIDERS if config.api_key_env in one.keys]
    provider = catalog.provider_of_key(key) or next(iter(named), None)
    if provider is None and key.startswith("sk-"):
        provider = next(one for one in catalog.PROVIDERS if "OPENAI_API_KEY" in one.keys)
    if provider is None:
        raise ModelError(
            "there is a key, but no telling whose it is",
            "set model.base_url to the endpoint it is for, or HERMES_TUI_BASE_URL",
            "missing",
        )
    return "openai", provider, key


def _by_provider(env: Mapping[str, str], secrets: Mapping[str, str]) -> _Found | None:
    for provider in catalog.PROVIDERS:
        if key := credentials.key_of(provider, env, secrets):
            return "openai", provider, key
    return None
