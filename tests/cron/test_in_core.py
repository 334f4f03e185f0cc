"""Jobs in a real core: a session of their own, nobody there, limits held, answers delivered."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hermes_tui.errors import HermesError
from hermes_tui.events import InputReceived, Notice, ToolEnded
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
    RunCommand,
    RunJob,
    ShowJob,
    Standing,
)
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.cron.conftest import eventually
from tests.fakes.scripted_model import ScriptedModel, call, fail, say
from tests.runtime.conftest import Connect, open_in, settled, until
from tests.runtime.conftest import connect as connect
from tests.runtime.conftest import core as core
from tests.runtime.conftest import say as tell

FAR = "0 9 1 1 *"


async def add(client: Any, folder: Path, **spec: Any) -> JobInfo:
    spec.setdefault("schedule", FAR)
    session = spec.pop("session", "")
    standing = Standing(cwd=str(folder), env={"PATH": "/usr/bin:/bin"})
    return await client.ask(AddJob(spec=JobSpec(**spec), standing=standing, session=session))


async def run(client: Any, which: str) -> JobRun:
    await client.ask(RunJob(which=which, wait=True))
    return await latest(client, which)


async def latest(client: Any, which: str) -> JobRun:
    return (await client.ask(JobHistory(which=which))).runs[0]


async def notices(core: Core, session: str) -> list[str]:
    return [r.event.text for r in await core.log.read(session) if isinstance(r.event, Notice)]


async def test_a_job_is_made_looked_at_changed_paused_and_removed(
    connect: Connect, tmp_path: Path
) -> None:
    client = await connect()
    made = await add(
        client, tmp_path, name="news", prompt="Read the news.", schedule="weekdays at 9"
    )
    assert (made.text, len(made.next), made.state) == ("0 9 * * 1-5", 5, "active")
    assert "run_command" in made.spec.tools
    assert "cron" not in made.spec.tools
    listed = await client.ask(ListJobs())
    assert ([one.id for one in listed.jobs], listed.awake) == ([made.id], True)
    changed = await client.ask(EditJob(which="news", changes={"schedule": "every 2h", "tokens": 5}))
    assert (changed.text, changed.spec.tokens, changed.spec.prompt) == (
        "every 2h",
        5,
        "Read the news.",
    )
    assert (await client.ask(ChangeJob(which="news", to="pause"))).next == ()
    assert (await client.ask(ChangeJob(which=made.id, to="resume"))).next
    await client.ask(RemoveJob(which="news"))
    with pytest.raises(HermesError, match="no job"):
        await client.ask(ShowJob(which="news"))


async def test_the_answer_reaches_the_session_the_job_was_made_in_once(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path))
    job = await add(client, tmp_path, name="news", prompt="Read the news.", session=view.info.id)
    scripted.script = [say("Nothing burned down.")]
    ran = await run(client, "news")
    assert (ran.state, ran.text) == ("ok", "Nothing burned down.")
    (sent,) = ran.deliveries
    assert (sent.target, sent.state) == ("origin", "delivered")
    assert sent.proof.startswith(view.info.id + ":")
    assert await notices(core, view.info.id) == ["news: Nothing burned down."]
    stored = await core.cron.jobs.get(job.id)
    await core.cron.runs.deliver(stored, await core.cron.jobs.run(ran.id))
    assert len(await notices(core, view.info.id)) == 1
    typed = [
        r.event for r in await core.log.read(view.info.id) if isinstance(r.event, InputReceived)
    ]
    assert typed == []


async def test_the_model_is_told_that_nobody_is_there_and_what_came_before(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = LocalClient(core)
    await add(client, tmp_path, name="one", prompt="Say one.")
    await add(client, tmp_path, name="two", prompt="Go on.", context_from=("one",))
    scripted.script = [say("One is 1.")]
    await run(client, "one")
    scripted.script = [say("[SILENT]")]
    ran = await run(client, "two")
    assert (ran.state, ran.deliveries) == ("silent", ())
    asked = str([m for m in scripted.requests[-1].messages if m["role"] == "user"][-1]["content"])
    assert "Nobody is here" in asked
    assert "One is 1." in asked
    assert "Go on." in asked


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ("[SILENT]", "silent"),
        ("I looked.\n[SILENT]", "silent"),
        ("", "silent"),
        ("The word [SILENT] means nothing here.", "ok"),
    ],
)
def test_only_a_mark_that_stands_alone_is_silence(answer: str, state: str) -> None:
    from hermes_tui.runtime.cron_delivery import is_silent

    assert is_silent(answer) == (state == "silent")


async def test_nobody_present_means_no_and_a_job_makes_no_jobs(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = LocalClient(core)
    await add(client, tmp_path, name="bad", prompt="Make more of you.")
    scripted.script = [
        call("write_file", path=str(tmp_path / "x"), content="x"),
        call("use_tool", name="cron", arguments={"action": "add", "schedule": "every 2h"}),
        say("I could not."),
    ]
    ran = await run(client, "bad")
    assert ran.state == "ok"
    records = await core.log.read(ran.session)
    ended = [r.event for r in records if isinstance(r.event, ToolEnded)]
    assert ended[0].status == "denied"
    assert ended[1].status != "ok"
    assert not (tmp_path / "x").exists()
    assert len((await client.ask(ListJobs())).jobs) == 1


async def test_a_run_has_the_tools_it_was_made_with_and_no_others(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = LocalClient(core)
    await add(client, tmp_path, name="reader", prompt="Read.", tools=("read_file",))
    scripted.script = [call("run_command", command="true"), say("No.")]
    ran = await run(client, "reader")
    assert set(scripted.requests[-1].tools) == {"read_file", "find_tools", "use_tool"}
    ended = [r.event for r in await core.log.read(ran.session) if isinstance(r.event, ToolEnded)]
    assert ended[0].status != "ok"


async def test_a_script_alone_is_told_as_it_is_and_its_failure_too(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path))
    here = {"session": view.info.id}
    await add(client, tmp_path, name="disk", script="echo 93 percent; echo full", **here)
    await add(client, tmp_path, name="quiet", script="true", **here)
    await add(client, tmp_path, name="broken", script="echo oops; exit 3", **here)
    assert (await run(client, "disk")).text == "93 percent\nfull"
    assert (await run(client, "quiet")).state == "silent"
    broken = await run(client, "broken")
    assert (broken.state, "oops" in broken.error, "exit code 3" in broken.error) == (
        "failed",
        True,
        True,
    )
    told = await notices(core, view.info.id)
    assert told[0] == "disk: 93 percent\nfull"
    assert "did not end well" in told[1]
    assert scripted.requests == []


async def test_a_script_can_let_the_agent_sleep(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = LocalClient(core)
    script = "echo nothing new; echo '{\"wakeAgent\": false}'"
    await add(client, tmp_path, name="watch", script=script, prompt="Sum up.")
    assert (await run(client, "watch")).state == "silent"
    assert scripted.requests == []
    await client.ask(EditJob(which="watch", changes={"script": "echo 3 new mails"}))
    scripted.script = [say("Three mails.")]
    assert (await run(client, "watch")).text == "Three mails."
    assert "3 new mails" in str(scripted.requests[-1].messages)


async def test_a_run_ends_at_its_limit_of_tokens(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = LocalClient(core)
    await add(client, tmp_path, name="spender", prompt="Spend.", tokens=1)
    scripted.answer = lambda asked: call("todo", items=[])
    ran = await run(client, "spender")
    assert ran.state == "stopped"
    assert "limit is 1" in ran.error
    assert len(scripted.requests) <= 2


async def test_a_failed_model_is_a_failed_run_and_that_is_delivered(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path))
    await add(client, tmp_path, name="x", prompt="Go.", session=view.info.id)
    scripted.script = [fail(401, "who are you")]
    ran = await run(client, "x")
    assert ran.state == "failed"
    assert ran.deliveries[0].state == "delivered"
    assert "did not end well" in (await notices(core, view.info.id))[0]


async def test_a_place_that_is_not_there_is_a_failed_delivery_of_a_good_run(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = LocalClient(core)
    await add(client, tmp_path, name="x", say="Drink water.", deliver=("telegramm:12", "local"))
    ran = await run(client, "x")
    assert ran.state == "ok"
    states = {one.target: one.state for one in ran.deliveries}
    assert states == {"telegramm:12": "failed", "local": "delivered"}


async def test_what_can_never_do_anything_is_not_made(core: Core, tmp_path: Path) -> None:
    client = LocalClient(core)
    for spec in (
        {"name": "nothing"},
        {"prompt": "x", "schedule": "0 0 30 2 *"},
        {"prompt": "x", "catch_up": "sometimes"},
        {"prompt": "x", "tools": ("cron",)},
        {"prompt": "x", "context_from": ("nobody",)},
        {"prompt": "x", "zone": "Mars/Base"},
    ):
        with pytest.raises(HermesError):
            await add(client, tmp_path, **spec)
    assert (await client.ask(ListJobs())).jobs == ()


async def test_a_command_started_by_a_job_makes_no_job(core: Core, tmp_path: Path) -> None:
    standing = Standing(cwd=str(tmp_path), env={"HERMES_TUI_JOB": "j1"})
    with pytest.raises(HermesError, match="can't make jobs"):
        await LocalClient(core).ask(
            AddJob(spec=JobSpec(prompt="x", schedule=FAR), standing=standing)
        )


async def test_a_run_cut_off_by_the_death_of_the_core_goes_on_in_the_next_one(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    first = await Core(home, settled(home, scripted.url), headless=True).start()
    client = LocalClient(first)
    await add(client, tmp_path, name="long", prompt="Think.")
    scripted.script = [say("never sent", gate="never")]
    await client.ask(RunJob(which="long"))
    await eventually(lambda: scripted.requests)
    await first.end("the machine went down")
    scripted.script = [say("Thought.")]
    second = await Core(home, settled(home, scripted.url), headless=True).start()
    try:
        client = LocalClient(second)
        going = await client.ask(JobHistory(which="long"))
        await second.cron.runner.ended(going.runs[0].id)
        (ran,) = (await client.ask(JobHistory(which="long"))).runs
        assert (ran.state, ran.text) == ("ok", "Thought.")
        records = await second.log.read(ran.session)
        typed = [r.event for r in records if isinstance(r.event, InputReceived)]
        assert len(typed) == 1
    finally:
        await second.end("test over")


async def test_a_script_that_was_cut_off_is_not_run_again_and_that_is_told(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    first = await Core(home, settled(home, scripted.url), headless=True).start()
    client = LocalClient(first)
    view = await open_in(client, str(tmp_path))
    script = "echo once >> log.txt; sleep 30"
    await add(client, tmp_path, name="long", script=script, session=view.info.id)
    await client.ask(RunJob(which="long"))
    log = tmp_path / "log.txt"
    await eventually(lambda: log.exists() and log.read_text())
    await first.end("the machine went down")
    second = await Core(home, settled(home, scripted.url), headless=True).start()
    try:
        (run_,) = (await LocalClient(second).ask(JobHistory(which="long"))).runs
        ended = await second.cron.runner.ended(run_.id)
        assert ended.state == "interrupted"
        assert log.read_text() == "once\n"
        assert "not known" in (await notices(second, view.info.id))[0]
    finally:
        await second.end("test over")


async def test_a_living_core_runs_what_becomes_due_by_itself(core: Core, tmp_path: Path) -> None:
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path))
    at = {"schedule": "in 0.2s", "session": view.info.id}
    job = await add(client, tmp_path, name="soon", say="It is time.", **at)
    assert job.spec.deliver == ("origin",)
    async with asyncio.timeout(5):
        async for record in client.events():
            if isinstance(record.event, Notice):
                break
    assert await notices(core, view.info.id) == ["It is time."]
    assert (await client.ask(ShowJob(which="soon"))).state == "done"


async def test_the_sessions_of_runs_are_out_of_the_way(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path))
    await add(client, tmp_path, name="news", prompt="Read the news.")
    scripted.script = [say("Nothing.")]
    await run(client, "news")
    again = await open_in(client, str(tmp_path), which="last")
    assert again.info.id == view.info.id


async def test_the_agent_makes_a_job_and_tells_when_it_comes(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path))
    task = {"say": "Water the plants.", "name": "plants"}
    asks = {"action": "add", "schedule": "every day at 8", "task": task}
    scripted.script = [call("use_tool", name="cron", arguments=asks), say("Done.")]
    await tell(client, view, "Remind me every day at 8 to water the plants.")
    ended = [r.event for r in await until(client, ToolEnded)][-1]
    assert isinstance(ended, ToolEnded)
    assert "Next:" in ended.for_model
    (job,) = (await client.ask(ListJobs())).jobs
    assert (job.by, job.origin, job.text) == ("agent", view.info.id, "0 8 * * *")


async def test_a_script_the_agent_wrote_gets_no_more_than_any_command_with_nobody_there(
    core: Core, tmp_path: Path
) -> None:
    client = LocalClient(core)
    spec = JobSpec(name="a", script="touch made", schedule=FAR)
    standing = Standing(cwd=str(tmp_path), env={"PATH": "/usr/bin:/bin"})
    await core.cron.add(spec, standing, by_agent=True)
    refused = await run(client, "a")
    assert refused.state == "failed"
    assert "nobody is here" in refused.error or "script failed" in refused.error
    assert not (tmp_path / "made").exists()
    await client.ask(EditJob(which="a", changes={"script": "touch made"}))
    await run(client, "a")
    assert (tmp_path / "made").exists()
    await core.cron.edit("a", {"script": "touch other"}, by_agent=True)
    await run(client, "a")
    assert not (tmp_path / "other").exists()


async def test_slash_cron_makes_and_looks_after_jobs(core: Core, tmp_path: Path) -> None:
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path))

    async def cron(args: str) -> str:
        made = RunCommand(session=view.info.id, command="cron", args=args)
        return (await client.ask(made)).text

    made = await cron("add every day at 9:30: what is new?")
    assert "30 9 * * *" in made
    (job,) = (await client.ask(ListJobs())).jobs
    assert (job.spec.prompt, job.origin) == ("what is new?", view.info.id)
    assert job.id in await cron("")
    assert "paused" in await cron(f"pause {job.id}")
    assert "comes:" in await cron(f"resume {job.id}")
    assert "comes:" in await cron("next 每天早上8点")
    assert "Removed" in await cron(f"remove {job.id}")
    for wrong in ("add whenever: x", "frobnicate", "add every day at 9"):
        with pytest.raises(HermesError):
            await cron(wrong)


class FakeOutbox:
    """An outbox whose texts go out when a test says so."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.state, self.proof, self.error = "waiting", "", ""

    async def put(self, target: str, text: str, *, key: str) -> int:
        self.texts[key] = f"{target}|{text}"
        return 7

    async def row(self, number: int) -> Any:
        row = {"state": self.state, "proof": self.proof, "error": self.error, "doubt": False}
        return SimpleNamespace(**row) if number == 7 else None

    async def close(self) -> None:
        self.state = "closed"


@pytest.mark.parametrize(
    ("state", "proof", "shown"),
    [
        ("waiting", "", "pending"),
        ("sent", "m1", "delivered"),
        ("sent", "", "unverified"),
        ("failed", "", "failed"),
        ("expired", "", "failed"),
    ],
)
async def test_a_run_is_done_and_its_delivery_is_what_the_outbox_says(
    core: Core, tmp_path: Path, state: str, proof: str, shown: str
) -> None:
    outbox = FakeOutbox()
    core.outbox = outbox  # type: ignore[assignment]
    client = LocalClient(core)
    await add(client, tmp_path, name="x", say="Drink water.", deliver=("telegram:12",))
    first = await run(client, "x")
    assert (first.state, first.deliveries[0].state) == ("ok", "pending")
    assert list(outbox.texts.values()) == ["telegram:12|Drink water."]
    outbox.state, outbox.proof = state, proof
    later = await latest(client, "x")
    assert (later.state, later.deliveries[0].state) == ("ok", shown)
    stored = await core.cron.jobs.get("x")
    await core.cron.runs.deliver(stored, later)
    assert len(outbox.texts) == 1
