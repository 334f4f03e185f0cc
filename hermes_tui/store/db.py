"""The one SQLite file: one owner, one writing thread, grouped commits.

Writes are queued; all that wait at one moment become one transaction. A durable write is on
disk when it returns (`synchronous=FULL`); a plain one survives the death of the process and is
made durable by the next durable one, because they share the write-ahead log.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import apsw
from msgspec import Struct

from hermes_tui.errors import DamagedError, StoreError
from hermes_tui.store import damage, spool

_log = logging.getLogger(__name__)
T = TypeVar("T")
Work = Callable[[apsw.Connection], Any]

MIGRATIONS = Path(__file__).parent / "migrations"
OLDEST_SQLITE = (3, 51, 3)
"""Older versions can corrupt a write-ahead log when it is reset (sqlite.org/wal.html)."""


class _Job(Struct):
    work: Work
    future: asyncio.Future[Any]
    writes: bool
    durable: bool
    spool: Callable[[], bytes] | None = None


_Outcome = tuple[_Job, Any, BaseException | None]


class Database:
    """The store's connection. `open` makes or migrates the file; `close` ends the threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.durable_commits = 0
        self.damage = ""
        """What is damaged so that nothing is written any more; empty: nothing."""
        self.rebuild: dict[str, damage.Rebuild] = {}
        """How indexes are filled that only upper layers know how to fill."""
        self.on_damage: Callable[[str], None] | None = None
        """Called on the loop: with "" when an index was made anew, else with what is damaged."""
        self._suspected = self._loose = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._writer = _Worker(self._run_batch)
        self._reader = _Worker(self._run_reads)
        self._write: apsw.Connection | None = None
        self._read: apsw.Connection | None = None

    def open(self) -> Database:
        """Open, check and migrate. Raises StoreError with what to do next."""
        if tuple(int(x) for x in apsw.sqlite_lib_version().split(".")) < OLDEST_SQLITE:
            raise StoreError("this apsw has a SQLite that is too old", "pip install -U apsw")
        try:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            self._write = self._connect(apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
            _migrate(self._write, self.path)
        except apsw.Error as error:
            raise _sentence(error, self.path) from error
        except OSError as error:
            raise StoreError(
                f"{self.path} can't be opened: {error.strerror}", "is it yours?"
            ) from error
        self._loop = asyncio.get_running_loop()
        self._writer.start("store-write")
        return self

    async def write(self, work: Callable[[apsw.Connection], T], *, durable: bool = True) -> T:
        """Run work inside a transaction and return its result once that is committed."""
        return await asyncio.shield(self.submit(work, durable=durable))

    def submit(
        self,
        work: Callable[[apsw.Connection], T],
        *,
        durable: bool = True,
        spooled: Callable[[], bytes] | None = None,
    ) -> asyncio.Future[T]:
        """The same, as a future: the work is done whether or not anybody waits for it.

        spooled: what of it goes to a file when the database is damaged and can't take it.
        """
        return self._submit(self._writer, _Job(work, self._future(), True, durable, spooled))

    def examine(self) -> None:
        """Have the file looked at for damage, before the next write."""
        self._suspected = True
        self.submit(_nothing, durable=False).add_done_callback(_looked)

    async def vacuum(self) -> None:
        """Give the room of what was deleted back to the disk; writes wait meanwhile."""
        self._loose = True
        await self.write(_nothing)

    async def read(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run work on a connection that sees everything committed so far."""
        if not self._reader.started:
            self._reader.start("store-read")
        return await asyncio.shield(
            self._submit(self._reader, _Job(work, self._future(), False, False))
        )

    async def close(self) -> None:
        """Finish what is queued and close the file."""
        for worker in (self._writer, self._reader):
            if worker.started:
                await asyncio.to_thread(worker.finish)
        for connection in (self._read, self._write):
            if connection is not None:
                connection.close()
        self._read = self._write = None

    def _future(self) -> asyncio.Future[Any]:
        if self._loop is None:
            raise StoreError("the store is not open")
        return self._loop.create_future()

    def _submit(self, worker: _Worker, job: _Job) -> asyncio.Future[Any]:
        worker.jobs.put(job)
        return job.future

    def _connect(self, flags: int) -> apsw.Connection:
        connection = apsw.Connection(str(self.path), flags=flags)
        connection.set_busy_timeout(5000)
        connection.execute("PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON;").fetchall()
        connection.execute(
            "PRAGMA journal_size_limit=33554432; PRAGMA temp_store=MEMORY"
        ).fetchall()
        return connection

    # --- on the worker threads -------------------------------------------------------------

    def _run_batch(self, jobs: list[_Job]) -> None:
        if self._suspected:
            self._look_at_damage()
        done = self._refuse(jobs) if self.damage else self._commit(jobs)
        if self._loose and not self.damage:
            self._tighten()
        self._resolve(done)

    def _tighten(self) -> None:
        assert self._write is not None
        self._loose = False
        try:
            self._write.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except apsw.Error as error:
            _log.warning("the database keeps its size: %s", error)

    def _commit(self, jobs: list[_Job], again: bool = True) -> list[_Outcome]:
        assert self._write is not None
        durable = any(job.durable for job in jobs)
        try:
            self._write.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            self._write.execute("BEGIN IMMEDIATE")
            done = [(job, *_attempt(self._write, job.work)) for job in jobs]
            self._write.execute("COMMIT")
            self.durable_commits += durable
        except apsw.Error as error:
            if self._write.in_transaction:
                self._write.execute("ROLLBACK")
            if isinstance(error, (apsw.CorruptError, apsw.NotADBError)) and again:
                self._look_at_damage()
                return self._refuse(jobs) if self.damage else self._commit(jobs, again=False)
            return [(job, None, _sentence(error, self.path)) for job in jobs]
        return done

    def _look_at_damage(self) -> None:
        """Find out what is damaged: make an index anew, or write nothing from now on."""
        assert self._write is not None
        self._suspected = False
        tables = damage.damaged(self._write)
        if not tables:
            return
        if damage.repairable(tables):
            try:
                damage.repair(self._write, tables, self.rebuild)
            except apsw.Error as error:
                tables = (*tables, str(error))
            else:
                self._tell_damage()
                return
        self.damage = f"{self.path} is damaged ({', '.join(tables)})"
        self._tell_damage()

    def _tell_damage(self) -> None:
        if self._loop is not None and not self._loop.is_closed() and self.on_damage is not None:
            self._loop.call_soon_threadsafe(self.on_damage, self.damage)

    def _refuse(self, jobs: list[_Job]) -> list[_Outcome]:
        """Write nothing to a damaged file; messages go to a file of their own."""
        lines = b"".join(job.spool() for job in jobs if job.spool is not None)
        where = self.path.with_name(spool.NAME)
        message = f"{self.damage}: nothing is written to it"
        if lines:
            try:
                spool.keep(self.path, lines)
                message += f"; what you wrote is kept in {where}"
            except OSError as error:
                message += f", and {where} can't be written either: {error.strerror}"
        failure = DamagedError(message, "`hermes restore` brings the newest good copy back")
        return [(job, None, failure) for job in jobs]

    def _run_reads(self, jobs: list[_Job]) -> None:
        if self._read is None:
            self._read = self._connect(apsw.SQLITE_OPEN_READWRITE)
        done: list[_Outcome] = []
        for job in jobs:
            try:
                done.append((job, job.work(self._read), None))
            except apsw.Error as error:
                if isinstance(error, (apsw.CorruptError, apsw.NotADBError)):
                    self._examine_soon()
                done.append((job, None, _sentence(error, self.path)))
            except BaseException as error:  # noqa: BLE001 - handed to the caller, who awaits it
                done.append((job, None, error))
        self._resolve(done)

    def _examine_soon(self) -> None:
        if self._loop is not None and not self._loop.is_closed() and not self.damage:
            self._loop.call_soon_threadsafe(self.examine)

    def _resolve(self, done: list[_Outcome]) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(_settle, done)


class _Worker:
    """A thread that takes all waiting jobs at once."""

    def __init__(self, run: Callable[[list[_Job]], None]) -> None:
        self.jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self.started = False
        self._run = run
        self._thread = threading.Thread(target=self._loop, daemon=True)

    def start(self, name: str) -> None:
        self._thread.name = name
        self.started = True
        self._thread.start()

    def finish(self) -> None:
        self.jobs.put(None)
        self._thread.join()

    def _loop(self) -> None:
        while True:
            waiting = [self.jobs.get()]
            while not self.jobs.empty():
                waiting.append(self.jobs.get())
            jobs = [job for job in waiting if job is not None]
            if jobs:
                self._run(jobs)
            if len(jobs) < len(waiting):
                return


def _attempt(connection: apsw.Connection, work: Work) -> tuple[Any, BaseException | None]:
    """One job of a batch in a savepoint of its own, so that it can fail alone."""
    value: Any = None
    try:
        with connection:
            value = work(connection)
    except (apsw.FullError, apsw.IOError, apsw.CorruptError):
        raise
    except BaseException as error:  # noqa: BLE001 - handed to the caller, who awaits it
        return None, error
    return value, None


def _nothing(connection: apsw.Connection) -> None:
    """No work: the look at the file comes before it."""


def _looked(future: asyncio.Future[None]) -> None:
    """Whoever writes next is told; nobody waits for the look itself."""
    if not future.cancelled():
        future.exception()


def _settle(done: list[_Outcome]) -> None:
    for job, value, error in done:
        if job.future.done():
            continue
        if error is not None:
            job.future.set_exception(error)
        else:
            job.future.set_result(value)


def _migrate(connection: apsw.Connection, database: Path) -> None:
    have = int(connection.pragma("user_version") or 0)
    wanted = sorted(MIGRATIONS.glob("[0-9]*.sql"))
    newest = int(wanted[-1].stem)
    if have > newest:
        raise StoreError(
            f"the database is of a newer version ({have}, this program knows {newest})",
            "install the newer hermes-tui again",
        )
    if 0 < have < newest:
        _copy_before(connection, database, newest)
    for path in (one for one in wanted if int(one.stem) > have):
        with connection:
            connection.execute(path.read_text("utf-8")).fetchall()
            connection.pragma("user_version", int(path.stem))


def _copy_before(connection: apsw.Connection, database: Path, newest: int) -> None:
    """Keep the file as it was before its tables change: a way back to the older program."""
    folder = database.parent / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    target = folder / f"before-{newest:04}.db"
    if target.exists():
        return
    making = folder / ".before.db"
    making.unlink(missing_ok=True)
    connection.execute("VACUUM INTO ?", (str(making),)).fetchall()
    making.chmod(0o600)
    os.replace(making, target)


def _sentence(error: apsw.Error, path: Path) -> StoreError:
    if isinstance(error, apsw.FullError):
        return StoreError("the disk is full: nothing was written", f"free some space for {path}")
    if isinstance(error, (apsw.CorruptError, apsw.NotADBError)):
        return StoreError(
            f"{path} is damaged: {error}", "`hermes restore` brings the newest good copy back"
        )
    if isinstance(error, (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError)):
        return StoreError(f"{path} can't be opened: {error}", "check its owner and permissions")
    return StoreError(f"the database said: {error}", f"the file is {path}")
