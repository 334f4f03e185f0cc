"""From the configuration to a model: which endpoint, which key, which way of reaching it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from hermes_tui.config import ModelConfig
from hermes_tui.errors import ModelError
from hermes_tui.home import Home
from hermes_tui.models import catalog, credentials
from hermes_tui.models.base import Model
from hermes_tui.models.chat_completions import ChatCompletions


class Target(Struct, frozen=True, kw_only=True):
    """How a model is reached. way: `openai` (base_url, key), `litellm`, or `embedded`."""

    way: str
    name: str
    base_url: str = ""
    key: str = ""


def make_model(config: ModelConfig, home: Home, env: Mapping[str, str], name: str = "") -> Model:
    """The configured model, or another one of the same endpoint by `name`.

    Nothing is asked or loaded yet. Raises ModelError of kind `missing` when none is configured.
    """
    model = _model(config, home, env, name)
    if config.tool_format in ("auto", "native"):
        return model
    from hermes_tui.models.text_formats import format_named
    from hermes_tui.models.text_tools import TextTools

    return TextTools(model, format_named(config.tool_format))


def _model(config: ModelConfig, home: Home, env: Mapping[str, str], name: str) -> Model:
    target = choose(config, home, env, name)
    if target.way == "embedded":
        from hermes_tui.models.embedded import Embedded
        from hermes_tui.models.weights import find, only_talks

        file = find(home, config.file)
        talks = only_talks(file)
        window, stall_s = config.window, config.stall_s
        return Embedded(file, window=window, stall_s=stall_s, only_talks=talks)
    prices = (config.price_in, config.price_out)
    window = config.window or catalog.window_of(target.name)
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
    return model


def _told(config: ModelConfig) -> bool | None:
    """Whether the model sees, None where its name has to tell."""
    return None if config.sees == "auto" else config.sees == "yes"


def choose(config: ModelConfig, home: Home, env: Mapping[str, str], name: str = "") -> Target:
    """Where the configured model is. Raises ModelError of kind `missing` when it is nowhere.

    An endpoint that is set wins; then a key in the environment or the secrets file stands for
    its provider; then a model file that was fetched is the embedded model.
    """
    wanted = name or config.name
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


async def list_models(config: ModelConfig, home: Home, env: Mapping[str, str]) -> tuple[str, ...]:
    """Names the configured endpoint offers. Raises ModelError when it can't be asked."""
    model = _model(config, home, env, "")
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
