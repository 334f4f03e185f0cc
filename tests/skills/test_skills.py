"""Skills load with a diagnosis, are written by the rules, and the bundled ones are flawless."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.bundled import bundled
from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.home import Home
from hermes_tui.skills.library import Library
from hermes_tui.skills.skill import Skill, parse, render

BUNDLED = sorted(path.name for path in bundled("skills").iterdir())


def _add(home: Home, folder: str, text: str | bytes) -> None:
    path = home.skills / folder
    path.mkdir(parents=True)
    (path / "SKILL.md").write_bytes(text.encode() if isinstance(text, str) else text)


@pytest.mark.parametrize("name", BUNDLED)
def test_every_bundled_skill_follows_all_rules(name: str) -> None:
    text = (bundled("skills") / name / "SKILL.md").read_text()
    skill = parse(text, name)
    assert skill.problems == ()
    assert skill.name == name
    assert len(skill.body) > 500
    assert render(skill) == text


def test_bundled_skills_are_listed_by_name(home: Home) -> None:
    skills = Library(home).all()
    assert [one.name for one in skills] == BUNDLED
    assert {one.origin for one in skills} == {"bundled"}


def test_an_unquoted_colon_costs_nothing_but_one_remark() -> None:
    text = "---\nname: deploy-notes\ndescription: Deploy steps: build then push.\n---\nBody\n"
    skill = parse(text, "deploy-notes")
    assert skill.description == "Deploy steps: build then push."
    assert skill.body == "Body\n"
    assert skill.problems == ("line 3: put the value of description in quotes",)
    repaired = parse(render(skill), "deploy-notes")
    assert repaired == msgspec.structs.replace(skill, problems=())


GOOD = Skill(name="deploy", description="Deploys.", body="Do it.\n")


@pytest.mark.parametrize(
    "name",
    [
        *("Deploy", "-deploy", "deploy-", "deploy--x", "deploy.v2", "deploy_v2", "deploy\n"),
        *("../x", "deploy/x", "デプロイ", "a" * 65, ""),
    ],
)
def test_a_bad_name_is_never_written_but_loads_with_a_remark(name: str) -> None:
    with pytest.raises(HermesError, match="name"):
        render(msgspec.structs.replace(GOOD, name=name))
    text = f"---\nname: {msgspec.json.encode(name).decode()}\ndescription: Deploys.\n---\nBody\n"
    skill = parse(text, "folder")
    assert skill.description == "Deploys."
    assert any("name" in one for one in skill.problems)


def test_a_name_other_than_its_folder_is_remarked_on() -> None:
    skill = parse("---\nname: a\ndescription: B.\n---\n", "other")
    assert skill.problems == ("name 'a' differs from its folder 'other'",)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"description": "x" * 1025}, "description"),
        ({"description": " "}, "description"),
        ({"description": "see\u202ethis"}, "invisible"),
        ({"compatibility": "x" * 501}, "compatibility"),
    ],
)
def test_limits_hold_when_writing(change: dict[str, str], word: str) -> None:
    with pytest.raises(HermesError, match=word):
        render(msgspec.structs.replace(GOOD, **change))


def test_all_fields_of_the_format_are_read() -> None:
    text = (
        "---\nname: pdf\ndescription: >\n  Reads\n  PDFs.\nlicense: MIT\n"
        "compatibility: needs poppler\nmetadata:\n  author: me\n  version: '1.0'\n"
        "allowed-tools: run_command read_file\n---\n\nBody"
    )
    skill = parse(text, "pdf")
    assert skill.problems == ()
    assert skill.description == "Reads PDFs.\n"
    assert skill.metadata == {"author": "me", "version": "1.0"}
    assert skill.allowed_tools == "run_command read_file"
    assert skill.compatibility == "needs poppler"


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)
clean = texts.filter(lambda text: bool(text.strip()))
names = st.from_regex(r"[a-z0-9]{1,9}(-[a-z0-9]{1,9}){0,3}", fullmatch=True)


@given(
    name=names,
    description=clean,
    metadata=st.dictionaries(texts, texts, max_size=3),
    optional=st.lists(texts, min_size=3, max_size=3),
    body=st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=80),
)
@settings(max_examples=150, deadline=None)
def test_what_is_written_reads_back_the_same(
    name: str, description: str, metadata: dict[str, str], optional: list[str], body: str
) -> None:
    skill = Skill(
        name=name,
        description=description,
        metadata=metadata,
        license=optional[0],
        compatibility=optional[1],
        allowed_tools=optional[2],
        body=body.lstrip("\n"),
    )
    try:
        text = render(skill)
    except HermesError:
        return
    assert parse(text, name) == skill


@given(st.text(st.characters(codec="utf-8"), max_size=120))
@settings(max_examples=200, deadline=None)
def test_any_text_loads(text: str) -> None:
    assert parse(text, "folder").name
    skill = parse(f"---\nname: x\ndescription: {text}\n---\nBody", "x")
    assert isinstance(skill.description, str)
    assert all(isinstance(one, str) for one in skill.problems)


def test_ones_own_skill_wins_over_a_bundled_one(home: Home) -> None:
    _add(home, BUNDLED[0], f"---\nname: {BUNDLED[0]}\ndescription: Mine.\n---\n")
    skill = Library(home).find(BUNDLED[0])
    assert (skill.origin, skill.description) == ("user", "Mine.")
    assert len(Library(home).all()) == len(BUNDLED)


def test_broken_skills_are_listed_with_what_is_wrong(home: Home) -> None:
    _add(home, "no-front", "# just text\n")
    _add(home, "bytes", b"---\nname: bytes\ndescription: \xff\n---\n")
    _add(home, "huge", b"x" * 1_000_001)
    (home.skills / "folder" / "SKILL.md").mkdir(parents=True)
    wrong = {one.name: one.problems for one in Library(home).all() if one.problems}
    assert set(wrong) == {"no-front", "bytes", "huge", "folder"}


def test_an_unknown_skill_is_answered_with_the_nearest(home: Home) -> None:
    with pytest.raises(NotFoundError) as caught:
        Library(home).find("reviewdiff")
    assert "review-diff" in caught.value.hint
    assert Library(home).read("review-diff").startswith("---\nname: review-diff\n")
