"""The jobs among the sessions: make, change and look at them, and have them run on time."""

from __future__ import annotations

import asyncio
import os
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from hermes_tui.cron.catching_up import check_policy
from hermes_tui.cron.jobs import Job, Jobs, new_id
from hermes_tui.cron.reading import local_zone, read
from hermes_tui.cron.runner import Runner
from hermes_tui.errors import HermesError
from hermes_tui.intents import Standing
from hermes_tui.intents.cron import JobInfo, JobSpec
from hermes_tui.runtime.cron_runs import JOB_ENV, CronRuns
from hermes_tui.runtime.heartbeat import Heartbeat

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.session import Session

NOT_IN_JOBS = frozenset({"cron", "ask_user"})
"""Tools no run has: a job makes no jobs, and nobody is there to be asked."""
SHOWN = 5
_MOST_JOBS = 1000


class KeepingJobs:
    """One core's jobs. Made at first use; they run once `start` was called."""

    def __init__(self, core: Core) -> None:
        self.jobs = Jobs(core.db)
        self.runs = CronRuns(core, self.jobs)
        self.runner = Runner(self.jobs, self.runs, core.spawn, lambda: core.config.cron)
        self.heartbeat = Heartbeat(core, self)
        self.runs.heartbeat = self.heartbeat
        self._core = core

    async def stand_again(self) -> None:
        """Give the sessions of runs that an earlier core began their limits back."""
        jobs = {job.id: job for job in await self.jobs.list()}
        await self.runs.stand_again(jobs, await self.jobs.open_runs())

    async def start(self) -> None:
        """Run jobs when they are due, from now on."""
        await self.heartbeat.settle()
        await self.runner.start()

    def rest(self) -> None:
        """Begin no run any more: the core is ending."""
        self.runner.rest()

    async def close(self) -> None:
        """Stop keeping time."""
        await self.runner.close()

    # --- making ------------------------------------------------------------------------------

    async def add(
        self, spec: JobSpec, standing: Standing, origin: str = "", by_agent: bool = False
    ) -> JobInfo:
        """Make a job. Raises HermesError for one that can't be."""
        if JOB_ENV in standing.env:
            raise HermesError("a job can't make jobs", "make it yourself with `hermes cron add`")
        known = await self.jobs.list()
        if len(known) >= _MOST_JOBS:
            raise HermesError(f"there are {_MOST_JOBS:,} jobs", "remove some: `hermes cron remove`")
        if spec.name and any(job.spec.name == spec.name for job in known):
            raise HermesError(
                f"there is a job {spec.name!r} already", "`hermes cron edit` changes it"
            )
        now = self.runner.clock()
        folder = spec.folder or standing.cwd
        spec = replace(
            spec,
            folder=await asyncio.to_thread(os.path.realpath, folder) if folder else "",
            tools=spec.tools or await self.tools_now(origin),
        )
        job = Job(
            id=new_id(),
            spec=spec,
            schedule=read(spec.schedule, spec.zone or self.zone, now),
            made=now,
            seen=now,
            origin=origin,
            by="agent" if by_agent else "person",
            env=standing.env,
        )
        await self._check(job)
        await self._keep(job)
        return await self.info(job)

    async def edit(self, which: str, changes: dict[str, Any], by_agent: bool = False) -> JobInfo:
        """Change what is set of a job. Raises HermesError for what can't be.

        A script counts as a person's only when a person wrote it.
        """
        job = await self.jobs.get(which)
        merged = {**msgspec.to_builtins(job.spec), **changes}
        try:
            spec = msgspec.convert(merged, JobSpec)
        except msgspec.ValidationError as error:
            raise HermesError(f"that can't be set of a job: {error}") from error
        now = self.runner.clock()
        if spec.folder != job.spec.folder:
            spec = replace(spec, folder=await asyncio.to_thread(os.path.realpath, spec.folder))
        changed = replace(job, spec=spec)
        if "script" in changes:
            changed = replace(changed, by="agent" if by_agent else "person")
        if {"schedule", "zone"} & changes.keys():
            schedule = read(spec.schedule, spec.zone or self.zone, now)
            state = "active" if job.state == "done" else job.state
            changed = replace(changed, schedule=schedule, seen=now, state=state)
        await self._check(changed)
        await self._keep(changed)
        return await self.info(changed)

    async def pause(self, which: str) -> JobInfo:
        """Have a job not run until it is resumed."""
        job = await self.jobs.get(which)
        if job.state == "done":
            raise HermesError(f"the job {job.name} has no times left")
        return await self._put(replace(job, state="paused"))

    async def resume(self, which: str) -> JobInfo:
        """Have a job run again; times that passed while it was paused are let go."""
        job = await self.jobs.get(which)
        now = self.runner.clock()
        if job.schedule.after(now) is None:
            raise HermesError(f"the job {job.name} has no times left", "give it a new schedule")
        return await self._put(replace(job, state="active", seen=now))

    async def remove(self, which: str) -> None:
        """Stop a job and forget it with its history."""
        job = await self.jobs.get(which)
        await self.runner.stop_job(job.id)
        await self.jobs.remove(job.id)
        self._told(job.id)

    async def _put(self, job: Job) -> JobInfo:
        await self._keep(job)
        return await self.info(job)

    async def _keep(self, job: Job) -> None:
        await self.jobs.put(job)
        self._told(job.id)
        if self._core.lasting:
            await self.start()

    def _told(self, job: str) -> None:
        self.runner.wake()
        self.runs.changed(job)

    async def _check(self, job: Job) -> None:
        """Raises HermesError for a job that could never do anything."""
        spec = job.spec
        if not (spec.prompt.strip() or spec.script.strip() or spec.say.strip()):
            raise HermesError("a job needs something to do", "a prompt, a script, or a text to say")
        if spec.say and (spec.prompt or spec.script):
            raise HermesError("a job that says a text has no prompt and no script")
        if NOT_IN_JOBS & set(spec.tools):
            raise HermesError("a job can't make jobs, nor ask anybody")
        check_policy(spec.catch_up)
        for target in spec.deliver:
            if not target.strip():
                raise HermesError("a place to deliver to has no name", "local, origin, telegram …")
        for which in spec.context_from:
            other = await self.jobs.get(which)
            if other.id == job.id:
                raise HermesError("a job can't wait for its own answer")

    async def tools_now(self, origin: str) -> tuple[str, ...]:
        """All tools there are now: a job never gets more than those."""
        from hermes_tui.tools.registry import build

        outer = ()
        if origin:
            outer = await self._core.outside.tools(await self._core.session(origin))
        every = build(self._core.config.tools, "full", outer)
        return tuple(name for name in every if name not in NOT_IN_JOBS)

    # --- looking -----------------------------------------------------------------------------

    @property
    def zone(self) -> str:
        """The zone of jobs that name none."""
        return self._core.config.cron.zone or local_zone()

    async def list(self) -> tuple[JobInfo, ...]:
        """All jobs, the one due next first."""
        infos = [await self.info(job) for job in await self.jobs.list()]
        return tuple(sorted(infos, key=lambda one: (one.next[:1] or (float("inf"),), one.made)))

    async def info(self, job: Job) -> JobInfo:
        """A job as it stands."""
        last = await self.jobs.runs(job.id, 1)
        slots = job.schedule.slots(self.runner.clock()) if job.state == "active" else iter(())
        return JobInfo(
            id=job.id,
            spec=job.spec,
            state=job.state,
            made=job.made,
            origin=job.origin,
            by=job.by,
            zone=job.schedule.zone,
            text=job.schedule.text,
            next=tuple(slot.at for slot in islice(slots, SHOWN)),
            remarks=job.schedule.remarks(),
            last=last[0] if last else None,
            running=self.runner.going(job.id),
            runs=await self.jobs.count(job.id),
        )


class SessionJobs:
    """The jobs, as one session's tools use them."""

    def __init__(self, keeping: KeepingJobs, session: Session) -> None:
        self._keeping = keeping
        self._session = session

    @property
    def keeping(self) -> KeepingJobs:
        """All jobs. Raises HermesError inside a run: a job makes no jobs."""
        if JOB_ENV in self._session.env or self._session.only is not None:
            raise HermesError("a job can't make or change jobs")
        return self._keeping

    async def add(self, spec: JobSpec) -> JobInfo:
        """Make a job of this session's."""
        env = {k: v for k, v in self._session.env.items() if not k.startswith("HERMES_TUI")}
        standing = Standing(cwd=self._session.cwd, env=env)
        return await self.keeping.add(spec, standing, self._session.id, by_agent=True)
