"""`hermes cron`: work at set times, from the command line and for scripts."""

from __future__ import annotations

import os
import sys
import time
from datetime import datetime
from itertools import islice
from typing import Annotated, Any

import msgspec
import typer

from hermes_tui.cli import output
from hermes_tui.cli.connect import with_core
from hermes_tui.cli.cron_options import ZONE, job_options
from hermes_tui.cli.cron_shown import say_job, say_jobs, say_run, say_runs
from hermes_tui.cli.output import PLAIN
from hermes_tui.config.cron import CronConfig
from hermes_tui.cron.fields import ScheduleError
from hermes_tui.cron.reading import local_zone, read
from hermes_tui.cron.schedule import due, moment, zone_named
from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.intents import (
    AddJob,
    ChangeJob,
    EditJob,
    JobHistory,
    JobInfo,
    JobRun,
    JobSpec,
    ListJobs,
    RemoveJob,
    RunJob,
    ShowJob,
)
from hermes_tui.runtime.client import CoreClient
from hermes_tui.runtime.standing import here

app = typer.Typer(
    **PLAIN,
    no_args_is_help=True,
    help="Jobs: what the agent does at set times, and what became of each of them.\n\n"
    "Example: hermes cron add 'weekdays at 9' 'Tell me what is new in my inbox'",
)
NOT_AWAKE = "no agent is awake to run it: `hermes daemon start`"
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Which = Annotated[str, typer.Argument(metavar="JOB", help="Its id such as j12ab34, or its name.")]


@app.command()
@job_options
def add(
    schedule: Annotated[
        str, typer.Argument(help="When: `weekdays at 9`, `0 9 * * 1-5`, `in 30m`.")
    ],
    prompt: Annotated[list[str] | None, typer.Argument(metavar="PROMPT", help="What.")] = None,
    json: Json = False,
    **fields: Any,
) -> None:
    """Make a job; prints when it will come.

    Example: hermes cron add 'every day at 8' 'What is the weather?' --deliver telegram
    """
    text = " ".join(prompt or ())
    spec = _spec({"deliver": ("local",), **fields, "schedule": schedule, "prompt": text})

    async def work(client: CoreClient) -> tuple[JobInfo, bool]:
        made = await client.ask(AddJob(spec=spec, standing=here()))
        return made, (await client.ask(ListJobs())).awake

    info, awake = with_core(work)
    _say_info(info, json)
    if not awake:
        print(NOT_AWAKE, file=sys.stderr)


@app.command("list")
def list_(json: Json = False) -> None:
    """List the jobs, the one due next first.

    Example: hermes cron list
    """
    found = with_core(lambda client: client.ask(ListJobs()))
    if json:
        output.emit(found.jobs)
        return
    say_jobs(found.jobs)
    if found.jobs and not found.awake:
        print(NOT_AWAKE, file=sys.stderr)


@app.command()
def show(which: Which, json: Json = False) -> None:
    """Show all of a job.

    Example: hermes cron show news
    """
    _say_info(with_core(lambda client: client.ask(ShowJob(which=which))), json)


@app.command()
@job_options
def edit(
    which: Which,
    schedule: Annotated[str | None, typer.Option("--schedule", help="When.")] = None,
    prompt: Annotated[str | None, typer.Option("--prompt", help="What.")] = None,
    json: Json = False,
    **fields: Any,
) -> None:
    """Change a job; what is not named stays. An empty text clears a field.

    Example: hermes cron edit news --schedule 'weekdays at 7' --catch-up once
    """
    words = {"schedule": schedule, "prompt": prompt}
    changes = {**fields, **{key: one for key, one in words.items() if one is not None}}
    if not changes:
        raise HermesError("there is nothing to change", "`hermes cron edit --help` lists it")
    intent = EditJob(which=which, changes=changes)
    _say_info(with_core(lambda client: client.ask(intent)), json)


@app.command()
def run(
    which: Which,
    wait: Annotated[bool, typer.Option("--wait", help="Until it has ended.")] = False,
    json: Json = False,
) -> None:
    """Run a job now, beside its schedule. Without a living agent it waits for the end.

    Example: hermes cron run news --wait
    """

    async def work(client: CoreClient) -> JobRun:
        awake = (await client.ask(ListJobs())).awake
        ran = await client.ask(RunJob(which=which, wait=wait or not awake))
        runs = (await client.ask(JobHistory(which=which, limit=20))).runs
        return next((one for one in runs if one.id == ran.id), ran)

    ran = with_core(work)
    if json:
        output.emit(ran)
    else:
        say_run(ran)
    if ran.state in ("failed", "interrupted", "stopped"):
        raise typer.Exit(1)


@app.command()
def pause(which: Which, json: Json = False) -> None:
    """Have a job not run until it is resumed.

    Example: hermes cron pause news
    """
    _say_info(with_core(lambda client: client.ask(ChangeJob(which=which, to="pause"))), json)


@app.command()
def resume(which: Which, json: Json = False) -> None:
    """Have a paused job run again; the times in between are let go.

    Example: hermes cron resume news
    """
    _say_info(with_core(lambda client: client.ask(ChangeJob(which=which, to="resume"))), json)


@app.command()
def remove(which: Which, json: Json = False) -> None:
    """Remove a job with its history.

    Example: hermes cron remove news
    """
    with_core(lambda client: client.ask(RemoveJob(which=which)))
    if json:
        output.emit({"removed": which})
    else:
        print(f"removed {output.clean(which)}")


@app.command()
def history(
    which: Annotated[str, typer.Argument(metavar="[JOB]", help="Its id or name.")] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1)] = 50,
    json: Json = False,
) -> None:
    """Show what became of each time: whether it ran, and whether its answer arrived.

    Example: hermes cron history news
    """
    runs = with_core(lambda client: client.ask(JobHistory(which=which, limit=limit))).runs
    if json:
        output.emit(runs)
    else:
        say_runs(runs)


@app.command("next")
def next_(
    schedule: Annotated[list[str], typer.Argument(metavar="SCHEDULE", help="In any form.")],
    zone: Annotated[str | None, ZONE] = None,
    since: Annotated[
        str | None, typer.Option("--from", metavar="ISO", help="Seen from then; else from now.")
    ] = None,
    count: Annotated[int, typer.Option("--count", metavar="N", min=1, max=10_000)] = 5,
    json: Json = False,
) -> None:
    """Show when a schedule comes; nothing is made.

    Example: hermes cron next 'every weekday at 9' --tz America/New_York --count 3
    """
    named = zone or _usual_zone()
    now = _moment(since, named) if since else time.time()
    made = read(" ".join(schedule), named, now)
    slots = list(islice(made.slots(now), count))
    if json:
        shown: dict[str, Any] = {"schedule": made.text, "kind": made.kind, "zone": made.zone}
        shown["next"] = [moment(slot.at, made.zone) for slot in slots]
        shown["notes"] = {moment(slot.at, made.zone): slot.note for slot in slots if slot.note}
        output.emit({**shown, "remarks": made.remarks()})
        return
    print(f"{made.text}  ({made.zone})")
    for slot in slots:
        note = f"  {slot.note}" if slot.note else ""
        print(f"  {moment(slot.at, made.zone)}{note}")
    for remark in made.remarks():
        print(remark, file=sys.stderr)


def _usual_zone() -> str:
    """The zone of the settings, if they can be read, else the machine's."""
    from hermes_tui.configuration.load import load

    cron: CronConfig = load(Home.find(), os.environ).config.cron
    return cron.zone or local_zone()


def _moment(text: str, zone: str) -> float:
    """Unix seconds of an ISO text, without an offset in a zone. Raises ScheduleError."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise ScheduleError(f"{text!r} is no date: {error}", "such as 2027-01-31T09:00") from error
    return at.timestamp() if at.tzinfo else due(at, zone_named(zone))[0]


def _spec(fields: dict[str, Any]) -> JobSpec:
    try:
        return msgspec.convert(fields, JobSpec)
    except msgspec.ValidationError as error:
        raise HermesError(f"that can't be set of a job: {error}") from error


def _say_info(info: JobInfo, json: bool) -> None:
    if json:
        output.emit(info)
    else:
        say_job(info)
