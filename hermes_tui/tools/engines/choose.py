"""Which search engine answers: the configured one, else one there is a key for, else DuckDuckGo."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hermes_tui.config import WebConfig
from hermes_tui.errors import ToolError
from hermes_tui.tools.engines.brave import Brave
from hermes_tui.tools.engines.duckduckgo import DuckDuckGo
from hermes_tui.tools.engines.engine import Engine
from hermes_tui.tools.engines.exa import Exa
from hermes_tui.tools.engines.searxng import Searxng
from hermes_tui.tools.engines.tavily import Tavily

Keyed = Callable[[str, str], Engine]
_KEYED: dict[str, tuple[Keyed, tuple[str, ...]]] = {
    "brave": (Brave, ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY")),
    "tavily": (Tavily, ("TAVILY_API_KEY",)),
    "exa": (Exa, ("EXA_API_KEY",)),
}
"""Engines that want a key: how they are made, and what their keys are usually called."""


def choose(config: WebConfig, secrets: Mapping[str, str]) -> Engine:
    """The engine of the settings. Raises ToolError when its key or address is missing."""
    wanted = config.engine
    if wanted == "auto":
        wanted = _first_there(config, secrets)
    if wanted == "searxng":
        if not config.base_url:
            raise ToolError("SearXNG has no address", "set web.base_url to your instance")
        return Searxng(config.base_url)
    if wanted in _KEYED:
        make, names = _KEYED[wanted]
        key = _key(config, names, secrets)
        if not key:
            hint = f"put {names[0]} into the secrets with `hermes setup`, or choose another engine"
            raise ToolError(f"web.engine is {wanted}, but there is no key for it", hint)
        return make(key, config.base_url)
    return DuckDuckGo(config.base_url)


def _first_there(config: WebConfig, secrets: Mapping[str, str]) -> str:
    if config.base_url:
        return "searxng"
    return next((one for one, (_, names) in _KEYED.items() if _key(config, names, secrets)), "")


def _key(config: WebConfig, names: tuple[str, ...], secrets: Mapping[str, str]) -> str:
    wanted = (config.api_key_env, *names) if config.api_key_env else names
    return next((value for one in wanted if (value := secrets.get(one, "").strip())), "")
