"""The tools for skills: few words for the model, and what comes from strangers is marked."""

from __future__ import annotations

from pathlib import Path

from hermes_tui.skills.offering import Offer
from hermes_tui.skills.service import Loaded
from hermes_tui.tools.skills import find_skills, use_skill
from tests.fakes.context import FakeContext


class FakeSkills:
    """One skill, from a stranger."""

    def names(self) -> list[str]:
        return ["deploy", "review"]

    async def find(self, need: str, limit: int) -> list[Offer]:
        if need == "nothing":
            return []
        about = "Deploys. " * 60
        return [Offer(name="deploy", description=about, origin="project", score=1.0, share=1.0)]

    async def load(self, name: str, part: str) -> Loaded:
        return Loaded(name=name, text="Do it.", version=3, untrusted="skill deploy of /x")


def _context(folder: Path) -> FakeContext:
    context = FakeContext(folder)
    context.skills = FakeSkills()
    return context


async def test_a_skill_is_read_and_its_stranger_is_named(tmp_path: Path) -> None:
    result = await use_skill.run({"name": "deploy", "part": ""}, _context(tmp_path))
    assert result.for_model == "Do it."
    assert result.untrusted == "skill deploy of /x"
    assert result.details["version"] == 3


async def test_skills_are_found_in_one_short_line_each(tmp_path: Path) -> None:
    result = await find_skills.run({"need": "put it live"}, _context(tmp_path))
    (line,) = result.for_model.splitlines()
    assert line.startswith("- deploy (from outside, not reviewed): Deploys.")
    assert len(line) < 320


async def test_an_empty_need_lists_all_and_a_strange_one_says_so(tmp_path: Path) -> None:
    context = _context(tmp_path)
    assert (await find_skills.run({"need": " "}, context)).for_model == "deploy, review"
    assert "no skill fits" in (await find_skills.run({"need": "nothing"}, context)).for_model


def test_reading_a_skill_is_a_read(tmp_path: Path) -> None:
    action = use_skill.action({"name": "deploy", "part": "references/a.md"}, str(tmp_path))
    assert (action.kind, action.title) == ("read", "deploy/references/a.md")
