"""A clock that tests turn, and jobs on a real store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from datetime import datetime
from typing import Any

import pytest
from msgspec.structs import replace

from hermes_tui.config.cron import CronConfig
from hermes_tui.cron.jobs import Job, Jobs
from hermes_tui.cron.reading import read
from hermes_tui.cron.runner import Runner
from hermes_tui.home import Home
from hermes_tui.intents.cron import JobRun, JobSpec
from hermes_tui.store.db import Database


def at(text: str) -> float:
    """Unix seconds of an ISO text with an offset."""
    moment = datetime.fromisoformat(text)
    assert moment.tzinfo is not None
    return moment.timestamp()


async def eventually(true: Callable[[], Any], limit_s: float = 5.0) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(limit_s):
        while not true():  # noqa: ASYNC110 - what is waited for has no event of its own
            await asyncio.sleep(0.001)


class FakeWork:
    """Work that records what it was given; `hold` keeps runs going until it is let go."""

    def __init__(self) -> None:
        self.began: list[JobRun] = []
        self.resumed: list[bool] = []
        self.sent: list[JobRun] = []
        self.changes: list[str] = []
        self.ends: list[str] = []
        self.hold: asyncio.Event | None = None
        self.going = 0
        self.most = 0

    async def run(self, job: Job, run: JobRun, resumed: bool) -> JobRun:
        self.began.append(run)
        self.resumed.append(resumed)
        self.going += 1
        self.most = max(self.most, self.going)
        try:
            await asyncio.sleep(0)
            if self.hold is not None:
                await self.hold.wait()
        finally:
            self.going -= 1
        state: Any = self.ends.pop(0) if self.ends else "ok"
        if state == "crash":
            raise ZeroDivisionError("a defect")
        return replace(run, state=state, text="done")

    async def deliver(self, job: Job, run: JobRun) -> None:
        self.sent.append(run)

    def changed(self, job: str) -> None:
        self.changes.append(job)


class Desk:
    """A runner whose clock stands still until it is set."""

    def __init__(self, db: Database, group: asyncio.TaskGroup, now: float) -> None:
        self.now = now
        self.db = db
        self.group = group
        self.jobs = Jobs(db)
        self.settings = CronConfig(stagger_s=5.0, parallel=3)
        self.pauses: list[float] = []
        self.restart()

    def restart(self) -> None:
        """As if another core had started: nothing is in memory."""
        self.work = FakeWork()
        self.tasks: list[asyncio.Task[None]] = []
        self.runner = Runner(
            self.jobs, self.work, self._spawn, lambda: self.settings, lambda: self.now
        )
        self.runner.pause = self._pause

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self.group.create_task(work)
        self.tasks.append(task)
        return task

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def add(self, schedule: str, name: str = "j", zone: str = "UTC", **more: Any) -> Job:
        spec = JobSpec(name=name, prompt="p", schedule=schedule, **more)
        made = read(schedule, zone, self.now)
        job = Job(id=name, spec=spec, schedule=made, made=self.now, seen=self.now)
        await self.jobs.put(job)
        return job

    async def tick(self, when: str = "") -> float | None:
        """Set the clock, look, and wait for what that set going."""
        self.now = at(when) if when else self.now
        wait = await self.runner.tick()
        if self.work.hold is None:
            await self.settle()
        return wait

    async def settle(self) -> None:
        running = [task for task in self.tasks if not task.done()]
        if running:
            await asyncio.wait(running, timeout=5)

    async def states(self, job: str = "") -> list[str]:
        """States of all runs, oldest first."""
        return [run.state for run in reversed(await self.jobs.runs(job))]


@pytest.fixture
async def desk(home: Home) -> AsyncIterator[Callable[[str], Desk]]:
    db = Database(home.database).open()
    async with asyncio.TaskGroup() as group:
        yield lambda now: Desk(db, group, at(now))
    await db.close()
