"""Texts compared and brought together by lines: differences, three-way merges, what got lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from difflib import SequenceMatcher

GUTTED = 0.4
"""An edit that drops more than this share of what a skill said is pointed out."""


class Merged(Struct, frozen=True):
    """conflicts: the places both sides changed; ours stands there."""

    text: str
    conflicts: int = 0


class Change(Struct, frozen=True, kw_only=True):
    """A run of lines that differs. Lines count from 0, the end is not part of it."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def merge(base: str, ours: str, theirs: str) -> Merged:
    """Both sides' changes to a text. Where they clash ours stands, and is counted."""
    if ours in (base, theirs):
        return Merged(theirs)
    if theirs == base:
        return Merged(ours)
    lines, mine, yours = _lines(base), _lines(ours), _lines(theirs)
    made = list[str]()
    conflicts = 0
    for start, end, left, right in _stretches(lines, mine, yours):
        was = lines[start:end]
        if left == was:
            made += right
        elif right in (was, left):
            made += left
        else:
            made += left
            conflicts += 1
    return Merged("".join(made), conflicts)


def diff(old: str, new: str, name: str = "SKILL.md", context: int = 3) -> str:
    """A unified diff; empty when both are the same. Its hunks are those of `hunks`."""
    before, after = _lines(old), _lines(new)
    made = list[str]()
    for group in _matcher(before, after).get_grouped_opcodes(context):
        spans = (group[0][1], group[-1][2]), (group[0][3], group[-1][4])
        made.append(f"@@ -{_span(*spans[0])} +{_span(*spans[1])} @@")
        for tag, a, b, c, d in group:
            if tag == "equal":
                made += [" " + line.rstrip("\r\n") for line in before[a:b]]
            else:
                made += ["-" + line.rstrip("\r\n") for line in before[a:b]]
                made += ["+" + line.rstrip("\r\n") for line in after[c:d]]
    if not made:
        return ""
    return "".join(f"{line}\n" for line in (f"--- a/{name}", f"+++ b/{name}", *made))


def hunks(old: str, new: str, context: int = 3) -> list[tuple[int, ...]]:
    """Which of the changes stand in each hunk of the diff, by their numbers."""
    found = list[tuple[int, ...]]()
    number = 0
    for group in _matcher(_lines(old), _lines(new)).get_grouped_opcodes(context):
        count = sum(tag != "equal" for tag, *_ in group)
        found.append(tuple(range(number, number + count)))
        number += count
    return found


def changes(old: str, new: str) -> list[Change]:
    """The runs of lines that differ, in order: what a person accepts or refuses one by one."""
    codes = _matcher(_lines(old), _lines(new)).get_opcodes()
    return [
        Change(old_start=a, old_end=b, new_start=c, new_end=d)
        for tag, a, b, c, d in codes
        if tag != "equal"
    ]


def apply(old: str, new: str, wanted: Collection[int]) -> str:
    """The old text with those of the changes to the new one whose numbers are wanted."""
    before, after = _lines(old), _lines(new)
    made = list[str]()
    at = 0
    for number, one in enumerate(changes(old, new)):
        made += before[at : one.old_start]
        keep = number in wanted
        made += after[one.new_start : one.new_end] if keep else before[one.old_start : one.old_end]
        at = one.old_end
    return "".join(made + before[at:])


def lost(old: str, new: str) -> float:
    """The share of an old text's words, by line, that a new one no longer has: 0 to 1.

    Lines that only moved are not lost; of a line that was reworded the words that stayed are not.
    """
    before = [line.strip() for line in old.splitlines() if line.strip()]
    after = [line.strip() for line in new.splitlines() if line.strip()]
    stayed, were = set(after), set(before)
    fresh = Counter(word for line in after if line not in were for word in line.split())
    gone = Counter(word for line in before if line not in stayed for word in line.split())
    total = sum(len(line.split()) for line in before)
    return (gone - fresh).total() / total if total else 0.0


def is_gutted(old: str, new: str) -> bool:
    """Whether an edit throws away so much of a skill that somebody should look at it."""
    return lost(old, new) > GUTTED


def _span(start: int, end: int) -> str:
    """A run of lines as the head of a hunk writes it."""
    size = end - start
    first = start + 1 if size else start
    return f"{first}" if size == 1 else f"{first},{size}"


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _matcher(one: list[str], other: list[str]) -> SequenceMatcher[str]:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, one, other, autojunk=False)


def _stretches(
    base: list[str], ours: list[str], theirs: list[str]
) -> Iterator[tuple[int, int, list[str], list[str]]]:
    """The base cut where both sides agree with it: (start, end, our lines, their lines)."""
    shared = _shared(base, ours, theirs)
    at = mine = yours = 0
    for start, left, right, size in shared:
        yield at, start, ours[mine:left], theirs[yours:right]
        same = base[start : start + size]
        yield start, start + size, same, same
        at, mine, yours = start + size, left + size, right + size


def _shared(base: list[str], ours: list[str], theirs: list[str]) -> list[tuple[int, int, int, int]]:
    """Runs of base lines that both sides still have: (base, ours, theirs, size), with an end."""
    left = _matcher(base, ours).get_matching_blocks()
    right = _matcher(base, theirs).get_matching_blocks()
    found = list[tuple[int, int, int, int]]()
    i = j = 0
    while i < len(left) and j < len(right):
        a, b = left[i], right[j]
        start, end = max(a.a, b.a), min(a.a + a.size, b.a + b.size)
        if start < end:
            found.append((start, a.b + start - a.a, b.b + start - b.a, end - start))
        if a.a + a.size < b.a + b.size:
            i += 1
        else:
            j += 1
    return [*found, (len(base), len(ours), len(theirs), 0)]
