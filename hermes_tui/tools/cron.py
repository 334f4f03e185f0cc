"""Jobs at set times, as the agent makes and looks after them for the user."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec
from msgspec import Struct

from hermes_tui.cron.schedule import zone_named
from hermes_tui.errors import ToolError
from hermes_tui.intents.cron import JobInfo, JobRun, JobSpec
from hermes_tui.security.policy import Action
from hermes_tui.tools.base import Context, ToolResult, tool

Do = Literal["add", "list", "show", "edit", "pause", "resume", "remove", "run", "history"]
_LOOKS = ("list", "show", "history")


class Task(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is done. prompt: a whole task for an agent that knows nothing of this conversation;
    say: a text told as it is, without a model, best for reminders; script: a shell command, whose
    output is told, or comes before the prompt; name: short; zone: such as Europe/Berlin, when it
    is not the user's own; deliver: origin (here), local, or a chat such as telegram."""

    prompt: str = ""
    say: str = ""
    script: str = ""
    name: str = ""
    zone: str = ""
    deliver: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()


_NO_TASK = Task()


def _describe(arguments: dict[str, Any], cwd: str) -> Action:
    """Making a job is agreed to with all that it would do; the card shows it whole."""
    action, schedule, task = arguments["action"], arguments["schedule"], arguments["task"]
    which = arguments["job"] or task.name
    if action in _LOOKS:
        return Action(tool="cron", kind="read", title=f"look at jobs {which}".strip())
    said = {"schedule": schedule, **msgspec.to_builtins(task)} if schedule or task != Task() else {}
    detail = "\n".join([f"{action} {which}".strip(), *(f"{k}: {v}" for k, v in said.items() if v)])
    title = f"{action} job {which}".strip()
    return Action(
        tool="cron",
        kind="persist",
        title=f"{title}, {schedule}" if schedule else title,
        detail=detail,
        cwd=cwd,
        sends=tuple(one for one in task.deliver if one not in ("origin", "local")),
        undo="`hermes cron remove` takes a job away",
    )


@tool(
    describe=_describe,
    words="schedule scheduled job recurring every day daily weekly later reminder remind alarm "
    "timer repeat automate periodically at night tomorrow 定时 提醒 每天 每周 计划任务 闹钟",
)
async def cron(
    action: Do, *, job: str = "", schedule: str = "", task: Task = _NO_TASK, ctx: Context
) -> ToolResult:
    """Run something for the user at set times, or remind them, also when nobody is there.

    job: id or name of one that is there.
    schedule: five cron fields, `every 2h`, `in 30m`, `2027-01-31 09:00`, or words such as
    `weekdays at 9` or 每天早上8点; tell the user the times it returns.
    """
    keeping = ctx.jobs.keeping
    if action == "list":
        infos = await keeping.list()
        lines = [line_of(one) for one in infos]
        return ToolResult(for_model="\n".join(lines) or "There are no jobs.")
    changes = {**msgspec.to_builtins(task), **({"schedule": schedule} if schedule else {})}
    if action == "add":
        info = await ctx.jobs.add(msgspec.convert(changes, JobSpec))
        return _of_info(info, "Made. ")
    if not job:
        raise ToolError(f"{action} needs the id or name of a job", "action=list shows them")
    if action == "edit":
        return _of_info(await keeping.edit(job, changes, by_agent=True), "Changed. ")
    if action in ("pause", "resume"):
        change = keeping.pause if action == "pause" else keeping.resume
        return _of_info(await change(job), f"{action.capitalize()}d. ")
    if action == "remove":
        await keeping.remove(job)
        return ToolResult(for_model=f"Removed {job}.")
    found = await keeping.jobs.get(job)
    if action == "run":
        run = await keeping.runner.run_now(found)
        return ToolResult(for_model=f"Run {run.id} of {found.name} was started.")
    if action == "history":
        runs = await keeping.jobs.runs(found.id, 20)
        lines = [run_line(one, found.schedule.zone) for one in runs]
        return ToolResult(for_model="\n".join(lines) or "It has not run yet.")
    return _of_info(await keeping.info(found), "")


def _of_info(info: JobInfo, said: str) -> ToolResult:
    text = f"{said}{line_of(info)}"
    if info.next:
        text += f"\nNext: {', '.join(shown(ts, info.zone) for ts in info.next)} ({info.zone})."
    text += "".join(f"\nNote: {one}." for one in info.remarks)
    return ToolResult(for_model=text, details={"job": info.id, "next": list(info.next)})


def line_of(info: JobInfo) -> str:
    """A job on a line."""
    spec = info.spec
    what = spec.say or spec.prompt or spec.script
    state = "" if info.state == "active" else f" ({info.state})"
    last = f"; last {info.last.state}" if info.last else ""
    return f"{info.id} {spec.name or '-'}{state}: {info.text}: {' '.join(what.split())[:100]}{last}"


def run_line(run: JobRun, zone: str) -> str:
    """A run on a line: that it ran, and apart from that, whether it arrived."""
    sent = "".join(f"; {one.target} {one.state}" for one in run.deliveries)
    why = run.error or run.note
    return f"{run.id} {shown(run.slot, zone)} {run.state}{sent}{f': {why}' if why else ''}"


def shown(ts: float, zone: str) -> str:
    """A moment as people read it, in a zone."""
    return f"{datetime.fromtimestamp(ts, zone_named(zone)):%a %Y-%m-%d %H:%M %Z}"
