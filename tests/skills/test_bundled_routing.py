"""Each bundled skill is offered for tasks in people's own words, and only for those."""

from __future__ import annotations

import pytest

from hermes_tui.bundled import bundled
from hermes_tui.skills.offering import Offer, fitting
from hermes_tui.skills.routing import Index, Text
from hermes_tui.skills.skill import Skill, parse

SKILLS = {p.name: parse((p / "SKILL.md").read_text(), p.name) for p in bundled("skills").iterdir()}
INDEX = Index(Text(one.name, one.description, one.body) for one in SKILLS.values())

TASKS = [
    ("make a skill out of what we just did", "write-skill"),
    ("is it true that bees are dying out? look into it and give me sources", "research-question"),
    (
        "I was away for two weeks, go through my unread emails and tell me what to answer",
        "triage-inbox",
    ),
    ("write the minutes of this call and the tasks for everybody", "prepare-meeting"),
    ("our shop answers with 502 since noon, please find out why", "investigate-outage"),
    ("would I lose anything if my disk died today? check the restic backups", "prove-backups"),
    ("turn this folder of PDF invoices into an Excel sheet", "documents-to-table"),
    ("here is a CSV of our sales, which region grew fastest and is it noise?", "analyse-table"),
    ("the import takes 40 seconds, profile it and make it faster", "speed-up-code"),
    ("add unit tests for the parser", "write-tests"),
    ("git rebase stopped with conflicts in three files", "resolve-merge-conflict"),
    ("bump django to the next major version, npm audit complains too", "upgrade-dependencies"),
    ("write the changelog for version 2.4 from the commits", "write-release-notes"),
    ("plan five days in Lisbon with two kids by train", "plan-trip"),
    ("which of these two health insurances should I take?", "compare-offers"),
    ("write to my landlord that I cancel the lease", "draft-letter"),
]


def _offered(request: str) -> list[str]:
    found = INDEX.find(request, 8)
    return [one.name for one in fitting(request, [Offer.of(_skill(r.name), r) for r in found])]


def _skill(name: str) -> Skill:
    return SKILLS[name]


@pytest.mark.parametrize(("task", "name"), TASKS)
def test_a_bundled_skill_is_offered_for_its_task(task: str, name: str) -> None:
    assert name in _offered(task)[:3]


def test_there_are_enough_of_them() -> None:
    assert len(SKILLS) >= 15
