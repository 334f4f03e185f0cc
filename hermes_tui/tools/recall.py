"""Recall: search everything that was ever said with this person."""

from __future__ import annotations

import time
from itertools import groupby

from hermes_tui.errors import ToolError
from hermes_tui.intents import Hit, Hits
from hermes_tui.tools.base import Context, ToolResult, tool

_BUDGET = 4096


@tool(
    repeatable=True,
    words="search past earlier previous conversations sessions history remember what did we say"
    " last time yesterday last week find chat messages before",
)
async def recall(
    query: str, *, budget: int = _BUDGET, summary: bool = False, ctx: Context
) -> ToolResult:
    """Search all earlier conversations, this one included; the best messages with date and id.

    query: the question in plain words, in any language, such as "what did we decide about the
    backup last Tuesday"; also "exact phrase", -without, in:SESSION, from:, role:, before:, after:.
    budget: bytes of text in the answer.
    summary: first a few dated sentences, each with its source.
    """
    if not query.strip():
        raise ToolError("the query is empty", "ask in plain words")
    found = await ctx.recall.find(query, max(500, min(budget, ctx.window_chars)), summary)
    details = {"hits": len(found.hits), "note": found.note}
    return ToolResult(for_model=_told(found), details=details)


def _told(found: Hits) -> str:
    """The answer as the model reads it: messages by session, with their dates and ids."""
    lines = [found.summary, ""] if found.summary else []
    if not found.hits:
        lines.append("nothing was found")
    by_session: dict[str, list[Hit]] = {}
    for hit in found.hits:
        by_session.setdefault(hit.session, []).append(hit)
    for session, hits in by_session.items():
        title = f" “{hits[0].title}”" if hits[0].title else ""
        lines.append(f"# session {session}{title}")
        for day, some in groupby(sorted(hits, key=lambda hit: hit.n), key=lambda hit: _day(hit.ts)):
            lines.append(day)
            lines += [f"  [{hit.n}] {hit.role}: {hit.text.strip()}" for hit in some]
    if found.waiting:
        lines.append(f"({found.waiting} older sessions are still being indexed)")
    if found.note:
        lines.append(f"({found.note})")
    return "\n".join(lines)


def _day(ts: float) -> str:
    return time.strftime("%A %Y-%m-%d", time.localtime(ts))
