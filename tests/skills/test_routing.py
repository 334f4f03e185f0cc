"""Skills are found by what they say, in whatever words; where nothing fits nothing is offered."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.bundled import bundled
from hermes_tui.skills.offering import Offer, fitting, note_text, standing_text
from hermes_tui.skills.routing import Index, Text
from hermes_tui.skills.skill import Skill, parse
from hermes_tui.skills.words import stem, words


def _bundled() -> list[Skill]:
    return [parse((p / "SKILL.md").read_text(), p.name) for p in bundled("skills").iterdir()]


def _index(skills: list[Skill]) -> Index:
    return Index(Text(one.name, one.description, one.body) for one in skills)


def _offered(request: str) -> list[str]:
    skills = {one.name: one for one in _bundled()}
    found = _index(list(skills.values())).find(request, 8)
    return [one.name for one in fitting(request, [Offer.of(skills[r.name], r) for r in found])]


def test_words_of_one_family_meet() -> None:
    assert stem("deploying") == stem("deployed") == stem("deploys") == stem("deployment")
    assert stem("migration") == stem("migrate") == stem("migrating")
    assert stem("summaries") == stem("summary")
    assert words("readHTTPResponse snake_case-file.py") == words(
        "read http response snake case file py"
    )
    assert words("Überprüfung café") == words("uberprufung cafe")


def test_chinese_is_found_by_pairs() -> None:
    index = Index([Text("invoice", "整理电子发票并导出表格"), Text("trip", "规划旅行路线")])
    assert index.find("帮我把发票导出")[0].name == "invoice"


def test_the_body_counts_when_name_and_description_say_nothing() -> None:
    index = Index(
        [Text("alpha", "A procedure.", "Rotate the nginx certificate."), Text("beta", "Another.")]
    )
    assert [one.name for one in index.find("the nginx certificates have to be rotated")] == [
        "alpha"
    ]


def test_a_skill_that_was_exchanged_or_dropped_leaves_nothing_behind() -> None:
    index = Index([Text("one", "about tigers"), Text("two", "about lions")])
    index.put(Text("one", "about whales"))
    assert index.find("tigers") == []
    assert [one.name for one in index.find("whales")] == ["one"]
    index.drop("two")
    index.drop("two")
    assert index.find("lions") == []
    assert len(index) == 1


@given(st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_is_a_request(text: str) -> None:
    for one in Index([Text("x", text), Text("y", "deploy a site")]).find(text):
        assert one.score > 0
        assert 0 <= one.share <= 1


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        (
            "the CI job is red since yesterday but the test passes on my laptop",
            "debug-failing-test",
        ),
        ("can you look over my pull request before I merge it", "review-diff"),
        (
            "I have to get our wiki from the old VPS to a new one at another provider",
            "plan-server-move",
        ),
        ("what was decided in this long mail thread?", "summarise-thread"),
        ("write a commit message for the staged changes", "write-commit-message"),
        ("explain this code base to me, where do I start reading?", "explain-codebase"),
    ],
)
def test_a_task_in_other_words_is_offered_its_skill(request_: str, name: str) -> None:
    assert name in _offered(request_)


@pytest.mark.parametrize(
    "request_",
    [
        *(
            "hello",
            "hi, how are you?",
            "thanks!",
            "what is 2+2?",
            "yes",
            "ok go on",
            "who are you?",
        ),
        *("list the files in this folder", "what time is it in Tokyo?", "fix the Vue button"),
        *("translate 'good morning' into Spanish", "how tall is the Eiffel tower"),
        *("rename foo to bar in main.py", "open the file", "stop", "try again", "why?"),
        *("tell me a joke", "which python version is installed?", "read README.md"),
    ],
)
def test_where_nothing_fits_nothing_is_offered(request_: str) -> None:
    assert _offered(request_) == []
    assert note_text([]) == ""


def _many(count: int) -> list[Skill]:
    topics = (
        "invoice",
        "kubernetes",
        "garden",
        "podcast",
        "tax",
        "translation",
        "camera",
        "garage",
    )
    return [
        Skill(
            name=f"{topics[n % len(topics)]}-{n}",
            description=f"Handles {topics[n % len(topics)]} matters of kind {n}. " + "more " * 40,
            body=f"Step about {topics[(n * 7) % len(topics)]} and item{n}.\n" * 20,
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("count", [0, 6, 60, 2000])
def test_the_standing_list_never_costs_more_than_it_may(count: int) -> None:
    skills = _many(count)
    text = standing_text(skills, 2400)
    assert len(text.encode()) <= 2400
    assert text == standing_text(list(reversed(skills)), 2400)
    if count >= 2000:
        assert "more, by find_skills" in text


def test_ones_own_skills_are_named_before_the_bundled_ones() -> None:
    skills = [Skill(name=f"b{n}", description="x", origin="bundled") for n in range(400)]
    text = standing_text([*skills, Skill(name="zz-mine", description="x")], 900)
    assert "zz-mine" in text


def test_two_thousand_skills_are_searched_within_twenty_milliseconds() -> None:
    index = _index(_many(2000))
    request = "sort my invoice pictures and prepare the tax papers " * 12
    index.find(request)
    times: list[float] = []
    for _ in range(10):
        began = time.thread_time()
        index.find(request)
        times.append(time.thread_time() - began)
    assert min(times) < 0.02
