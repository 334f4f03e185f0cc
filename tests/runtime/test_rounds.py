"""What a round costs, in things that can be counted: syncs, looks, threads that wait."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.backends import sandbox_probe
from hermes_tui.events import ToolEnded, TurnEnded
from hermes_tui.intents import OpenSession, Send, Standing
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.runtime.surroundings import Surroundings
from hermes_tui.security.secrets import Redactor
from tests.fakes.scripted_model import Call, ScriptedModel, call, calls, say

ROUNDS = 12
AROUND = 7  # commits for the session, its prompt, what was typed and the last answer
HOME = os.path.expanduser("~")
TODO = {"items": [{"text": "one"}]}
MEET = 'touch in-{n}; while [ "$(ls in-* | wc -l)" -lt 8 ]; do sleep 0.02; done; echo met'


async def worked(core: Core, folder: Path) -> list[ToolEnded]:
    """One turn of a new session in a folder: how its calls ended."""
    client = LocalClient(core)
    env = {"PATH": os.environ["PATH"], "HOME": HOME}
    standing = Standing(cwd=str(folder), env=env)
    view = await client.ask(OpenSession(which="new", standing=standing, mode="yolo"))
    await client.ask(Send(session=view.info.id, text="go"))
    found: list[ToolEnded] = []
    async with asyncio.timeout(9):
        async for record in client.events():
            if isinstance(record.event, ToolEnded):
                found.append(record.event)
            if isinstance(record.event, TurnEnded):
                assert record.event.outcome == "done", record.event.error
                break
    await client.close()
    return found


def rounds(scripted: ScriptedModel) -> None:
    scripted.script = [*(call("todo", **TODO) for _ in range(ROUNDS)), say("ok")]


async def test_a_round_is_two_durable_commits_and_one_sync_of_the_audit_log(
    core: Core, scripted: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    sync = os.fdatasync

    def counting(descriptor: int) -> None:
        synced.append(descriptor)
        sync(descriptor)

    monkeypatch.setattr(os, "fdatasync", counting)
    rounds(scripted)
    before = core.db.durable_commits
    ended = await worked(core, tmp_path)
    assert [one.status for one in ended] == ["ok"] * ROUNDS
    assert core.db.durable_commits - before <= 2 * ROUNDS + AROUND
    assert ROUNDS <= len(synced) <= ROUNDS + 1


async def test_eight_calls_of_a_reply_are_one_round_however_many_they_are(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [calls(*[Call("todo", TODO)] * 8), say("ok")]
    before = core.db.durable_commits
    assert len(await worked(core, tmp_path)) == 8
    assert core.db.durable_commits - before <= 2 + AROUND


async def test_a_call_looks_once_at_where_it_is_and_makes_no_redactor(
    core: Core, scripted: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    made: list[Any] = []
    place, make = Surroundings.place, Redactor.__init__

    def looking(self: Surroundings, folder: str, person: str) -> Any:
        looks.append(folder)
        return place(self, folder, person)

    def making(self: Redactor, values: Any = ()) -> None:
        made.append(values)
        make(self, values)

    monkeypatch.setattr(Surroundings, "place", looking)
    monkeypatch.setattr(Redactor, "__init__", making)
    rounds(scripted)
    await worked(core, tmp_path)
    assert looks.count(str(tmp_path)) <= ROUNDS + 2
    assert len(made) <= 1


async def test_a_round_costs_the_loop_little(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [call("todo", **TODO), say("ok")]
    await worked(core, tmp_path)  # what is loaded at first use is not what a round costs
    scripted.requests.clear()
    rounds(scripted)
    began = time.thread_time()
    await worked(core, tmp_path)
    seconds = (time.thread_time() - began) / ROUNDS
    assert seconds < 0.02, f"{seconds * 1000:.1f} ms a round, the model's side of it included"


async def test_eight_commands_of_a_reply_run_at_once(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    await _meet(core, scripted, tmp_path / "work")


@pytest.mark.sandbox
async def test_eight_commands_of_a_reply_run_at_once_in_sandboxes(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    if (await sandbox_probe.probe()).number == 1:
        pytest.skip("this machine has no sandbox")
    (tmp_path / "work").mkdir()
    ended = await _meet(core, scripted, tmp_path / "work")
    assert all(one.details["sandbox"] for one in ended)


async def _meet(core: Core, scripted: ScriptedModel, folder: Path) -> list[ToolEnded]:
    """Each of eight commands ends only when all of them are running."""
    wanted = [Call("run_command", {"command": MEET.replace("{n}", str(n))}) for n in range(8)]
    scripted.script = [calls(*wanted), say("ok")]
    ended = await worked(core, folder)
    assert [one.for_model.partition("\n")[0] for one in ended] == ["met"] * 8
    return ended
