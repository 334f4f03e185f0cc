"""Planted changes: the newest value counts, the old one is marked, both have sources."""

from __future__ import annotations

import pytest

from tests.memory.conftest import Notes

CHANGES = [
    ("The user lives in Berlin", "The user moved to Paris"),
    ("I live in Oslo", "I live in Rome now, and I live in Trastevere"),
    ("The user's editor is vim", "My editor is Helix"),
    ("User works at ACME", "The user works for Initech"),
    ("The user's name is Ann", "The user's name is Anna"),
    ("My phone number is 555 1234", "My phone number is 555 9876"),
    ("The user's favourite colour is blue", "The user's favorite color is green"),
    ("The port of staging is 8080", "The port of staging is 9090"),
    ("Postgres listens on 5432", "Postgres listens on 6432"),
    ("The default branch is master", "The default branch is main"),
    ("The user's time zone is Europe/Berlin", "The user's timezone is Asia/Tokyo"),
    ("The user eats meat", "The user doesn't eat meat"),
    ("User's manager is Bob", "The user's manager is Carla"),
    ("The domain registrar is Gandi", "The domain registrar is Porkbun"),
    ("The nightly budget is 5 dollars", "The nightly budget is 12 dollars"),
    ("The certificate expires on 3 May", "The certificate expires on 9 August"),
]
BESIDE = [
    ("The user likes tea", "The user likes coffee"),
    ("The user is a nurse", "The user is a pilot"),
    ("Backups run on Mondays at the office", "Backups run on Fridays at home"),
    ("The user knows Rust", "The user knows Go"),
    ("vps1 runs Caddy", "vps2 runs nginx"),
    ("My daughter is called Ida", "My son is called Jon"),
    ("The port of staging is 8080", "The port of production is 9090"),
    ("Alice's editor is vim", "Bob's editor is nano"),
]


@pytest.mark.parametrize(("old", "new"), CHANGES)
async def test_the_newest_value_counts_and_the_old_one_is_marked(
    notes: Notes, old: str, new: str
) -> None:
    await notes.add(old)
    await notes.add(new)
    assert await notes.texts("current") == [new]
    assert await notes.texts("replaced") == [old]
    assert all(one.sources for one in await notes.facts.list(everything=True))


@pytest.mark.parametrize(("one", "other"), BESIDE)
async def test_what_can_both_be_true_stays_side_by_side(notes: Notes, one: str, other: str) -> None:
    await notes.add(one)
    await notes.add(other)
    assert await notes.texts("current") == [one, other]
