"""Search over all conversations, plain full-text for now: best match first."""

from __future__ import annotations

from typing import Any

import apsw

from hermes_tui.intents import Hit
from hermes_tui.search.query import queries
from hermes_tui.store.db import Database

EXCERPT = 600

_SQL = """
SELECT s.id, s.title, m.n, m.ts, m.kind, m.data ->> 'message_id', m.data ->> 'role', m.text,
       bm25(message_index) * CASE m.kind WHEN 'tool_ended' THEN 0.5 ELSE 1.0 END AS score
  FROM message_index
  JOIN message m ON m.id = message_index.rowid
  JOIN session s ON s.key = m.session
 WHERE message_index MATCH ?
 ORDER BY score, m.id DESC
 LIMIT ?
"""


async def search(db: Database, text: str, limit: int) -> tuple[Hit, ...]:
    """Messages that match, best first; higher scores are better. Any text is a query."""

    def work(c: apsw.Connection) -> tuple[Hit, ...]:
        for query in queries(text):
            rows = list(c.execute(_SQL, (query, limit)))
            if rows:
                return tuple(_hit(row) for row in rows)
        return ()

    return await db.read(work)


def _hit(row: Any) -> Hit:
    session, title, n, ts, kind, message_id, role, text, score = row
    by_kind = {"input_received": "user", "reply_received": "assistant", "tool_ended": "tool"}
    return Hit(
        session=session,
        message=message_id or f"{session}:{n}",
        ts=ts,
        score=-score,
        text=text[:EXCERPT],
        title=title,
        role=role or by_kind.get(kind, "user"),
        n=n,
    )
