"""What is one statement in other words is taken for one; what only looks like it never is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.memory.alike import relation, similarity, topic_of
from hermes_tui.memory.words import clean, terms, tokens

SAME = [
    ("The user prefers short answers.", "User prefers SHORT answers"),
    ("The user likes brief replies", "User prefers short answers"),
    ("User prefers recieving summaries by email", "User prefers receiving summaries by email"),
    ("The build is run with make all", "Build runs with make all"),
    ("用户喜欢短回答", "用户喜欢短回答。"),
    ("Résumé goes to Zoë", "resume goes to Zoe"),
]
APART = [
    ("the db listens on port 5432", "the db listens on port 5433"),
    ("Alice reports to Bob", "Bob reports to Alice"),
    ("alice reports to bob", "bob reports to alice"),
    ("User prefers tabs", "User prefers spaces"),
    ("Deploy after the tests pass", "Deploy before the tests pass"),
    ("User was a smoker", "User is a smoker"),
    ("Use pnpm in this repo", "Use npm in this repo"),
    ("Never push to main", "Always push to main"),
    ("Send reports to Ann", "Send reports to Anna"),
    ("The backup takes 10 MB", "The backup takes 10 GB"),
    ("Copy from vps1 to vps2", "Copy from vps2 to vps1"),
    ("用户喜欢短回答", "用户不喜欢短回答"),
    ("User meets Bob on Monday", "User meets Bob on Tuesday"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_in_other_words_is_the_same(one: str, other: str) -> None:
    assert relation(one, other) == "same"
    assert relation(other, one) == "same"


@pytest.mark.parametrize(("one", "other"), APART)
def test_numbers_names_negations_and_their_order_hold_look_alikes_apart(
    one: str, other: str
) -> None:
    assert relation(one, other) not in ("same", "wider", "narrower")
    assert relation(other, one) not in ("same", "wider", "narrower")


def test_a_statement_and_its_negation_contradict_each_other() -> None:
    assert relation("User drinks coffee", "User doesn't drink coffee") == "opposite"
    assert relation("Never push to main", "Push to main") == "opposite"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user's editor is vim", "my editor is Helix"),
        ("The user lives in Berlin", "I moved to Paris"),
        ("The port of staging is 99", "The port of staging is set to 100"),
        ("The user's favourite colour is blue", "user's favorite color is green"),
        ("User works for ACME", "The user works at Initech"),
    ],
)
def test_two_values_of_one_thing_have_one_topic(one: str, other: str) -> None:
    assert topic_of(one) == topic_of(other) != ""


@pytest.mark.parametrize(
    "text", ["The user is a nurse", "Tests are slow", "It is hot", "my car is red", "Tea"]
)
def test_what_can_be_many_things_has_no_topic(text: str) -> None:
    assert topic_of(text) == ""


texts = st.text(max_size=80)


@given(texts, texts)
def test_comparing_any_two_texts_is_sound(one: str, other: str) -> None:
    there, back = relation(one, other), relation(other, one)
    turned = {"wider": "narrower", "narrower": "wider"}
    assert back == turned.get(there, there)
    assert 0 <= similarity(one, other) <= 1


@given(
    st.lists(st.sampled_from(["ab", "cd", "不", "短", "12", "it's", "x/y", "Zoë", ""]), max_size=8)
)
def test_a_text_says_the_same_as_itself(words: list[str]) -> None:
    text = " ".join(words)
    assert relation(text, text) in ("same", "apart")
    assert bool(terms(text)) <= bool(tokens(text))


@given(texts)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text)
