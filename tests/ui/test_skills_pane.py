"""The skills pane: what there is, what is wrong with it, and how it reads."""

from __future__ import annotations

from hermes_tui.ui.skills_pane import SkillsPane, without_head
from tests.ui.conftest import Stage

SKILL = """---
name: water-plants
description: >
  Water the plants
  when they are dry.
---
# Water

Use *rain* water.
"""


def test_the_head_of_a_skill_becomes_its_first_paragraph() -> None:
    assert without_head(SKILL).startswith("> Water the plants when they are dry.\n\n# Water")
    assert without_head('---\ndescription: "Short."\n---\nBody') == "> Short.\n\nBody"


def test_a_text_without_a_head_is_left_as_it_is() -> None:
    for text in ("# Plain", "---\nno end", ""):
        assert without_head(text) == text


# --- on a running screen ---


async def test_bundled_and_own_skills_are_listed_and_read(stage: Stage) -> None:
    folder = stage.core.home.skills / "water-plants"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    async with stage.screen((160, 50)) as screen:
        await screen.enter("/skills water-plants")
        await screen.until(lambda: screen.shows("water-plants", "user", "Use rain water."))
        await screen.press("o")
        await screen.until(lambda: len(screen.app.screen_stack) == 2)
        await screen.press("c")
        assert screen.app.clipboard == SKILL


async def test_r_finds_a_skill_that_was_just_written(stage: Stage) -> None:
    async with stage.screen((160, 50)) as screen:
        await screen.press("alt+4")
        pane = screen.app.query_one(SkillsPane)
        await screen.until(lambda: pane.skills)
        folder = stage.core.home.skills / "water-plants"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(SKILL)
        await screen.press("r")
        await screen.until(lambda: any(s.name == "water-plants" for s in pane.skills))


async def test_nothing_is_asked_for_before_the_pane_is_seen(stage: Stage) -> None:
    async with stage.screen((160, 50)) as screen:
        assert not screen.app.query_one(SkillsPane).skills
        await screen.press("alt+4")
        await screen.until(lambda: screen.app.query_one(SkillsPane).skills)
