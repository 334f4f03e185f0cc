"""The clock of the jobs: one timer to the next time, each time claimed before anything is done."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol

from msgspec.structs import replace

from hermes_tui.config.cron import CronConfig
from hermes_tui.cron.catching_up import GRACE_S, passed
from hermes_tui.cron.jobs import Job, Jobs
from hermes_tui.errors import HermesError, StoreError
from hermes_tui.intents.cron import JobRun

_log = logging.getLogger(__name__)
LONGEST_SLEEP_S = 60.0
"""A timer does not run while the machine sleeps, nor does it see the clock being set."""
_STORE_AGAIN_S = 60.0


class Work(Protocol):
    """What the clock sets going."""

    async def run(self, job: Job, run: JobRun, resumed: bool) -> JobRun:
        """Do a run and return it with its end. resumed: an earlier core had begun it."""
        ...

    async def deliver(self, job: Job, run: JobRun) -> None:
        """Send what a run has to say to where it is wanted."""
        ...

    def changed(self, job: str) -> None:
        """Tell whoever looks that a job changed."""
        ...


class Runner:
    """Runs jobs when they are due. `wake` after any change of a job."""

    def __init__(
        self,
        jobs: Jobs,
        work: Work,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        settings: Callable[[], CronConfig],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.jobs = jobs
        self.clock = clock
        self.pause: Callable[[float], Awaitable[None]] = asyncio.sleep
        self._work = work
        self._spawn = spawn
        self._settings = settings
        self._changed = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._going: dict[str, list[int]] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._room = asyncio.Semaphore(settings().parallel)

    # --- for others --------------------------------------------------------------------------

    @property
    def awake(self) -> bool:
        """Whether it runs jobs."""
        return self._loop is not None and not self._loop.done()

    async def start(self) -> None:
        """Go on with what an earlier core left, then keep time."""
        if self.awake:
            return
        jobs = {job.id: job for job in await self.jobs.list()}
        for run in reversed(await self.jobs.open_runs()):
            self._begin(jobs[run.job], run, 0.0)
        for run in await self.jobs.undelivered():
            self._spawn(self._deliver(jobs[run.job], run))
        self._loop = self._spawn(self._keep_time())

    def wake(self) -> None:
        """Look at the jobs again."""
        self._changed.set()

    def going(self, job: str) -> int:
        """How many runs of a job wait or go on."""
        return len(self._going.get(job, ()))

    async def run_now(self, job: Job) -> JobRun:
        """Run a job beside its schedule."""
        now = self.clock()
        run = JobRun(id=0, job=job.id, slot=now, state="waiting", note="asked for by hand")
        (made,) = await self.jobs.look(job.id, job.seen, [run])
        self._begin(job, made, 0.0)
        return made

    async def ended(self, run: int) -> JobRun:
        """Wait for the end of a run."""
        task = self._tasks.get(run)
        if task is not None:
            await asyncio.wait([task])
        return await self.jobs.run(run)

    async def stop_job(self, job: str) -> None:
        """Stop what goes on of a job."""
        tasks = [self._tasks[run] for run in self._going.get(job, ()) if run in self._tasks]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=5)

    def rest(self) -> None:
        """Begin nothing any more."""
        if self._loop is not None:
            self._loop.cancel()

    async def close(self) -> None:
        """Stop keeping time; runs stay as they are for the next core."""
        tasks = [*self._tasks.values(), *([self._loop] if self._loop else [])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=5)

    # --- time --------------------------------------------------------------------------------

    async def _keep_time(self) -> None:
        while True:
            self._changed.clear()
            try:
                wait = await self.tick() if self._settings().enabled else None
            except StoreError as error:
                _log.error("jobs: %s", error)
                wait = _STORE_AGAIN_S
            try:
                async with asyncio.timeout(wait):
                    await self._changed.wait()
            except TimeoutError:
                continue

    async def tick(self) -> float | None:
        """Set going what is due; returns seconds until it must be called again, None for never."""
        now = self.clock()
        due: list[tuple[Job, JobRun]] = []
        nearest: float | None = None
        for job in await self.jobs.list():
            if job.state != "active":
                continue
            due += await self._look(job, now)
            slot = job.schedule.after(now)
            if slot is not None:
                nearest = slot.at if nearest is None else min(nearest, slot.at)
        late = 0
        for job, run in sorted(due, key=lambda pair: pair[1].slot):
            behind = now - run.slot > GRACE_S
            self._begin(job, run, late * self._settings().stagger_s if behind else 0.0)
            late += behind
        if nearest is None:
            return None
        return min(max(nearest - self.clock(), 0.0), LONGEST_SLEEP_S)

    async def _look(self, job: Job, now: float) -> list[tuple[Job, JobRun]]:
        """Claim a job's times up to now; those it is to run now."""
        records = passed(job, now)
        if not records:
            if job.seen > now:  # the clock was set back
                await self.jobs.look(job.id, now, [])
            return await self._maybe_done(job, now, [])
        records = self._without_overlap(job, records)
        made = await self.jobs.look(job.id, now, records)
        if made:
            self._work.changed(job.id)
        return await self._maybe_done(
            job, now, [(job, run) for run in made if run.state == "waiting"]
        )

    def _without_overlap(self, job: Job, records: list[JobRun]) -> list[JobRun]:
        """The records, those a job may not run beside what it has going on as missed."""
        going = self.going(job.id)
        allowed = {"skip": 1 - going, "wait": 2 - going, "parallel": 10**6}[job.spec.overlap]
        if job.spec.catch_up == "all":
            allowed = 10**6 if job.spec.overlap != "skip" or not going else 0
        made: list[JobRun] = []
        for record in records:
            if record.state == "waiting":
                if allowed <= 0:
                    note = "the run before was still going on"
                    record = replace(record, state="missed", note=note)
                allowed -= 1
            made.append(record)
        return made

    async def _maybe_done(
        self, job: Job, now: float, due: list[tuple[Job, JobRun]]
    ) -> list[tuple[Job, JobRun]]:
        """End a job that has no times left, or has run as often as it should."""
        if job.spec.times:
            room = job.spec.times - await self.jobs.count(job.id)
            over = room <= 0
        else:
            over = job.schedule.after(now) is None
        if over:
            await self.jobs.state(job.id, "done")
            self._work.changed(job.id)
        return due

    # --- runs --------------------------------------------------------------------------------

    def _begin(self, job: Job, run: JobRun, delay: float) -> None:
        self._going.setdefault(job.id, []).append(run.id)
        task = self._spawn(self._do(job, run, delay))
        self._tasks[run.id] = task
        task.add_done_callback(lambda _: self._gone(job.id, run.id))

    def _gone(self, job: str, run: int) -> None:
        self._tasks.pop(run, None)
        self._going.get(job, [run]).remove(run)
        if not self._going.get(job):
            self._going.pop(job, None)
            self._turns.pop(job, None)

    async def _do(self, job: Job, run: JobRun, delay: float) -> None:
        """One run from its turn in the queue to its delivery."""
        if delay:
            await self.pause(delay)
        try:
            if job.spec.overlap == "parallel":
                async with self._room:
                    ended = await self._attempts(job, run)
            else:
                async with self._turns.setdefault(job.id, asyncio.Lock()), self._room:
                    ended = await self._attempts(job, run)
            if ended is not None:
                await self._deliver(job, ended)
                await self.jobs.trim(job.id, self._settings().keep_runs)
        except StoreError as error:
            _log.error("job %s: %s", job.name, error)
        self._work.changed(job.id)

    async def _attempts(self, job: Job, run: JobRun) -> JobRun | None:
        """Try until it works or the job's retries are used up; None when it is gone."""
        last = max(job.spec.retries + 1, run.attempt)
        resumed = run.state == "running"
        for attempt in range(run.attempt, last + 1):
            run = replace(run, attempt=attempt, started=run.started or self.clock())
            if not await self.jobs.begin(run):
                return None
            self._work.changed(job.id)
            run = await self._attempt(job, replace(run, state="running", error=""), resumed)
            resumed = False
            if run.state != "failed" or attempt == last:
                break
            await self.jobs.update(replace(run, state="running", session=""))
            await self.pause(job.spec.retry_s)
            run = replace(run, session="")
        run = replace(run, ended=self.clock())
        await self.jobs.update(run)
        return run

    async def _attempt(self, job: Job, run: JobRun, resumed: bool) -> JobRun:
        try:
            return await self._work.run(job, run, resumed)
        except HermesError as error:
            return replace(run, state="failed", error=str(error))
        except Exception as error:  # noqa: BLE001 - one broken run must not end the clock
            _log.error("job %s\n%s", job.name, traceback.format_exc())
            said = f"internal error: {type(error).__name__}: {error}"
            return replace(run, state="failed", error=said)

    async def _deliver(self, job: Job, run: JobRun) -> None:
        try:
            await self._work.deliver(job, run)
        except HermesError as error:
            _log.warning("job %s: not delivered: %s", job.name, error)
