"""A call run again goes the way of every call, and the model hears nothing of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.events import (
    ApprovalAsked,
    RanAgain,
    RunsAgain,
    ToolOutput,
    ToolStarted,
    TurnEnded,
)
from hermes_tui.intents import (
    AnswerApproval,
    ChangeSession,
    FindInSession,
    ReadOutput,
    RunAgain,
    Stop,
)
from hermes_tui.runtime.client import CoreClient
from tests.fakes.scripted_model import ScriptedModel, call
from tests.fakes.scripted_model import say as reply
from tests.runtime.conftest import Connect, open_in, say, until


async def ran_once(client: CoreClient, scripted: ScriptedModel, folder: Path) -> tuple[str, str]:
    """A session in which one command ran; its id and the call's."""
    view = await open_in(client, str(folder))
    await client.ask(ChangeSession(session=view.info.id, mode="yolo"))
    scripted.script += [call("run_command", command="echo x >> log; wc -l < log"), reply("done")]
    await say(client, view, "count")
    started = (await until(client, ToolStarted))[-1].event
    await until(client, TurnEnded)
    return view.info.id, started.call_id


async def test_a_call_runs_again_and_the_conversation_stays_as_it_was(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = await connect()
    session, called = await ran_once(client, scripted, tmp_path)
    await client.ask(RunAgain(session=session, call_id=called, again_id="again-1"))
    ended = (await until(client, RanAgain))[-1].event
    assert ended.of == called
    assert ended.status == "ok"
    assert "2" in ended.for_model
    assert (tmp_path / "log").read_text() == "x\nx\n"
    shown = await client.ask(ReadOutput(session=session, call_id="again-1"))
    assert "2" in shown.text
    scripted.script.append(reply("fine"))
    view = await open_in(client, str(tmp_path), which=session)
    await say(client, view, "and now?")
    await until(client, TurnEnded)
    asked = scripted.requests[-1].messages
    assert [m["role"] for m in asked] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]


async def test_what_asks_asks_again(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = await connect()
    session, called = await ran_once(client, scripted, tmp_path)
    await client.ask(ChangeSession(session=session, mode="ask"))
    await client.ask(RunAgain(session=session, call_id=called, again_id="again-2"))
    asked = (await until(client, ApprovalAsked))[-1].event
    assert (tmp_path / "log").read_text() == "x\n"
    deny = AnswerApproval(session=session, ask_id=asked.ask_id, verdict="deny", reason="no")
    await client.ask(deny)
    ended = (await until(client, RanAgain))[-1].event
    assert ended.status == "denied"
    assert (tmp_path / "log").read_text() == "x\n"


async def test_stop_stops_a_call_that_runs_again(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = await connect()
    session, called = await ran_once(client, scripted, tmp_path)
    await client.ask(ChangeSession(session=session, mode="ask"))
    await client.ask(RunAgain(session=session, call_id=called, again_id="again-3"))
    await until(client, ApprovalAsked)
    with pytest.raises(HermesError, match="being run again"):
        await client.ask(RunAgain(session=session, call_id=called, again_id="again-4"))
    await client.ask(Stop(session=session))
    assert (await until(client, RanAgain))[-1].event.status == "stopped"


async def test_a_call_that_never_ran_can_not_run_again(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = await connect()
    view = await open_in(client, str(tmp_path))
    with pytest.raises(NotFoundError):
        await client.ask(RunAgain(session=view.info.id, call_id="none", again_id="x"))


async def test_text_is_found_in_the_whole_session_newest_first(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = await connect()
    session, _ = await ran_once(client, scripted, tmp_path)
    find = FindInSession(session=session, query="count|done", before=1 << 40)
    found = await client.ask(find)
    assert list(found.numbers) == sorted(found.numbers, reverse=True)
    assert len(found.numbers) == 2
    plain = FindInSession(session=session, query="count|done", before=1 << 40, regex=False)
    assert not (await client.ask(plain)).numbers
    one = FindInSession(session=session, query="count|done", before=1 << 40, limit=1)
    got = await client.ask(one)
    assert got.more
    below = FindInSession(session=session, query="count|done", before=got.numbers[0])
    assert (await client.ask(below)).numbers == found.numbers[1:]


async def test_what_runs_again_is_told_when_it_begins_and_its_output_as_it_comes(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = await connect()
    view = await open_in(client, str(tmp_path))
    session = view.info.id
    await client.ask(ChangeSession(session=session, mode="yolo"))
    wait = "echo begun; test ! -e gate || while test -e gate; do sleep 0.05; done"
    scripted.script += [call("run_command", command=wait), reply("done")]
    await say(client, view, "wait")
    called = (await until(client, ToolStarted))[-1].event.call_id
    await until(client, TurnEnded)
    (tmp_path / "gate").touch()
    await client.ask(RunAgain(session=session, call_id=called, again_id="again-5"))
    begun = (await until(client, RunsAgain))[-1]
    assert begun.n == 0
    assert (begun.event.call_id, begun.event.of) == ("again-5", called)
    assert "echo begun" in begun.event.arguments
    shown = (await until(client, ToolOutput))[-1].event
    assert (shown.call_id, shown.text) == ("again-5", "begun\n")
    (tmp_path / "gate").unlink()
    assert (await until(client, RanAgain))[-1].event.status == "ok"
