"""How much room a home takes, and what of it can go first."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from hermes_tui.store import snapshots

_FRESH_S = 3600.0
_CACHE_S = 86_400.0
_APART = "models"


class Gone(Struct, frozen=True, kw_only=True):
    """Something that was removed to make room."""

    what: str
    bytes: int


def used(home: Path) -> int:
    """Bytes that a home takes on the disk, the models of the embedded model apart."""
    return sum(size(one) for one in home.iterdir() if one.name != _APART)


def size(path: Path) -> int:
    """Bytes of a file, or of all files in a folder; links count for themselves."""
    if path.is_dir() and not path.is_symlink():
        total = 0
        for folder, _, names in os.walk(path):
            total += sum(_one(os.path.join(folder, name)) for name in names)
        return total
    return _one(path)


def make_now(home: Path, over: int, now: float) -> list[Gone]:
    """The same as `make`, at once; blocks."""
    return list(make(home, over, now))


def make(home: Path, over: int, now: float) -> Iterator[Gone]:
    """Remove what is least missed until `over` bytes are free, oldest first in each kind.

    Nothing that was touched within the hour goes, and never the newest copy of the database.
    """
    for path in _candidates(home, now):
        if over <= 0:
            return
        freed = size(path)
        try:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        except OSError:
            continue  # in use or not ours: the next one
        over -= freed
        yield Gone(what=str(path.relative_to(home)), bytes=freed)


def _candidates(home: Path, now: float) -> Iterator[Path]:
    yield from _old(home.glob("*.log.1"), now, 0.0)
    yield from _old((home / "scratch").glob("*"), now, _CACHE_S)
    yield from _old((home / "outputs").glob("*"), now, _FRESH_S)
    copies = home / "backups"
    yield from reversed(snapshots.kept(copies)[1:])
    yield from _old(copies.glob("before-*.db"), now, _CACHE_S)
    yield from list(_old((home / "set-aside").glob("*"), now, _CACHE_S))[:-1]


def _old(paths: Iterator[Path], now: float, age: float) -> Iterator[Path]:
    found = sorted((_touched(path), path) for path in paths)
    return (path for touched, path in found if touched <= now - age)


def _touched(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def _one(path: str | Path) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0
