"""Unified diffs, quick on long files too."""

from __future__ import annotations

import difflib

from hermes_tui.tools.file_text import showable

_COMPARED = 4_000
_AROUND = 3


def unified(old: str, new: str, name: str) -> str:
    """What changed in a text, as a unified diff."""
    if old == new:
        return ""
    before, after = showable(old).splitlines(keepends=True), showable(new).splitlines(keepends=True)
    hunks = _hunks(before, after)
    head = f"--- {name if old else '/dev/null'}\n+++ {name}\n"
    return head + "".join(line if line.endswith("\n") else _no_end(line) for line in hunks)


def shorten(diff: str, limit: int) -> str:
    """The first `limit` characters of a diff, and how many more there are."""
    if len(diff) <= limit:
        return diff
    return diff[:limit] + f"\n[… {len(diff) - limit:,} more characters of this diff …]\n"


def count(diff: str) -> tuple[int, int]:
    """(added, removed) lines of a unified diff."""
    body = diff.splitlines()[2:]
    return sum(line[:1] == "+" for line in body), sum(line[:1] == "-" for line in body)


def _hunks(before: list[str], after: list[str]) -> list[str]:
    same = _same_start(before, after)
    end = _same_start(before[same:][::-1], after[same:][::-1])
    changed = len(before) + len(after) - 2 * (same + end)
    if changed > _COMPARED:
        return _replaced(before, after, same, end)
    first = max(0, same - _AROUND)
    last = max(0, end - _AROUND)
    lines = difflib.unified_diff(
        before[first : len(before) - last], after[first : len(after) - last], n=_AROUND
    )
    return [_moved(line, first) for line in list(lines)[2:]]


def _same_start(one: list[str], other: list[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _replaced(before: list[str], after: list[str], same: int, end: int) -> list[str]:
    """One hunk that takes all changed lines out and puts the new ones in."""
    gone, come = before[same : len(before) - end], after[same : len(after) - end]
    header = f"@@ -{same + 1},{len(gone)} +{same + 1},{len(come)} @@\n"
    return [header, *("-" + line for line in gone), *("+" + line for line in come)]


def _moved(line: str, by: int) -> str:
    """A hunk header with its line numbers moved down."""
    if not by or not line.startswith("@@"):
        return line
    _, old, new, _ = line.split(" ", 3)
    return f"@@ -{_shift(old, by)} +{_shift(new, by)} @@\n"


def _shift(span: str, by: int) -> str:
    start, comma, length = span[1:].partition(",")
    return f"{int(start) + by}{comma}{length}"


def _no_end(line: str) -> str:
    return line + "\n\\ No newline at end of file\n"
