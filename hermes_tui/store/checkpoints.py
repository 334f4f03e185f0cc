"""The list of checkpoints: which tree a session's folder had before and after what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import apsw
from msgspec import Struct

from hermes_tui.store.db import Database

CheckpointKind = Literal["turn", "again", "back"]

_FIELDS = "id, turn, kind, made, root, before, after, files, bytes, problem"
DROPPED = "dropped to keep to the size"


class Checkpoint(Struct, frozen=True, kw_only=True):
    """One row. kind: before a `turn`, a call run `again`, or files taken `back`.

    before, after: digests of trees; before is empty when there is none, and `problem` says why;
    after is empty as long as what it stands before has not ended. made: Unix seconds; root: the
    folder; files and bytes: what the first tree keeps.
    """

    id: int = 0
    turn: int
    kind: CheckpointKind = "turn"
    made: float = 0.0
    root: str = ""
    before: str = ""
    after: str = ""
    files: int = 0
    bytes: int = 0
    problem: str = ""

    @property
    def changed(self) -> bool:
        """Whether files changed in it, as far as that is known."""
        return bool(self.before) and self.before != self.after


class CheckpointRows:
    """The rows in the database; every method is one transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(self, session: int, row: Checkpoint) -> int:
        """Add a row to the session of a key; its id."""

        def work(c: apsw.Connection) -> int:
            c.execute(
                "INSERT INTO checkpoint (session, turn, kind, made, root, before, after, files,"
                " bytes, problem) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(session, row.turn, row.kind, row.made, row.root, row.before, row.after),
                    *(row.files, row.bytes, row.problem),
                ),
            )
            return int(c.last_insert_rowid())

        return await self._db.write(work)

    async def close(self, ids: Iterable[int], after: str) -> None:
        """What these checkpoints stand before has ended with this tree."""
        wanted = [(after, one) for one in ids]

        def work(c: apsw.Connection) -> None:
            c.executemany("UPDATE checkpoint SET after = ? WHERE id = ?", wanted)

        await self._db.write(work, durable=False)

    async def of(self, session: int) -> list[Checkpoint]:
        """A session's rows, oldest first."""

        def work(c: apsw.Connection) -> list[Checkpoint]:
            rows: Any = c.execute(
                f"SELECT {_FIELDS} FROM checkpoint WHERE session = ? ORDER BY id", (session,)
            )
            return [_row(row) for row in rows]

        return await self._db.read(work)

    async def trees(self) -> list[tuple[int, str, str]]:
        """(id, before, after) of all that hold something, newest first."""

        def work(c: apsw.Connection) -> list[tuple[int, str, str]]:
            rows: Any = c.execute(
                "SELECT id, before, after FROM checkpoint WHERE before <> '' ORDER BY id DESC"
            )
            return [(int(row[0]), str(row[1]), str(row[2])) for row in rows]

        return await self._db.read(work)

    async def roots(self) -> list[str]:
        """The folders something is kept of."""

        def work(c: apsw.Connection) -> list[str]:
            rows: Any = c.execute("SELECT DISTINCT root FROM checkpoint WHERE before <> ''")
            return [str(row[0]) for row in rows]

        return await self._db.read(work)

    async def drop(self, ids: Iterable[int]) -> None:
        """Note that these hold nothing any more."""
        wanted = [(DROPPED, one) for one in ids]

        def work(c: apsw.Connection) -> None:
            c.executemany(
                "UPDATE checkpoint SET before = '', after = '', problem = ? WHERE id = ?", wanted
            )

        await self._db.write(work)


def _row(row: Any) -> Checkpoint:
    id_, turn, kind, made, root, before, after, files, size, problem = row
    return Checkpoint(
        id=id_,
        turn=turn,
        kind=kind,
        made=made,
        root=root,
        before=before,
        after=after,
        files=files,
        bytes=size,
        problem=problem,
    )
