"""Copies of the database: each is read back whole before it counts, and put back the same way."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import apsw
from msgspec import Struct

from hermes_tui.errors import StoreError

PREFIX, END = "state-", ".db"
_MAKING = ".making.db"


class Snapshot(Struct, frozen=True, kw_only=True):
    """A copy that was proved sound. made: Unix seconds; version: of its tables."""

    path: Path
    made: float
    bytes: int
    sessions: int
    events: int
    version: int


def take(database: Path, folder: Path, now: float) -> Snapshot:
    """Copy a database that others may be writing to, prove the copy, keep it.

    Blocks: for a thread. Raises StoreError when the database or the copy is damaged, or the disk
    is full; nothing is left behind then.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    making = folder / _MAKING
    making.unlink(missing_ok=True)
    try:
        source = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            source.set_busy_timeout(5000)
            source.execute("VACUUM INTO ?", (str(making),)).fetchall()
        finally:
            source.close()
        making.chmod(0o600)
        proof = prove(making)
        _to_disk(making)
        stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
        target = folder / f"{PREFIX}{stamp}{END}"
        os.replace(making, target)
        _to_disk(folder)
    except apsw.Error as error:
        raise StoreError(f"no copy of the database could be made: {error}", _hint(error)) from error
    except OSError as error:
        raise StoreError(f"no copy of the database could be made: {error}") from error
    finally:
        making.unlink(missing_ok=True)
    os.utime(target, (now, now))
    return Snapshot(
        path=target,
        made=now,
        bytes=proof.bytes,
        sessions=proof.sessions,
        events=proof.events,
        version=proof.version,
    )


def prove(path: Path) -> Snapshot:
    """Read a copy whole. Raises StoreError when anything in it is damaged."""
    where = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        connection = apsw.Connection(where, flags=flags)
        try:
            said = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)")]
            version = int(connection.pragma("user_version") or 0)
            sessions = _count(connection, "session")
            events = _count(connection, "event")
        finally:
            connection.close()
    except apsw.Error as error:
        raise StoreError(f"{path} is no sound copy: {error}", _OTHER) from error
    if said != ["ok"]:
        raise StoreError(f"{path} is no sound copy: {said[0]}", _OTHER)
    info = path.stat()
    return Snapshot(
        path=path,
        made=info.st_mtime,
        bytes=info.st_size,
        sessions=sessions,
        events=events,
        version=version,
    )


def kept(folder: Path) -> list[Path]:
    """The copies there are, newest first."""
    return sorted(folder.glob(f"{PREFIX}*{END}"), reverse=True)


def prune(folder: Path, keep: int) -> list[Path]:
    """Remove all but the newest; those that were removed."""
    gone = kept(folder)[max(keep, 1) :]
    for path in gone:
        path.unlink(missing_ok=True)
    return gone


def put_back(copy: Path, database: Path, aside: Path, now: float) -> Snapshot:
    """Make a copy the database; what was there goes to the folder `aside`. No core may live.

    A death at any point leaves the old database or the new one, never none and no mixture. Jobs
    that were due since the copy was made do not run all at once. Raises StoreError, OSError.
    """
    prove(copy)
    fresh = database.with_name(database.name + ".new")
    fresh.unlink(missing_ok=True)
    shutil.copyfile(copy, fresh)
    fresh.chmod(0o600)
    _reconcile(fresh, now)
    proof = prove(fresh)
    _to_disk(fresh)
    aside.mkdir(mode=0o700, parents=True, exist_ok=True)
    for end in ("", "-wal", "-shm"):
        old = database.with_name(database.name + end)
        if old.exists():
            shutil.copy2(old, aside / old.name)
    # The old log must be gone before the new file is there, or it would be applied to it.
    for end in ("-wal", "-shm"):
        database.with_name(database.name + end).unlink(missing_ok=True)
    os.replace(fresh, database)
    _to_disk(database.parent)
    return proof


def _reconcile(path: Path, now: float) -> None:
    """Times of jobs that lie between the copy and now are let go, and runs under way are over."""
    connection = apsw.Connection(str(path))
    try:
        with connection:
            if _has(connection, "cron_job"):
                connection.execute("UPDATE cron_job SET seen = max(seen, ?)", (now,))
                connection.execute(
                    "UPDATE cron_run SET state = 'missed', note = 'before a backup was restored'"
                    " WHERE state IN ('waiting', 'running')"
                )
    except apsw.Error as error:
        raise StoreError(f"{path} can't be prepared: {error}", _OTHER) from error
    finally:
        connection.close()


def _has(connection: apsw.Connection, table: str) -> bool:
    found = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    return found is not None


def _count(connection: apsw.Connection, table: str) -> int:
    row = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(row[0]) if row else 0


def _to_disk(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


_OTHER = "`hermes restore --list` shows the others"


def _hint(error: apsw.Error) -> str:
    if isinstance(error, (apsw.CorruptError, apsw.NotADBError)):
        return "`hermes doctor` says what is damaged; `hermes restore` brings a copy back"
    return "is there room on the disk?"
