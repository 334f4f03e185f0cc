"""What is known of one person comes up for nobody else, and in no group."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.events import TurnEnded
from hermes_tui.intents import AddFact, AskMemory, ForkSession, SessionView
from hermes_tui.memory.place import Place
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.store.subagents import Row
from tests.fakes.scripted_model import ScriptedModel, call, say
from tests.memory.conftest import Notes
from tests.runtime.conftest import open_in, until
from tests.runtime.conftest import say as tell

GROUP = "telegram:-100200"


async def turn(client: LocalClient, view: SessionView, text: str) -> None:
    await tell(client, view, text)
    await until(client, TurnEnded)


async def test_the_owners_facts_reach_no_group_and_no_guest(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.answer = lambda asked: say("Fine.")
    client = LocalClient(core)
    await client.ask(AddFact(text="The user is moving to Oslo in spring"))
    places: list[dict[str, Any]] = [
        {"person": "", "chat": GROUP, "group": True},
        {"person": "telegram:77", "chat": "telegram:77", "group": False},
        {"person": "telegram:77", "chat": GROUP, "group": True},
    ]
    for place in places:
        view = await open_in(client, str(tmp_path), **place)
        await turn(client, view, "what happens in spring in Oslo?")
        assert "Oslo in spring" not in _told(scripted)
        answer = await client.ask(AskMemory(question="who moves to Oslo?", session=view.info.id))
        assert "moving" not in answer.text
    view = await open_in(client, str(tmp_path))
    await turn(client, view, "what happens in spring in Oslo?")
    assert "moving to Oslo in spring" in _told(scripted)


async def test_what_a_group_was_told_stays_in_that_group(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.answer = lambda asked: say("Fine.")
    client = LocalClient(core)
    here = await open_in(client, str(tmp_path), chat=GROUP, group=True)
    await client.ask(AddFact(text="The choir sings on Thursdays", session=here.info.id))
    await turn(client, here, "when does the choir sing?")
    assert "sings on Thursdays" in _told(scripted)
    other = await open_in(client, str(tmp_path), chat="telegram:-100999", group=True)
    await turn(client, other, "when does the choir sing?")
    assert "sings on Thursdays" not in _told(scripted)


async def test_the_recall_tool_of_a_group_finds_nothing_said_alone(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = LocalClient(core)
    scripted.script = [say("Noted.")]
    await turn(client, await open_in(client, str(tmp_path)), "my locker number is 4417, zebra")
    scripted.script = [call("recall", query="zebra locker number"), say("No idea.")]
    group = await open_in(client, str(tmp_path), person="", chat=GROUP, group=True)
    await turn(client, group, "look up the thing")
    assert "4417" not in json.dumps(scripted.requests[-1].json)
    scripted.script = [call("recall", query="zebra locker number"), say("There.")]
    alone = await open_in(client, str(tmp_path))
    await turn(client, alone, "look up the thing")
    assert "4417" in json.dumps(scripted.requests[-1].json)


async def test_what_was_said_alone_does_not_answer_about_me_in_a_group(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.answer = lambda asked: say("Fine.")
    client = LocalClient(core)
    await turn(client, await open_in(client, str(tmp_path)), "a walrus lives in my garage, really")
    group = await open_in(client, str(tmp_path), chat=GROUP, group=True)
    question = "walrus garage"
    in_group = await client.ask(AskMemory(question=question, session=group.info.id))
    assert "lives in my" not in in_group.text
    alone = await client.ask(AskMemory(question=question))
    assert "lives in my garage" in alone.text


async def test_a_fork_and_a_subagent_of_a_guests_talk_are_the_guests(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    from hermes_tui.runtime.subagent_session import make_session

    client = LocalClient(core)
    guest: dict[str, Any] = {"person": "telegram:77", "chat": GROUP, "group": True}
    view = await open_in(client, str(tmp_path), **guest)
    info = await client.ask(ForkSession(session=view.info.id))
    row = Row(
        id="sub1", parent=view.info.id, session="child1", goal="look", cwd=str(tmp_path), env={}
    )
    child = await make_session(core, row)
    for session in (await core.session(info.id), child):
        place = await core.memory.place_of(session)
        assert (place.person, place.chat, place.group) == ("telegram:77", GROUP, True)
        asker = await core.recall.asker(session.id)
        assert (asker.person, asker.chat, asker.group) == ("telegram:77", GROUP, True)


async def test_a_guest_changes_nothing_of_the_owners(notes: Notes) -> None:
    guest = Place(person="telegram:77", chat="telegram:77")
    group = Place(chat=GROUP, group=True)
    fact = (await notes.add("Deploys happen on Fridays", scope="everyone")).fact
    own = (await notes.add("The gate code is kept by Ann")).fact
    wider = "Deploys happen on Fridays and anyone may approve them"
    made = await notes.add(wider, place=guest)
    assert (made.fact.id, made.how) != (fact.id, "completed")
    assert (await notes.facts.find(fact.id)).text == "Deploys happen on Fridays"
    for place in (guest, group):
        with pytest.raises(HermesError, match="owner of this home"):
            await notes.add("Everybody is an admin", place=place, scope="everyone")
        with pytest.raises(NotFoundError):
            await notes.add("The gate code is 1", place=place, replaces=own.id)
        with pytest.raises(NotFoundError) as caught:
            await notes.facts.forget("gate code", place=place)
        assert "Ann" not in f"{caught.value.message} {caught.value.hint}"
    near = await notes.add("The gate code is kept by Ann", place=group)
    assert near.how == "added"


def _told(scripted: ScriptedModel) -> str:
    return json.dumps(scripted.requests[-1].messages)


async def test_the_owners_failures_and_corrections_are_told_to_no_guest(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    from hermes_tui.runtime.using_skills import SessionSkills
    from hermes_tui.store import learning

    folder = core.home.skills / "feed-otter"
    folder.mkdir(parents=True)
    head = "---\nname: feed-otter\ndescription: Feed the otter.\n---\n"
    (folder / "SKILL.md").write_text(f"{head}\nFeed it.\n")
    now = time.time()
    rest: dict[str, Any] = {"source": "s:1", "ts": now, "expires": now + 9e5}
    failed = learning.Note(
        kind="failure",
        about="run_command xyzzy-deploy",
        text="On Monday `run_command xyzzy-deploy` failed (no route to vault-7).",
        condition="in /x, asked: xyzzy-deploy the vault",
        **rest,
    )
    said = learning.Note(kind="correction", about="feed-otter", text="only on plugh days", **rest)
    for note in (failed, said):
        await core.db.write(lambda c, note=note: learning.add_note(c, note))
    scripted.answer = lambda asked: say("Fine.")
    client = LocalClient(core)
    places: tuple[tuple[dict[str, Any], bool], ...] = (
        ({"person": "telegram:77"}, False),
        ({"group": True}, False),
        ({}, True),
    )
    for place, told in places:
        view = await open_in(client, str(tmp_path), **place)
        await turn(client, view, "run xyzzy-deploy for the vault now")
        assert ("vault-7" in _told(scripted)) is told
        session = await core.session(view.info.id)
        loaded = await SessionSkills(core.using_skills, session).load("feed-otter", "")
        assert ("plugh" in loaded.text) is told
