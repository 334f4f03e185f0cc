"""Finding entries by a few typed letters, fast enough to run on every key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from msgspec import Struct


class Entry(Struct, frozen=True, kw_only=True):
    """Something that can be picked. kind and key say what it is; words are searched as well.

    right: a short note at the right edge, such as a key or an age.
    """

    kind: str
    key: str
    title: str
    note: str = ""
    right: str = ""
    words: str = ""


E = TypeVar("E")
_WORD_START, _INSIDE, _SCATTERED, _IN_NOTE = 3000, 2000, 1000, 500


class Text(NamedTuple):
    """What an entry is searched in, folded once: its name, and the note beside it."""

    name: str
    note: str = ""


def text_of(entry: Entry) -> Text:
    """The text an entry is searched in."""
    return Text(f"{entry.title} {entry.words}".casefold(), entry.note.casefold())


def rank(query: str, entries: Sequence[tuple[Text, E]], limit: int = 200) -> list[E]:
    """The entries that match every word of the query, best first; all of them for no query.

    entries: pairs of a folded text and what it stands for. Equal matches keep their order.
    """
    words = query.casefold().split()
    if not words:
        return [one for _, one in entries[:limit]]
    found: list[tuple[int, int]] = []
    for at, (text, _) in enumerate(entries):
        total = score(words, text)
        if total:
            found.append((-total, at))
    found.sort()
    return [entries[at][1] for _, at in found[:limit]]


def score(words: Sequence[str], text: Text) -> int:
    """How well a folded text matches folded words; 0 when one of them is not in it at all."""
    total = 0
    for word in words:
        one = _in_name(word, text.name) or (_IN_NOTE if word in text.note else 0)
        if not one:
            return 0
        total += one
    return total


def _in_name(word: str, name: str) -> int:
    at = name.find(word)
    if at < 0:
        return _scattered(word, name)
    if at == 0 or not name[at - 1].isalnum():
        return _WORD_START - min(at, 500)
    start = name.find(" " + word)
    return _WORD_START - min(start, 500) if start >= 0 else _INSIDE - min(at, 500)


def _scattered(word: str, name: str) -> int:
    """The letters in order, not too far apart; short words would be found everywhere."""
    if len(word) < 3:
        return 0
    first = at = name.find(word[0])
    for letter in word[1:]:
        if at < 0:
            return 0
        at = name.find(letter, at + 1)
    if at < 0:
        return 0
    spread = at - first + 1 - len(word)
    return _SCATTERED - spread if spread <= 3 * len(word) else 0
