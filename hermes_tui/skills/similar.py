"""Near copies of a skill under another name: found by what the lines say, in whatever order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
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
        tells = self._index.rarity
        found = [Likeness(name, likeness(new, self._texts[name], tells)) for name in near]
        found.sort(key=lambda one: (-one.share, one.name))
        return found[:limit]

    def copies(self, new: Text) -> list[Likeness]:
        """The skills that a new one repeats; empty for one that is its own."""
        return [one for one in self.nearest(new) if one.share >= ALIKE]


def likeness(one: Text, other: Text, tells: Callable[[str], float] | None = None) -> float:
    """How much two skills say the same, 0 to 1: runs of words, and words for what was reworded.

    Names and the order of lines do not matter: a copy with shuffled steps is a copy. tells: how
    much a word tells; phrases that every skill of a library has count for little.
    """
    weigh = _weigher(tells)
    runs = _overlap(_runs(one.body), _runs(other.body), weigh)
    said = _overlap(Counter(words(one.body)), Counter(words(other.body)), weigh)
    told = _overlap(Counter(words(one.description)), Counter(words(other.description)), weigh)
    body = max(runs, 0.75 * said + 0.25 * runs if said > 0.8 else 0.0)
    small = min(len(one.body), len(other.body)) < 200
    return (body + told) / 2 if small else max(body, 0.85 * body + 0.15 * told)


def _weigher(tells: Callable[[str], float] | None) -> Callable[[Any], float]:
    """What a word, or a run of words, counts for."""
    if tells is None:
        return lambda key: 1.0
    known: dict[str, float] = {}

    def one(word: str) -> float:
        if word not in known:
            known[word] = max(tells(word), 0.01) ** 2
        return known[word]

    def of(key: Any) -> float:
        return one(key) if isinstance(key, str) else sum(map(one, key)) / len(key)

    return of


def _runs(body: str) -> Counter[tuple[str, ...]]:
    """All runs of a few words inside a line."""
    found: Counter[tuple[str, ...]] = Counter()
    for line in body.splitlines():
        said = words(line)
        size = min(_RUN, len(said))
        found.update(tuple(said[at : at + size]) for at in range(len(said) - size + 1) if size)
    return found


def _overlap(one: Counter[Any], other: Counter[Any], weigh: Callable[[Any], float]) -> float:
    if not one or not other:
        return 0.0
    both = sum(count * weigh(key) for key, count in (one & other).items())
    sizes = [sum(count * weigh(key) for key, count in each.items()) for each in (one, other)]
    small, large = min(sizes), max(sizes)
    # a short text inside a long one is less of a copy than two of one length
    return both / small * (small / large) ** 0.5 if small else 0.0
