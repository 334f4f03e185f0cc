"""Text as words for finding skills: small letters, no accents, stems; Chinese by pairs.

The stemmer is a light one: it takes endings off until words of one family meet, and does not care
whether what is left is a word. Groups of words that people use for each other (`WORDS_ALIKE`) let
a request meet a skill that says the same in other words.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from hermes_tui.skills.words_alike import COMMON_WORDS, STOP_WORDS, WORDS_ALIKE

_WORD = re.compile(r"[a-z0-9]+(?:\+\+|#)?|[^\W_a-z0-9]+")
_JOINED = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_EAST = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_LONGEST = 40
_SILENT = frozenset(STOP_WORDS.split())
_KEPT = frozenset(("c", "r"))
"""Single letters that are names of languages."""


def words(text: str) -> list[str]:
    """The stems of a text in order, without words that say nothing (`the`, `please`)."""
    if not text.isascii():
        text = _bare(text)
    found = list[str]()
    for word in _WORD.findall(_JOINED.sub(" ", text).lower()):
        if word.isascii():
            found += stems(word)
        else:
            found += _pieces(word)
    return found


@lru_cache(maxsize=200_000)
def stems(word: str) -> tuple[str, ...]:
    """The stem of one small-letter word; empty for one that says nothing."""
    if word in _SILENT or len(word) > _LONGEST or (len(word) < 2 and word not in _KEPT):
        return ()
    return (stem(word),)


def stem(word: str) -> str:
    """A word without its ending: `deploying`, `deployed` and `deploys` meet in `deploy`."""
    if len(word) < 4 or not word.isalpha():
        return word
    return _end_vowel(_derived(_inflected(word)))


def alike(one: str) -> tuple[str, ...]:
    """Stems of other words that people use for the same thing."""
    return _ALIKE.get(one, ())


def is_common(one: str) -> bool:
    """Whether a stem is so usual in requests and skills that it tells little."""
    return one in _COMMON


def _inflected(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        root = word[: -len(ending)]
        if word.endswith(ending) and len(root) > 2 and _has_vowel(root):
            double = len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsze"
            return root[:-1] if double else root
    return word


_ENDINGS = (
    ("ization", "ize"),
    ("isation", "ize"),
    ("ational", "ate"),
    ("ifications", "ify"),
    ("ification", "ify"),
    ("ations", "ate"),
    ("ation", "ate"),
    ("itions", "it"),
    ("ition", "it"),
    ("ators", "ate"),
    ("ator", "ate"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ments", ""),
    ("ment", ""),
    ("ness", ""),
    ("ically", "ic"),
    ("ical", "ic"),
    ("ably", "able"),
    ("ally", "al"),
    ("ly", ""),
    ("ize", "ize"),
    ("ise", "ize"),
    ("izer", "ize"),
    ("iser", "ize"),
    ("yzer", "yze"),
    ("yser", "yze"),
    ("yse", "yze"),
    ("ions", ""),
    ("ion", ""),
    ("ers", ""),
    ("er", ""),
    ("ors", ""),
    ("or", ""),
    ("able", ""),
    ("ible", ""),
    ("ive", ""),
    ("al", ""),
)
_SHORTEST = {"": 4}
"""A stem that nothing is put back to must be as long as this."""


def _derived(word: str) -> str:
    for ending, instead in _ENDINGS:
        if word.endswith(ending):
            root = word[: -len(ending)]
            if len(root) >= _SHORTEST.get(instead, 3) and _has_vowel(root):
                return root + instead
            return word
    return word


def _end_vowel(word: str) -> str:
    if len(word) > 4 and word.endswith("ate"):
        word = word[:-3] + "at"
    if len(word) > 4 and word.endswith("e"):
        return word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


def _has_vowel(text: str) -> bool:
    return any(letter in "aeiouy" for letter in text)


def _bare(text: str) -> str:
    """The text without accents; other scripts stay."""
    spread = unicodedata.normalize("NFKD", text)
    kept = "".join(c for c in spread if not unicodedata.combining(c) or _EAST.match(c))
    return unicodedata.normalize("NFC", kept)


def _pieces(word: str) -> list[str]:
    """Pairs of neighbours of a word without spaces between its words; others as they are."""
    if not _EAST.search(word):
        return [word] if len(word) < _LONGEST else []
    if len(word) == 1:
        return [word]
    return [word[at : at + 2] for at in range(len(word) - 1)]


def _groups() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for line in WORDS_ALIKE:
        group = [stem(one) for one in line.split()]
        for one in group:
            others = found.setdefault(one, {})
            others.update((other, None) for other in group if other != one)
    return {one: tuple(others) for one, others in found.items()}


_ALIKE = _groups()
_COMMON = frozenset(stem(one) for one in COMMON_WORDS.split())
