"""One run of a job: a session of its own with nobody there, a script before it, limits around it.

What a run may do is decided by the same policy as anywhere, with nobody to ask. A run that an
earlier core had begun goes on in its session; a script that was cut off is not run again.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from hermes_tui.cron.jobs import Job, Jobs
from hermes_tui.cron.schedule import zone_named
from hermes_tui.errors import HermesError
from hermes_tui.events import JobsChanged, Record, ReplyReceived, TurnEnded, Usage
from hermes_tui.intents import ChangeSession, OpenSession, Send, SessionView, Standing, Stop
from hermes_tui.intents.cron import JobRun
from hermes_tui.runtime.cron_delivery import deliver, is_silent
from hermes_tui.runtime.heartbeat import is_proactive

if TYPE_CHECKING:
    from hermes_tui.runtime.core import Core
    from hermes_tui.runtime.heartbeat import Heartbeat
    from hermes_tui.runtime.local import LocalClient

_log = logging.getLogger(__name__)
JOB_ENV = "HERMES_TUI_JOB"
"""Set in the environment of a run: what is started there makes no jobs."""
_CONTEXT = 8000
"""Characters of another job's last answer that come before a prompt."""
_PARTIAL = 100_000
_CUT_OFF = "the agent ended while it ran; what it had done by then is not known"


class _Heard(Struct):
    """What came of a turn so far."""

    text: str = ""
    tokens: int = 0
    dollars: float = 0.0
    ended: TurnEnded | None = None
    over: str = ""


class CronRuns:
    """What the clock of the jobs sets going (`cron.runner.Work`)."""

    def __init__(self, core: Core, jobs: Jobs) -> None:
        self._core = core
        self._jobs = jobs
        self._only: dict[str, frozenset[str]] = {}
        self.heartbeat: Heartbeat | None = None

    def tools_of(self, session: str) -> frozenset[str] | None:
        """The tools the run in a session may use; None where no run goes on."""
        return self._only.get(session)

    def changed(self, job: str) -> None:
        """Tell every face."""
        self._core.announce(JobsChanged(job=job))

    async def deliver(self, job: Job, run: JobRun) -> None:
        """Send what a run has to say to where it is wanted."""
        await deliver(self._core, self._jobs, job, run)

    async def stand_again(self, jobs: dict[str, Job], runs: Sequence[JobRun]) -> None:
        """Give the sessions of open runs their limits back, before their turns go on."""
        for run in runs:
            if run.session and (job := jobs.get(run.job)):
                self._only[run.session] = frozenset(job.spec.tools)
                (await self._core.session(run.session)).stand(_standing(job))

    async def run(self, job: Job, run: JobRun, resumed: bool) -> JobRun:
        """Do a run and return it with its end. Raises HermesError when it could not be begun."""
        spec = job.spec
        own = self.heartbeat if is_proactive(job) else None
        if own is not None and not run.session and (held := await own.held(job, run)):
            return held
        if spec.say:
            return replace(run, state="ok", text=spec.say)
        if spec.folder and not await asyncio.to_thread(os.path.isdir, spec.folder):
            raise HermesError(f"its folder {spec.folder} is not there")
        before = ""
        if own is not None and not run.session:
            before = await own.standing_list()
            if not before:
                return replace(run, state="silent", note="there is nothing on the standing list")
            before = f"[The standing list:]\n{before}"
        elif not run.session and spec.script:
            if resumed:
                return replace(run, state="interrupted", error=_CUT_OFF)
            before = await self._script(job)
            if not spec.prompt:
                state = "silent" if is_silent(before) else "ok"
                return replace(run, state=state, text=before)
            if _asleep(before):
                return replace(run, state="silent", note="the script said there is nothing to do")
            before = f"[What the job's script wrote:]\n{before}"
        return await self._turn(job, run, before)

    # --- the script --------------------------------------------------------------------------

    async def _script(self, job: Job) -> str:
        """The script's output. Raises HermesError when it was refused or failed."""
        from hermes_tui.runtime.cron_script import run_script

        called = await run_script(self._core, job, _standing(job))
        text = called.output
        if called.output_path:
            text = await asyncio.to_thread(_read_part, called.output_path)
        body, _, about = text.rstrip().rpartition("\n")
        if about.startswith("[") and about.endswith("]"):
            text = body
        elif text.startswith("[") and "\n" not in text.rstrip():
            text, about = "", text
        if called.status != "ok":
            said = f"{text.strip()[-2000:]}\n{about}" if about != text else text
            raise HermesError(f"its script failed: {called.reason} {said}".strip())
        return text.strip()

    # --- the turn ----------------------------------------------------------------------------

    async def _turn(self, job: Job, run: JobRun, before: str) -> JobRun:
        from hermes_tui.runtime.local import LocalClient

        client = LocalClient(self._core, "cron")
        try:
            run = await self._opened(client, job, run)
            heard = await self._said(client, job, run, before)
        finally:
            self._only.pop(run.session, None)
            await client.close()
        return _ended(run, heard)

    async def _opened(self, client: LocalClient, job: Job, run: JobRun) -> JobRun:
        """The run with its session, which is kept before anything is said in it."""
        if run.session:
            return run
        due = datetime.fromtimestamp(run.slot, zone_named(job.schedule.zone))
        view: SessionView = await client.ask(
            OpenSession(
                which="new",
                title=f"{job.name}, {due:%b %d %H:%M}",
                standing=_standing(job, str(self._core.home.path)),
                mode=job.spec.mode,
                model=job.spec.model,
                face="cron",
            )
        )
        run = replace(run, session=view.info.id)
        await self._jobs.update(run)
        await client.ask(ChangeSession(session=run.session, archived=True))
        return run

    async def _said(self, client: LocalClient, job: Job, run: JobRun, before: str) -> _Heard:
        """Say the prompt, once, and hear the turn to its end or to a limit."""
        self._only[run.session] = frozenset(job.spec.tools)
        view = await client.ask(
            OpenSession(which=run.session, standing=_standing(job), after=0, face="cron")
        )
        heard = _Heard()
        for record in view.records:
            _hear(heard, record, job)
        if heard.ended is not None:
            return heard
        session = await self._core.session(run.session)
        if not session.conversation.inputs:
            session.remarks.append(await self._about(job, run, before))
        text = job.spec.prompt
        await client.ask(
            Send(
                session=run.session,
                text=text,
                input_id=f"cron-{run.id}-{run.attempt}",
                attended=False,
                face="cron",
            )
        )
        try:
            async with asyncio.timeout(job.spec.limit_s):
                await self._hear_out(client, job, run, heard)
        except TimeoutError:
            heard.over = f"stopped after {job.spec.limit_s:g} s, its time limit"
            await client.ask(Stop(session=run.session))
        return heard

    async def _hear_out(self, client: LocalClient, job: Job, run: JobRun, heard: _Heard) -> None:
        async for record in client.events():
            if record.session != run.session:
                continue
            _hear(heard, record, job)
            if heard.ended is not None:
                return
            if heard.over:
                await client.ask(Stop(session=run.session))
                return

    async def _about(self, job: Job, run: JobRun, before: str) -> str:
        """What the model is told beside the prompt: why it is asked, and what came before."""
        due = datetime.fromtimestamp(run.slot, zone_named(job.schedule.zone))
        parts = [
            f"[Scheduled job «{job.name}», due {due:%Y-%m-%d %H:%M %Z}. Nobody is here: ask"
            " nothing; what needs an approval is refused. Your last message is what the user"
            " gets. If there is nothing worth telling them, answer [SILENT] and nothing else.]"
        ]
        skills = (await self._core.session(run.session)).services.skills
        for name in job.spec.skills:
            loaded = await skills.load(name, "")
            parts.append(f"[Follow the skill {name}.]\n{loaded.text}")
        for which in job.spec.context_from:
            parts.append(await self._answer_of(which))
        if before:
            parts.append(before)
        return "\n\n".join(filter(None, parts))

    async def _answer_of(self, which: str) -> str:
        other = await self._jobs.get(which)
        for run in await self._jobs.runs(other.id, 20):
            if run.state == "ok":
                return f"[The last answer of the job «{other.name}»:]\n{run.text[-_CONTEXT:]}"
        return f"[The job «{other.name}» has no answer yet.]"


def _standing(job: Job, folder: str = "") -> Standing:
    return Standing(cwd=job.spec.folder or folder, env={**job.env, JOB_ENV: job.id})


def _hear(heard: _Heard, record: Record, job: Job) -> None:
    match record.event:
        case ReplyReceived(text=text, calls=calls, usage=usage, partial=partial):
            if text and not calls and not partial:
                heard.text = text
            _spend(heard, usage, job, more=bool(calls))
        case TurnEnded() as ended:
            heard.ended = ended
        case _:
            return


def _spend(heard: _Heard, usage: Usage, job: Job, more: bool) -> None:
    """Count a reply; over the limit when more would follow it."""
    heard.tokens += usage.prompt + usage.completion
    heard.dollars += usage.cost or 0.0
    spec = job.spec
    if not more:
        return
    if spec.tokens and heard.tokens > spec.tokens:
        heard.over = f"stopped at {heard.tokens:,} tokens, its limit is {spec.tokens:,}"
    if spec.dollars and heard.dollars > spec.dollars:
        heard.over = f"stopped at ${heard.dollars:.4f}, its limit is ${spec.dollars:g}"


def _ended(run: JobRun, heard: _Heard) -> JobRun:
    run = replace(run, tokens=heard.tokens, text=heard.text)
    ended = heard.ended
    if ended is not None and ended.outcome == "done":
        return replace(run, state="silent" if is_silent(heard.text) else "ok")
    if heard.over or (ended is not None and ended.outcome == "stopped"):
        return replace(run, state="stopped", error=heard.over or "stopped by a person")
    if ended is None:
        return replace(run, state="interrupted", error=_CUT_OFF)
    said = " ".join(filter(None, (ended.error, ended.hint and f"({ended.hint})")))
    return replace(run, state="failed", error=said or "it came to no end")


def _asleep(output: str) -> bool:
    """Whether a script's last line says not to wake the agent: `{"wakeAgent": false}`."""
    last = output.rstrip().rpartition("\n")[2]
    try:
        said = json.loads(last)
    except ValueError:
        return False
    return isinstance(said, dict) and said.get("wakeAgent") is False  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def _read_part(path: str) -> str:
    with Path(path).open("rb") as file:
        return file.read(_PARTIAL).decode("utf-8", "replace")
