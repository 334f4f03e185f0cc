"""What looking after the store asks of the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw


def oldest(connection: apsw.Connection, limit: int) -> list[tuple[str, str, int]]:
    """(id, title, bytes of events) of sessions that are not pinned, least recently used first.

    The newest of all is not among them.
    """
    rows: list[Any] = list(
        connection.execute(
            "SELECT id, title, (SELECT coalesce(sum(length(data)), 0) + 64 * count(*) FROM event"
            " WHERE event.session = session.key) FROM session WHERE NOT pinned"
            " AND key <> (SELECT key FROM session ORDER BY updated DESC, key DESC LIMIT 1)"
            " ORDER BY updated, key LIMIT ?",
            (limit,),
        )
    )
    return [(str(id_), str(title), int(taken)) for id_, title, taken in rows]


def inputs_among(connection: apsw.Connection, ids: Sequence[str]) -> frozenset[str]:
    """Which of these inputs are in some session already."""
    marks = ", ".join("?" * len(ids))
    rows: list[Any] = list(
        connection.execute(
            "SELECT data ->> 'input_id' FROM event WHERE kind = 'input_received'"
            f" AND data ->> 'input_id' IN ({marks})",
            tuple(ids),
        )
    )
    return frozenset(str(row[0]) for row in rows)
