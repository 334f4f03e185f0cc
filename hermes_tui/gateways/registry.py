"""The platforms there are: each a module with `make(setup)`, imported when it is enabled."""

from __future__ import annotations

from importlib import import_module

from hermes_tui.errors import HermesError
from hermes_tui.gateways.base import Gateway, RefusedError, Setup

PLATFORMS: dict[str, str] = {
    "telegram": "hermes_tui.gateways.telegram",
    "discord": "hermes_tui.gateways.discord",
    "slack": "hermes_tui.gateways.slack",
    "whatsapp": "hermes_tui.gateways.whatsapp",
    "signal": "hermes_tui.gateways.signal",
    "webhook": "hermes_tui.gateways.webhook",
}


def make(platform: str, setup: Setup) -> Gateway:
    """A gateway by its name. Raises HermesError, RefusedError when its extra is not installed."""
    module = PLATFORMS.get(platform)
    if module is None:
        raise HermesError(f"no gateway {platform!r}", f"one of {', '.join(PLATFORMS)}")
    try:
        made: Gateway = import_module(module).make(setup)
    except ImportError as error:
        raise RefusedError(
            f"{platform} needs an extra ({error.name} is not installed)",
            f"pip install 'hermes-tui[{platform}]'",
        ) from error
    return made
