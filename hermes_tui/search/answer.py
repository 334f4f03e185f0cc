"""From the ids of messages to an answer: their text, the part of it that was found, a budget."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import apsw
from msgspec.structs import replace

from hermes_tui.intents import Hit
from hermes_tui.search.rank import Scores
from hermes_tui.store.message_index import PLACE_BITS

OVERHEAD = 60
"""Bytes that id, role and date of a message cost beside its text."""

_LEAD = 0.3
_SQL = f"""
SELECT j.value, s.id, s.title, e.n, e.ts, e.kind, e.data ->> 'message_id', e.data ->> 'role',
       CASE e.kind WHEN 'tool_ended' THEN e.data ->> 'for_model'
                   WHEN 'shell_ran' THEN (e.data ->> 'command') || char(10) || (e.data ->> 'output')
                   ELSE coalesce((SELECT w.data ->> 'text' FROM recall_edit x
                                    JOIN event w ON w.session = x.session AND w.n = x.edited
                                   WHERE x.session = s.key AND x.n = m.n), e.data ->> 'text') END
  FROM json_each(?) j
 CROSS JOIN recall_message m ON m.id = j.value
 CROSS JOIN recall_block b ON b.block = m.id >> {PLACE_BITS}
 CROSS JOIN session s ON s.key = b.session
 CROSS JOIN event e ON e.session = s.key AND e.n = m.n
"""
_BY_KIND = {
    "input_received": "user",
    "reply_received": "assistant",
    "tool_ended": "tool",
    "shell_ran": "tool",
}


def hits_of(
    c: apsw.Connection, ids: Sequence[int], scores: Scores, *, whole: bool = False
) -> list[Hit]:
    """The messages in the given order; a copy that a fork made of one is left out.

    whole: copies, too.
    """
    rows: Any = c.execute(_SQL, (json.dumps(list(ids)),))
    found = [_hit(row, scores) for row in rows]
    if whole:
        return found
    return list({_same(hit): hit for hit in reversed(found)}.values())[::-1]


def _same(hit: Hit) -> tuple[object, ...]:
    """What a message and its copy in a fork have in common; short ones are never taken for one."""
    return (hit.n, hit.ts, hit.text, "" if len(hit.text) > 40 else hit.session)


def _hit(row: Any, scores: Scores) -> Hit:
    id_, session, title, n, ts, kind, message_id, role, text = row
    return Hit(
        session=session,
        message=message_id or f"{session}:{n}",
        ts=ts,
        score=round(scores[id_], 6),
        text=text or "",
        title=title,
        role=role or _BY_KIND.get(kind, "user"),
        n=n,
    )


def excerpt(hit: Hit, words: Iterable[str], longest: int) -> Hit:
    """The hit with at most `longest` bytes of its text: the part that holds most of the words.

    Of a tool's output the first line stays, which says how the call ended.
    """
    if len(hit.text.encode()) <= longest:
        return hit
    text, head = hit.text, ""
    if hit.role == "tool":
        first, _, rest = text.partition("\n")
        if rest and len(first) < 80:
            head, text = first + "\n", rest
    room = max(20, longest - len(head.encode()))
    return replace(hit, text=head + _part(text, list(words), room))


def _part(text: str, words: list[str], room: int) -> str:
    start = _best_start(text, words, room)
    begin = text.rfind(" ", 0, start) + 1 if start and text[:start].isascii() else start
    begin = begin if start - begin < 40 else start
    lead = "…" if begin else ""
    kept = _cut(text[begin:], room - 6)
    return lead + kept + "…" * (begin + len(kept) < len(text))


def _best_start(text: str, words: list[str], room: int) -> int:
    """Where the part begins that holds the most different words."""
    stems = [re.escape(word.lower()[: max(3, len(word) - 2)]) for word in words if word]
    if not stems:
        return 0
    places = [m.start() for m in re.finditer("|".join(stems), text.lower())][:500]
    if not places:
        return 0
    wide = room // 2
    most = max(places, key=lambda at: len({text[p : p + 3] for p in places if at <= p < at + wide}))
    return max(0, most - int(room * _LEAD))


def _cut(text: str, size: int) -> str:
    return text.encode()[: max(size, 0)].decode("utf-8", "ignore")


def fit(hits: list[Hit], budget: int) -> list[Hit]:
    """As many of the hits as a budget of bytes holds, at least one; 0: all."""
    if not budget:
        return hits
    kept: list[Hit] = []
    left = budget
    for hit in hits:
        cost = len(hit.text.encode()) + OVERHEAD
        if cost > left:
            if not kept:
                kept.append(replace(hit, text=_cut(hit.text, left - OVERHEAD)))
            break
        kept.append(hit)
        left -= cost
    return kept
