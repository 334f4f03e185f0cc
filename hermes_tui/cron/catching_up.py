"""What becomes of the times that passed since a job was last looked at."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from hermes_tui.cron.fields import ScheduleError
from hermes_tui.cron.jobs import Job, missed
from hermes_tui.cron.reading import length
from hermes_tui.cron.schedule import Slot, in_units
from hermes_tui.intents.cron import JobRun

GRACE_S = 90.0
"""A time that passed no longer ago is on time: the core was awake and busy, or just started."""
MOST = 500
"""Times that get a record of their own; earlier ones share one."""
MOST_MADE_UP = 100
_DEFAULT, _DEFAULT_ONCE = "2h", "1d"


def check_policy(text: str) -> str:
    """A catch-up policy. Raises ScheduleError for a text that is none."""
    if text and text not in ("skip", "once", "all") and not length(text):
        raise ScheduleError(
            f"{text!r} says nothing about times that passed unseen",
            "skip, once, all, or how late a run may be, such as 2h",
        )
    return text


def passed(job: Job, now: float) -> list[JobRun]:
    """A record for each time since the job was last looked at: to be run (`waiting`) or missed."""
    slots, more = _slots(job, now)
    if not slots:
        return []
    run = _chosen(job, slots, now)
    made: list[JobRun] = []
    for slot in slots:
        late = now - slot.at
        if slot in run:
            note = f"made up for, {in_units(late)} late" if late > GRACE_S else ""
            notes = "; ".join(filter(None, (note, slot.note)))
            made.append(JobRun(id=0, job=job.id, slot=slot.at, state="waiting", note=notes))
        else:
            made.append(
                missed(job.id, slot, f"the agent was not awake; seen {in_units(late)} late")
            )
    if more:
        first = missed(job.id, slots[0], f"the first of {more:,} or more that were missed", more)
        made[0] = first if made[0].state == "missed" else made[0]
    return made


def _slots(job: Job, now: float) -> tuple[Sequence[Slot], int]:
    """The times that passed, oldest first, and how many the first of them stands for."""
    since = min(job.seen, now)
    slots = list(islice(job.schedule.slots(since, now), MOST + 1))
    if len(slots) <= MOST:
        return slots, 0
    window = 3600.0
    recent: list[Slot] = []
    while len(recent) < 2 and now - window > since:
        recent = list(islice(job.schedule.slots(now - window, now), MOST))
        window *= 2
    first = slots[0]
    return [first, *(slot for slot in recent if slot.at > first.at)], len(slots)


def _chosen(job: Job, slots: Sequence[Slot], now: float) -> Sequence[Slot]:
    """The times to run: what is on time, and what the job's policy makes up for."""
    newest = slots[-1]
    if now - newest.at <= GRACE_S:
        on_time = [newest]
        return [*slots[:-1][-MOST_MADE_UP:], newest] if job.spec.catch_up == "all" else on_time
    policy = job.spec.catch_up or (_DEFAULT_ONCE if job.schedule.kind == "once" else _DEFAULT)
    if policy == "skip":
        return []
    if policy == "all":
        return slots[-MOST_MADE_UP:]
    if policy == "once" or now - newest.at <= (length(policy) or 0.0):
        return [newest]
    return []
