"""The jobs over the full screen: when each comes next, what became of its times, and its answers.

That a job ran and that its answer arrived are two facts, and are shown as two.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import on
from textual.screen import ModalScreen

from hermes_tui.errors import HermesError
from hermes_tui.intents import (
    ChangeJob,
    Intent,
    JobHistory,
    JobInfo,
    JobList,
    JobRun,
    ListJobs,
    RunJob,
)
from hermes_tui.ui import figures, part_keys
from hermes_tui.ui.face import face_of
from hermes_tui.ui.line import Bar, Span
from hermes_tui.ui.rows import Row, RowList, TextRow
from hermes_tui.ui.text import one_line
from hermes_tui.ui.viewer import Painter, TextView, paint_all, paint_lines, paint_text

if TYPE_CHECKING:
    from textual.app import ComposeResult

_NONE = (
    " there are no jobs",
    " say what is to be done and when, or /cron add weekdays at 9: what is new?",
)
_LOOK_S = 2.0
_STATES = {
    "ok": ("✔", "ok"),
    "silent": ("✔", "muted"),
    "running": ("◐", "accent"),
    "waiting": ("◌", "accent"),
    "missed": ("○", "warn"),
    "failed": ("✘", "error"),
    "interrupted": ("✘", "warn"),
    "stopped": ("■", "warn"),
}


def clock(ts: float) -> str:
    """A moment as local date and time."""
    return time.strftime("%a %b %d %H:%M", time.localtime(ts))


def job_row(one: JobInfo, now: float) -> TextRow:
    """One job: how its last time went, its name, its schedule, and how soon it comes."""
    glyph, style = _STATES[one.last.state] if one.last else ("·", "muted")
    if one.running:
        glyph, style = _STATES["running"]
    what = one.spec.name or one.spec.say or one.spec.prompt or one.spec.script
    soon = f"in {figures.seconds(one.next[0] - now)}" if one.next else one.state
    return TextRow(
        key=one.id,
        left=(Span(f" {glyph} ", style), Span(one_line(what)), Span(f"  {one.text}", "muted")),
        right=(Span(f"{soon} ", "muted" if one.next else "warn"),),
    )


def run_lines(run: JobRun) -> list[Sequence[Span]]:
    """One time: whether it ran, where its answer arrived, and why not."""
    glyph, style = _STATES[run.state]
    head: list[Span] = [
        Span(f"{glyph} ", style),
        Span(f"{clock(run.slot)}  {run.state}"),
        *(Span(f" · {one.target} {one.state}", "muted") for one in run.deliveries),
    ]
    why = run.error or run.note
    return [head, *([[Span(f"  {one_line(why)}", "muted")]] if why else [])]


def details(one: JobInfo, runs: Sequence[JobRun]) -> Painter:
    """All of a job: what it does, when it comes, what became of it, its last answer."""
    spec = one.spec
    lines: list[Sequence[Span]] = [
        [Span(one_line(spec.script or spec.say or spec.prompt))],
        [Span(f"{one.text} ({one.zone}), to {', '.join(spec.deliver)}", "muted")],
        *([Span(f"next {clock(ts)}", "muted")] for ts in one.next),
        *([Span(remark, "warn")] for remark in one.remarks),
        [],
    ]
    for run in runs:
        lines += run_lines(run)
    answer = next((run.text for run in runs if run.text), "")
    return paint_all([paint_lines(lines), paint_text(f"\n{answer}" if answer else "")])


class JobsScreen(ModalScreen[None]):
    """The jobs, and all about the one under the cursor."""

    DEFAULT_CSS = """
    JobsScreen { background: $background; layout: vertical; align: left top; }
    JobsScreen #jobs-rows { height: 1fr; margin-top: 1; }
    JobsScreen #jobs-text { height: 2fr; border-top: solid $border; padding: 0 1; }
    """
    AUTO_FOCUS = "#jobs-rows"
    BINDINGS = part_keys.bindings("jobs")

    def __init__(self, job: str = "") -> None:
        super().__init__()
        self._wanted: str | None = job or None
        self.jobs: Sequence[JobInfo] = ()
        self._shown: object = None

    def compose(self) -> ComposeResult:
        """Count, list, details, keys."""
        yield Bar(id="jobs-title")
        yield RowList(id="jobs-rows")
        yield TextView(id="jobs-text")
        yield Bar(id="jobs-keys")

    def on_mount(self) -> None:
        """Fetch them, and again every now and then while the screen is open."""
        self.query_one("#jobs-keys", Bar).show_keys(part_keys.hint_pairs(self, "jobs"))
        self._look()
        self.set_interval(_LOOK_S, self._look)

    def show(self, found: JobList) -> None:
        """Show these."""
        self.jobs = found.jobs
        now = face_of(self).now()
        rows: list[Row] = [job_row(one, now) for one in found.jobs]
        if not rows:
            rows = [TextRow(left=(Span(line, "muted"),)) for line in _NONE]
        words = f"{len(found.jobs)} jobs " if found.awake else "nobody is awake to run them "
        title = (Span(" Jobs", "strong"),)
        self.query_one("#jobs-title", Bar).show(title, (Span(words, "muted"),))
        self.query_one(RowList).show(rows, self._wanted)
        self._wanted = None
        self._details_soon()

    # --- inside ------------------------------------------------------------------------------

    def _look(self) -> None:
        self.run_worker(self._refresh, group="jobs", exclusive=True)

    async def _refresh(self) -> None:
        try:
            self.show(await face_of(self).ask(ListJobs()))
        except HermesError as error:
            face_of(self).say(error.message, "warning")

    def _here(self) -> JobInfo | None:
        key = self.query_one(RowList).key
        return next((one for one in self.jobs if one.id == key), None)

    @on(RowList.Moved)
    def _moved(self, message: RowList.Moved) -> None:
        message.stop()
        self._details_soon()

    def _details_soon(self) -> None:
        one = self._here()
        view = self.query_one(TextView)
        view.display = one is not None
        if one is not None:
            self.run_worker(partial(self._details, one), group="job", exclusive=True)

    async def _details(self, one: JobInfo) -> None:
        try:
            runs = (await face_of(self).ask(JobHistory(which=one.id, limit=20))).runs
        except HermesError as error:  # it was removed meanwhile, or the line is cut
            face_of(self).say(error.message, "warning")
            return
        if self._here() == one and self._shown != (one, runs):
            self._shown = (one, runs)
            self.query_one(TextView).show(details(one, runs), runs[0].text if runs else "")

    @on(RowList.Chosen)
    def _chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        self.query_one(TextView).focus()

    async def _do(self, intent: Intent[Any], said: str) -> None:
        try:
            await face_of(self).ask(intent)
        except HermesError as error:
            face_of(self).say(f"{error.message} {error.hint}".strip(), "warning")
            return
        face_of(self).say(said)
        self._look()

    async def action_now(self) -> None:
        """Run the job under the cursor now."""
        if (one := self._here()) is not None:
            await self._do(RunJob(which=one.id), "it runs")

    async def action_pause(self) -> None:
        """Pause it, or let it go on."""
        one = self._here()
        if one is not None:
            to = "resume" if one.state == "paused" else "pause"
            await self._do(ChangeJob(which=one.id, to=to), f"{to}d")
