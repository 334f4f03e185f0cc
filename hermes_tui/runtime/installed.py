"""Which files of the package are on disk, so that a living core can tell that it was upgraded."""

from __future__ import annotations

import os
import shutil
import sys
import zlib
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType
from typing import TYPE_CHECKING

from hermes_tui.errors import CoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def fingerprint(folder: str = _PACKAGE) -> str:
    """A digest over path, size and modification time of each source file; a few milliseconds.

    Two calls give the same text as long as nothing was installed in between.
    """
    files = "\n".join(f"{name}\0{stamp}" for name, stamp in sorted(_files(folder).items()))
    return f"{zlib.crc32(files.encode()):08x}"


def version(folder: str = _PACKAGE) -> str:
    """The version on disk, which differs from the imported one after an upgrade."""
    try:
        with open(os.path.join(folder, "__init__.py"), encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return "unknown"
    _, found, rest = text.partition('__version__ = "')
    return rest.partition('"')[0] if found else "unknown"


def hold(kept: str = "", folder: str = _PACKAGE) -> None:
    """From now on import no module of this package whose file has changed since this call.

    A core that was upgraded under its feet would else mix two versions. Such a module comes from
    the copy that `keep` made, so that running turns go on; without one the import raises CoreError
    with the way out: a restart.
    """
    sys.meta_path.insert(0, _Unchanged(folder, kept))


def keep(kept: str, folder: str = _PACKAGE) -> None:
    """Copy the package before it is replaced. Sizes and times stay, by which `hold` knows them."""
    forget(kept)
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(folder, os.path.join(kept, os.path.basename(folder)), ignore=leave)


def forget(kept: str) -> None:
    """Remove that copy; nothing runs on it any more."""
    shutil.rmtree(kept, ignore_errors=True)


class _Unchanged(MetaPathFinder):
    """Finds what has not changed nowhere else, what was kept there, and refuses the rest."""

    def __init__(self, folder: str, kept: str) -> None:
        self._folder = folder
        self._name = os.path.basename(folder)
        self._kept = os.path.join(kept, self._name) if kept else ""
        self._before = _files(folder)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """None, so that others find it, the kept one, or CoreError."""
        package, _, rest = fullname.partition(".")
        if package != self._name or not rest:
            return None
        stem = rest.replace(".", "/")
        names = (stem + ".py", stem + "/__init__.py")
        if all(self._is_as_it_was(name, self._folder) for name in names):
            return None
        for name in names:
            if self._kept and name in self._before and self._is_as_it_was(name, self._kept):
                return spec_from_file_location(fullname, os.path.join(self._kept, name))
        raise CoreError(
            f"{fullname} was replaced on disk by version {version(self._folder)} "
            "while the agent was running",
            "`hermes daemon restart` changes over, after the running turns",
        )

    def _is_as_it_was(self, name: str, folder: str) -> bool:
        try:
            now = _stamp(os.stat(os.path.join(folder, name)))
        except OSError:
            now = ""
        return now == self._before.get(name, "")


def _files(folder: str, prefix: str = "") -> dict[str, str]:
    """Path below the package -> size and modification time, of everything that is code."""
    found: dict[str, str] = {}
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return found
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "__pycache__":
                found |= _files(entry.path, f"{prefix}{entry.name}/")
        elif entry.name.endswith((".py", ".tcss", ".sql")):
            found[prefix + entry.name] = _stamp(entry.stat())
    return found


def _stamp(stat: os.stat_result) -> str:
    return f"{stat.st_size} {stat.st_mtime_ns}"
