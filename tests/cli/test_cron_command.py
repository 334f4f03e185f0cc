"""`hermes cron`: scripts make, look at, change, run and remove jobs; a schedule is shown unmade."""

from __future__ import annotations

from hermes_tui.runtime.core import Core
from tests.cli.conftest import Hermes


def test_a_schedule_is_shown_without_making_anything(hermes: Hermes) -> None:
    zone = ("--tz", "America/New_York", "--from", "2026-03-07T09:00:01", "--count", "2")
    shown = hermes("cron", "next", "0 9 * * *", *zone, "--json").json
    assert shown["next"] == ["2026-03-08T09:00:00-04:00", "2026-03-09T09:00:00-04:00"]
    left_out = hermes("cron", "next", "30 2 * * *", *zone, "--json").json
    assert list(left_out["notes"]) == ["2026-03-08T03:00:00-04:00"]
    words = hermes("cron", "next", "每天早上8点", "--tz", "Asia/Shanghai", "--json").json
    assert words["schedule"] == "0 8 * * *"
    assert hermes("cron", "list", "--json").json == []


def test_a_schedule_that_never_comes_is_refused_with_a_reason(hermes: Hermes) -> None:
    for text in ("0 0 30 2 *", "*/30 * * * * *", "every 0m", "60 * * * *"):
        refused = hermes("cron", "next", text)
        assert refused.code == 2
        assert refused.err.strip()


def test_a_job_is_made_changed_run_paused_and_removed(hermes: Hermes) -> None:
    made = hermes(
        "cron", "add", "weekdays at 9", "--say", "Stand up.", "--name", "up", "--tz", "UTC"
    )
    assert made.out.count("  next ") == 5
    assert "no agent is awake" in made.err
    assert hermes("cron", "edit", "up", "--catch-up", "once", "--schedule", "every 2h").code == 0
    (job,) = hermes("cron", "list", "--json").json
    assert (job["text"], job["spec"]["catch_up"]) == ("every 2h", "once")
    ran = hermes("cron", "run", "up", "--json").json
    assert (ran["state"], ran["text"]) == ("ok", "Stand up.")
    (record,) = hermes("cron", "history", "up", "--json").json
    assert record["deliveries"][0]["state"] == "delivered"
    assert "paused" in hermes("cron", "pause", "up").out
    assert "active" in hermes("cron", "resume", "up").out
    assert hermes("cron", "remove", "up").code == 0
    assert hermes("cron", "show", "up").code != 0


def test_what_can_not_be_set_of_a_job_is_said(hermes: Hermes) -> None:
    refused = hermes("cron", "add", "every 2h", "x", "--overlap", "sometimes")
    assert refused.code == 1
    assert "overlap" in refused.err
    assert hermes("cron", "add", "every 2h").code == 1


def test_a_living_agent_takes_the_job_over(hermes: Hermes, living_core: Core) -> None:
    made = hermes("cron", "add", "every 2h", "--say", "Drink water.", "--name", "water")
    assert "no agent is awake" not in made.err
    assert living_core.cron.runner.awake
    assert hermes("cron", "run", "water", "--wait", "--json").json["state"] == "ok"
