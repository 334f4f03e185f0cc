"""What learning does around a turn: mostly nothing, never on the person's clock."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hermes_tui.intents import (
    AnswerSkillProposal,
    ListSkillProposals,
    ReadSkill,
    Send,
    ShowLearning,
    ShowSkill,
    SkillProposal,
)
from hermes_tui.runtime import learning
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.store import learning as rows
from tests.fakes.scripted_model import Asked, Call, Reply, ScriptedModel, call, calls, say
from tests.learning.conftest import (
    LATER,
    NEW,
    SKILL,
    TASK,
    Follower,
    come,
    go_on,
    looked,
    work,
)

RIGHT = "No, from now on publish to wall.txt instead"


def _set(core: Core, part: str, **changes: Any) -> None:
    config = core.config
    new = msgspec.structs.replace(getattr(config, part), **changes)
    core.settings.config = msgspec.structs.replace(config, **{part: new})


def _put(core: Core, text: str = SKILL, name: str = "publish-notes", where: str = "") -> None:
    folder = core.home.skills / where / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text)


@pytest.fixture
def client(core: Core) -> LocalClient:
    return LocalClient(core, through_codec=True)


async def proposals(client: LocalClient) -> tuple[SkillProposal, ...]:
    return (await client.ask(ListSkillProposals())).proposals


# --- nothing -------------------------------------------------------------------------------------


async def test_where_nothing_is_to_be_learned_not_a_byte_and_not_a_call_is_added(
    core: Core, client: LocalClient, scripted: ScriptedModel, folder: Path
) -> None:
    bodies: list[bytes] = []
    for on in (True, False):
        _set(core, "learning", enabled=on)
        scripted.requests.clear()
        scripted.script = [calls(Call("run_command", {"command": "ls"}, "c1")), say("one file")]
        view, _ = await work(client, folder, "what is in there?")
        bodies.append(b"".join(one.body for one in scripted.requests))
        if on:
            assert (await looked(core, view.info.id)).occasion == ""
        assert len(scripted.requests) == 2
    first, second = (_bare(body) for body in bodies)
    assert first == second


def _bare(body: bytes) -> bytes:
    """Without the seconds a command took."""
    import re

    return re.sub(rb"[\d.]+ s\b", b"", body)


async def test_off_is_off(
    core: Core, client: LocalClient, follower: Follower, folder: Path
) -> None:
    _set(core, "learning", enabled=False)
    view, _ = await work(client, folder, TASK)
    await go_on(client, view, RIGHT)
    await asyncio.sleep(0)
    assert follower.looks == []
    assert await core.db.read(lambda c: rows.rows_since(c, 0.0)) == []
    assert not (await client.ask(ShowLearning())).on


async def test_work_that_ended_in_a_failure_leaves_no_skill(
    core: Core, client: LocalClient, follower: Follower, folder: Path
) -> None:
    follower.hard_way = ("ls", "ls", "ls", "ls", "ls", "test -d nowhere")
    view, _ = await work(client, folder, "make the tests pass")
    row = await looked(core, view.info.id)
    assert (row.went, row.occasion) == ("failed", "")
    assert follower.looks == []


async def test_plain_work_done_twice_is_proposed_once(
    core: Core, client: LocalClient, follower: Follower, folder: Path
) -> None:
    follower.hard_way = ("ls", "ls -a", "pwd", "cat notes.txt", "cp notes.txt board.txt", "ls -l")
    results: list[str] = []
    for text in (TASK, LATER, TASK):
        view, _ = await work(client, folder, text)
        results.append((await looked(core, view.info.id)).result)
    assert results == ["", "proposed", ""]
    assert len(await proposals(client)) == 1


async def test_the_answer_nothing_leaves_nothing(
    core: Core, client: LocalClient, follower: Follower, folder: Path
) -> None:
    follower.lesson = "NOTHING"
    view, _ = await work(client, folder, TASK)
    assert (await looked(core, view.info.id)).result == "nothing"
    assert await proposals(client) == ()


async def test_a_day_has_a_budget(
    core: Core, client: LocalClient, follower: Follower, folder: Path
) -> None:
    _set(core, "learning", calls_per_day=0)
    view, _ = await work(client, folder, TASK)
    assert (await looked(core, view.info.id)).result == "budget"
    assert follower.looks == []


async def test_turns_that_follow_at_once_are_all_looked_at(
    core: Core, client: LocalClient, scripted: ScriptedModel, folder: Path
) -> None:
    scripted.answer = lambda asked: Reply(text="fine", first_s=0.01)
    view, _ = await work(client, folder, "one")
    for text in ("two", "three", "four"):
        await client.ask(Send(session=view.info.id, text=text, how="queue"))
    for number, text in enumerate(("one", "two", "three", "four"), 1):
        assert (await looked(core, view.info.id, number)).task == text


async def test_a_day_is_gone_through_when_nothing_goes_on(
    core: Core, client: LocalClient, follower: Follower, folder: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(learning, "_IDLE_S", 0.0)
    follower.hard_way = ()
    for name in ("post-notes", "publish-notes"):
        _put(core, SKILL.replace("publish-notes", name), name, ".learned")
    await work(client, folder, "hello")

    async def reviewed() -> bool | None:
        return bool((await client.ask(ShowLearning())).reviewed) or None

    await come(reviewed)
    (line,) = (await client.ask(ShowLearning())).review
    assert line.startswith("publish-notes is archived: it says the same as post-notes")


# --- asking --------------------------------------------------------------------------------------


async def test_the_question_goes_behind_what_was_sent_before(
    core: Core, client: LocalClient, follower: Follower, folder: Path, scripted: ScriptedModel
) -> None:
    view, _ = await work(client, folder, TASK)
    await looked(core, view.info.id)
    look, before = follower.looks[0], scripted.requests[-2]
    assert look is scripted.requests[-1]
    sent = before.messages
    assert look.messages[: len(sent)] == sent
    assert look.json["tools"] == before.json["tools"]
    assert len(look.messages) == len(sent) + 2


async def test_the_next_turn_goes_before_looking_back_which_is_done_later(
    core: Core, client: LocalClient, follower: Follower, folder: Path, scripted: ScriptedModel
) -> None:
    def held(asked: Asked) -> Reply | str:
        reply = follower(asked)
        late = len(follower.looks) == 1 and not follower.lesson
        return Reply(text=NEW, gate="look", gate_at=0) if late else reply

    follower.lesson = ""
    scripted.answer = held
    view, _ = await work(client, folder, TASK)

    async def asked() -> bool | None:
        return bool(follower.looks) or None

    await come(asked)
    follower.lesson = NEW
    follower.hard_way = ()
    await go_on(client, view, "thanks, and what is the weather?")
    assert (await looked(core, view.info.id)).result == "proposed"
    assert len(follower.looks) == 2


async def test_another_model_is_asked_where_one_is_set(
    core: Core, client: LocalClient, follower: Follower, folder: Path
) -> None:
    config = msgspec.structs.replace(core.config.models, reflection="cheap")
    core.settings.config = msgspec.structs.replace(core.config, models=config)
    view, _ = await work(client, folder, TASK)
    await looked(core, view.info.id)
    (look,) = follower.looks
    assert look.json["model"] == "cheap"
    assert "tools" not in look.json
    assert "CALL run_command" in look.messages[-1]["content"]


async def test_an_endpoint_that_fails_leaves_a_line_in_the_report_and_no_more(
    core: Core, client: LocalClient, follower: Follower, folder: Path
) -> None:
    follower.lesson = "a poem"
    view, _ = await work(client, folder, TASK)
    row = await looked(core, view.info.id)
    assert (row.result, row.why) == ("unusable", "the answer has no known form")
    (one,) = (await client.ask(ShowLearning())).looked
    assert (one.result, one.asked) == ("unusable", 1)


async def test_what_was_refused_is_not_proposed_again(
    core: Core, client: LocalClient, follower: Follower, folder: Path
) -> None:
    view, _ = await work(client, folder, TASK)
    await looked(core, view.info.id)
    (one,) = await proposals(client)
    await client.ask(AnswerSkillProposal(id=one.id, accept=False, note="too narrow"))
    for text in (LATER, "fetch the mail and print the board of release notes"):
        view, _ = await work(client, folder, text)
        assert (await looked(core, view.info.id)).result in ("", "nothing")
    assert await proposals(client) == ()


# --- text from outside ---------------------------------------------------------------------------


async def test_what_was_learned_after_text_from_outside_waits_for_the_person(
    core: Core, client: LocalClient, follower: Follower, folder: Path
) -> None:
    _set(core, "skills", edits="apply")
    outside = folder / ".agents" / "skills" / "found-here"
    outside.mkdir(parents=True)
    text = SKILL.replace("publish-notes", "found-here")
    longer = "1. `cat gone`\n2. `ls`\n3. `pwd`\n4. `cp"
    (outside / "SKILL.md").write_text(text.replace("1. `cp", longer))
    view, _ = await work(client, folder, TASK)
    assert (await looked(core, view.info.id)).result == "proposed"
    assert core.sessions[view.info.id].conversation.taint
    (one,) = await proposals(client)
    assert "was read before" in one.reason
    assert not (core.home.skills / ".learned").exists()


async def test_without_it_a_skill_may_count_at_once_where_the_settings_say_so(
    core: Core, client: LocalClient, follower: Follower, folder: Path
) -> None:
    _set(core, "skills", edits="apply")
    view, _ = await work(client, folder, TASK)
    assert (await looked(core, view.info.id)).result == "kept"
    assert (await client.ask(ReadSkill(name="publish-notes"))).text == SKILL
    assert (await client.ask(ShowSkill(name="publish-notes"))).state == "candidate"


# --- corrections ---------------------------------------------------------------------------------


async def test_a_correction_counts_at_once_and_is_read_with_the_skill_everywhere(
    core: Core, client: LocalClient, follower: Follower, folder: Path, scripted: ScriptedModel
) -> None:
    _put(core)
    view, _ = await work(client, folder, TASK)
    follower.reads = False
    follower.hard_way = ("cp notes.txt wall.txt",)
    follower.lesson = (
        "EDIT publish-notes\nBECAUSE the user wants the wall\n<<<<\n1. `cp notes.txt board.txt`\n"
        "====\n1. `cp notes.txt wall.txt`\n>>>>"
    )
    await go_on(client, view, RIGHT)
    row = await looked(core, view.info.id, 2)
    assert (row.occasion, row.result) == ("correction:publish-notes", "proposed")
    story = await client.ask(ShowSkill(name="publish-notes"))
    assert [(one.outcome, one.why) for one in story.uses] == [("corrected", RIGHT)]
    (one,) = await proposals(client)
    assert "+1. `cp notes.txt wall.txt`" in one.diff
    follower.reads = True
    await work(client, folder, LATER)
    read = next(m["content"] for m in scripted.last.messages if m["role"] == "tool")
    assert f"- {RIGHT}" in read
    await client.ask(AnswerSkillProposal(id=one.id, accept=True))
    await work(client, folder, LATER)
    read = next(m["content"] for m in scripted.last.messages if m["role"] == "tool")
    assert "wall.txt" in read
    assert RIGHT not in read


async def test_a_correction_goes_before_a_replay_that_would_keep_the_old_way(
    core: Core, client: LocalClient, follower: Follower, folder: Path
) -> None:
    _set(core, "skills", edits="apply")
    _put(core, where=".learned")
    for text in (TASK, TASK, LATER):
        view, _ = await work(client, folder, text)
        await looked(core, view.info.id)
    follower.reads = False
    follower.hard_way = ("touch wall.txt",)
    follower.lesson = (
        "EDIT publish-notes\nBECAUSE the user wants the wall\n<<<<\n1. `cp notes.txt board.txt`\n"
        "2. `cat board.txt`\n====\n1. `touch wall.txt`\n>>>>"
    )
    await go_on(client, view, RIGHT)
    assert (await looked(core, view.info.id, 2)).result == "proposed"
    (one,) = await proposals(client)
    assert one.replay.startswith("worse: ")


async def test_an_edit_that_does_worse_on_past_uses_is_kept_out(
    core: Core, client: LocalClient, follower: Follower, folder: Path
) -> None:
    _set(core, "skills", edits="apply")
    view, _ = await work(client, folder, TASK)
    await looked(core, view.info.id)
    follower.reads = False
    follower.lesson = (
        "EDIT publish-notes\nBECAUSE shorter\n<<<<\n1. `cp notes.txt board.txt`\n"
        "2. `cat board.txt`\n====\n1. `tidy the desk`\n>>>>"
    )
    task = "bring the whole notice board for release up to date, then look for missing files there"
    view, _ = await work(client, folder, task)
    row = await looked(core, view.info.id)
    assert (row.result, row.why.partition(":")[0]) == ("worse", "publish-notes")
    assert (await client.ask(ReadSkill(name="publish-notes"))).text == SKILL


# --- nudges --------------------------------------------------------------------------------------


async def test_a_lasting_correction_is_noted_when_the_model_is_nudged(
    core: Core, client: LocalClient, scripted: ScriptedModel, folder: Path
) -> None:
    scripted.script = [call("run_command", command="ls"), say("listed")]
    view, _ = await work(client, folder, "list the files")
    scripted.script = [call("remember", text="The user wants sizes in listings."), say("noted")]
    assert await go_on(client, view, "No, from now on list them with their sizes") == 1
    said = [m["content"] for m in scripted.last.messages if m["role"] == "user"][-1]
    assert "note it in one sentence with `remember`" in said


async def test_a_nudge_may_be_left_alone_and_comes_only_when_called_for(
    core: Core, client: LocalClient, scripted: ScriptedModel, folder: Path
) -> None:
    scripted.script = [call("run_command", command="ls"), say("listed")]
    view, _ = await work(client, folder, "list the files")
    texts = ("thanks", "No, always this folder for now", "now the hidden ones")
    nudged: list[bool] = []
    for text in texts:
        scripted.script = [say("fine")]
        assert await go_on(client, view, text) == 0
        said = [m["content"] for m in scripted.last.messages if m["role"] == "user"][-1]
        nudged.append("`remember`" in said)
    assert nudged == [False, True, False]
    assert (await client.ask(ShowLearning())).proposals == 0


async def test_a_skill_the_model_proposes_itself_waits(
    core: Core, client: LocalClient, scripted: ScriptedModel, folder: Path
) -> None:
    given = {"name": "publish-notes", "text": SKILL, "reason": "it comes every week"}
    scripted.script = [call("use_tool", name="propose_skill", arguments=given), say("proposed")]
    await work(client, folder, "keep how this is done as a skill")
    (one,) = await proposals(client)
    assert (one.name, one.reason) == ("publish-notes", "it comes every week")


# --- failures ------------------------------------------------------------------------------------


async def test_failures_are_noted_for_a_while_and_forbid_nothing(
    core: Core, client: LocalClient, follower: Follower, folder: Path, scripted: ScriptedModel
) -> None:
    follower.hard_way = ("./ship --now", "./ship --now")
    view, _ = await work(client, folder, "ship the package of this week")
    await looked(core, view.info.id)
    (note,) = (await client.ask(ShowLearning())).notes
    assert note.condition.startswith(f"in {folder}")
    assert note.expires > 0
    assert "It may work by now: try it as usual first." in note.text
    follower.hard_way = ()
    await work(client, folder, "water the plants")
    assert "failed" not in scripted.last.messages[-1]["content"]
    await work(client, folder, "please ship the package once more this week")
    assert "`run_command ./ship` failed" in scripted.last.messages[-1]["content"]


async def test_no_note_is_left_of_what_works_again(
    core: Core, client: LocalClient, follower: Follower, folder: Path, scripted: ScriptedModel
) -> None:
    tools = [f"./tool{n}" for n in range(5)]
    for tool in tools:
        follower.hard_way = (tool, tool)
        view, _ = await work(client, folder, f"use {tool}")
        await looked(core, view.info.id)
    assert len((await client.ask(ShowLearning())).notes) == 5
    for tool in tools:
        (folder / tool).write_text("#!/bin/sh\n")
        (folder / tool).chmod(0o755)
        follower.hard_way = (tool,)
        view, _ = await work(client, folder, f"use {tool}")
        await looked(core, view.info.id)
    assert (await client.ask(ShowLearning())).notes == ()
    follower.hard_way = ()
    await work(client, folder, "use ./tool1 again")
    assert "failed" not in scripted.last.messages[-1]["content"]


# --- lives ---------------------------------------------------------------------------------------


async def test_a_skill_is_active_after_two_tasks_and_doubtful_after_two_corrections(
    core: Core, client: LocalClient, follower: Follower, folder: Path
) -> None:
    view, _ = await work(client, folder, TASK)
    await looked(core, view.info.id)
    (one,) = await proposals(client)
    await client.ask(AnswerSkillProposal(id=one.id, accept=True))

    async def state() -> str:
        return (await client.ask(ShowSkill(name="publish-notes"))).state

    tasks = (LATER, "put old release notes of spring on the notice board for the visitors")
    states = [await state()]
    for text in tasks:
        view, _ = await work(client, folder, text)
        await looked(core, view.info.id)
        states.append(await state())
    assert states == ["candidate", "candidate", "active"]
    follower.lesson = "NOTHING"
    for _ in range(2):
        view, _ = await work(client, folder, LATER)
        follower.reads = False
        follower.hard_way = ()
        await go_on(client, view, RIGHT)
        await looked(core, view.info.id, 2)
        follower.reads = True
    assert await state() == "doubtful"


async def test_learned_is_answered_in_the_session(
    core: Core, client: LocalClient, follower: Follower, folder: Path
) -> None:
    from hermes_tui.intents import RunCommand

    view, _ = await work(client, folder, TASK)
    await looked(core, view.info.id)
    said = (await client.ask(RunCommand(session=view.info.id, command="learned"))).text
    assert "- publish-notes, proposed: it took two wrong ways" in said
    assert "1 proposal waits for you" in said
