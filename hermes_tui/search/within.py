"""Finding a pattern in one session's messages and outputs, newest first, without an index."""

from __future__ import annotations

import re
from typing import Any

import apsw

from hermes_tui.search.pattern import required_word
from hermes_tui.store.db import Database

_SQL = """
SELECT n, text FROM message
 WHERE session = (SELECT key FROM session WHERE id = ?) AND n < ? AND data LIKE '%' || ? || '%'
 ORDER BY n DESC
"""


async def find_within(
    db: Database, session: str, pattern: re.Pattern[str], before: int, limit: int
) -> tuple[int, ...]:
    """Numbers of the events below `before` whose text matches, newest first, at most `limit`."""

    word = required_word(pattern)
    sure = word if word.isascii() else ""  # SQLite folds ASCII letters only

    def work(c: apsw.Connection) -> tuple[int, ...]:
        found: list[int] = []
        rows: Any = c.execute(_SQL, (session, before, sure))
        for n, text in rows:
            if pattern.search(text):
                found.append(n)
                if len(found) >= limit:
                    break
        return tuple(found)

    return await db.read(work)
