"""What the agent does of its own: a check-in at set hours, and what it promised to remind of.

Both are jobs like others, with their own rules on top: silent unless there is something to tell,
never in the quiet hours, never more than so many messages a day. Off until it is switched on.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hermes_tui.config.cron import HeartbeatConfig
from hermes_tui.cron.jobs import Job
from hermes_tui.cron.promises import Promise, promise
from hermes_tui.cron.quiet import day_began, quiet_until
from hermes_tui.cron.reading import read
from hermes_tui.cron.schedule import moment
from hermes_tui.errors import HermesError
from hermes_tui.events import InputReceived
from hermes_tui.intents.cron import JobRun, JobSpec

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.keeping_jobs import KeepingJobs
    from hermes_tui.runtime.session import Session

_log = logging.getLogger(__name__)
ID = "heartbeat"
REMINDER = "r-"
"""How the ids of reminders begin."""
_PROMPT = (
    "Check in: go through the standing list. Tell the user only what they would want to be"
    " interrupted for; otherwise answer [SILENT]."
)
_MOST = 20_000
_LOOK_BACK = 60
_TELLS = ("remind", "提醒")


class Heartbeat:
    """The check-in and the reminders of one core."""

    def __init__(self, core: Core, keeping: KeepingJobs) -> None:
        self._core = core
        self._keeping = keeping
        self._since = core.started
        self._settled: HeartbeatConfig | None = None

    @property
    def _settings(self) -> HeartbeatConfig:
        return self._core.config.heartbeat

    async def settle(self) -> None:
        """Bring the jobs in line with the settings, and keep promises that memory holds."""
        try:
            await self._check_in()
            if self._settings.enabled:
                await self._promises()
        except HermesError as error:
            _log.warning("heartbeat: %s", error)

    async def _check_in(self) -> None:
        settings = self._settings
        if settings == self._settled:
            return
        known = {job.id: job for job in await self._keeping.jobs.list()}
        old = known.get(ID)
        if not settings.enabled:
            for job in known.values():
                if is_proactive(job) and job.state == "active":
                    await self._keeping.jobs.put(replace(job, state="paused"))
            self._settled = settings
            return
        now = self._keeping.runner.clock()
        spec = JobSpec(
            name=ID,
            prompt=_PROMPT,
            schedule=settings.schedule,
            model=settings.model,
            tokens=settings.tokens,
            deliver=settings.deliver,
            catch_up="skip",
            tools=await self._keeping.tools_now(""),
        )
        schedule = read(settings.schedule, self._keeping.zone, now)
        job = Job(id=ID, spec=spec, schedule=schedule, made=old.made if old else now, seen=now)
        await self._keeping.jobs.put(job)
        for one in known.values():
            if one.id.startswith(REMINDER) and one.state == "paused":
                await self._keeping.jobs.put(replace(one, state="active"))
        self._keeping.runner.wake()
        self._settled = settings

    # --- promises ----------------------------------------------------------------------------

    async def heard(self) -> None:
        """A turn has ended: keep what its person asked to be reminded of."""
        await self._keeping.start()
        await self.settle()
        if not self._settings.enabled:
            return
        for session in list(self._core.sessions.values()):
            if any(one in text.lower() for text in session.conversation.said for one in _TELLS):
                await self._hear(session)

    async def _hear(self, session: Session) -> None:
        """Reminders of a session, but for those the agent made a job of itself."""
        after = max(session.last - _LOOK_BACK * 10, 0)
        for record in await self._core.log.read(session.id, after=after):
            said = record.event
            if not isinstance(said, InputReceived) or record.ts < self._since:
                continue
            if not said.attended or await self._made_since(session.id, record.ts):
                continue
            found = promise(said.text, self._keeping.zone, record.ts)
            if found is not None:
                await self._keep(found, f"{session.id}:{record.n}", session.id)

    async def _made_since(self, session: str, ts: float) -> bool:
        jobs = await self._keeping.jobs.list()
        return any(
            job.origin == session and job.made >= ts and not job.id.startswith(REMINDER)
            for job in jobs
        )

    async def _promises(self) -> None:
        """Reminders that stand in what is remembered; each becomes a job once."""
        if not self._core.config.memory.enabled:
            return
        facts = self._core.memory.memory.facts
        for word in _TELLS:
            for fact in await facts.list(word, limit=50):
                if fact.state != "current" or fact.taint:
                    continue
                found = promise(fact.text, self._keeping.zone, fact.made)
                where = next((one.session for one in fact.sources), "")
                if found is not None and not await self._made_near(where, fact.made):
                    await self._keep(found, fact.id, where)

    async def _made_near(self, session: str, ts: float) -> bool:
        """Whether the agent made a job in the talk in which it noted the same."""
        jobs = await self._keeping.jobs.list()
        return bool(session) and any(
            job.origin == session and abs(job.made - ts) < 600 and job.by == "agent" for job in jobs
        )

    async def _keep(self, found: Promise, source: str, session: str) -> None:
        now = self._keeping.runner.clock()
        at = found.schedule.at
        about = f"{found.schedule.kind}|{found.schedule.line}|{at:.0f}|{found.what.lower()}"
        key = hashlib.sha256(about.encode()).hexdigest()[:8]
        name = f"{REMINDER}{key}"
        if any(job.id == name for job in await self._keeping.jobs.list()):
            return
        schedule = found.schedule
        if schedule.kind == "once":
            if at <= now:
                return
            told = quiet_until(at, self._settings.quiet, schedule.zone)
            schedule = replace(schedule, at=told)
        spec = JobSpec(
            say=f"You asked to be reminded: {found.what}",
            schedule=found.schedule.typed,
            deliver=self._settings.deliver,
            catch_up="7d",
        )
        job = Job(id=name, spec=spec, schedule=schedule, made=now, seen=now, origin=session)
        await self._keeping.jobs.put(replace(job, by="agent", env={"source": source}))
        self._keeping.runner.wake()
        self._keeping.runs.changed(name)

    # --- rules on top ------------------------------------------------------------------------

    async def held(self, job: Job, run: JobRun) -> JobRun | None:
        """The run as it ends when it may tell nothing now; None when it may."""
        now, zone = self._keeping.runner.clock(), job.schedule.zone
        if not self._settings.enabled:
            return replace(run, state="silent", note="not now: heartbeat.enabled is off")
        until = quiet_until(now, self._settings.quiet, zone)
        why = "quiet hours"
        if until <= now:
            began = day_began(now, zone)
            jobs = [one.id for one in await self._keeping.jobs.list() if is_proactive(one)]
            if await self._keeping.jobs.said(jobs, began) < self._settings.most_a_day:
                return None
            why = f"{self._settings.most_a_day} messages were told today"
            until = quiet_until(day_began(began + 36 * 3600, zone), self._settings.quiet, zone)
        if job.schedule.kind != "once":
            return replace(run, state="silent", note=f"not now: {why}")
        later = replace(job, schedule=replace(job.schedule, at=until), state="active", seen=now)
        await self._keeping.jobs.put(later)
        self._keeping.runner.wake()
        return replace(run, state="silent", note=f"kept until {moment(until, zone)}: {why}")

    async def standing_list(self) -> str:
        """The list of the check-in; empty when there is nothing on it."""
        path = self._core.home.path / self._settings.file
        text = await asyncio.to_thread(_read, path)
        lines = [line for line in text.splitlines() if line.strip()]
        return text.strip() if any(not line.lstrip().startswith("#") for line in lines) else ""


def is_proactive(job: Job) -> bool:
    """Whether a job is the agent's own: the check-in, or a reminder."""
    return job.id == ID or job.id.startswith(REMINDER)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MOST).decode("utf-8", "replace")
    except OSError:
        return ""
