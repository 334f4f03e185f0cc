"""Files of a folder for completion: what git knows where there is git, else a bounded walk."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Mapping

from hermes_tui.backends import process

FRESH_S = 5.0
MOST = 50_000
_LEFT_OUT = frozenset({".git", "node_modules", "__pycache__", ".venv", ".mypy_cache", ".tox"})


class PathFinder:
    """Lists a folder once in a while and answers from memory in between."""

    def __init__(self) -> None:
        self._listed: dict[str, tuple[float, tuple[str, ...]]] = {}

    async def find(
        self, cwd: str, typed: str, limit: int, env: Mapping[str, str]
    ) -> tuple[str, ...]:
        """Paths that match what was typed, best first; folders end with a slash."""
        if typed.startswith(("/", "~", "../", "./")):
            return await asyncio.to_thread(_beside, cwd, typed, limit)
        at, names = self._listed.get(cwd, (0.0, ()))
        if time.monotonic() - at > FRESH_S:
            names = await _tracked(cwd, env) or await asyncio.to_thread(_walked, cwd)
            self._listed = {cwd: (time.monotonic(), names)}
        return await asyncio.to_thread(_best, names, typed, limit)


async def _tracked(cwd: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """What git lists: tracked files and new ones it does not ignore; nothing without git."""
    argv = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        git = await process.start(argv, cwd=cwd, env=env)
    except OSError:
        return ()
    parts: list[bytes] = []
    while chunk := await git.read():
        parts.append(chunk)
    if await git.wait() != 0:
        return ()
    names = b"".join(parts).decode(errors="replace").split("\0")
    return _with_folders(name for name in names[:MOST] if name)


def _walked(cwd: str) -> tuple[str, ...]:
    return _with_folders(_files(cwd))


def _files(cwd: str) -> Iterator[str]:
    count = 0
    for folder, folders, files in os.walk(cwd):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted(files):
            yield os.path.relpath(os.path.join(folder, name), cwd)
            count += 1
            if count >= MOST:
                return


def _with_folders(names: Iterator[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for name in names:
        parts = name.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            found["/".join(parts[:depth]) + "/"] = None
        found[name] = None
    return tuple(found)


def _beside(cwd: str, typed: str, limit: int) -> tuple[str, ...]:
    """Entries of the folder a typed path names, for paths that leave the working folder."""
    folder, _, start = typed.rpartition("/")
    where = os.path.join(cwd, os.path.expanduser(folder or "/"))
    try:
        with os.scandir(where) as entries:
            names = sorted(entry.name + "/" * entry.is_dir() for entry in entries)
    except OSError:
        return ()
    hits = [name for name in names if name.startswith(start)]
    return tuple(f"{folder}/{name}" for name in hits[:limit])


def _best(names: tuple[str, ...], typed: str, limit: int) -> tuple[str, ...]:
    wanted = typed.lower()
    ranked = [(rank, len(name), name) for name in names if (rank := _rank(name, wanted)) < 9]
    return tuple(name for _, _, name in sorted(ranked)[:limit])


def _rank(name: str, wanted: str) -> int:
    low = name.lower()
    base = low.rstrip("/").rpartition("/")[2]
    if not wanted or low.startswith(wanted):
        return 0
    if base.startswith(wanted):
        return 1
    if wanted in base:
        return 2
    if wanted in low:
        return 3
    letters = iter(low)
    return 4 if all(letter in letters for letter in wanted) else 9
