"""A folder that is looked at again and again: what it held last time is remembered on disk."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from hermes_tui.store.blobs import Blobs, digest_of
from hermes_tui.store.checkpoints_scan import Limits, NoCheckpoint, Scanner, Seen
from hermes_tui.store.checkpoints_tree import Entry, encode

_Row = tuple[bytes, int, int, int, int, str]
_decoder = msgspec.msgpack.Decoder(list[_Row])


class Look(NamedTuple):
    """What a folder holds now. tree: its digest, of which the contents are kept as well."""

    tree: str
    entries: dict[str, Entry]
    files: int
    total: int


class Folder:
    """One folder. memory: the folder of the home where what was seen last is written.

    For one thread at a time.
    """

    def __init__(self, root: str, blobs: Blobs, memory: Path, own: str) -> None:
        self.root = root
        self._blobs = blobs
        self._own = own
        self._path = memory / digest_of(os.fsencode(root))
        self._seen: dict[str, Seen] | None = None
        self._last: Look | None = None

    def look(self, limits: Limits) -> Look:
        """Keep what it holds now. Raises NoCheckpoint or OSError."""
        if self._seen is None:
            self._seen = self._remembered()
        found = Scanner(self.root, limits, self._blobs, self._own).run(self._seen)
        if found.seen != self._seen:
            self._remember(found.seen)
        self._seen = found.seen
        if self._last is not None and self._last.entries == found.tree:
            return self._last
        tree = self._blobs.put(encode(found.tree))
        files = sum(entry.kind != "left" for entry in found.tree.values())
        self._last = Look(tree, found.tree, files, found.total)
        return self._last

    def _remembered(self) -> dict[str, Seen]:
        """What was seen in an earlier life, as far as its contents are still kept."""
        try:
            rows = _decoder.decode(self._path.read_bytes())
        except (OSError, msgspec.MsgspecError):
            return {}
        kept = self._blobs.sizes()
        return {
            os.fsdecode(path): Seen(size, mtime, ctime, ino, digest)
            for path, size, mtime, ctime, ino, digest in rows
            if digest in kept
        }

    def _remember(self, seen: dict[str, Seen]) -> None:
        rows: list[_Row] = [
            (os.fsencode(path), one.size, one.mtime_ns, one.ctime_ns, one.ino, one.digest)
            for path, one in seen.items()
        ]
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = self._path.with_suffix(".new")
        temporary.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(msgspec.msgpack.encode(rows))
        os.replace(temporary, self._path)


def check_place(root: str, person: str, own: str) -> None:
    """Raise NoCheckpoint for folders that are too much to keep, whatever they hold.

    person: the person's home folder; own: the agent's.
    """
    if not os.path.isabs(root):
        raise NoCheckpoint("this session is in no folder")
    top = os.path.realpath(root)
    for home in (person, os.path.expanduser("~")):
        real = os.path.realpath(home) if home else ""
        if real and (top == real or real.startswith(top.rstrip("/") + "/")):
            what = "your home folder" if top == real else f"{top}, which holds your home folder,"
            raise NoCheckpoint(f"{what} is not kept: it is too much")
    if top == "/" or (top + "/").startswith(os.path.realpath(own) + "/"):
        raise NoCheckpoint(f"{top} is not kept")


def forget_others(memory: Path, roots: Iterable[str]) -> None:
    """Forget what was seen in folders other than these."""
    known = {digest_of(os.fsencode(root)) for root in roots}
    for path in memory.glob("*"):
        if path.name not in known:
            path.unlink(missing_ok=True)
