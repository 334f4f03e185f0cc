"""One watcher for all files the screen depends on: the person's themes and keys."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path

_STEP_MS = 1000
"""Less often than once a second costs next to nothing; themes and keys need no more."""
_log = logging.getLogger(__name__)


async def watch(wanted: Mapping[Path, Callable[[], Awaitable[None]]]) -> None:
    """Call what belongs to a file, or to a folder's files, after it changed; until cancelled.

    A file or folder may come and go; the folder it is in must exist. Ends quietly where the
    system has no watcher left to give.
    """
    seen = _folders(wanted)
    while seen:
        try:
            await _follow(wanted, seen)
        except (OSError, RuntimeError) as error:
            _log.warning("files can't be watched: %s", error)
            return
        seen = _folders(wanted)


async def _follow(wanted: Mapping[Path, Callable[[], Awaitable[None]]], folders: set[Path]) -> None:
    """Tell of changes until there are other folders to look into."""
    async for paths in _changes(wanted, folders):
        touched = paths | {path.parent for path in paths}
        for place, changed in wanted.items():
            if place in touched:
                await changed()
        if _folders(wanted) != folders:
            return


def _folders(wanted: Mapping[Path, object]) -> set[Path]:
    places = {one.parent for one in wanted} | set(wanted)
    return {one for one in places if one.is_dir()}


async def _changes(wanted: Mapping[Path, object], folders: set[Path]) -> AsyncIterator[set[Path]]:
    # Imported here because it must not hold up the first frame.
    from watchfiles import Change, awatch  # pyright: ignore[reportUnknownVariableType]

    def matters(_: Change, path: str) -> bool:
        return Path(path) in wanted or Path(path).parent in wanted

    async for changes in awatch(
        *folders, step=_STEP_MS, debounce=_STEP_MS, recursive=False, watch_filter=matters
    ):
        yield {Path(path) for _, path in changes}
