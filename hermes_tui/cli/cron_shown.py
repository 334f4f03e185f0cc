"""Jobs and runs as `hermes cron` prints them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hermes_tui.cli import output
from hermes_tui.cron.schedule import moment
from hermes_tui.intents import JobInfo, JobRun


def say_jobs(jobs: Sequence[JobInfo]) -> None:
    """A line a job."""
    rows = [(one.id, one.spec.name, _state(one), one.text, _next(one), _last(one)) for one in jobs]
    if rows:
        output.table(rows, ("id", "name", "state", "schedule", "next", "last"))
    print(f"{len(rows)} jobs", file=sys.stderr)


def say_job(info: JobInfo) -> None:
    """All of a job, and when it comes next."""
    spec = info.spec
    print(f"{info.id}  {output.clean(spec.name)}".rstrip())
    facts = {
        "state": _state(info),
        "schedule": f"{info.text}  ({info.zone})",
        "prompt": spec.prompt,
        "script": spec.script,
        "say": spec.say,
        "folder": spec.folder,
        "mode": spec.mode if spec.prompt else "",
        "model": spec.model,
        "skills": ", ".join(spec.skills),
        "tools": f"{len(spec.tools)} of when it was made" if spec.prompt else "",
        "context from": ", ".join(spec.context_from),
        "deliver to": ", ".join(spec.deliver),
        "overlap": spec.overlap,
        "catch up": spec.catch_up
        or ("within 1d" if spec.schedule and len(info.next) < 2 else "within 2h"),
        "limits": _limits(info),
        "retries": str(spec.retries) if spec.retries else "",
        "runs": f"{info.runs} of {spec.times}" if spec.times else str(info.runs),
        "last": _last(info),
    }
    for name, value in facts.items():
        if value:
            print(f"  {name:<13}{output.clean(value)}")
    for ts in info.next:
        print(f"  {'next':<13}{moment(ts, info.zone)}")
    for remark in info.remarks:
        print(f"  {'note':<13}{remark}")


def say_runs(runs: Sequence[JobRun]) -> None:
    """A line a time: what became of it, and apart from that, whether its answer arrived."""
    rows = [
        (
            str(one.id),
            one.job,
            output.when(one.slot),
            one.state,
            ", ".join(f"{sent.target} {sent.state}" for sent in one.deliveries),
            one.error or one.note or one.text[:80],
        )
        for one in runs
    ]
    if rows:
        output.table(rows, ("run", "job", "due", "state", "delivery", "about"))
    print(f"{len(rows)} times", file=sys.stderr)


def say_run(run: JobRun) -> None:
    """One run with its answer."""
    print(f"run {run.id}: {run.state}", file=sys.stderr)
    if run.error:
        print(output.plain(run.error), file=sys.stderr)
    if run.text:
        print(output.plain(run.text))
    for sent in run.deliveries:
        print(f"{sent.target}: {sent.state} {sent.detail}".rstrip(), file=sys.stderr)


def _state(info: JobInfo) -> str:
    return "running" if info.running else info.state


def _next(info: JobInfo) -> str:
    return moment(info.next[0], info.zone) if info.next else ""


def _last(info: JobInfo) -> str:
    last = info.last
    return f"{last.state} {output.when(last.slot)}" if last else ""


def _limits(info: JobInfo) -> str:
    spec = info.spec
    parts = [f"{spec.limit_s:g} s"]
    parts += [f"{spec.tokens:,} tokens"] if spec.tokens else []
    parts += [f"${spec.dollars:g}"] if spec.dollars else []
    return ", ".join(parts)
