"""The skills pane: what there is, what is wrong with it, and how it reads."""

from __future__ import annotations

from textual.widgets import TextArea

from hermes_tui.skills.changing import Idea
from hermes_tui.ui.skills_editor import SkillEditor
from hermes_tui.ui.skills_pane import SkillsPane, without_head
from hermes_tui.ui.skills_review import ReviewView
from tests.ui.conftest import Screen, Stage

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


# --- writing ---

STEPS = "".join(f"{n}. Look at plant number {n}.\n" for n in range(1, 13))
PLANTS = f"---\nname: water-plants\ndescription: Water the plants.\n---\n\n{STEPS}"
BETTER = PLANTS.replace("number 2.", "number 2, twice.").replace("number 11.", "number 11 last.")


def _write(stage: Stage, where: str = "", text: str = PLANTS) -> None:
    folder = stage.core.home.skills / where / "water-plants"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(text)


def _text(stage: Stage, where: str = "") -> str:
    return (stage.core.home.skills / where / "water-plants" / "SKILL.md").read_text()


async def _open(screen: Screen) -> None:
    await screen.enter("/skills water-plants")
    await screen.until(lambda: screen.shows("Water the plants.", "plant number 3"))
    screen.app.query_one("#skills-rows").focus()


def _editor(screen: Screen) -> SkillEditor | None:
    found = screen.app.screen
    return found if isinstance(found, SkillEditor) else None


async def test_a_skill_is_edited_with_the_format_looking_on(stage: Stage) -> None:
    _write(stage)
    async with stage.screen((160, 50)) as screen:
        await _open(screen)
        await screen.press("e")
        await screen.until(lambda: _editor(screen) and screen.shows("format ✓"))
        area = screen.app.screen.query_one(TextArea)
        area.text = PLANTS.replace("Water the", "Water: the")
        await screen.until(lambda: screen.shows("1 to fix", "line 3", "quotes"))
        await screen.press("ctrl+r")
        await screen.until(lambda: screen.shows("format ✓"))
        await screen.press("ctrl+s")
        await screen.until(lambda: _editor(screen) is None and "Water: the" in _text(stage))
        assert '"Water: the plants."' in _text(stage)
        await screen.press("u")
        await screen.until(lambda: _text(stage) == PLANTS)


async def test_a_changed_text_is_not_given_up_by_one_escape(stage: Stage) -> None:
    _write(stage)
    async with stage.screen((120, 35)) as screen:
        await _open(screen)
        await screen.press("e")
        await screen.until(lambda: _editor(screen))
        await screen.press("x", "escape")
        assert _editor(screen) is not None
        await screen.press("escape")
        await screen.until(lambda: _editor(screen) is None)
        assert _text(stage) == PLANTS


async def test_a_text_the_core_refuses_comes_back_into_the_editor(stage: Stage) -> None:
    _write(stage)
    async with stage.screen((120, 35)) as screen:
        await _open(screen)
        await screen.press("e")
        await screen.until(lambda: _editor(screen))
        screen.app.screen.query_one(TextArea).text = "# precious words, no head\n"
        await screen.press("ctrl+s")
        await screen.until(lambda: _editor(screen) and screen.shows("not saved yet"))
        assert "precious words" in screen.app.screen.query_one(TextArea).text
        assert _text(stage) == PLANTS


async def test_a_new_skill_gets_the_name_its_text_says(stage: Stage) -> None:
    async with stage.screen((120, 35)) as screen:
        await screen.press("alt+4")
        await screen.until(lambda: screen.app.query_one(SkillsPane).skills)
        screen.app.query_one("#skills-rows").focus()
        await screen.press("n")
        await screen.until(lambda: _editor(screen) and screen.shows("new-skill / SKILL.md"))
        screen.app.screen.query_one(TextArea).text = PLANTS
        await screen.press("ctrl+s")
        await screen.until(lambda: _editor(screen) is None and screen.shows("water-plants"))
        assert _text(stage) == PLANTS


async def test_x_switches_a_skill_off_and_on(stage: Stage) -> None:
    _write(stage)
    async with stage.screen((160, 50)) as screen:
        await _open(screen)
        await screen.press("x")
        await screen.until(lambda: screen.shows("○ water-plants"))
        await screen.press("x")
        await screen.until(lambda: screen.shows("✓ water-plants"))


async def test_t_begins_a_message_that_calls_the_skill(stage: Stage) -> None:
    _write(stage)
    async with stage.screen((160, 50)) as screen:
        await _open(screen)
        await screen.press("t")
        await screen.until(lambda: screen.app.talk.prompt.text == "/water-plants ")
        await screen.until(lambda: screen.app.talk.prompt.has_focus)


async def test_versions_are_looked_at_and_brought_back(stage: Stage) -> None:
    _write(stage)
    await stage.core.using_skills.skills.ready()
    await stage.core.using_skills.changing.save("water-plants", BETTER, "they dried up")
    async with stage.screen((160, 50)) as screen:
        await screen.enter("/skills water-plants")
        await screen.until(lambda: screen.shows("Water the plants.", "plant number 3"))
        screen.app.query_one("#skills-rows").focus()
        await screen.press("left_square_bracket")
        await screen.until(lambda: screen.shows("version 2", "they dried up", "twice"))
        await screen.press("left_square_bracket")
        await screen.until(lambda: screen.shows("version 1"))
        await screen.press("b")
        await screen.until(lambda: _text(stage) == PLANTS)


# --- proposals ---


async def _propose(stage: Stage) -> None:
    _write(stage, ".learned")
    idea = Idea(
        name="water-plants", text=BETTER, reason="two dried up", source="s1:4", replay="3 ok"
    )
    await stage.core.using_skills.changing.suggest(idea)


async def _review(screen: Screen) -> ReviewView:
    await screen.enter("/skills water-plants")
    await screen.until(lambda: screen.shows("because", "two dried up", "replay", "s1:4"))
    screen.app.query_one("#skills-rows").focus()
    await screen.press("enter")
    return screen.app.query_one(ReviewView)


async def test_a_proposed_edit_is_accepted_whole(stage: Stage) -> None:
    await _propose(stage)
    async with stage.screen((160, 50)) as screen:
        await _review(screen)
        await screen.press("y")
        await screen.until(lambda: _text(stage, ".learned") == BETTER)
        await screen.until(lambda: not screen.app.query(ReviewView))


async def test_one_change_of_a_proposed_edit_is_accepted(stage: Stage) -> None:
    await _propose(stage)
    async with stage.screen((160, 50)) as screen:
        review = await _review(screen)
        assert review.count == 2
        await screen.press("right_square_bracket", "space")
        await screen.until(lambda: screen.shows("accept 1 of 2"))
        await screen.press("y")
        await screen.until(lambda: "number 11 last" in _text(stage, ".learned"))
        assert "twice" not in _text(stage, ".learned")


async def test_a_proposed_edit_is_refused(stage: Stage) -> None:
    await _propose(stage)
    async with stage.screen((160, 50)) as screen:
        await _review(screen)
        await screen.press("n")
        await screen.until(lambda: not screen.app.query(ReviewView))
        assert _text(stage, ".learned") == PLANTS


async def test_a_proposed_edit_is_rewritten_before_it_counts(stage: Stage) -> None:
    await _propose(stage)
    async with stage.screen((160, 50)) as screen:
        await _review(screen)
        await screen.press("e")
        await screen.until(lambda: _editor(screen) and screen.shows("the proposed text"))
        area = screen.app.screen.query_one(TextArea)
        area.text = area.text.replace("twice", "three times")
        await screen.press("ctrl+s")
        await screen.until(lambda: "three times" in _text(stage, ".learned"))
        await screen.until(lambda: not screen.app.query(ReviewView))


async def test_a_slash_and_the_first_letters_complete_to_a_skill_and_call_it(stage: Stage) -> None:
    _write(stage)
    async with stage.screen((120, 35)) as screen:
        await screen.type("/water-p")
        await screen.until(lambda: screen.shows("/water-plants", "skill · Water the plants."))
        await screen.press("tab")
        assert screen.app.talk.prompt.text == "/water-plants "
        await screen.type("now")
        await screen.press("enter")
        request = await stage.model.until(1)
        await screen.until(lambda: screen.app.shown.info.state == "idle")
    asked = next(one["content"] for one in request.messages if one["role"] == "user")
    assert "plant number 3" in asked
