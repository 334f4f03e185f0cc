"""Skills in a session: a frozen list, a note where one fits, nothing where none does."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.errors import HermesError
from hermes_tui.events import Notice, SkillsChanged, ToolEnded, TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import (
    AnswerArrival,
    AnswerSkillProposal,
    ChangeSkill,
    CheckSkill,
    FetchSkills,
    ListSkillProposals,
    ListSkills,
    ReadSkill,
    RemoveSkill,
    RouteSkills,
    SaveSkill,
    ShowSkill,
)
from hermes_tui.runtime.core import Core
from hermes_tui.skills.changing import Idea
from tests.fakes.scripted_model import ScriptedModel, call
from tests.fakes.scripted_model import say as answer
from tests.runtime.conftest import Connect, open_in, say, until

BREAD = """---
name: sourdough
description: Bakes sourdough bread. Use for starters, rye loaves and baking plans.
---

1. Feed the starter with rye flour.
2. Plan loaves.
"""
TASK = "feed the sourdough starter and plan the rye loaves"


def _put(home: Home, text: str = BREAD, name: str = "sourdough") -> Path:
    folder = home.skills / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(text)
    return folder


def _system(model: ScriptedModel, at: int) -> str:
    return model.requests[at].messages[0]["content"]


def _typed(model: ScriptedModel, at: int) -> str:
    return next(
        one["content"] for one in reversed(model.requests[at].messages) if one["role"] == "user"
    )


async def test_a_skill_that_fits_is_offered_read_and_noted(
    core: Core, connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    _put(core.home)
    client = await connect()
    view = await open_in(client, str(tmp_path))
    scripted.script = [call("use_skill", name="sourdough"), answer("done")]
    await say(client, view, TASK)
    records = await until(client, TurnEnded)
    assert "sourdough: Bakes sourdough bread" in _typed(scripted, 0)
    assert "- sourdough: Bakes sourdough bread" in _system(scripted, 0)
    (ended,) = [one.event for one in records if isinstance(one.event, ToolEnded)]
    assert "Feed the starter" in ended.for_model
    story = await client.ask(ShowSkill(name="sourdough"))
    assert [(one.version, one.task) for one in story.uses] == [(1, TASK)]


async def test_where_nothing_fits_a_request_is_not_a_byte_longer(
    core: Core, connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    _put(core.home)
    client = await connect()
    scripted.script = [answer("hi")] * 2
    notes: list[str] = []
    for number, skills in enumerate((True, False)):
        await client.ask(ChangeSkill(name="sourdough", action="on" if skills else "off"))
        await say(client, await open_in(client, str(tmp_path)), "hello")
        await until(client, TurnEnded)
        notes.append(_typed(scripted, number))
    assert notes[0] == notes[1]
    assert "kill" not in notes[0]


async def test_the_prefix_stays_as_it_was_when_skills_change(
    core: Core, connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    client = await connect()
    view = await open_in(client, str(tmp_path))
    scripted.script = [answer("one"), answer("two")]
    await say(client, view, "hello")
    await until(client, TurnEnded)
    _put(core.home)
    await say(client, view, TASK)
    await until(client, TurnEnded)
    assert _system(scripted, 0) == _system(scripted, 1)
    assert "sourdough" in _typed(scripted, 1)


async def test_broken_skills_are_told_of_once(
    core: Core, connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        _put(core.home, "# no head\n", name)
    client = await connect()
    view = await open_in(client, str(tmp_path))
    scripted.script = [answer("a"), answer("b")]
    told: list[str] = []
    for text in ("hello", "hello again"):
        await say(client, view, text)
        records = await until(client, TurnEnded)
        told += [one.event.text for one in records if isinstance(one.event, Notice)]
    assert told == ["2 skills have problems: one, two"]


async def test_a_skill_is_written_checked_and_taken_back_through_a_face(
    core: Core, connect: Connect
) -> None:
    client = await connect()
    check = await client.ask(CheckSkill(name="sourdough", text=BREAD.replace("Bakes", "It: bakes")))
    assert [(one.line, one.rule) for one in check.findings] == [(3, "quotes")]
    assert check.repaired
    saved = await client.ask(SaveSkill(name="sourdough", text=BREAD, create=True))
    assert saved.version == 1
    await client.ask(SaveSkill(name="sourdough", text=BREAD + "3. Bake.\n", reason="forgot"))
    story = await client.ask(ShowSkill(name="sourdough"))
    newest = story.versions[0]
    assert (newest.n, newest.by, newest.reason) == (2, "person", "forgot")
    assert "+3. Bake." in story.versions[0].diff
    await client.ask(ChangeSkill(name="sourdough", action="undo"))
    assert (await client.ask(ReadSkill(name="sourdough"))).text == BREAD
    with pytest.raises(HermesError, match="no skill"):
        await client.ask(ShowSkill(name="nope"))


async def test_a_proposal_is_listed_with_its_diff_and_answered_through_a_face(
    core: Core, connect: Connect
) -> None:
    client = await connect()
    idea = Idea(name="sourdough", text=BREAD, reason="it was hard", source="s:3", replay="2 of 2")
    await core.using_skills.changing.suggest(idea)
    (one,) = (await client.ask(ListSkillProposals())).proposals
    assert (one.kind, one.reason, one.replay, one.source) == ("new", "it was hard", "2 of 2", "s:3")
    assert "+1. Feed" in one.diff
    (info,) = [s for s in (await client.ask(ListSkills())).skills if s.name == "sourdough"]
    assert info.proposal == one.id
    await client.ask(AnswerSkillProposal(id=one.id, accept=True))
    (info,) = [s for s in (await client.ask(ListSkills())).skills if s.name == "sourdough"]
    assert (info.origin, info.state, info.version) == ("learned", "candidate", 1)


async def test_what_would_be_offered_is_told_in_order(core: Core, connect: Connect) -> None:
    _put(core.home)
    client = await connect()
    found = await client.ask(RouteSkills(task=TASK))
    assert (found.offers[0].name, found.offers[0].offered) == ("sourdough", True)
    assert found.ms < 20


async def test_a_skill_is_fetched_let_in_and_removed_through_a_face(
    core: Core, connect: Connect, tmp_path: Path
) -> None:
    folder = tmp_path / "from" / "sourdough"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(BREAD)
    client = await connect()
    (one,) = (await client.ask(FetchSkills(source=str(folder)))).arrivals
    await client.ask(AnswerArrival(name=one.name, accept=True, digest=one.digest))
    names = [s.origin for s in (await client.ask(ListSkills())).skills if s.name == "sourdough"]
    assert names == ["hub"]
    await client.ask(RemoveSkill(name="sourdough"))
    assert "sourdough" not in [s.name for s in (await client.ask(ListSkills())).skills]


async def test_a_slash_and_its_name_call_a_skill_whole(
    core: Core, connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    _put(core.home)
    client = await connect()
    view = await open_in(client, str(tmp_path))
    scripted.script = [answer("done"), answer("done")]
    await say(client, view, "/sourdough for Sunday")
    await until(client, TurnEnded)
    assert "calls the skill sourdough" in _typed(scripted, 0)
    assert "Feed the starter with rye flour." in _typed(scripted, 0)
    assert len((await client.ask(ShowSkill(name="sourdough"))).uses) == 1
    other = await open_in(client, str(tmp_path))
    scripted.script.append(answer("done"))
    await say(client, other, "what does @skill:sourdough say about rye?")
    await until(client, TurnEnded)
    assert "calls the skill sourdough" in _typed(scripted, 1)
    await say(client, view, "/nothing of that kind")
    await until(client, TurnEnded)
    assert "skill" not in _typed(scripted, 2)


async def test_a_skill_that_is_saved_in_an_editor_is_told_to_every_face(
    core: Core, connect: Connect
) -> None:
    client = await connect()
    await client.ask(ListSkills())
    folder = _put(core.home)
    await until(client, SkillsChanged)
    assert core.using_skills.skills.get("sourdough").description.startswith("Bakes")
    (folder / "SKILL.md").write_text(BREAD.replace("Bakes", "Makes"))
    await until(client, SkillsChanged)
    assert core.using_skills.skills.get("sourdough").description.startswith("Makes")


async def test_a_skill_whose_text_was_masked_is_read_in_full_again(
    core: Core, connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    _put(core.home)
    client = await connect()
    view = await open_in(client, str(tmp_path))
    read = call("use_skill", name="sourdough")
    scripted.script = [read, answer("done"), read, answer("done")]
    texts: list[str] = []
    for masked in (False, True):
        if masked:
            session = await core.session(view.info.id)
            session.conversation.masked.update(session.conversation.call_ids)
        await say(client, view, "go on with the bread")
        records = await until(client, TurnEnded)
        texts += [one.event.for_model for one in records if isinstance(one.event, ToolEnded)]
    assert texts[0] == texts[1]
    assert "Feed the starter" in texts[1]
