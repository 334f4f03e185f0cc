"""The models in use: made once for each name, kept alive between turns, closed with the core."""

from __future__ import annotations

import os
from collections.abc import Mapping

from hermes_tui.config import ModelConfig
from hermes_tui.home import Home
from hermes_tui.models.base import Model

SMALL_WINDOW = 8192


class ModelPool:
    """Models by configuration and name."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._made: dict[tuple[ModelConfig, str], Model] = {}

    async def get(self, config: ModelConfig, env: Mapping[str, str], name: str = "") -> Model:
        """The model of a configuration, or another one of the same endpoint by name.

        Raises ModelError of kind `missing` when none is configured.
        """
        from hermes_tui.models.choose import make_model

        key = (config, name)
        if key not in self._made:
            self._made[key] = make_model(config, self._home, {**os.environ, **env}, name)
        return self._made[key]

    def is_small(self, model: Model) -> bool:
        """Whether a model does better with a short prompt and few tools."""
        return bool(getattr(model, "small", False)) or model.window <= SMALL_WINDOW

    async def close(self) -> None:
        """Close them all."""
        for model in self._made.values():
            await model.close()
        self._made.clear()
