"""From a hard task to a skill that is used, and back from a bad edit."""

from __future__ import annotations

from pathlib import Path

from hermes_tui.intents import (
    AnswerSkillProposal,
    ListSkillProposals,
    ReadSkill,
    ReviewLearning,
    ShowLearning,
    ShowSkill,
    SkillStory,
)
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.link import SocketClient
from hermes_tui.runtime.local import LocalClient
from tests.learning.conftest import HARD_WAY, LATER, SKILL, TASK, Follower, come, looked, work


async def test_what_was_hard_once_is_easy_from_any_face_and_a_bad_edit_is_undone(
    core: Core, follower: Follower, folder: Path
) -> None:
    first = LocalClient(core, through_codec=True)
    view, hard = await work(first, folder, TASK)
    assert hard == len(HARD_WAY)
    assert (await looked(core, view.info.id)).result == "proposed"
    (proposal,) = (await first.ask(ListSkillProposals())).proposals
    assert (proposal.name, proposal.kind) == ("publish-notes", "new")
    assert proposal.source == f"{view.info.id}:1"
    assert proposal.reason == "it took two wrong ways to find the board"
    await first.ask(AnswerSkillProposal(id=proposal.id, accept=True))

    second = await SocketClient.connect(core.home)
    later, easy = await work(second, folder, LATER)
    assert easy <= 0.6 * hard
    row = await looked(core, later.info.id)
    assert (row.went, row.occasion) == ("ok", "")

    async def judged() -> SkillStory | None:
        story = await second.ask(ShowSkill(name="publish-notes"))
        return story if story.uses and story.uses[0].outcome else None

    assert (await come(judged)).uses[0].outcome == "ok"

    file = core.home.skills / ".learned" / "publish-notes" / "SKILL.md"
    file.write_text(SKILL.replace("cp notes.txt board.txt", "rm everything").replace("cat", "say"))
    (line,) = (await second.ask(ReviewLearning())).lines
    assert "publish-notes: version 2 is worse: 2 past uses" in line
    assert "version 1 is back" in line
    assert (await first.ask(ReadSkill(name="publish-notes"))).text == SKILL

    _, again = await work(first, folder, "post the release notes of 1.4 on the notice board")
    assert again <= 0.6 * hard
    report = await first.ask(ShowLearning())
    (learned,) = report.skills
    assert (learned.name, learned.accepted, learned.calls) == ("publish-notes", 1, (6.0, 2.0))
    await first.close()
    await second.close()
