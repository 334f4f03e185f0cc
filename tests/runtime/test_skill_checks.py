"""Commands beside a skill run on a copy, under the policy; an edit that breaks one stays out."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.intents import CheckSkill
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.runtime.skill_checks import newly_broken, run_checks
from hermes_tui.skills.changing import Idea

STEPS = "1. Feed the otter.\n2. Count the fish.\n"


def text(body: str = STEPS) -> str:
    return f"---\nname: feed-otter\ndescription: Feed the otter when hungry.\n---\n\n{body}"


def skill(home: Home, checks: str, **files: str) -> Path:
    folder = home.skills / ".learned" / "feed-otter"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text())
    (folder / "checks").write_text(checks)
    for name, content in files.items():
        (folder / name).write_text(content)
    return folder


@pytest.mark.sandbox
async def test_each_check_says_how_it_went(core: Core) -> None:
    await core.surroundings.probe()
    checks = "says: Count the fish\nnever: otter\nrun: cat SKILL.md\nrun: false\nrun: rm -rf /\n"
    skill(core.home, checks)
    asked = CheckSkill(name="feed-otter", text="", run=True)
    found = await LocalClient(core).ask(asked)
    assert [one.ok for one in found.checks] == [True, False, True, False, None]
    assert "Feed the otter" in found.checks[2].said
    assert found.checks[4].said
    plain = await LocalClient(core).ask(CheckSkill(name="feed-otter", text=text()))
    assert plain.checks == ()


@pytest.mark.sandbox
async def test_commands_see_the_new_text_and_leave_the_skill_alone(core: Core) -> None:
    await core.surroundings.probe()
    script = "echo touched >> SKILL.md; grep -q Count SKILL.md"
    folder = skill(core.home, "run: sh test.sh\n", **{"test.sh": script})
    old, new = text(), text("1. Feed the otter.\n")
    assert [one.ok for one in await run_checks(core, folder, old)] == [True]
    assert await newly_broken(core, folder, old, new) == ("run: sh test.sh",)
    assert await newly_broken(core, folder, new, new + "\nMore.\n") == ()
    assert (folder / "SKILL.md").read_text() == old


@pytest.mark.sandbox
async def test_an_edit_that_breaks_a_command_is_kept_out(core: Core) -> None:
    await core.surroundings.probe()
    skill(core.home, "run: grep -q Count SKILL.md\n")
    changing = core.using_skills.changing
    idea = Idea(name="feed-otter", text=text("1. Feed the otter.\n"), reason="shorter")
    with pytest.raises(HermesError, match="breaks a check"):
        await changing.suggest(idea)
    assert "Count" in await core.using_skills.skills.text("feed-otter")
    kept = Idea(name="feed-otter", text=text(f"{STEPS}3. Wave.\n"), reason="manners")
    made = await changing.suggest(kept)
    assert made.proposal is not None or made.version is not None


async def test_without_a_sandbox_nothing_runs_that_nobody_approved(core: Core) -> None:
    folder = skill(core.home, "says: Wave\nrun: touch ran\n")
    said, ran = await run_checks(core, folder, text())
    assert (said.ok, ran.ok) == (False, None)
    assert ran.said
    assert await newly_broken(core, folder, text("Wave"), text()) == ("says: Wave",)


@pytest.mark.sandbox
async def test_in_a_sandbox_a_check_reaches_nothing_of_the_persons(
    core: Core, tmp_path: Path
) -> None:
    target = tmp_path / "precious.txt"
    target.write_text("mine")
    folder = skill(core.home, f"run: echo gone > {target}\n")
    await core.surroundings.probe()
    (ran,) = await run_checks(core, folder, text())
    assert ran.ok is not None
    assert target.read_text() == "mine"
