"""Tools of other installed packages: each names them under the entry point group
`hermes_tui.tools`.

An entry point is a `Tool`, several of them, or a function that returns either. One that is broken
is told of and left out.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from typing import Any, cast

from msgspec import Struct

from hermes_tui.entry_points import EntryPoint, entry_points
from hermes_tui.tools.base import Tool

GROUP = "hermes_tui.tools"


class Plugins(Struct, frozen=True):
    """The tools other packages bring, and a sentence about each that could not be used."""

    tools: tuple[Tool, ...] = ()
    problems: tuple[str, ...] = ()


def load(taken: Iterable[str] = (), path: Sequence[str] | None = None) -> Plugins:
    """Import and check what is installed. taken: names that are ours. Blocks; call it once."""
    tools: dict[str, Tool] = {}
    problems: list[str] = []
    names = set(taken)
    for point in entry_points(GROUP, path):
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
