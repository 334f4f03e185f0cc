"""`/cron`: the jobs as Markdown; make, pause, resume, run and remove them from a conversation."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from hermes_tui.cron.reading import read
from hermes_tui.errors import HermesError
from hermes_tui.intents import JobSpec, Standing
from hermes_tui.tools.cron import line_of, run_line, shown

if TYPE_CHECKING:
    from hermes_tui.intents import JobInfo
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.session import Session

USAGE = "/cron [add SCHEDULE: PROMPT | show|pause|resume|run|remove|history JOB | next SCHEDULE]"


async def cron(core: Core, session: Session, args: str) -> str:
    """The answer to `/cron`. Raises HermesError for what it does not know."""
    word, _, rest = args.strip().partition(" ")
    rest = rest.strip()
    keeping = core.cron
    if word in ("", "list"):
        infos = await keeping.list()
        lines = [f"- {line_of(one)}" for one in infos]
        return "\n".join(lines) or f"There are no jobs.\n\n`{USAGE}`"
    if word == "next" and rest:
        schedule = read(rest, keeping.zone, keeping.runner.clock())
        slots = islice(schedule.slots(keeping.runner.clock()), 5)
        return _times(schedule.text, schedule.zone, [s.at for s in slots], schedule.remarks())
    if not rest or word not in ("add", "show", "pause", "resume", "run", "remove", "history"):
        raise HermesError(f"/cron does not know {args!r}", USAGE)
    if word == "add":
        return "Made. " + job_text(await _add(core, session, rest))
    if word == "pause":
        return job_text(await keeping.pause(rest))
    if word == "resume":
        return job_text(await keeping.resume(rest))
    if word == "remove":
        await keeping.remove(rest)
        return f"Removed `{rest}`."
    job = await keeping.jobs.get(rest)
    if word == "run":
        run = await keeping.runner.run_now(job)
        return f"Run {run.id} of `{job.name}` is under way."
    if word == "history":
        runs = await keeping.jobs.runs(job.id, 20)
        lines = [f"- {run_line(one, job.schedule.zone)}" for one in runs]
        return "\n".join(lines) or "It has not run yet."
    return job_text(await keeping.info(job))


async def _add(core: Core, session: Session, text: str) -> JobInfo:
    """`SCHEDULE: PROMPT`; the colon may be within a time, so the first that makes sense parts."""
    problem = HermesError("there is no prompt", "/cron add weekdays at 9: read me the news")
    for found in re.finditer(r"[:：]\s*(?=\S)", text):
        schedule, prompt = text[: found.start()].strip(), text[found.end() :].strip()
        if text[found.start()] == ":" and prompt == text[found.start() + 1 :].strip():
            followed = found.end() > found.start() + 1
            if not followed and prompt[:1].isdigit():
                continue  # 9:30
        try:
            read(schedule, core.cron.zone, core.cron.runner.clock())
        except HermesError as error:
            problem = error
            continue
        spec = JobSpec(schedule=schedule, prompt=prompt)
        standing = Standing(cwd=session.cwd, env=session.env)
        return await core.cron.add(spec, standing, session.id)
    raise problem


def job_text(info: JobInfo) -> str:
    """A job as Markdown: its line, and when it comes."""
    return f"{line_of(info)}\n\n{_times(info.text, info.zone, list(info.next), info.remarks)}"


def _times(text: str, zone: str, times: list[float], remarks: tuple[str, ...]) -> str:
    lines = [f"`{text}` ({zone}) comes:", "", *(f"- {shown(ts, zone)}" for ts in times)]
    return "\n".join([*lines, *(f"\n{one}." for one in remarks)])
