"""The audit log on disk: lines chained by digests, in files that follow each other.

Each line is a JSON object. It begins with its number, time and `prev`, the digest of the line
before, and ends with `sum`, the digest of all its own bytes before that. The folder holds one
file after the other, each named for the number of its first line. A small file `head` says which
line is known to be on disk, so that lines missing at the end are noticed, too.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

FIRST = "0" * 64
HEAD = "head"
_NAME = re.compile(r"(\d{10})\.jsonl")
_START = re.compile(rb'\{"n":(\d{1,15}),"ts":([0-9.]+),"prev":"([0-9a-f]{64})",')
_END = re.compile(rb',"sum":"([0-9a-f]{64})"\}')
_END_LENGTH = len(b',"sum":""}') + 64
_HEAD = re.compile(r"(\d{15}) ([0-9a-f]{64})\n")


class Link(Struct, frozen=True):
    """One line's place in the chain. sum: as it says; true: whether that is the digest it has."""

    n: int
    prev: str
    sum: str
    true: bool


class End(Struct, frozen=True):
    """The line that a chain ends with: its number and digest; number 0 for an empty chain."""

    n: int = 0
    sum: str = FIRST


def line(n: int, ts: float, prev: str, body: bytes) -> tuple[bytes, str]:
    """A line without its newline, and its digest. body: a JSON object that is not empty."""
    start = b'{"n":%d,"ts":%.3f,"prev":"%s",%s' % (n, ts, prev.encode(), body[1:-1])
    digest = hashlib.sha256(start).hexdigest()
    return b'%s,"sum":"%s"}' % (start, digest.encode()), digest


def link(raw: bytes) -> Link | None:
    """A line's place in the chain; None for what is no line of an audit log."""
    start, end = _START.match(raw), _END.fullmatch(raw[-_END_LENGTH:])
    if start is None or end is None:
        return None
    said = end[1].decode()
    true = hashlib.sha256(raw[:-_END_LENGTH]).hexdigest() == said
    return Link(int(start[1]), start[3].decode(), said, true)


def files(folder: Path) -> list[Path]:
    """The files of the log, the oldest first."""
    if not folder.is_dir():
        return []
    return sorted(one for one in folder.iterdir() if _NAME.fullmatch(one.name))


def file_for(folder: Path, n: int) -> Path:
    """The file that begins with line n."""
    return folder / f"{n:010}.jsonl"


def first_of(path: Path) -> int:
    """The number of the line that a file begins with, by its name."""
    return int(path.stem)


def lines(path: Path) -> Iterator[tuple[bytes, bool]]:
    """The lines of a file without their newlines, and whether each had one."""
    with path.open("rb") as file:
        for raw in file:
            yield (raw[:-1], True) if raw.endswith(b"\n") else (raw, False)


def read_head(folder: Path) -> End | None:
    """What is known to be on disk; None when nothing says so."""
    try:
        found = _HEAD.fullmatch((folder / HEAD).read_text("ascii"))
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    return End(int(found[1]), found[2]) if found else None


def write_head(descriptor: int, end: End) -> None:
    """Say which line is on disk, in one small write in place."""
    os.pwrite(descriptor, b"%015d %s\n" % (end.n, end.sum.encode()), 0)


def tail(path: Path) -> tuple[End | None, bytes]:
    """The last good line of a file, None if it has none, and the bytes that stand after it.

    Reads backwards, so that a long file costs no more than a short one.
    """
    with path.open("rb") as file:
        at = size = file.seek(0, os.SEEK_END)
        block = b""
        while at > 0:
            at = max(0, at - max(65536, len(block)))
            file.seek(at)
            block = file.read(size - at)
            if found := _last_good(block, whole=at == 0):
                return found
    return None, block


def _last_good(block: bytes, whole: bool) -> tuple[End, bytes] | None:
    """The last line of a block that is one, and what follows; whole: its first line is complete."""
    stop = block.rfind(b"\n")
    while stop >= 0:
        start = block.rfind(b"\n", 0, stop) + 1
        if start == 0 and not whole:
            return None
        if (found := link(block[start:stop])) is not None:
            return End(found.n, found.sum), block[stop + 1 :]
        stop = start - 1
    return None
