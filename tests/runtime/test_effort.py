"""A session's effort: asked for, sent, kept through a restart, passed on to forks."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.errors import HermesError
from hermes_tui.events import SessionChanged, TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import ChangeSession, ForkSession, GetStatus
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.fakes.scripted_model import ScriptedModel
from tests.runtime.conftest import Connect, open_in, say, settled, until


async def test_the_next_turn_is_asked_with_the_effort_and_default_takes_it_back(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = ["one", "two", "three", "four"]
    client = await connect()
    view = await open_in(client, str(tmp_path))
    for wish in ("", "high", "auto", "default"):
        if wish:
            info = await client.ask(ChangeSession(session=view.info.id, effort=wish))
            assert info.effort == ("" if wish == "default" else wish)
            (*_, changed) = await until(client, SessionChanged)
            assert changed.event == SessionChanged(effort="" if wish == "default" else wish)
        await say(client, view, "go")
        await until(client, TurnEnded)
    sent = [one.json.get("reasoning_effort") for one in scripted.requests]
    assert sent == [None, "high", None, None]
    assert (await client.ask(GetStatus())).effort == "auto"


async def test_an_effort_that_does_not_exist_is_refused_with_those_that_do(
    connect: Connect, tmp_path: Path
) -> None:
    client = await connect()
    view = await open_in(client, str(tmp_path))
    with pytest.raises(HermesError) as caught:
        await client.ask(ChangeSession(session=view.info.id, effort="heroic"))
    assert caught.value.message == "there is no effort 'heroic'"
    assert "default, auto, none, minimal, low" in caught.value.hint


async def test_the_effort_outlives_a_restart_and_goes_along_with_a_fork(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = ["one", "two"]
    core = await Core(home, settled(home, scripted.url), headless=True).start()
    client = LocalClient(core, through_codec=True)
    view = await open_in(client, str(tmp_path))
    await client.ask(ChangeSession(session=view.info.id, effort="low"))
    await client.close()
    await core.end("restart")
    core = await Core(home, settled(home, scripted.url), headless=True).start()
    client = LocalClient(core, through_codec=True)
    again = await open_in(client, str(tmp_path), view.info.id)
    assert again.info.effort == "low"
    await say(client, again, "go")
    await until(client, TurnEnded)
    fork = await client.ask(ForkSession(session=view.info.id))
    copy = await open_in(client, str(tmp_path), fork.id)
    await say(client, copy, "go")
    await until(client, TurnEnded)
    assert copy.info.effort == "low"
    assert [one.json["reasoning_effort"] for one in scripted.requests] == ["low", "low"]
    await client.close()
    await core.end("test over")
