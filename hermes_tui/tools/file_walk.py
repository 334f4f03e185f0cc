"""Walk a folder for a search without ripgrep: skips .git, links, binary files and what
.gitignore files name (their common forms).
"""

from __future__ import annotations

import fnmatch
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

from msgspec import Struct

from hermes_tui.errors import ToolError
from hermes_tui.security import paths
from hermes_tui.tools.plain_text import is_binary

_BIGGEST = 10_000_000
_LONGEST_LINE = 300
_MATCHED_CHARS = 2_000


class _Rule(Struct, frozen=True):
    """One line of a .gitignore file, which lies in folder `base` (relative to the root)."""

    base: str
    pattern: re.Pattern[str]
    anchored: bool
    folders_only: bool
    negated: bool

    def covers(self, name: str, is_folder: bool) -> bool:
        """Whether it speaks of this path."""
        if self.folders_only and not is_folder:
            return False
        if self.base and not name.startswith(self.base + "/"):
            return False
        below = name[len(self.base) + 1 :] if self.base else name
        return bool(self.pattern.match(below if self.anchored else os.path.basename(name)))


class Walk:
    """A walk of one folder. `allowed` says of a path below it whether it may be shown."""

    def __init__(self, root: str, glob: str, allowed: Callable[[str], bool]) -> None:
        self._root = root
        self._glob = glob
        self._allowed = allowed
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End the walk from another thread."""
        self._stopped.set()

    def names(self, wanted: Callable[[str], bool], limit: int) -> list[str]:
        """Paths that are wanted, at most one over the limit."""
        found: list[str] = []
        for name in self._files():
            if wanted(name):
                found.append(name)
            if len(found) > limit:
                break
        return found

    def lines(self, expression: re.Pattern[str], limit: int, only: str = "") -> list[str]:
        r"""Lines that match as `path\0number:text`, at most one over the limit."""
        found: list[str] = []
        for name in [only] if only else self._files():
            for number, line in self._numbered(name):
                if expression.search(line[:_MATCHED_CHARS]):
                    found.append(f"{name}\0{number}:{line[:_LONGEST_LINE]}")
                if len(found) > limit:
                    return found
        return found

    def _files(self, base: str = "", rules: tuple[_Rule, ...] = ()) -> Iterator[str]:
        """Files below a folder in the order of their paths."""
        folder = os.path.join(self._root, base)
        rules += _rules(folder, base)
        for name, is_folder in _entries(folder):
            path = f"{base}/{name}" if base else name
            if self._stopped.is_set():
                return
            if name == ".git" or _ignored(rules, path, is_folder):
                continue
            if is_folder:
                yield from self._files(path, rules)
            elif self._fits(name, path):
                yield path

    def _fits(self, base: str, name: str) -> bool:
        subject = name if "/" in self._glob else base
        if self._glob and not fnmatch.fnmatchcase(subject, self._glob):
            return False
        return self._allowed(name)

    def _numbered(self, name: str) -> Iterator[tuple[int, str]]:
        with suppress(OSError, ToolError):
            real = os.path.join(self._root, name)
            if self._stopped.is_set() or os.path.getsize(real) > _BIGGEST:
                return
            content = paths.read_bytes(real)
            if not is_binary(content):
                yield from enumerate(content.decode("utf-8", "replace").splitlines(), 1)


def _entries(folder: str) -> list[tuple[str, bool]]:
    """Files and folders in one, (name, whether it is a folder), links left out."""
    with suppress(OSError), os.scandir(folder) as entries:
        found = [(e.name, e.is_dir(follow_symlinks=False)) for e in entries if not e.is_symlink()]
        return sorted(found)
    return []


def _rules(folder: str, base: str) -> tuple[_Rule, ...]:
    with suppress(OSError, ToolError):
        text = paths.read_bytes(os.path.join(folder, ".gitignore")).decode("utf-8", "replace")
        lines = (line.strip() for line in text.splitlines())
        return tuple(_rule(line, base) for line in lines if line and not line.startswith("#"))
    return ()


def _rule(line: str, base: str) -> _Rule:
    negated = line.startswith("!")
    bare = line.removeprefix("!")
    folders_only = bare.endswith("/")
    bare = bare.rstrip("/")
    pattern = re.compile(fnmatch.translate(bare.lstrip("/").removeprefix("**/")))
    anchored = "/" in bare.removeprefix("**/")
    return _Rule(base, pattern, anchored, folders_only, negated)


def _ignored(rules: tuple[_Rule, ...], name: str, is_folder: bool) -> bool:
    last = next((rule for rule in reversed(rules) if rule.covers(name, is_folder)), None)
    return last is not None and not last.negated
