"""Keys: where they are looked for, and the one file of the home that holds them.

A key is only ever sent to the endpoint it was set for: a provider's usual variable counts
for that provider's host alone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from hermes_tui.config import ModelConfig
from hermes_tui.errors import ConfigError
from hermes_tui.home import Home
from hermes_tui.models.catalog import Provider, provider_at

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
    """The secrets file as a dict; empty when there is none. Raises ConfigError if unreadable."""
    try:
        text = home.secrets.read_text("utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{home.secrets} can't be read: {error}", "it holds NAME=value lines, mode 0600"
        ) from error
    return dict(_lines(text))


def save_secret(home: Home, name: str, value: str) -> None:
    """Set one secret, the others untouched; the file is readable by its owner alone."""
    kept: list[str] = []
    if home.secrets.exists():
        lines = home.secrets.read_text("utf-8").splitlines()
        kept = [line for line in lines if dict(_lines(line)).keys() != {name}]
    text = "\n".join([*kept, f"{name}={value.strip()}", ""])
    home.ensure()
    temporary = home.secrets.with_suffix(f".{os.getpid()}.new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, home.secrets)


def _lines(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        if equals and not name.startswith("#"):
            found.append((name.strip(), value))
    return found
