"""A time is run at most once, and each time that is not run leaves a record that says why."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from hermes_tui.intents.cron import JobRun
from tests.cron.conftest import Desk, FakeWork, at, eventually

Make = Callable[[str], Desk]


async def test_a_job_runs_when_it_is_due_and_is_delivered(desk: Make) -> None:
    here = desk("2026-06-01T07:00:00+00:00")
    await here.add("0 8 * * *")
    wait = await here.tick("2026-06-01T07:59:30+00:00")
    assert wait == 30.0
    assert here.work.began == []
    await here.tick("2026-06-01T08:00:00+00:00")
    assert await here.states() == ["ok"]
    assert [run.slot for run in here.work.sent] == [at("2026-06-01T08:00:00+00:00")]
    await here.tick("2026-06-01T08:00:10+00:00")
    assert len(here.work.began) == 1


async def test_a_time_runs_once_however_often_the_core_restarts(desk: Make) -> None:
    here = desk("2026-06-01T07:00:00+00:00")
    await here.add("0 8 * * *")
    for second in (0, 1, 30, 80):
        here.restart()
        await here.tick(f"2026-06-01T08:0{second // 60}:{second % 60:02}+00:00")
    assert await here.states() == ["ok"]


async def test_a_clock_that_is_set_back_runs_nothing_twice_and_skips_nothing(desk: Make) -> None:
    here = desk("2026-06-01T07:00:00+00:00")
    await here.add("0 * * * *")
    await here.tick("2026-06-01T08:00:00+00:00")
    await here.tick("2026-06-01T07:30:00+00:00")
    await here.tick("2026-06-01T08:00:00+00:00")
    await here.tick("2026-06-01T09:00:00+00:00")
    assert await here.states() == ["ok", "ok"]


async def test_a_clock_that_was_two_days_ahead_still_runs_the_real_days(desk: Make) -> None:
    here = desk("2026-06-01T07:00:00+00:00")
    await here.add("0 8 * * *")
    await here.tick("2026-06-03T07:00:00+00:00")
    assert await here.states() == ["missed", "missed"]
    await here.tick("2026-06-01T07:30:00+00:00")
    await here.tick("2026-06-01T08:00:00+00:00")
    await here.tick("2026-06-02T08:00:00+00:00")
    assert await here.states() == ["ok", "ok"]


async def test_a_minute_late_is_on_time_and_a_night_late_is_missed(desk: Make) -> None:
    here = desk("2026-06-01T07:00:00+00:00")
    await here.add("0 8 * * *")
    await here.tick("2026-06-01T08:01:00+00:00")
    await here.tick("2026-06-02T22:10:00+00:00")
    newest, first = await here.jobs.runs()
    assert (first.state, newest.state) == ("ok", "missed")
    assert "not awake" in newest.note


@pytest.mark.parametrize(
    ("policy", "states"),
    [
        ("", ["missed", "missed", "ok"]),
        ("skip", ["missed", "missed", "missed"]),
        ("once", ["missed", "missed", "ok"]),
        ("all", ["ok", "ok", "ok"]),
        ("30m", ["missed", "missed", "missed"]),
        ("50m", ["missed", "missed", "ok"]),
    ],
)
async def test_what_was_missed_is_made_up_for_as_the_job_says(
    desk: Make, policy: str, states: list[str]
) -> None:
    here = desk("2026-06-01T07:30:00+00:00")
    await here.add("0 * * * *", catch_up=policy)
    await here.tick("2026-06-01T10:45:00+00:00")
    assert await here.states() == states


async def test_jobs_that_are_made_up_for_do_not_start_all_at_once(desk: Make) -> None:
    here = desk("2026-06-01T07:30:00+00:00")
    for n in range(13):
        await here.add("0 8 * * *", name=f"j{n}", catch_up="once")
    await here.tick("2026-06-01T12:00:00+00:00")
    assert len(here.work.began) == 13
    assert sorted(here.pauses) == [5.0 * n for n in range(1, 13)]


async def test_a_year_away_is_looked_through_at_once_and_all_of_it_is_on_record(
    desk: Make,
) -> None:
    here = desk("2026-06-01T07:30:00+00:00")
    await here.add("* * * * *", catch_up="skip")
    await here.tick("2027-06-01T07:30:30+00:00")
    runs = await here.jobs.runs(limit=2000)
    assert len(runs) < 1000
    assert runs[-1].missed > 500
    assert runs[0].state == "ok"


async def test_a_run_that_takes_longer_than_the_period_is_never_doubled(desk: Make) -> None:
    here = desk("2026-06-01T07:59:00+00:00")
    await here.add("* * * * *")
    here.work.hold = asyncio.Event()
    await here.tick("2026-06-01T08:00:00+00:00")
    await here.tick("2026-06-01T08:01:00+00:00")
    here.work.hold.set()
    await here.settle()
    newest, first = await here.jobs.runs()
    assert (first.state, newest.state) == ("ok", "missed")
    assert "still going on" in newest.note
    assert here.work.most == 1


@pytest.mark.parametrize(("overlap", "most"), [("wait", 1), ("parallel", 2)])
async def test_runs_of_a_job_wait_or_run_together_when_it_says_so(
    desk: Make, overlap: str, most: int
) -> None:
    here = desk("2026-06-01T07:59:00+00:00")
    await here.add("* * * * *", overlap=overlap)
    here.work.hold = asyncio.Event()
    await here.tick("2026-06-01T08:00:00+00:00")
    await here.tick("2026-06-01T08:01:00+00:00")
    await eventually(lambda: len(here.work.began) == most)
    here.work.hold.set()
    await here.settle()
    assert await here.states() == ["ok", "ok"]
    assert here.work.most == most


async def test_many_jobs_due_at_once_run_a_few_at_a_time(desk: Make) -> None:
    here = desk("2026-06-01T07:59:00+00:00")
    for n in range(60):
        await here.add("0 8 * * *", name=f"j{n}")
    await here.tick("2026-06-01T08:00:00+00:00")
    assert len(here.work.sent) == 60
    assert here.work.most == here.settings.parallel


async def test_a_failed_run_is_tried_again_as_often_as_the_job_says(desk: Make) -> None:
    here = desk("2026-06-01T07:59:00+00:00")
    await here.add("0 8 * * *", retries=2, retry_s=7)
    here.work.ends = ["failed", "crash", "ok"]
    await here.tick("2026-06-01T08:00:00+00:00")
    (run,) = await here.jobs.runs()
    assert (run.state, run.attempt) == ("ok", 3)
    assert here.pauses == [7.0, 7.0]
    assert len(here.work.sent) == 1


async def test_a_defect_in_a_run_ends_that_run_alone(desk: Make) -> None:
    here = desk("2026-06-01T07:59:00+00:00")
    await here.add("0 8 * * *", name="a")
    await here.add("0 8 * * *", name="b")
    here.work.ends = ["crash", "ok"]
    await here.tick("2026-06-01T08:00:00+00:00")
    assert sorted(await here.states()) == ["failed", "ok"]
    assert any("ZeroDivisionError" in run.error for run in here.work.sent)


async def test_what_a_dead_core_had_begun_is_gone_on_with_and_not_begun_anew(desk: Make) -> None:
    here = desk("2026-06-01T07:59:00+00:00")
    await here.add("0 8 * * *")
    here.work.hold = asyncio.Event()
    await here.tick("2026-06-01T08:00:00+00:00")
    await eventually(lambda: here.work.began)
    await here.runner.close()
    assert await here.states() == ["running"]
    here.restart()
    await here.runner.start()
    await eventually(lambda: here.work.sent)
    await here.runner.close()
    assert here.work.resumed == [True]
    assert await here.states() == ["ok"]


async def test_a_single_moment_runs_once_and_the_job_is_done(desk: Make) -> None:
    here = desk("2026-06-01T07:59:00+00:00")
    job = await here.add("in 30m")
    await here.tick("2026-06-01T08:29:00+00:00")
    await here.tick("2026-06-01T11:00:00+00:00")
    assert await here.states() == ["ok"]
    assert (await here.jobs.get(job.id)).state == "done"


async def test_a_job_runs_as_often_as_it_should_and_no_more(desk: Make) -> None:
    here = desk("2026-06-01T07:59:00+00:00")
    await here.add("0 * * * *", times=2)
    for hour in (8, 9, 10):
        await here.tick(f"2026-06-01T{hour:02}:00:00+00:00")
    assert await here.states() == ["ok", "ok"]


async def test_a_paused_job_does_nothing(desk: Make) -> None:
    here = desk("2026-06-01T07:59:00+00:00")
    job = await here.add("0 * * * *")
    await here.jobs.put(replace(job, state="paused"))
    assert await here.tick("2026-06-01T09:00:00+00:00") is None
    assert await here.states() == []


async def test_a_run_asked_for_by_hand_leaves_the_schedule_alone(desk: Make) -> None:
    here = desk("2026-06-01T07:59:00+00:00")
    job = await here.add("0 8 * * *")
    run = await here.runner.run_now(job)
    assert (await here.runner.ended(run.id)).state == "ok"
    await here.tick("2026-06-01T08:00:00+00:00")
    assert await here.states() == ["ok", "ok"]


async def test_old_records_go_and_the_newest_stay(desk: Make) -> None:
    here = desk("2026-06-01T07:59:00+00:00")
    here.settings = replace(here.settings, keep_runs=3)
    await here.add("0 * * * *")
    for hour in range(8, 14):
        await here.tick(f"2026-06-01T{hour:02}:00:00+00:00")
    runs = await here.jobs.runs()
    assert [run.slot for run in runs][:1] == [at("2026-06-01T13:00:00+00:00")]
    assert len(runs) <= 4


async def test_the_timer_sleeps_to_the_next_time_and_no_time_means_no_timer(desk: Make) -> None:
    here = desk("2026-06-01T07:59:00+00:00")
    assert await here.runner.tick() is None
    await here.add("0 9 * * *")
    assert await here.runner.tick() == 60.0
    assert await here.tick("2026-06-01T08:59:45+00:00") == 15.0


async def test_what_was_changed_is_looked_at_at_once(desk: Make) -> None:
    here = desk("2026-06-01T07:59:00+00:00")
    await here.runner.start()
    await here.add("0 8 * * *")
    here.now = at("2026-06-01T08:00:00+00:00")
    here.runner.wake()
    await eventually(lambda: here.work.sent)
    await here.runner.close()


def test_fake_work_is_work() -> None:
    from hermes_tui.cron.runner import Work

    work: Work = FakeWork()
    assert work
    assert JobRun(id=1, job="j", slot=0.0, state="ok").missed == 1
