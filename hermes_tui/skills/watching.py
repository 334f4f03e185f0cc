"""Skills that are edited while the agent runs: the folders are watched, at no cost while idle."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

_STEP_MS, _QUIET_MS = 250, 400
_log = logging.getLogger(__name__)


async def follow(folders: tuple[Path, ...], changed: Callable[[], Awaitable[None]]) -> None:
    """Call `changed` after files below the folders changed; until cancelled.

    Folders that are not there are left out. Ends quietly where the system can't watch.
    """
    there = [folder for folder in folders if folder.is_dir()]
    if not there:
        return
    # Imported here because nothing else of the core needs it.
    from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType]

    try:
        async for _ in awatch(*there, step=_STEP_MS, debounce=_QUIET_MS, recursive=True):
            await changed()
    except (OSError, RuntimeError) as error:
        _log.warning("skills can't be watched: %s", error)
