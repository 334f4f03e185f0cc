"""Damage in the database: which tables have it, and the indexes made anew from the rows.

What can be made again from other rows (the search indexes) is thrown away and made again. A damage
anywhere else is for a person: the store stops writing and a backup is restored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import apsw

INDEXES = ("recall_index", "fact_index")
_DERIVED = ("recall_block", "recall_message", "recall_pending", "recall_summary")
Rebuild = Callable[[apsw.Connection], None]


def damaged(connection: apsw.Connection) -> tuple[str, ...]:
    """Names of the tables that are damaged; ("the whole file",) when not even that can be told.

    Reads every page of every table once.
    """
    try:
        rows = _rows(connection, "SELECT name FROM sqlite_schema WHERE type = 'table'")
    except apsw.Error:
        return ("the whole file",)
    return tuple(name for (name,) in rows if not _sound(connection, str(name)))


def repairable(tables: tuple[str, ...]) -> bool:
    """Whether all of it can be made again from the rows of other tables."""
    return bool(tables) and all(name in _DERIVED or _index_of(name) for name in tables)


def repair(
    connection: apsw.Connection, tables: tuple[str, ...], rebuild: Mapping[str, Rebuild]
) -> None:
    """Make the indexes anew that the damaged tables belong to. Raises apsw.Error when it fails.

    The index of messages comes back empty with every session waiting for it, so that messages can
    be appended at once; `message_index.index_some` fills it. rebuild: what fills the others.
    """
    indexes = {_index_of(name) or "recall_index" for name in tables}
    wanted = set(indexes)
    if "recall_index" in indexes:
        wanted |= set(_DERIVED)
    sql = _made_by(connection, wanted)
    _remove(connection, wanted)
    with connection:
        for statement in sql:
            connection.execute(statement)
        if "recall_index" in indexes:
            connection.execute(
                "INSERT INTO recall_pending (session) SELECT key FROM session WHERE last > 0"
            )
        for name in indexes & rebuild.keys():
            rebuild[name](connection)


def _rows(connection: apsw.Connection, sql: str) -> list[Any]:
    rows: Any = connection.execute(sql)
    return list(rows)


def _sound(connection: apsw.Connection, name: str) -> bool:
    try:
        said: list[Any] = list(connection.execute(f'PRAGMA quick_check("{name}")'))
    except apsw.Error:
        return False
    return [str(row[0]) for row in said] == ["ok"]


def _index_of(table: str) -> str:
    return next((one for one in INDEXES if table == one or table.startswith(one + "_")), "")


def _made_by(connection: apsw.Connection, names: set[str]) -> list[str]:
    """The statements that make tables and their own indexes, tables first."""
    rows: list[Any] = list(
        connection.execute(
            "SELECT tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type = 'index'"
        )
    )
    return [str(sql) for name, sql in rows if name in names]


def _remove(connection: apsw.Connection, names: set[str]) -> None:
    """Take tables out of the schema without reading a page of theirs, then free their pages."""
    connection.execute("PRAGMA writable_schema=ON").fetchall()
    try:
        with connection:
            for name in names:
                # the tables below an index of words have its name and an ending
                below = f"{name}_*" if name in INDEXES else name
                connection.execute(
                    "DELETE FROM sqlite_schema WHERE tbl_name = ? OR tbl_name GLOB ?",
                    (name, below),
                )
    finally:
        connection.execute("PRAGMA writable_schema=RESET").fetchall()
    connection.execute("VACUUM").fetchall()
