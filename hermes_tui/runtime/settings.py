"""The configuration a living core goes by: read again when its file changed, the last good kept."""

from __future__ import annotations

import asyncio
import os

from hermes_tui.config import Config
from hermes_tui.configuration.load import load
from hermes_tui.errors import ConfigError
from hermes_tui.home import Home


class Settings:
    """The configuration in force. `refresh` costs one `stat` while the file is the same."""

    def __init__(self, home: Home, config: Config) -> None:
        self.config = config
        self._home = home
        self._seen = _mark(home)

    async def refresh(self) -> ConfigError | None:
        """Take over a changed file; the error when it is newly broken, and then nothing changes."""
        if _mark(self._home) == self._seen:
            return None
        try:
            await self.reload()
        except ConfigError as error:
            return error
        return None

    async def reload(self) -> None:
        """Read the file again. Raises ConfigError, and then nothing changes."""
        self._seen = _mark(self._home)
        loaded = await asyncio.to_thread(load, self._home, dict(os.environ))
        self.config = loaded.config


def _mark(home: Home) -> tuple[int, int, int] | None:
    try:
        stat = os.stat(home.config)
    except FileNotFoundError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
