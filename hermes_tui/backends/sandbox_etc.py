"""The /etc of a sandbox: a prepared folder with what programs need of the real one.

Showing the files one by one would cost a mount each, a third of the time a command takes to
start. So small ones are copied once, and again when one has changed; large folders are shown
as they are.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress

_LIMIT = 2_000_000
_SHOWN = ("alternatives", "ssl", "pki", "nix", "R", "php", "maven", "vulkan", "crypto-policies")
_last: dict[str, tuple[tuple[object, ...], str]] = {}


def prepared(paths: Iterable[str], texts: Iterable[tuple[str, bytes]], scratch: str) -> str:
    """The folder to show as /etc.

    paths: what to take of the real one; texts: files to put in their place.
    """
    listed, own = tuple(paths), tuple(texts)
    stamp: tuple[object, ...] = (*map(_stamp, listed), *own)
    known = _last.get(scratch)
    if known is None or known[0] != stamp or not os.path.isdir(known[1]):
        digest = hashlib.sha256(repr((listed, stamp)).encode()).hexdigest()[:16]
        path = os.path.join(os.path.realpath(scratch), f"etc-{digest}")
        if not os.path.isdir(path):
            _build(path, listed, own)
        known = (stamp, path)
        _last[scratch] = known
    return known[1]


def shown(paths: Iterable[str]) -> tuple[str, ...]:
    """Those that are shown as they are, on top of the prepared folder."""
    return tuple(one for one in paths if os.path.isdir(one) and _is_shown(one))


def _is_shown(path: str) -> bool:
    name = os.path.basename(path)
    return name in _SHOWN or name.startswith("java")


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return (0, 0)
    return status.st_mtime_ns, status.st_ino


def _build(path: str, paths: tuple[str, ...], texts: tuple[tuple[str, bytes], ...]) -> None:
    scratch = os.path.dirname(path)
    os.makedirs(scratch, mode=0o700, exist_ok=True)
    new = tempfile.mkdtemp(prefix="etc-new-", dir=scratch)
    for one in paths:
        target = os.path.join(new, os.path.basename(one))
        if _is_shown(one) and os.path.isdir(one):
            os.mkdir(target)
        else:
            _copy(one, target)
    for name, text in texts:
        with open(os.path.join(new, os.path.basename(name)), "wb") as file:
            file.write(text)
    os.chmod(new, 0o755)
    try:
        os.rename(new, path)
    except OSError:  # another command was quicker
        shutil.rmtree(new, ignore_errors=True)


def _copy(source: str, target: str) -> None:
    """A file, link or folder, but for what is large or may not be read."""
    with suppress(OSError):
        if os.path.islink(source):
            os.symlink(os.readlink(source), target)
        elif os.path.isdir(source):
            os.mkdir(target)
            for name in os.listdir(source):
                _copy(os.path.join(source, name), os.path.join(target, name))
        elif os.path.getsize(source) <= _LIMIT:
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
