"""Which tools fit a need: their names, descriptions and arguments, weighed word by word.

People and models name a need in other words than a tool's author did, and in other languages.
Words used for each other are looked up too, for less (`find_words`); rare words count for more.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

from hermes_tui.skills.words import words
from hermes_tui.tools.base import Tool
from hermes_tui.tools.find_words import FAMILIES, LIGHT, OUR_WORDS, in_english

_WEIGHTS = (("name", 3.0), ("words", 1.6), ("head", 1.5), ("rest", 0.5), ("arguments", 0.6))
_LIGHT = 0.55
_NOT_FOUND = ("find_tools", "use_tool")
_SATURATION = 1.2
_LENGTH_SHARE = 0.35
_REST_WORDS = 120
_FILE_NAME = re.compile(r"\w\.(?:md|txt|py|js|ts|json|ya?ml|toml|csv|log|html|cfg|ini|sh)\b")
_PARTS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")


class Catalogue:
    """The words of some tools, made to be asked."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._names: list[str] = []
        self._bags: list[dict[str, float]] = []
        for one in tools:
            if one.name in _NOT_FOUND:
                continue
            self._names.append(one.name)
            self._bags.append(_bag(one))
        count = len(self._bags)
        self._usual = sum(sum(bag.values()) for bag in self._bags) / max(1, count)
        self._rarity: dict[str, float] = {}
        for word in {word for bag in self._bags for word in bag}:
            having = sum(word in bag for bag in self._bags)
            self._rarity[word] = math.log(1 + (count - having + 0.5) / (having + 0.5))

    def best(self, need: str, most: int) -> list[str]:
        """The names of the tools that fit best, at most so many; none that shares no word."""
        wanted = _wanted(need)
        scores = [(self._score(wanted, bag), n) for n, bag in enumerate(self._bags)]
        ranked = sorted((pair for pair in scores if pair[0] > 0), key=lambda one: (-one[0], one[1]))
        return [self._names[n] for _, n in ranked[:most]]

    def _score(self, wanted: dict[str, tuple[str, float]], bag: dict[str, float]) -> float:
        """The sum over what is wanted; each wanted word counts once, by its best likeness."""
        size = 1 - _LENGTH_SHARE + _LENGTH_SHARE * sum(bag.values()) / self._usual
        found: dict[str, float] = {}
        for word, (source, weight) in wanted.items():
            heavy = bag.get(word, 0.0)
            if heavy:
                one = weight * self._rarity[word] * heavy / (heavy + _SATURATION * size)
                found[source] = max(found.get(source, 0.0), one)
        return sum(found.values())


def _wanted(need: str) -> dict[str, tuple[str, float]]:
    """Words to look for: each with the word of the need it stands for, and its weight."""
    found: dict[str, tuple[str, float]] = {}
    named = " file text" if _FILE_NAME.search(need) else ""
    for source in [
        *words(need + named),
        *(word for part in in_english(need) for word in words(part)),
    ]:
        found[source] = (source, _LIGHT if source in LIGHT else 1.0)
    for source, (_, weight) in list(found.items()):
        for other, likeness in FAMILIES.get(source, {}).items():
            if weight * likeness > found.get(other, ("", 0.0))[1]:
                found[other] = (source, weight * likeness)
    return found


def _bag(one: Tool) -> dict[str, float]:
    """The words of a tool with their weights."""
    head, _, rest = one.description.partition(". ")
    parts: dict[str, str] = {
        "name": _PARTS.sub(" ", one.name),
        "words": one.words or ("" if one.origin else OUR_WORDS.get(one.name, "")),
        "head": head,
        "rest": " ".join(rest.split()[:_REST_WORDS]),
        "arguments": _arguments(one.schema.parameters),
    }
    bag: dict[str, float] = {}
    for part, weight in _WEIGHTS:
        for word in words(parts[part]):
            bag[word] = bag.get(word, 0.0) + weight
    return bag


def _arguments(schema: dict[str, Any]) -> str:
    properties: dict[str, dict[str, Any]] = schema.get("properties") or {}
    notes = [str(part.get("description", ""))[:200] for part in properties.values()]
    return " ".join([*(_PARTS.sub(" ", name) for name in properties), *notes])
