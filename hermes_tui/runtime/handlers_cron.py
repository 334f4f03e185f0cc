"""What the core does about jobs when a face asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui import intents
from hermes_tui.intents import Done
from hermes_tui.runtime.cron_delivery import follow
from hermes_tui.runtime.face import Face

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core


async def list_jobs(core: Core, intent: intents.ListJobs, face: Face) -> intents.JobList:
    """All jobs."""
    return intents.JobList(jobs=await core.cron.list(), awake=core.lasting)


async def add_job(core: Core, intent: intents.AddJob, face: Face) -> intents.JobInfo:
    """Make a job."""
    return await core.cron.add(intent.spec, intent.standing, intent.session)


async def show_job(core: Core, intent: intents.ShowJob, face: Face) -> intents.JobInfo:
    """One job."""
    return await core.cron.info(await core.cron.jobs.get(intent.which))


async def edit_job(core: Core, intent: intents.EditJob, face: Face) -> intents.JobInfo:
    """Change what is set of a job."""
    return await core.cron.edit(intent.which, intent.changes)


async def change_job(core: Core, intent: intents.ChangeJob, face: Face) -> intents.JobInfo:
    """Pause or resume a job."""
    change = core.cron.pause if intent.to == "pause" else core.cron.resume
    return await change(intent.which)


async def remove_job(core: Core, intent: intents.RemoveJob, face: Face) -> Done:
    """Forget a job."""
    await core.cron.remove(intent.which)
    return Done()


async def run_job(core: Core, intent: intents.RunJob, face: Face) -> intents.JobRun:
    """Run a job now."""
    runner = core.cron.runner
    run = await runner.run_now(await core.cron.jobs.get(intent.which))
    return await runner.ended(run.id) if intent.wait else run


async def job_history(core: Core, intent: intents.JobHistory, face: Face) -> intents.JobRuns:
    """What became of a job's times."""
    job = (await core.cron.jobs.get(intent.which)).id if intent.which else ""
    jobs = core.cron.jobs
    runs = [await follow(core, jobs, run) for run in await jobs.runs(job, intent.limit)]
    return intents.JobRuns(runs=tuple(runs))
