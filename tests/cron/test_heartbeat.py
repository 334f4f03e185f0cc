"""What the agent says of its own: what was promised, once, not in quiet hours, within its cap."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import islice
from pathlib import Path

import msgspec
import pytest

from hermes_tui.cron.promises import promise
from hermes_tui.cron.quiet import day_began, quiet_until
from hermes_tui.cron.schedule import moment
from hermes_tui.events import Notice, TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import AddFact, JobHistory, JobInfo, JobRun, ListJobs, RunJob
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.cron.conftest import at
from tests.fakes.scripted_model import ScriptedModel, say
from tests.runtime.conftest import open_in, until
from tests.runtime.conftest import say as tell

NOW = at("2026-12-01T10:00:00+01:00")  # a Tuesday


@pytest.mark.parametrize(
    ("text", "what", "comes"),
    [
        ("Remind me on Friday to call mum.", "call mum", "2026-12-04T09:00:00+01:00"),
        ("remind me to call mum on friday at 5pm", "call mum", "2026-12-04T17:00:00+01:00"),
        ("Can you remind me tomorrow at 8 to vote?", "vote", "2026-12-02T08:00:00+01:00"),
        ("please remind me in 2 hours to stretch", "stretch", "2026-12-01T12:00:00+01:00"),
        ("The user wants to be reminded on Friday about the tax form", "the tax form", ""),
        ("Remind me about the dentist tomorrow", "the dentist", "2026-12-02T09:00:00+01:00"),
        ("周五提醒我给妈妈打电话", "给妈妈打电话", "2026-12-04T09:00:00+01:00"),
        ("请提醒我明天下午3点开会", "开会", "2026-12-02T15:00:00+01:00"),
    ],
)
def test_what_was_asked_to_be_reminded_of_is_found_with_its_time(
    text: str, what: str, comes: str
) -> None:
    found = promise(text, "Europe/Berlin", NOW)
    assert found is not None
    assert found.what.rstrip(".") == what
    assert not comes or moment(found.schedule.at, "Europe/Berlin") == comes


def test_a_reminder_may_come_again() -> None:
    found = promise("remind me every monday at 8 to water the plants", "Europe/Berlin", NOW)
    assert found is not None
    assert (found.schedule.line, found.what) == ("0 8 * * 1", "water the plants")
    assert len(list(islice(found.schedule.slots(NOW), 2))) == 2


@pytest.mark.parametrize(
    "text",
    [
        "Don't remind me on Friday to call mum.",
        "Did you remind me on Friday to call mum?",
        "Remind me to call mum some day.",
        "That reminds me of Friday.",
        "What does remind mean on friday?",
        "别提醒我周五开会",
    ],
)
def test_what_is_no_promise_is_none(text: str) -> None:
    assert promise(text, "Europe/Berlin", NOW) is None


@pytest.mark.parametrize(
    ("hours", "now", "until_"),
    [
        ("22-8", "2026-12-01T23:30:00+01:00", "2026-12-02T08:00:00+01:00"),
        ("22-8", "2026-12-02T03:00:00+01:00", "2026-12-02T08:00:00+01:00"),
        ("22-8", "2026-12-02T08:00:00+01:00", "2026-12-02T08:00:00+01:00"),
        ("12:30-13", "2026-12-02T12:45:00+01:00", "2026-12-02T13:00:00+01:00"),
        ("22-8", "2027-03-28T01:30:00+01:00", "2027-03-28T08:00:00+02:00"),
        ("", "2026-12-02T03:00:00+01:00", "2026-12-02T03:00:00+01:00"),
    ],
)
def test_quiet_hours_end_by_the_clock_on_the_wall(hours: str, now: str, until_: str) -> None:
    assert quiet_until(at(now), hours, "Europe/Berlin") == at(until_)
    assert day_began(at(now), "Europe/Berlin") <= at(now)


@pytest.fixture
async def awake(home: Home, scripted: ScriptedModel) -> AsyncIterator[Core]:
    """A core that may speak of its own, whose clock a test sets."""
    home.config.write_text(
        f"model:\n  name: scripted\n  base_url: {scripted.url}\ncron:\n  zone: Europe/Berlin\n"
        "heartbeat:\n  enabled: true\n  most_a_day: 2\n"
    )
    from hermes_tui.configuration.load import load

    core = await Core(home, load(home, {}).config, headless=True).start()
    core.cron.runner.rest()
    yield core
    await core.end("test over")


async def jobs(client: LocalClient) -> list[JobInfo]:
    return [job for job in (await client.ask(ListJobs())).jobs if job.id.startswith("r-")]


async def pass_time(core: Core, text: str) -> list[JobRun]:
    """Set the clock, run what is due to its end; the runs of reminders, newest first."""
    core.cron.runner.clock = lambda: at(text)
    await core.cron.runner.tick()
    runs = (await LocalClient(core).ask(JobHistory())).runs
    for run in runs:
        await core.cron.runner.ended(run.id)
    return [
        run for run in (await LocalClient(core).ask(JobHistory())).runs if run.job.startswith("r-")
    ]


async def told(core: Core, session: str) -> list[str]:
    return [r.event.text for r in await core.log.read(session) if isinstance(r.event, Notice)]


async def test_a_promise_made_in_a_talk_is_kept_once(
    awake: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = LocalClient(awake)
    view = await open_in(client, str(tmp_path))
    scripted.script = [say("I will."), say("Fine.")]
    await tell(client, view, "Remind me in 3 days to call mum.")
    await until(client, TurnEnded)
    await awake.cron.heartbeat.heard()
    (made,) = await jobs(client)
    await tell(client, view, "Thanks")
    await until(client, TurnEnded)
    await awake.cron.heartbeat.heard()
    assert [job.id for job in await jobs(client)] == [made.id]
    due = moment(made.next[0], "Europe/Berlin")
    assert await told(awake, view.info.id) == []
    for _ in range(2):
        (ran,) = await pass_time(awake, due)
        assert ran.state == "ok"
    assert await told(awake, view.info.id) == ["You asked to be reminded: call mum"]


async def test_a_promise_found_in_memory_waits_for_the_end_of_the_quiet_hours(
    awake: Core, tmp_path: Path
) -> None:
    client = LocalClient(awake)
    view = await open_in(client, str(tmp_path))
    awake.cron.runner.clock = lambda: NOW
    text = "The user wants to be reminded on 2099-12-04 at 23:30 about the tax form"
    await client.ask(AddFact(text=text))
    await awake.cron.heartbeat.settle()
    await awake.cron.heartbeat.settle()
    (made,) = await jobs(client)
    assert moment(made.next[0], "Europe/Berlin") == "2099-12-05T08:00:00+01:00"
    assert await pass_time(awake, "2099-12-04T23:45:00+01:00") == []
    (ran,) = await pass_time(awake, "2099-12-05T08:00:00+01:00")
    assert ran.state == "ok"
    assert await told(awake, view.info.id) == ["You asked to be reminded: the tax form"]
    assert len(await pass_time(awake, "2099-12-06T08:00:00+01:00")) == 1
    await awake.cron.heartbeat.settle()
    assert len(await jobs(client)) == 1


async def test_no_more_is_told_in_a_day_than_was_agreed(awake: Core, tmp_path: Path) -> None:
    client = LocalClient(awake)
    view = await open_in(client, str(tmp_path))
    for n in range(3):
        text = f"The user wants to be reminded on 2099-12-04 at 1{n}:00 about bill {n}"
        await client.ask(AddFact(text=text))
    await awake.cron.heartbeat.settle()
    for n in range(3):
        await pass_time(awake, f"2099-12-04T1{n}:00:00+01:00")
    assert len(await told(awake, view.info.id)) == 2
    held = (await client.ask(JobHistory())).runs
    assert any("2 messages were told today" in run.note for run in held)
    await pass_time(awake, "2099-12-05T08:00:00+01:00")
    assert len(await told(awake, view.info.id)) == 3


async def test_the_check_in_is_silent_and_free_with_nothing_on_its_list(
    awake: Core, scripted: ScriptedModel, home: Home, tmp_path: Path
) -> None:
    client = LocalClient(awake)
    view = await open_in(client, str(tmp_path))
    awake.cron.runner.clock = lambda: NOW
    await client.ask(RunJob(which="heartbeat", wait=True))
    assert scripted.requests == []
    (home.path / "HEARTBEAT.md").write_text("# Look at\n- is the backup older than a day?\n")
    scripted.script = [say("[SILENT]"), say("The backup is three days old.")]
    awake.cron.runner.clock = lambda: NOW + 1
    await client.ask(RunJob(which="heartbeat", wait=True))
    assert "is the backup older" in str(scripted.requests[-1].messages)
    assert await told(awake, view.info.id) == []
    awake.cron.runner.clock = lambda: NOW + 2
    await client.ask(RunJob(which="heartbeat", wait=True))
    assert await told(awake, view.info.id) == ["heartbeat: The backup is three days old."]


async def test_nothing_is_said_of_its_own_until_it_is_switched_on(
    home: Home, scripted: ScriptedModel
) -> None:
    home.config.write_text(f"model:\n  name: scripted\n  base_url: {scripted.url}\n")
    from hermes_tui.configuration.load import load

    config = load(home, {}).config
    assert not config.heartbeat.enabled
    core = await Core(home, config, headless=True).start()
    client = LocalClient(core)
    await client.ask(AddFact(text="The user wants to be reminded on 2099-12-04 about the tax"))
    await core.cron.heartbeat.heard()
    assert (await client.ask(ListJobs())).jobs == ()
    await core.end("test over")
    assert msgspec.structs.asdict(config.heartbeat)["most_a_day"] > 0
