"""What a folder held at one moment: every path with its kind, mode and content, as one value."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import msgspec

from hermes_tui.errors import StoreError

Kind = Literal["file", "link", "dir", "left"]
Change = Literal["added", "removed", "changed", "mode"]

_LETTERS: dict[Kind, str] = {"file": "f", "link": "l", "dir": "d", "left": "x"}
_KINDS: dict[str, Kind] = {letter: kind for kind, letter in _LETTERS.items()}


class Entry(NamedTuple):
    """One path. key: digest of a file, target of a link, or why it was left out.

    mode: permission bits; 0 for links and what was left out. size: bytes of a file.
    Times are no part of it: a file that was touched is the same file.
    """

    kind: Kind
    mode: int = 0
    size: int = 0
    key: str = ""


Tree = Mapping[str, Entry]
"""Paths relative to the folder (`a/b`, undecodable bytes as surrogates) and what lies there."""

_Row = tuple[bytes, str, int, int, bytes]
_decoder = msgspec.msgpack.Decoder(list[_Row])


def encode(tree: Tree) -> bytes:
    """A tree as bytes, the same bytes for the same tree."""
    rows: list[_Row] = [
        (os.fsencode(path), _LETTERS[e.kind], e.mode, e.size, os.fsencode(e.key))
        for path, e in sorted(tree.items())
    ]
    return msgspec.msgpack.encode(rows)


def decode(data: bytes) -> dict[str, Entry]:
    """The tree again. Raises StoreError for anything else."""
    try:
        rows = _decoder.decode(data)
        return {
            os.fsdecode(path): Entry(_KINDS[letter], mode, size, os.fsdecode(key))
            for path, letter, mode, size, key in rows
        }
    except (msgspec.MsgspecError, KeyError) as error:
        raise StoreError(f"a checkpoint can't be read: {error}") from error


def digests(tree: Tree) -> set[str]:
    """The contents a tree needs."""
    return {entry.key for entry in tree.values() if entry.kind == "file"}


def diff(before: Tree, after: Tree) -> dict[str, Change]:
    """What became of each path that differs, from `before` to `after`.

    Whatever either side left out, and all below it, is not spoken of: nobody knows what it was.
    """
    unknown = {
        path for tree in (before, after) for path, entry in tree.items() if entry.kind == "left"
    }
    found: dict[str, Change] = {}
    for path in before.keys() | after.keys():
        old, new = before.get(path), after.get(path)
        if old != new and not (unknown and covered(path, unknown)):
            found[path] = _change(old, new)
    return found


def covered(path: str, folders: set[str]) -> bool:
    """Whether a path is one of these, or lies below one."""
    return path in folders or any(one in folders for one in above(path))


def above(path: str) -> Iterable[str]:
    """The folders a path lies in, nearest first; the root is none."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _change(old: Entry | None, new: Entry | None) -> Change:
    if old is None:
        return "added"
    if new is None:
        return "removed"
    return "mode" if (old.kind, old.key) == (new.kind, new.key) else "changed"
