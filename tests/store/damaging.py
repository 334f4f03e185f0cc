"""Break a database file on purpose, page by page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw


def pages_of(path: Path, table: str) -> list[int]:
    """The pages of a table or index, its root page last."""
    connection = apsw.Connection(str(path))
    rows: Any = connection.execute(
        "SELECT pageno FROM dbstat WHERE name = ? ORDER BY path DESC", (table,)
    ).fetchall()
    connection.close()
    return [int(row[0]) for row in rows]


def settle(path: Path) -> int:
    """Bring the write-ahead log into the file; the size of a page."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    size: Any = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    return int(size[0])


def spoil(path: Path, table: str) -> None:
    """Overwrite every page of a table with bytes that are no page."""
    size = settle(path)
    pages = pages_of(path, table)
    assert pages
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * size)
            file.write(b"\xa5" * size)
