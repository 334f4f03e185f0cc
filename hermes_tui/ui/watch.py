"""One watcher for all files the screen depends on: the person's themes and keys."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

_STEP_MS = 1000
"""Less often than once a second costs next to nothing; themes and keys need no more."""


async def watch(wanted: Mapping[Path, Callable[[], Awaitable[None]]]) -> None:
    """Call what belongs to a file, or to a folder's files, after it changed; until cancelled.

    A file may come and go; its folder must exist, and so must a folder to be heard of.
    """
    # Imported here because it must not hold up the first frame.
    from watchfiles import Change, awatch  # pyright: ignore[reportUnknownVariableType]

    def matters(_: Change, path: str) -> bool:
        return Path(path) in wanted or Path(path).parent in wanted

    folders = {one if one.is_dir() else one.parent for one in wanted}
    async for changes in awatch(
        *(one for one in folders if one.is_dir()),
        step=_STEP_MS,
        debounce=_STEP_MS,
        recursive=False,
        watch_filter=matters,
    ):
        paths = {Path(path) for _, path in changes}
        for place, changed in wanted.items():
            if place in paths or place in {path.parent for path in paths}:
                await changed()
