"""Words of the index that a mistyped word may stand for."""

from __future__ import annotations

from typing import Any

import apsw

_SHORTEST = 5
_START = 3
_MOST_READ = 1500
_VOCABULARY = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.recall_words"
    " USING fts5vocab('main', 'recall_index', 'row')"
)


def alike(c: apsw.Connection, word: str) -> tuple[str, ...]:
    """Stems of the index that begin like a word that is nowhere and differ by one letter.

    A wrong letter in the first three is not looked for: it would mean reading every word.
    """
    if len(word) < _SHORTEST or not word.isascii():
        return ()
    c.execute(_VOCABULARY)
    start = word[:_START]
    end = start[:-1] + chr(ord(start[-1]) + 1)
    rows: Any = c.execute(
        "SELECT term FROM temp.recall_words WHERE term >= ? AND term < ? LIMIT ?",
        (start, end, _MOST_READ),
    )
    found = [stem for (stem,) in rows if _is_alike(word, stem)]
    return tuple(sorted(found, key=len, reverse=True)[:3])


def _is_alike(word: str, stem: str) -> bool:
    if len(stem) < _START + 1 or len(word) - len(stem) > 5:
        return False
    return any(_one_apart(word[: len(stem) + more], stem) for more in (-1, 0, 1))


def _one_apart(one: str, other: str) -> bool:
    """Whether two words are the same, or one letter is wrong, missing, too many or swapped."""
    if one == other:
        return True
    if abs(len(one) - len(other)) > 1:
        return False
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if at is None:
        return True
    swapped = one[at + 1 : at + 2] == other[at] and other[at + 1 : at + 2] == one[at]
    return (
        one[at + 1 :] == other[at + 1 :]
        or one[at:] == other[at + 1 :]
        or one[at + 1 :] == other[at:]
        or (swapped and one[at + 2 :] == other[at + 2 :])
    )
