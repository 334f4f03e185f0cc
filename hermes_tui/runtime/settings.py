"""The configuration a living core goes by: read again when its file changed, the last good kept."""

from __future__ import annotations

import asyncio
import os

import msgspec

from hermes_tui.config import Config
from hermes_tui.configuration.load import load
from hermes_tui.errors import ConfigError
from hermes_tui.home import Home
from hermes_tui.security import audit_entries
from hermes_tui.security.audit import Audit, AuditEntry

_OF_POLICY = ("policy", "sandbox")


class Settings:
    """The configuration in force. `refresh` costs one `stat` while the file is the same.

    audit: where it is recorded that what the agent may do has changed.
    """

    def __init__(self, home: Home, config: Config, audit: Audit | None = None) -> None:
        self.config = config
        self._audit = audit
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
        changes = _changes(self.config, loaded.config)
        if changes and self._audit is not None:
            await self._audit.record(*changes)
        self.config = loaded.config


def _changes(old: Config, new: Config) -> list[AuditEntry]:
    """What is new about what the agent may do."""
    pairs = [("agent.mode", old.agent.mode, new.agent.mode)]
    for section in _OF_POLICY:
        before, after = (msgspec.structs.asdict(getattr(one, section)) for one in (old, new))
        pairs += [(f"{section}.{name}", before[name], after[name]) for name in after]
    return [
        audit_entries.of_change(name, before, after)
        for name, before, after in pairs
        if before != after
    ]


def _mark(home: Home) -> tuple[int, int, int] | None:
    try:
        stat = os.stat(home.config)
    except FileNotFoundError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
