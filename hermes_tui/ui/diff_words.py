"""Which words of a changed line are the change: pairs of removed and added lines compared."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hermes_tui.ui.diff_model import Row

Span = tuple[int, int]

LONGEST = 400
"""Characters of a line above which its words are not compared."""
MOST = 40
"""Lines of a change above which they are not paired: it is a rewrite, not an edit."""
_ALIKE = 0.4
_WORD = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\\W_]+|\\s+|[\\W_]")


def partners(rows: Sequence[Row]) -> dict[int, int]:
    """For each removed row the added one it became, and the other way round, by index."""
    found: dict[int, int] = {}
    at = 0
    while at < len(rows):
        start = at
        while at < len(rows) and rows[at].kind == "del":
            at += 1
        middle = at
        while at < len(rows) and rows[at].kind == "add":
            at += 1
        size = min(middle - start, at - middle)
        if size > 0 and at - start <= 2 * MOST:
            found |= {start + n: middle + n for n in range(size)}
            found |= {middle + n: start + n for n in range(size)}
        at = max(at, start + 1)
    return found


def changed(old: str, new: str) -> tuple[list[Span], list[Span]]:
    """The characters that are gone and those that came; nothing when the lines have too little
    in common for that to be of use."""
    if not old.strip() or not new.strip() or max(len(old), len(new)) > LONGEST:
        return [], []
    from difflib import SequenceMatcher

    before, after = _WORD.findall(old), _WORD.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    same = sum(
        len("".join(before[a : a + size]).strip()) for a, _, size in matcher.get_matching_blocks()
    )
    if 2 * same < _ALIKE * (len(old.strip()) + len(new.strip())):
        return [], []
    gone: list[Span] = []
    come: list[Span] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        _add(gone, _span(before, a, b))
        _add(come, _span(after, c, d))
    return gone, come


def _span(words: list[str], start: int, end: int) -> Span:
    first = sum(map(len, words[:start]))
    return first, first + sum(map(len, words[start:end]))


def _add(spans: list[Span], span: Span) -> None:
    if span[1] > span[0]:
        spans.append(span)
