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
        self.problem: ConfigError | None = None
        self._home = home
        self._seen = _mark(home)

    async def refresh(self) -> ConfigError | None:
        """Take over a changed file; the error when it is newly broken, and then nothing changes."""
        mark = _mark(self._home)
        if mark == self._seen:
            return None
        self._seen = mark
        try:
            loaded = await asyncio.to_thread(load, self._home, dict(os.environ))
        except ConfigError as error:
            self.problem = error
            return error
        self.config, self.problem = loaded.config, None
        return None

    def changed_here(self, config: Config) -> None:
        """The core wrote the file itself and this is what it says."""
        self.config, self.problem = config, None
        self._seen = _mark(self._home)


def _mark(home: Home) -> tuple[int, int, int] | None:
    try:
        stat = os.stat(home.config)
    except FileNotFoundError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
