"""What other installed packages bring, by their entry points.

The metadata is read by hand: the standard reader imports e-mail parsers and costs a start more
than ten times as much.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

from msgspec import Struct


class EntryPoint(Struct, frozen=True, kw_only=True):
    """One line of a package's metadata: a name, and `module:attribute` where the thing is."""

    package: str
    name: str
    place: str


def entry_points(group: str, path: Sequence[str] | None = None) -> list[EntryPoint]:
    """The entry points of a group in the folders of an import path, in a steady order."""
    found: dict[tuple[str, str], EntryPoint] = {}
    for folder in sys.path if path is None else path:
        for info in _infos(folder or "."):
            text = _read(os.path.join(info, "entry_points.txt"))
            if group not in text:
                continue
            package = os.path.basename(info).rpartition(".")[0].partition("-")[0]
            for name, place in lines(text, group):
                one = EntryPoint(package=package, name=name, place=place)
                found.setdefault((package, name), one)
    return [found[key] for key in sorted(found)]


def lines(text: str, group: str) -> Iterator[tuple[str, str]]:
    """(name, place) of one group in an `entry_points.txt`."""
    within = False
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("["):
            within = line.strip("[] \t") == group
        elif within and "=" in line and not line.startswith(("#", ";")):
            name, _, place = line.partition("=")
            yield name.strip(), place.partition("[")[0].strip()


def _infos(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    ends = (".dist-info", ".egg-info")
    return [os.path.join(folder, name) for name in names if name.endswith(ends)]


def _read(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read()
    except OSError:
        return ""
