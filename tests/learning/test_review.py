"""Going through what was learned: only learned skills change, and every change can be undone."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import apsw
import msgspec
import pytest

from hermes_tui.errors import HermesError
from hermes_tui.intents import (
    ChangeSkill,
    ListSkills,
    ReadSkill,
    ReviewLearning,
    ShowLearning,
    ShowSkill,
)
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.skills import records
from hermes_tui.skills.life import Outcome, Use
from hermes_tui.store import learning as rows
from tests.fakes.scripted_model import ScriptedModel
from tests.learning.conftest import SKILL, TASK, Follower

DAY = 86_400.0
OTHER = """---
name: water-plants
description: Waters the plants of the office. Use when they are dry.
---

1. `echo water`
2. Look at the soil and at the leaves of each pot.
"""


@pytest.fixture
def client(core: Core) -> LocalClient:
    return LocalClient(core, through_codec=True)


def _put(core: Core, name: str, text: str, where: str = ".learned") -> Path:
    folder = core.home.skills / where / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(text.replace("name: publish-notes", f"name: {name}"))
    return folder


async def _used(
    core: Core, name: str, *outcomes: Outcome, version: int = 1, ago: float = 0
) -> None:
    """Uses in the past, each in a session of its own with the two calls of the skill."""

    def work(c: apsw.Connection) -> None:
        base = c.execute("SELECT count(*) FROM skill_use").fetchone()
        for n, outcome in enumerate(outcomes, int(base[0]) if base else 0):
            ts = time.time() - ago
            session = f"s{n}"
            records.add_use(
                c, Use(name=name, version=version, session=session, turn=1, ts=ts, task=TASK)
            )
            records.judge(c, session, 1, outcome)
            steps = ("run_command: cp notes.txt board.txt", "run_command: cat board.txt")
            row = rows.Row(session=session, turn=1, ts=ts, task=TASK, went="ok", steps=steps)
            rows.put_row(c, row)

    await core.db.write(work)
    await core.using_skills.skills.read_marks()


async def _review(client: LocalClient) -> tuple[str, ...]:
    return (await client.ask(ReviewLearning())).lines


async def test_nothing_to_put_right_changes_nothing_and_asks_nobody(
    core: Core, client: LocalClient, scripted: ScriptedModel
) -> None:
    _put(core, "publish-notes", SKILL)
    _put(core, "water-plants", OTHER)
    assert await _review(client) == ()
    assert scripted.requests == []


async def test_what_was_not_used_for_long_is_archived_and_comes_back_on_demand(
    core: Core, client: LocalClient
) -> None:
    _put(core, "water-plants", OTHER)
    _put(core, "mine", OTHER.replace("water-plants", "mine"), "")
    await client.ask(ListSkills())
    await _used(core, "water-plants", "ok", ago=90 * DAY)
    await _used(core, "mine", "ok", ago=90 * DAY)
    (line,) = await _review(client)
    assert line == (
        "water-plants is archived: not used for 90 days; "
        "`hermes skills enable water-plants` undoes it"
    )
    await client.ask(ChangeSkill(name="water-plants", action="on"))
    story = await client.ask(ShowSkill(name="water-plants"))
    assert story.state == "candidate"


async def test_of_two_that_say_the_same_the_one_that_worked_more_stays(
    core: Core, client: LocalClient
) -> None:
    _put(core, "publish-notes", SKILL)
    _put(core, "post-notes", SKILL)
    await client.ask(ListSkills())
    await _used(core, "post-notes", "ok", "ok")
    (line,) = await _review(client)
    assert line.startswith("publish-notes is archived: it says the same as post-notes")


async def test_an_edit_that_breaks_a_check_is_undone_without_a_model(
    core: Core, client: LocalClient, scripted: ScriptedModel
) -> None:
    folder = _put(core, "publish-notes", SKILL)
    (folder / "checks").write_text("says: cat board.txt\n")
    await client.ask(ListSkills())
    (folder / "SKILL.md").write_text(SKILL.replace("2. `cat board.txt`\n", ""))
    (line,) = await _review(client)
    assert "fails the check 'says: cat board.txt'; version 1 is back" in line
    assert (await client.ask(ReadSkill(name="publish-notes"))).text == SKILL
    assert scripted.requests == []
    assert await _review(client) == ()


async def test_a_skill_that_only_failed_since_an_edit_goes_back(
    core: Core, client: LocalClient
) -> None:
    config = msgspec.structs.replace(core.config.learning, replays=0)
    core.settings.config = msgspec.structs.replace(core.config, learning=config)
    folder = _put(core, "publish-notes", SKILL)
    await client.ask(ListSkills())
    await _used(core, "publish-notes", "ok", "ok")
    (folder / "SKILL.md").write_text(SKILL + "3. `cat more.txt`\n")
    await client.ask(ListSkills())
    await _used(core, "publish-notes", "failed", "corrected", version=2)
    lines = await _review(client)
    assert lines == ("publish-notes: it failed 2 times since version 2; version 1 is back",)


async def test_what_a_person_wrote_is_told_of_and_left_alone(
    core: Core, client: LocalClient, follower: Follower
) -> None:
    folder = _put(core, "publish-notes", SKILL, "")
    await client.ask(ListSkills())
    await _used(core, "publish-notes", "ok")
    worse = SKILL.replace("cp notes.txt board.txt", "think about it")
    (folder / "SKILL.md").write_text(worse)
    (line,) = await _review(client)
    assert line.endswith("`hermes skills undo publish-notes` takes it back")
    assert (await client.ask(ReadSkill(name="publish-notes"))).text == worse
    assert len(follower.rehearsals) == 2


async def test_notes_end_when_their_time_is_over(core: Core, client: LocalClient) -> None:
    now = time.time()
    make: Callable[[float], rows.Note] = lambda expires: rows.Note(  # noqa: E731
        kind="failure", about=f"tool {expires}", text="t", source="s:1", ts=now, expires=expires
    )
    for expires in (now - 1, now + DAY):
        await core.db.write(lambda c, e=expires: rows.add_note(c, make(e)))
    assert await _review(client) == ("1 note ended: the time was over",)
    assert len((await client.ask(ShowLearning())).notes) == 1


async def test_no_budget_no_replay_and_a_later_review_makes_up_for_it(
    core: Core, client: LocalClient, follower: Follower
) -> None:
    config = msgspec.structs.replace(core.config.learning, calls_per_day=1)
    core.settings.config = msgspec.structs.replace(core.config, learning=config)
    folder = _put(core, "publish-notes", SKILL)
    await client.ask(ListSkills())
    await _used(core, "publish-notes", "ok")
    (folder / "SKILL.md").write_text(SKILL.replace("cp notes.txt board.txt", "think about it"))
    assert await _review(client) == ()
    config = msgspec.structs.replace(core.config.learning, calls_per_day=20)
    core.settings.config = msgspec.structs.replace(core.config, learning=config)
    (line,) = await _review(client)
    assert "version 1 is back" in line
    assert (await client.ask(ShowLearning())).asked == 2


async def test_off_there_is_no_review(core: Core, client: LocalClient) -> None:
    config = msgspec.structs.replace(core.config.learning, enabled=False)
    core.settings.config = msgspec.structs.replace(core.config, learning=config)
    with pytest.raises(HermesError, match="learning is off"):
        await _review(client)
