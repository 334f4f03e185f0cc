"""The jobs on screen: when they come, what became of them; they are run and paused there."""

from __future__ import annotations

from hermes_tui.intents import AddJob, Delivery, JobInfo, JobRun, JobSpec, Standing
from hermes_tui.runtime.local import LocalClient
from hermes_tui.ui.cron_pane import job_row, run_lines
from tests.ui.conftest import Stage


def test_a_job_is_a_glyph_a_name_a_schedule_and_how_soon_it_comes() -> None:
    run = JobRun(id=1, job="j", slot=1.0, state="failed")
    spec = JobSpec(name="news", prompt="x", schedule="@daily")
    one = JobInfo(id="j", spec=spec, text="0 0 * * *", next=(160.0,), last=run)
    row = job_row(one, 100.0)
    words = "".join(span.text for span in (*row.left, *row.right))
    assert words == " ✘ news  0 0 * * *in 1m 00s "


def test_that_it_ran_and_that_it_arrived_are_two_facts() -> None:
    sent = (
        Delivery(target="telegram", state="failed"),
        Delivery(target="local", state="delivered"),
    )
    run = JobRun(id=1, job="j", slot=1.0, state="ok", note="late", deliveries=sent)
    lines = ["".join(span.text for span in line) for line in run_lines(run)]
    assert lines[0].endswith("ok · telegram failed · local delivered")
    assert lines[1].strip() == "late"


async def test_jobs_are_listed_run_and_paused_on_screen(stage: Stage) -> None:
    async with stage.screen((120, 35), which="new") as screen:
        spec = JobSpec(name="water", say="Drink water.", schedule="0 9 1 1 *", deliver=("local",))
        await LocalClient(stage.core).ask(AddJob(spec=spec, standing=Standing(cwd="/")))
        await screen.enter("/jobs")
        await screen.until(lambda: screen.shows("1 jobs", "water", "Drink water."))
        await screen.press("r")
        await screen.until(lambda: screen.shows("ok · local delivered"))
        await screen.press("p")
        await screen.until(lambda: screen.shows("paused"))
        await screen.press("escape")
        await screen.until(lambda: screen.shows("Drink water.") and not screen.shows("1 jobs"))
