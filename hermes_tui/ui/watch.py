"""One watcher for the files the screen depends on: the person's themes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

_STEP_MS = 1000
"""Less often than once a second costs next to nothing; themes need no more."""


async def watch_folder(folder: Path, changed: Callable[[], Awaitable[None]]) -> None:
    """Call `changed` after files in the folder, which exists, changed; until cancelled."""
    # Imported here because it must not hold up the first frame.
    from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType]

    async for _ in awatch(folder, step=_STEP_MS, debounce=_STEP_MS, recursive=False):
        await changed()
