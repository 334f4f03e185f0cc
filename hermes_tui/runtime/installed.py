"""Which files of the package are on disk, so that a living core can tell that it was upgraded."""

from __future__ import annotations

import os
import zlib

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def fingerprint(folder: str = _PACKAGE) -> str:
    """A digest over path, size and modification time of each source file; a few milliseconds.

    Two calls give the same text as long as nothing was installed in between.
    """
    lines: list[str] = []
    _collect(folder, "", lines)
    whole = "\n".join(sorted(lines)).encode()
    return f"{zlib.crc32(whole):08x}"


def version(folder: str = _PACKAGE) -> str:
    """The version on disk, which differs from the imported one after an upgrade."""
    try:
        with open(os.path.join(folder, "__init__.py"), encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return "unknown"
    _, found, rest = text.partition('__version__ = "')
    return rest.partition('"')[0] if found else "unknown"


def _collect(folder: str, prefix: str, lines: list[str]) -> None:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        name = prefix + entry.name
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "__pycache__":
                _collect(entry.path, name + "/", lines)
        elif entry.name.endswith((".py", ".tcss", ".sql")):
            stat = entry.stat()
            lines.append(f"{name}\0{stat.st_size}\0{stat.st_mtime_ns}")
