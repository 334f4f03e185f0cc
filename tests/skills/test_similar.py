"""A copy under another name is caught however it is dressed up; a skill of its own is not."""

from __future__ import annotations

import random

import pytest

from hermes_tui.bundled import bundled
from hermes_tui.skills.routing import Text
from hermes_tui.skills.similar import ALIKE, Copies, likeness
from hermes_tui.skills.skill import parse


def _bundled() -> list[Text]:
    skills = [parse((p / "SKILL.md").read_text(), p.name) for p in bundled("skills").iterdir()]
    return [Text(one.name, one.description, one.body) for one in skills]


def _renamed(one: Text) -> Text:
    return Text("another-name", one.description, one.body)


def _reworded(one: Text) -> Text:
    return Text("another-name", "Does what has to be done, as we like it here.", one.body)


def _shuffled(one: Text) -> Text:
    lines = one.body.splitlines()
    random.Random(3).shuffle(lines)
    return Text("another-name", one.description, "\n".join(lines))


def _shortened(one: Text) -> Text:
    lines = one.body.splitlines()
    return Text("another-name", one.description, "\n".join(lines[: len(lines) * 4 // 5]))


def _respelled(one: Text) -> Text:
    swapped = one.body.replace("the ", "a ").replace("test", "check").replace(". ", "; ")
    return Text("another-name", one.description, swapped)


@pytest.mark.parametrize("dress", [_renamed, _reworded, _shuffled, _shortened, _respelled])
def test_a_copy_is_caught_in_every_dress(dress: object) -> None:
    library = _bundled()
    copies = Copies(library)
    for one in library:
        found = copies.copies(dress(one))  # type: ignore[operator]
        assert found, one.name
        assert found[0].name == one.name


def test_skills_of_their_own_are_no_copies() -> None:
    library = _bundled()
    pairs = [likeness(a, b) for a in library for b in library if a.name != b.name]
    assert max(pairs) < ALIKE / 2


def test_two_on_one_subject_are_no_copies() -> None:
    one = Text("deploy-site", "Deploy the site.", "Build it.\nCopy the files.\nSwitch the link.\n")
    two = Text(
        "deploy-api", "Deploy the API.", "Run migrations.\nRestart the workers.\nWatch 5xx.\n"
    )
    assert Copies([one]).copies(two) == []


def test_nothing_is_a_copy_of_nothing() -> None:
    assert likeness(Text("a", "", ""), Text("b", "", "")) == 0.0
    assert Copies([]).copies(Text("a", "x", "y")) == []
