"""Writes a small file so that a crash leaves the old one or the new one, never a part."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


def write(path: Path, text: str, mode: int = 0o600) -> None:
    """Replace a file's content at once. A link stays a link, a file keeps its mode."""
    target = Path(os.path.realpath(path))
    if target.exists():
        mode = target.stat().st_mode & 0o777
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            os.fchmod(file.fileno(), mode)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold a lock file, so that two writers of the same file take turns."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
