"""Which skills fit a request: an index over name, description and body, kept in memory.

Scores are those of BM25F: a word counts for its rarity and for where it stands; a word in the
name or the description counts more than one in a long body. Typical lengths are fixed, so that a
skill's weights do not depend on the others and one skill can be exchanged without a rebuild.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from hermes_tui.skills.words import alike, is_common, words

_K1 = 2.5
_FIELDS = {"name": (4.0, 0.3, 3.0), "description": (2.5, 0.5, 30.0), "head": (1.5, 0.5, 30.0)}
"""Field: (weight, how much length matters, usual length in words)."""
_BODY = (1.0, 0.6, 350.0)
_PRIOR, _RARE, _USUAL = 300, 0.004, 0.15
"""Skills that are imagined beside the real ones, and the share of them that has a word: in a
small library a word can be rare without telling anything."""
_ALIKE = 0.35
_SPARSE = 0.5
"""A word that more than this share of the skills has is left out while rarer ones remain."""
_MOST_WORDS = 48
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+)$", re.MULTILINE)


class Text(Struct, frozen=True):
    """What of a skill is indexed."""

    name: str
    description: str
    body: str = ""


class Route(Struct, frozen=True, kw_only=True):
    """A skill that may fit. score: only to be compared within one answer; hits: the request's
    words that it has; share: how much of what the request says it covers, 0 to 1."""

    name: str
    score: float
    share: float
    hits: tuple[str, ...] = ()


class Index:
    """Skills by the words in them."""

    def __init__(self, texts: Iterable[Text] = ()) -> None:
        self._names: list[str] = []
        self._places: dict[str, int] = {}
        self._postings: dict[str, tuple[array[int], array[float]]] = {}
        self._counts: Counter[str] = Counter()
        self._words: dict[str, tuple[str, ...]] = {}
        for text in texts:
            self.put(text)

    def __len__(self) -> int:
        """How many skills."""
        return len(self._places)

    def put(self, text: Text) -> None:
        """Add a skill, in place of one of the same name."""
        self.put_weighed(text.name, weigh(text))

    def put_weighed(self, name: str, weights: dict[str, float]) -> None:
        """The same with the weights of its words, which another thread may have worked out."""
        self.drop(name)
        place = len(self._names)
        self._names.append(name)
        self._places[name] = place
        self._words[name] = tuple(weights)
        for word, weight in weights.items():
            places, values = self._postings.setdefault(word, (array("I"), array("f")))
            places.append(place)
            values.append(weight)
        self._counts.update(weights.keys())

    def drop(self, name: str) -> None:
        """Take a skill out; nothing happens when it is not there."""
        place = self._places.pop(name, None)
        if place is None:
            return
        for word in self._words.pop(name):
            places, values = self._postings[word]
            at = places.index(place)
            del places[at], values[at]
            self._counts[word] -= 1

    def find(self, request: str, limit: int = 8) -> list[Route]:
        """The skills that fit a request best, best first."""
        asked = self._asked(request)
        scores: dict[int, float] = {}
        for word, weight in asked.items():
            places, values = self._postings.get(word, ((), ()))
            for place, value in zip(places, values, strict=True):
                scores[place] = scores.get(place, 0.0) + weight * value
        best = sorted(scores, key=lambda place: (-scores[place], self._names[place]))[:limit]
        whole = sum(sorted(asked.values(), reverse=True)[:8]) or 1.0
        return [self._route(place, scores[place], asked, whole) for place in best]

    def rarity(self, word: str) -> float:
        """How much a word tells; 0 for one that every skill has."""
        usual = _USUAL if is_common(word) else _RARE
        count = self._counts[word] + _PRIOR * usual
        return max(0.0, math.log((len(self._places) + _PRIOR + 1) / (count + 0.5)))

    def _asked(self, request: str) -> dict[str, float]:
        """The words of a request with what each weighs; the rarest of a long one."""
        counts = Counter(words(request))
        most = _SPARSE * max(len(self._places), 40)
        rare = {word: n for word, n in counts.items() if self._counts[word] <= most}
        counts = rare if len(rare) >= 3 else dict(counts)
        weights = {
            word: self.rarity(word) * (1 + math.log(count)) for word, count in counts.items()
        }
        asked = dict(sorted(weights.items(), key=lambda item: -item[1])[:_MOST_WORDS])
        for word, weight in list(asked.items()):
            for other in alike(word):
                also = _ALIKE * min(weight, self.rarity(other))
                if asked.get(other, 0.0) < also and self._counts[other] <= most:
                    asked[other] = also
        return asked

    def _route(self, place: int, score: float, asked: dict[str, float], whole: float) -> Route:
        name = self._names[place]
        has = set(self._words[name])
        hits = [word for word in asked if word in has]
        hits.sort(key=lambda word: -asked[word])
        return Route(name=name, score=score, share=min(1.0, score / whole), hits=tuple(hits))


def weigh(text: Text) -> dict[str, float]:
    """How strongly a skill has each of its words, between 0 and 1."""
    parts = {
        "name": text.name,
        "description": text.description,
        "head": " ".join(_HEADING.findall(text.body)),
    }
    sums: dict[str, float] = {}
    for field, value in parts.items():
        _add(sums, words(value), _FIELDS[field])
    _add(sums, words(text.body), _BODY)
    return {word: value / (_K1 + value) for word, value in sums.items()}


def _add(sums: dict[str, float], found: list[str], field: tuple[float, float, float]) -> None:
    weight, slope, usual = field
    longer = 1 - slope + slope * len(found) / usual
    for word, count in Counter(found).items():
        sums[word] = sums.get(word, 0.0) + weight * count / longer
