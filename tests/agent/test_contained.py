"""What the agent runs is surrounded by the sandbox, asks less for it, and brings no secret back."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.agent.network import host_rules
from hermes_tui.backends import sandbox_probe
from hermes_tui.backends.egress import Egress
from hermes_tui.config import Config, SandboxConfig
from hermes_tui.errors import ToolError
from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    Notice,
    ToolEnded,
    ToolOutput,
    ToolStarted,
    TurnEnded,
)
from hermes_tui.home import Home
from hermes_tui.intents import AnswerApproval
from hermes_tui.runtime.face import Face
from hermes_tui.runtime.session import Session
from hermes_tui.tools.files import edit_file, read_file, write_file
from hermes_tui.tools.processes import Processes
from hermes_tui.tools.shell import run_command_tool
from tests.fakes.scripted_model import ScriptedModel, call, say
from tests.fakes.small_core import SmallCore, say_to, small_core, until

pytestmark = pytest.mark.sandbox
KEY = "zq" + "-live-" + "8f3k2mQ9xT7pLw4R"


def make(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@asynccontextmanager
async def at_work(
    home: Home, scripted: ScriptedModel, folder: Path, **settings: Any
) -> AsyncIterator[tuple[SmallCore, Session, Face]]:
    """A session in a workspace of its own, with the tools that matter here."""
    person = make(folder.parent / "person")
    tools = (run_command_tool(20), read_file, write_file, edit_file)
    async with small_core(home, scripted.url, *tools) as core:
        core.config = Config(sandbox=SandboxConfig(**settings))
        core.processes = Processes(lambda one: None)
        session, face = await core.session()
        session.cwd = str(make(folder))
        session.env = {**session.env, "PATH": os.environ["PATH"], "HOME": str(person)}
        yield core, session, face
        await core.processes.close()


@pytest.fixture
async def level() -> int:
    """What this machine has; these tests say nothing where there is no sandbox."""
    found = (await sandbox_probe.probe()).number
    if found == 1:
        pytest.skip("this machine has no sandbox")
    return found


def ends(events: list[Event]) -> list[ToolEnded]:
    return [one for one in events if isinstance(one, ToolEnded)]


async def test_a_command_that_needs_nothing_more_runs_without_a_question(
    home: Home, scripted: ScriptedModel, tmp_path: Path, level: int
) -> None:
    scripted.script = [call("run_command", command="echo made > new.txt; cat new.txt"), say("ok")]
    async with at_work(home, scripted, tmp_path / "work") as (_, session, face):
        await say_to(session, "go")
        events = await until(face, TurnEnded)
    assert not [one for one in events if isinstance(one, ApprovalAsked)]
    started = next(one for one in events if isinstance(one, ToolStarted))
    assert started.where == f"local, inside the sandbox (level {level})"
    assert "made" in ends(events)[0].for_model
    assert (tmp_path / "work/new.txt").read_text() == "made\n"


async def test_inside_it_sees_no_home_and_changes_nothing_outside(
    home: Home, scripted: ScriptedModel, tmp_path: Path, level: int
) -> None:
    (tmp_path / "person").mkdir()
    key = tmp_path / "person/key"
    key.write_text("canary")
    made = tmp_path / "person/made"
    scripted.script = [
        call("run_command", command=f"p={tmp_path}/person; cat $p/key; echo x > $p/made"),
        say("ok"),
    ]
    async with at_work(home, scripted, tmp_path / "work") as (_, session, face):
        await say_to(session, "go")
        events = await _until_done(session, face)
    assert "canary" not in ends(events)[0].for_model
    assert not made.exists()


async def _until_done(session: Session, face: Face, verdict: str = "once") -> list[Event]:
    """Events to the end of the turn, with each question answered."""
    seen: list[Event] = []
    async with asyncio.timeout(15):
        while not seen or not isinstance(seen[-1], TurnEnded):
            seen.append((await face.next()).event)
            if isinstance(seen[-1], ApprovalAsked):
                answer = AnswerApproval(
                    session=session.id, ask_id=seen[-1].ask_id, verdict=verdict, face="test"
                )
                await session.answer_approval(answer)
    return seen


async def test_outside_is_asked_for_and_says_so(
    home: Home, scripted: ScriptedModel, tmp_path: Path, level: int
) -> None:
    outside = tmp_path / "elsewhere"
    scripted.script = [
        call("run_command", command=f"echo x > {outside}", outside=True),
        say("ok"),
    ]
    async with at_work(home, scripted, tmp_path / "work") as (_, session, face):
        await say_to(session, "go")
        events = await _until_done(session, face)
    asked = next(one for one in events if isinstance(one, ApprovalAsked))
    assert asked.where == "local, outside the sandbox"
    assert outside.exists()


async def test_a_level_the_settings_want_and_the_machine_lacks_refuses_commands(
    home: Home, scripted: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = sandbox_probe.Level(number=1, name="none")
    monkeypatch.setattr(sandbox_probe, "_known", none)
    scripted.script = [call("run_command", command="echo hi"), say("ok")]
    async with at_work(home, scripted, tmp_path / "work", level=2) as (_, session, face):
        await say_to(session, "go")
        events = await until(face, TurnEnded)
    assert ends(events)[0].status == "denied"
    assert "sandbox level 2" in ends(events)[0].for_model


async def test_profile_full_asks_for_each_command(
    home: Home, scripted: ScriptedModel, tmp_path: Path, level: int
) -> None:
    scripted.script = [call("run_command", command="echo hi"), say("ok")]
    async with at_work(home, scripted, tmp_path / "work", profile="full") as (_, session, face):
        await say_to(session, "go")
        events = await _until_done(session, face)
    asked = next(one for one in events if isinstance(one, ApprovalAsked))
    assert "switched off" in asked.reason


async def test_nobody_there_means_no_and_contained_commands_still_run(
    home: Home, scripted: ScriptedModel, tmp_path: Path, level: int
) -> None:
    scripted.script = [
        call("run_command", command="echo inside"),
        call("run_command", command="echo x", outside=True),
        say("ok"),
    ]
    async with at_work(home, scripted, tmp_path / "work") as (_, session, face):
        await say_to(session, "go", attended=False)
        events = await until(face, TurnEnded, 15)
    assert [one.status for one in ends(events)] == ["ok", "denied"]


@pytest.mark.parametrize("verdict", ["once", "deny"])
async def test_a_host_is_asked_for_by_name_while_the_command_waits(
    home: Home, scripted: ScriptedModel, tmp_path: Path, level: int, verdict: str
) -> None:
    command = f"echo {'long ' * 60}\ncurl -sS -m 10 http://nowhere.invalid/ 2>&1; true"
    scripted.script = [call("run_command", command=command), say("ok")]
    async with at_work(home, scripted, tmp_path / "work") as (_, session, face):
        await say_to(session, "go")
        events = await _until_done(session, face, verdict)
    asked = [one for one in events if isinstance(one, ApprovalAsked)]
    assert [one.rule for one in asked] == ["network nowhere.invalid"]
    assert asked[0].tool == "network"
    assert asked[0].detail == command
    said = "has no address" if verdict == "once" else ""
    assert said in ends(events)[0].for_model


async def test_a_question_about_the_network_ends_with_its_command(
    home: Home, scripted: ScriptedModel, tmp_path: Path, level: int
) -> None:
    command = "curl -sS -m 1 http://nowhere.invalid/; true"
    scripted.script = [call("run_command", command=command), say("ok")]
    async with at_work(home, scripted, tmp_path / "work") as (_, session, face):
        await say_to(session, "go")
        events = await until(face, TurnEnded, 15)
    answers = [one for one in events if isinstance(one, ApprovalAnswered)]
    assert [one.verdict for one in answers] == ["expired"]
    assert not session.conversation.approvals


async def test_deny_rules_name_hosts_too(
    home: Home, scripted: ScriptedModel, tmp_path: Path, level: int
) -> None:
    command = "curl -sS -m 10 http://nowhere.invalid/; true"
    scripted.script = [call("run_command", command=command), say("ok")]
    async with at_work(home, scripted, tmp_path / "work") as (core, session, face):
        core.deny = ("network nowhere.invalid",)
        await say_to(session, "go")
        events = await until(face, TurnEnded, 15)
    assert not [one for one in events if isinstance(one, ApprovalAsked)]


def test_a_rule_that_names_no_host_grants_nothing() -> None:
    rules = host_rules(
        ["network *", "network 127.0.0.1", "network", "run_command x", "network a.b"]
    )
    assert [one.host for one in rules] == ["a.b"]


# --- secrets --------------------------------------------------------------------------------


def hold(home: Home) -> None:
    home.secrets.write_text(f"SOME_SERVICE={KEY}\n")
    home.secrets.chmod(0o600)


async def test_a_held_secret_is_masked_for_the_model_the_screen_and_the_log(
    home: Home, scripted: ScriptedModel, tmp_path: Path, level: int
) -> None:
    hold(home)
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "notes.txt").write_text(f"one\nkey {KEY} here\n")
    scripted.script = [
        call("run_command", command="cat notes.txt; rev notes.txt"),
        call("read_file", path="notes.txt"),
        say("ok"),
    ]
    async with at_work(home, scripted, folder) as (_, session, face):
        await say_to(session, "go")
        events = await until(face, TurnEnded, 15)
    shown = "".join(one.text for one in events if isinstance(one, ToolOutput))
    told = "".join(one.for_model + str(one.details) for one in ends(events))
    for text in (shown, told, *(str(one) for one in scripted.requests)):
        assert KEY not in text
        assert KEY[::-1] not in text
    assert "one" in told


async def test_a_mask_is_never_written_back(
    home: Home, scripted: ScriptedModel, tmp_path: Path, level: int
) -> None:
    hold(home)
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "app.conf").write_text(f"name = a\nother = {KEY}\n")
    scripted.script = [call("read_file", path="app.conf"), say("seen")]
    async with at_work(home, scripted, folder) as (_, session, face):
        await say_to(session, "read it")
        masked = ends(await until(face, TurnEnded, 15))[0].for_model
        content = "\n".join(line.partition("\t")[2] or line for line in masked.splitlines())
        scripted.script = [call("write_file", path="app.conf", content=content), say("ok")]
        await say_to(session, "write it")
        events = await _until_done(session, face)
    assert ends(events)[0].status == "denied"
    assert "mask" in ends(events)[0].for_model
    assert KEY in (folder / "app.conf").read_text()


async def test_a_held_secret_leaves_by_no_tool(
    home: Home, scripted: ScriptedModel, tmp_path: Path, level: int
) -> None:
    hold(home)
    scripted.script = [call("run_command", command=f"echo {KEY[::-1]} | rev"), say("ok")]
    async with at_work(home, scripted, tmp_path / "work") as (_, session, face):
        await say_to(session, "go")
        events = await _until_done(session, face)
    assert ends(events)[0].status == "denied"
    assert "secret" in ends(events)[0].for_model
    assert KEY not in str(events)


async def test_a_held_secret_is_kept_out_of_what_is_typed_and_said(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    hold(home)
    scripted.script = [say(f"Your key is {KEY}, is it not?")]
    async with at_work(home, scripted, tmp_path / "work") as (_, session, face):
        await say_to(session, f"is {KEY} still good?", input_id="i1")
        events = await until(face, TurnEnded, 15)
    assert KEY not in "".join(map(str, events))
    assert KEY not in str(scripted.requests)
    assert any("SOME_SERVICE" in one.text for one in events if isinstance(one, Notice))


async def test_a_sandbox_that_is_gone_when_a_command_starts_is_never_done_without(
    home: Home, tmp_path: Path, level: int
) -> None:
    async with small_core(home, "http://127.0.0.1:9") as core:
        around = core.surroundings
        await around.probe()
        folder = str(make(tmp_path / "work"))
        assert around.sandbox(folder, {"HOME": "/nowhere"}, "true", Egress()).level == level
        core.config = Config(sandbox=SandboxConfig(profile="full"))
        with pytest.raises(ToolError, match="none now"):
            around.sandbox(folder, {"HOME": "/nowhere"}, "true", Egress())
