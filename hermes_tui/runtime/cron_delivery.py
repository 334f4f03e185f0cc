"""Where the answer of a job goes, and what became of it there: apart from what became of the run.

`local` and `origin` are notices in a session, and are there when they are in its log. Other
targets are chats: the outbox of the gateways takes them.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.events import Notice
from hermes_tui.intents.cron import Delivery, JobRun

if TYPE_CHECKING:
    from hermes_tui.cron.jobs import Job, Jobs
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.session import Session

SILENT = "[SILENT]"
HERE = ("local", "origin")
_RECENT = 200
_NUMBER = "outbox:"
_LOOK_BACK = 400


def is_silent(text: str) -> bool:
    """Whether an answer says that there is nothing to say: the mark alone, first, or as last line.

    A mark somewhere in a sentence is a part of the sentence.
    """
    text = text.strip()
    return not text or text.startswith(SILENT) or text.rpartition("\n")[2].strip() == SILENT


def said_of(job: Job, run: JobRun) -> tuple[str, str]:
    """(what is to be told of a run, its level); empty for nothing. A failure is always told."""
    if run.state == "ok":
        return run.text.strip(), "info"
    if run.state in ("failed", "interrupted", "stopped"):
        return f"the job «{job.name}» did not end well ({run.state}): {run.error}", "warning"
    return "", "info"


async def deliver(core: Core, jobs: Jobs, job: Job, run: JobRun) -> None:
    """Send what a run has to say to each target that does not have it yet."""
    text, level = said_of(job, run)
    if not text:
        return
    known = {one.target: one for one in run.deliveries}
    for target in dict.fromkeys(job.spec.deliver or ("local",)):
        one = known.get(target)
        if one is not None and one.state in ("delivered", "unverified"):
            continue
        pending = Delivery(target=target, state="pending", ts=time.time())
        await jobs.delivered(run.id, pending)
        try:
            if target in HERE:
                done = await _tell(core, job, run, pending, (text, level))
            else:
                done = await _send(core, job, run, pending, text)
        except HermesError as error:
            done = replace(pending, state="failed", detail=str(error))
        await jobs.delivered(run.id, replace(done, ts=time.time()))


async def _tell(
    core: Core, job: Job, run: JobRun, pending: Delivery, said: tuple[str, str]
) -> Delivery:
    """A notice in the session a job was made in, or in the one that was used last."""
    session = await _session(core, job, run)
    if session is None:
        return replace(pending, state="delivered", detail="kept with the run: there is no session")
    text, level = said
    hint = f"job {job.id}, run {run.id}"
    n = await _already(core, session, hint)
    if not n:
        warning = level == "warning"
        shown = text if warning or job.spec.say else f"{job.name}: {text}"
        await session.add(Notice(text=shown, hint=hint, level="warning" if warning else "info"))
        n = session.last
        session.remarks.append(f"[The user was told by the job «{job.name}»: {text[:2000]}]")
    return replace(pending, state="delivered", proof=f"{session.id}:{n}")


async def _already(core: Core, session: Session, hint: str) -> int:
    """The number of the notice of a run, if an earlier core had come so far."""
    after = max(session.last - _LOOK_BACK, 0)
    for record in await core.log.read(session.id, after=after):
        if isinstance(record.event, Notice) and record.event.hint == hint:
            return record.n
    return 0


async def _session(core: Core, job: Job, run: JobRun) -> Session | None:
    if job.origin:
        with suppress(NotFoundError):  # it was deleted: then where the person is
            return await core.session(job.origin)
    watched = [
        one
        for one in core.sessions.values()
        if any(face.name in ("ui", "plain") for face in one.faces)
    ]
    if watched:
        return max(watched, key=lambda one: one.updated)
    for info in await core.log.list(limit=_RECENT):
        if not info.archived:  # as runs of jobs are
            return await core.session(info.id)
    return await core.session(run.session) if run.session else None


async def _send(core: Core, job: Job, run: JobRun, pending: Delivery, text: str) -> Delivery:
    """Hand it to the outbox under a key of its own, so that it is one text however often."""
    outbox: Any = core.outside.outbox
    if outbox is None:
        raise HermesError("there is no such target: no gateway is set up")
    number = await outbox.put(pending.target, text, key=f"cron:{run.id}:{pending.target}")
    return await _followed(outbox, replace(pending, proof=f"{_NUMBER}{number}"))


async def follow(core: Core, jobs: Jobs, run: JobRun) -> JobRun:
    """A run with its deliveries as the outbox has them now."""
    outbox: Any = core.outside.outbox
    if outbox is None:
        return run
    now: list[Delivery] = []
    for one in run.deliveries:
        if one.state == "pending" and one.proof.startswith(_NUMBER):
            found = await _followed(outbox, one)
            if found != one:
                await jobs.delivered(run.id, found)
            one = found
        now.append(one)
    return replace(run, deliveries=tuple(now))


async def _followed(outbox: Any, one: Delivery) -> Delivery:
    """A delivery as its text in the outbox stands: arrived is what the platform gave a number."""
    row = await outbox.row(int(one.proof.removeprefix(_NUMBER)))
    if row is None:
        return replace(one, state="unverified", proof="", detail="no longer in the outbox")
    doubt = "it may have arrived before" if row.doubt else ""
    if row.state == "sent":
        state = "delivered" if row.proof else "unverified"
        return replace(one, state=state, proof=row.proof, detail=doubt)
    if row.state in ("failed", "expired"):
        return replace(one, state="failed", proof="", detail=row.error or row.state)
    return replace(one, detail=row.error)
