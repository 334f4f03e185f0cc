"""Tools of other installed packages: each names them under the entry point group
`hermes_tui.tools`.

An entry point is a `Tool`, several of them, or a function that returns either. One that is broken
is told of and left out. The metadata of packages is read by hand: the standard reader costs a
start several times as much.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from hermes_tui.errors import ToolError
from hermes_tui.security import paths
from hermes_tui.tools.base import Tool

GROUP = "hermes_tui.tools"


class EntryPoint(Struct, frozen=True, kw_only=True):
    """One line of a package's metadata: a name and where what it names is."""

    package: str
    name: str
    place: str


class Plugins(Struct, frozen=True):
    """The tools other packages bring, and a sentence about each that could not be used."""

    tools: tuple[Tool, ...] = ()
    problems: tuple[str, ...] = ()


def load(taken: Iterable[str] = (), path: Sequence[str] | None = None) -> Plugins:
    """Import and check what is installed. taken: names that are ours. Blocks; call it once."""
    tools: dict[str, Tool] = {}
    problems: list[str] = []
    names = set(taken)
    for point in entry_points(sys.path if path is None else path):
        try:
            made = _tools_of(point)
        except Exception as error:  # noqa: BLE001 - a stranger's code may fail in any way
            said = f"{type(error).__name__}: {error}"
            problems.append(f"{point.package}: its tool {point.name!r} can't be used: {said}")
            continue
        for one in made:
            if one.name in names or one.name in tools:
                problems.append(f"{point.package}: there is a tool {one.name!r} already")
                continue
            one.origin = point.package
            tools[one.name] = one
    return Plugins(tuple(tools.values()), tuple(problems))


def entry_points(path: Sequence[str]) -> list[EntryPoint]:
    """The entry points of our group in the folders of an import path, in a steady order."""
    found: dict[tuple[str, str], EntryPoint] = {}
    for folder in path:
        for info in _infos(folder or "."):
            text = _read(info / "entry_points.txt")
            if GROUP not in text:
                continue
            package = info.name.rpartition(".")[0].partition("-")[0]
            for name, place in _lines(text):
                key = (package, name)
                found.setdefault(key, EntryPoint(package=package, name=name, place=place))
    return [found[key] for key in sorted(found)]


def _infos(folder: str) -> Iterator[Path]:
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        if name.endswith((".dist-info", ".egg-info")):
            yield Path(folder, name)


def _read(file: Path) -> str:
    if not file.is_file():
        return ""
    try:
        return paths.read_bytes(os.path.realpath(file)).decode("utf-8", "replace")
    except ToolError:
        return ""


def _lines(text: str) -> Iterator[tuple[str, str]]:
    within = False
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("["):
            within = line.strip("[] \t") == GROUP
        elif within and "=" in line and not line.startswith(("#", ";")):
            name, _, place = line.partition("=")
            yield name.strip(), place.partition("[")[0].strip()


def _tools_of(point: EntryPoint) -> list[Tool]:
    module, _, attribute = point.place.partition(":")
    one: Any = importlib.import_module(module)
    for part in attribute.split(".") if attribute else ():
        one = getattr(one, part)
    if callable(one) and not isinstance(one, Tool):
        one = one()
    made: list[Any] = [one] if isinstance(one, Tool) else list(cast("Iterable[Any]", one))
    for each in made:
        if not isinstance(each, Tool):
            raise TypeError(f"{type(each).__name__} is no tool; use @tool")
    return cast("list[Tool]", made)
