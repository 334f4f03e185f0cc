"""Near copies of a skill under another name: found by what the lines say, in whatever order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from hermes_tui.skills.routing import Index, Text
from hermes_tui.skills.words import words

ALIKE = 0.6
"""From this on a skill counts as a copy of another one."""
_RUN = 3
_NEAREST = 12


class Likeness(Struct, frozen=True):
    """Another skill and how much of either says the same, 0 to 1."""

    name: str
    share: float


class Copies:
    """Finds the skills of a library that a new one repeats."""

    def __init__(self, texts: Iterable[Text], index: Index | None = None) -> None:
        self._texts: Mapping[str, Text] = {one.name: one for one in texts}
        self._index = index if index is not None else Index(self._texts.values())

    def nearest(self, new: Text, limit: int = 3) -> list[Likeness]:
        """The skills most like a new one, the most alike first; itself is left out."""
        request = f"{new.description}\n{new.body}"
        near = [one.name for one in self._index.find(request, _NEAREST) if one.name != new.name]
        found = [Likeness(name, likeness(new, self._texts[name])) for name in near]
        found.sort(key=lambda one: (-one.share, one.name))
        return found[:limit]

    def copies(self, new: Text) -> list[Likeness]:
        """The skills that a new one repeats; empty for one that is its own."""
        return [one for one in self.nearest(new) if one.share >= ALIKE]


def likeness(one: Text, other: Text) -> float:
    """How much two skills say the same, 0 to 1: runs of words, and words for what was reworded.

    Names and the order of lines do not matter: a copy with shuffled steps is a copy.
    """
    runs = _overlap(_runs(one.body), _runs(other.body))
    said = _overlap(Counter(words(one.body)), Counter(words(other.body)))
    told = _overlap(Counter(words(one.description)), Counter(words(other.description)))
    body = max(runs, 0.75 * said + 0.25 * runs if said > 0.8 else 0.0)
    small = min(len(one.body), len(other.body)) < 200
    return (body + told) / 2 if small else max(body, 0.85 * body + 0.15 * told)


def _runs(body: str) -> Counter[tuple[str, ...]]:
    """All runs of a few words inside a line."""
    found: Counter[tuple[str, ...]] = Counter()
    for line in body.splitlines():
        said = words(line)
        size = min(_RUN, len(said))
        found.update(tuple(said[at : at + size]) for at in range(len(said) - size + 1) if size)
    return found


def _overlap(one: Counter[Any], other: Counter[Any]) -> float:
    if not one or not other:
        return 0.0
    both = sum((one & other).values())
    return both / min(one.total(), other.total()) * _balance(one.total(), other.total())


def _balance(one: int, other: int) -> float:
    """A short text inside a long one is less of a copy than two of one length."""
    return (min(one, other) / max(one, other)) ** 0.5
