"""The jobs and what became of their times, in the store."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, cast

import apsw
import msgspec
from msgspec import Struct

from hermes_tui.cron.schedule import Schedule, Slot
from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.intents.cron import Delivery, JobRun, JobSpec
from hermes_tui.store.db import Database

State = Literal["active", "paused", "done"]
OPEN = ("waiting", "running")


class Job(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A job as it is kept. env: of who made it; seen: up to when its times were looked at."""

    id: str
    spec: JobSpec
    schedule: Schedule
    state: State = "active"
    made: float = 0.0
    seen: float = 0.0
    origin: str = ""
    by: Literal["person", "agent"] = "person"
    env: dict[str, str] = {}

    @property
    def name(self) -> str:
        """What people call it."""
        return self.spec.name or self.id


class Jobs:
    """The rows. Every write is on disk when it returns."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def list(self) -> tuple[Job, ...]:
        """All jobs, oldest first."""
        return await self._db.read(_jobs)

    async def get(self, which: str) -> Job:
        """A job by id or name. Raises NotFoundError."""
        found = [job for job in await self.list() if which in (job.id, job.spec.name)]
        if not found:
            raise NotFoundError(f"there is no job {which!r}", "`hermes cron list` shows them")
        if len(found) > 1:
            ids = ", ".join(job.id for job in found)
            raise HermesError(f"several jobs are called {which!r}", f"name one by its id: {ids}")
        return found[0]

    async def put(self, job: Job) -> None:
        """Keep a job, new or changed."""
        await self._db.write(partial(_put, job))

    async def remove(self, job: str) -> None:
        """Forget a job with all its runs."""
        await self._db.write(partial(_remove, job))

    async def look(self, job: str, seen: float, runs: Sequence[JobRun]) -> tuple[JobRun, ...]:
        """Note up to when a job's times were looked at, with the runs that came of them.

        Returns the runs that are new: a time that has a record already gets no second one.
        """
        return await self._db.write(partial(_look, job, seen, tuple(runs)))

    async def state(self, job: str, state: State) -> None:
        """Pause, resume or end a job."""
        await self._db.write(
            lambda c: c.execute("UPDATE cron_job SET state = ? WHERE id = ?", (state, job)).close()
        )

    async def update(self, run: JobRun) -> None:
        """Keep how a run stands."""
        await self._db.write(partial(_update, run))

    async def begin(self, run: JobRun) -> bool:
        """Take a waiting run; False when it is no longer there to be taken."""
        return await self._db.write(partial(_begin, run))

    async def delivered(self, run: int, delivery: Delivery) -> None:
        """Keep how a delivery stands."""
        await self._db.write(partial(_deliver, run, delivery))

    async def run(self, run: int) -> JobRun:
        """One run. Raises NotFoundError."""
        found = await self._db.read(partial(_runs, "WHERE id = ?", (run,), 1))
        if not found:
            raise NotFoundError(f"there is no run {run}")
        return found[0]

    async def runs(self, job: str = "", limit: int = 50) -> tuple[JobRun, ...]:
        """The runs of a job or of all, newest first."""
        where, values = ("WHERE job = ?", (job,)) if job else ("", ())
        return await self._db.read(partial(_runs, where, values, limit))

    async def open_runs(self) -> tuple[JobRun, ...]:
        """Runs that wait or go on."""
        return await self._db.read(partial(_runs, "WHERE state IN ('waiting','running')", (), -1))

    async def undelivered(self) -> tuple[JobRun, ...]:
        """Ended runs with a delivery that is still pending."""
        where = "WHERE ended > 0 AND id IN (SELECT run FROM cron_delivery WHERE state = 'pending')"
        return await self._db.read(partial(_runs, where, (), -1))

    async def count(self, job: str) -> int:
        """How many times a job has run."""
        return await self._db.read(partial(_count, job))

    async def said(self, jobs: Sequence[str], since: float) -> int:
        """How many answers of these jobs went out since a moment."""
        return await self._db.read(partial(_said, tuple(jobs), since))

    async def trim(self, job: str, keep: int) -> None:
        """Let go of the oldest records of a job."""
        await self._db.write(partial(_trim, job, keep), durable=False)


def new_id() -> str:
    """The id of a new job."""
    return f"j{secrets.token_hex(3)}"


def missed(job: str, slot: Slot, note: str, count: int = 1) -> JobRun:
    """The record of a time at which nothing was run, and why."""
    notes = "; ".join(filter(None, (note, slot.note)))
    return JobRun(id=0, job=job, slot=slot.at, state="missed", note=notes, missed=count)


def _jobs(c: apsw.Connection) -> tuple[Job, ...]:
    rows = cast(
        "list[Any]",
        c.execute("SELECT data, state, seen FROM cron_job ORDER BY made, id").fetchall(),
    )
    return tuple(
        msgspec.structs.replace(msgspec.json.decode(data, type=Job), state=state, seen=float(seen))
        for data, state, seen in rows
    )


def _put(job: Job, c: apsw.Connection) -> None:
    data = msgspec.json.encode(job).decode()
    c.execute(
        "INSERT INTO cron_job (id, state, made, seen, data) VALUES (?,?,?,?,?)"
        " ON CONFLICT (id) DO UPDATE SET state = excluded.state, seen = excluded.seen,"
        " data = excluded.data",
        (job.id, job.state, job.made, job.seen, data),
    )


def _remove(job: str, c: apsw.Connection) -> None:
    c.execute("DELETE FROM cron_job WHERE id = ?", (job,))


def _look(job: str, seen: float, runs: tuple[JobRun, ...], c: apsw.Connection) -> Any:
    """A record of a missed time gives way to a run of it: clocks are set back, too."""
    made: list[JobRun] = []
    for run in runs:
        row: Any = c.execute(
            "INSERT INTO cron_run (job, slot, state, note, missed) VALUES (?,?,?,?,?)"
            " ON CONFLICT (job, slot) DO UPDATE SET state = excluded.state, note = excluded.note,"
            " missed = excluded.missed WHERE cron_run.state = 'missed'"
            " AND excluded.state != 'missed' RETURNING id",
            (job, run.slot, run.state, run.note, run.missed),
        ).fetchone()
        if row:
            made.append(msgspec.structs.replace(run, id=int(row[0])))
    c.execute("UPDATE cron_job SET seen = ? WHERE id = ?", (seen, job))
    return tuple(made)


def _begin(run: JobRun, c: apsw.Connection) -> bool:
    c.execute(
        "UPDATE cron_run SET state = 'running', started = ?, attempt = ?"
        " WHERE id = ? AND state IN ('waiting', 'running')",
        (run.started, run.attempt, run.id),
    )
    return c.changes() > 0


def _update(run: JobRun, c: apsw.Connection) -> None:
    c.execute(
        "UPDATE cron_run SET state=?, started=?, ended=?, session=?, text=?, error=?, note=?,"
        " attempt=?, tokens=? WHERE id=?",
        (
            run.state,
            run.started,
            run.ended,
            run.session,
            run.text,
            run.error,
            run.note,
            run.attempt,
            run.tokens,
            run.id,
        ),
    )


def _deliver(run: int, one: Delivery, c: apsw.Connection) -> None:
    c.execute(
        "INSERT INTO cron_delivery (run, target, state, detail, proof, ts)"
        " SELECT id, ?, ?, ?, ?, ? FROM cron_run WHERE id = ?"
        " ON CONFLICT (run, target) DO UPDATE SET state = excluded.state,"
        " detail = excluded.detail, proof = excluded.proof, ts = excluded.ts",
        (one.target, one.state, one.detail, one.proof, one.ts, run),
    )


_FIELDS = (
    "id, job, slot, state, started, ended, session, text, error, note, attempt, tokens, missed"
)


def _runs(
    where: str, values: tuple[Any, ...], limit: int, c: apsw.Connection
) -> tuple[JobRun, ...]:
    order = "ORDER BY slot DESC, id DESC LIMIT ?"
    rows = cast(
        "list[Any]",
        c.execute(f"SELECT {_FIELDS} FROM cron_run {where} {order}", (*values, limit)).fetchall(),
    )
    names = _FIELDS.split(", ")
    runs = [
        msgspec.convert(dict(zip(names, row, strict=True)), JobRun, strict=False) for row in rows
    ]
    return tuple(msgspec.structs.replace(run, deliveries=_deliveries(run.id, c)) for run in runs)


def _deliveries(run: int, c: apsw.Connection) -> tuple[Delivery, ...]:
    rows = cast(
        "list[Any]",
        c.execute(
            "SELECT target, state, detail, proof, ts FROM cron_delivery WHERE run = ?"
            " ORDER BY target",
            (run,),
        ).fetchall(),
    )
    return tuple(
        Delivery(target=target, state=state, detail=detail, proof=proof, ts=float(ts))
        for target, state, detail, proof, ts in rows
    )


def _count(job: str, c: apsw.Connection) -> int:
    row: Any = c.execute(
        "SELECT count(*) FROM cron_run WHERE job = ? AND state != 'missed'", (job,)
    ).fetchone()
    return int(row[0])


def _said(jobs: tuple[str, ...], since: float, c: apsw.Connection) -> int:
    marks = ",".join("?" * len(jobs))
    row: Any = c.execute(
        f"SELECT count(*) FROM cron_run WHERE job IN ({marks}) AND ended >= ?"
        " AND id IN (SELECT run FROM cron_delivery WHERE state != 'failed')",
        (*jobs, since),
    ).fetchone()
    return int(row[0])


def _trim(job: str, keep: int, c: apsw.Connection) -> None:
    c.execute(
        "DELETE FROM cron_run WHERE job = ? AND state NOT IN ('waiting', 'running') AND slot <"
        " (SELECT min(slot) FROM (SELECT slot FROM cron_run WHERE job = ?"
        " ORDER BY slot DESC LIMIT ?))",
        (job, job, keep),
    )
