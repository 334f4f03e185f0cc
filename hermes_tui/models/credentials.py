"""Keys: where they are looked for, the home's vault among the places.

A key is only ever sent to the endpoint it was set for: a provider's usual variable counts
for that provider's host alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from hermes_tui.config import ModelConfig
from hermes_tui.home import Home
from hermes_tui.models.catalog import Provider, provider_at
from hermes_tui.security.vault import Vault

KEY = "HERMES_TUI_API_KEY"


def api_key(config: ModelConfig, home: Home, env: Mapping[str, str], base_url: str = "") -> str:
    """The key for an endpoint (default: the configured one), empty when there is none.

    Looked for in `HERMES_TUI_API_KEY`, the variable the configuration names, and the usual
    variable of the endpoint's provider; each in the environment first, then in the home's
    secrets file.
    """
    provider = provider_at(base_url or config.base_url)
    own = [KEY, config.api_key_env] if config.api_key_env else [KEY]
    names = [*own, *(provider.keys if provider else ())]
    return first_key(names, env, read_secrets(home))


def key_of(provider: Provider, env: Mapping[str, str], secrets: Mapping[str, str]) -> str:
    """The key in a provider's usual variables, empty when there is none."""
    return first_key(provider.keys, env, secrets)


def first_key(
    names: tuple[str, ...] | list[str], env: Mapping[str, str], secrets: Mapping[str, str]
) -> str:
    """The first of these variables that is set, in the environment or in the secrets."""
    found = (source.get(name, "").strip() for name in names for source in (env, secrets))
    return next((value for value in found if value), "")


def read_secrets(home: Home) -> dict[str, str]:
    """The home's secrets by name. Raises ConfigError when their file is unreadable."""
    return Vault(home).values()


def save_secret(home: Home, name: str, value: str) -> None:
    """Set one of the home's secrets, the others untouched."""
    Vault(home).put(name, value.strip())
