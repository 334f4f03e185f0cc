"""Statements in the memory pane: found, explained, corrected, and brought back."""

from __future__ import annotations

import pytest

from hermes_tui.intents import AddFact, ListFacts
from hermes_tui.ui.memory_pane import MemoryPane
from hermes_tui.ui.memory_query import only, read
from hermes_tui.ui.rows import RowList
from tests.ui.conftest import Screen, Stage


async def learned(stage: Stage, *texts: str) -> None:
    client = await stage.client()
    for text in texts:
        await client.ask(AddFact(text=text))


async def opened(screen: Screen, typed: str = "") -> MemoryPane:
    await screen.press("alt+3")
    await screen.type(typed)
    return screen.app.query_one(MemoryPane)


async def on_rows(screen: Screen) -> None:
    """The cursor on the first statement."""
    await screen.until(lambda: screen.app.query_one(MemoryPane).found.facts)
    await screen.press("enter")
    assert screen.app.query_one(MemoryPane).query_one(RowList).has_focus


async def kept(stage: Stage) -> list[str]:
    found = await (await stage.client()).ask(ListFacts())
    return sorted(f"{one.state} {one.text}" for one in found.facts)


async def test_an_empty_box_shows_all_that_is_remembered(stage: Stage) -> None:
    await learned(stage, "The VPS runs Caddy", "I prefer short answers")
    async with stage.screen() as screen:
        await opened(screen)
        await screen.until(lambda: screen.shows("Memory  1", "The VPS runs Caddy"))
        assert screen.shows("You  1", "I prefer short answers", "2 kept · 0 told")


async def test_one_box_finds_facts_messages_and_skills(stage: Stage) -> None:
    from tests.ui.test_memory_pane import told

    await learned(stage, "Commits are written in the imperative")
    await told(stage, garden="how are commit messages written here?")
    async with stage.screen() as screen:
        await opened(screen, "commit")
        await screen.until(lambda: screen.shows("Memory  1", "Sessions  1", "Skills  "))
        assert screen.shows("Commits are written", "Garden", "write-commit-message")


async def test_a_statement_is_edited_in_place_and_escape_leaves_it_as_it_was(
    stage: Stage,
) -> None:
    await learned(stage, "I prefer short answers")
    async with stage.screen() as screen:
        await opened(screen)
        await on_rows(screen)
        await screen.press("e")
        await screen.type(" never")
        await screen.press("escape")
        assert await kept(stage) == ["current I prefer short answers"]
        await screen.press("e")
        await screen.type(" in English")
        await screen.press("enter")
        await screen.until(lambda: screen.shows("I prefer short answers in English"))
    assert await kept(stage) == ["current I prefer short answers in English"]


async def test_what_is_forgotten_comes_back_with_u(stage: Stage) -> None:
    await learned(stage, "I prefer short answers", "The VPS runs Caddy")
    async with stage.screen() as screen:
        pane = await opened(screen)
        await on_rows(screen)
        await screen.press("f")
        await screen.until(
            lambda: len(pane.found.facts) == 1 and screen.shows("forgot m2 · u brings it back")
        )
        await screen.press("u")
        await screen.until(lambda: len(pane.found.facts) == 2 and screen.shows("Taken back"))
    assert len(await kept(stage)) == 2


async def test_a_candidate_is_confirmed_and_a_pin_is_shown(stage: Stage) -> None:
    from hermes_tui.memory.facts import Wish, source

    facts = stage.core.memory.memory.facts
    wish = Wish(text="Deploys on Fridays", source=source("user"), state="candidate")
    await facts.add(wish)
    async with stage.screen() as screen:
        pane = await opened(screen)
        await on_rows(screen)
        assert screen.shows("candidate", "y confirm")
        await screen.press("y")
        await screen.until(lambda: pane.found.facts[0].state == "current")
        await screen.press("i")
        await screen.until(lambda: pane.found.facts[0].pinned and screen.shows("▲", "i unpin"))


async def test_two_statements_become_one(stage: Stage) -> None:
    await learned(stage, "The backup disk is in the cellar", "Backups go to a disk at home")
    async with stage.screen() as screen:
        pane = await opened(screen)
        await on_rows(screen)
        await screen.press("m")
        assert screen.shows("merge m2 with")
        await screen.press("down", "m")
        await screen.until(lambda: len(pane.found.facts) == 1)
    assert await kept(stage) == ["current Backups go to a disk at home"]


async def test_enter_goes_to_where_it_was_said(stage: Stage) -> None:
    from tests.fakes.scripted_model import call, say

    stage.model.script = [
        call("remember", text="The zebra plan is for May"),
        say("Noted."),
        say("Hi"),
    ]
    async with stage.screen() as screen:
        await screen.enter("the zebra plan is for May, keep that in mind please")
        first = screen.app.session
        await screen.until(lambda: screen.shows("Noted."))
        await screen.enter("/new Second")
        await screen.until(lambda: screen.app.session != first)
        await opened(screen, "zebra")
        await on_rows(screen)
        await screen.until(lambda: screen.shows("you said so"))
        await screen.press("enter")
        await screen.until(lambda: screen.app.session == first)


async def test_enter_on_a_skill_shows_it_among_the_skills(stage: Stage) -> None:
    async with stage.screen() as screen:
        pane = await opened(screen, "in:skills commit")
        await screen.until(lambda: pane.found.skills)
        await screen.press("enter", "enter")
        await screen.until(lambda: screen.app.frame.focused() == "skills")


async def test_w_says_why_it_is_known(stage: Stage) -> None:
    await learned(stage, "The VPS runs Caddy")
    async with stage.screen() as screen:
        await opened(screen)
        await on_rows(screen)
        await screen.press("w")
        await screen.until(lambda: screen.shows("why m1 is known", "not recalled yet"))


async def test_what_another_face_learns_shows_up_by_itself(stage: Stage) -> None:
    async with stage.screen() as screen:
        await opened(screen)
        await learned(stage, "The VPS runs Caddy")
        await screen.until(lambda: screen.shows("The VPS runs Caddy"))


async def test_more_of_a_section_is_one_enter_away(stage: Stage) -> None:
    await learned(stage, *(f"Tower {n} watches over the {n}th harbour" for n in range(9)))
    async with stage.screen() as screen:
        pane = await opened(screen, "harbour")
        await screen.until(lambda: screen.shows("3 more…"))
        pane.query_one(RowList).select("more:facts")
        pane.query_one(RowList).action_choose()
        await screen.until(lambda: screen.shows("in:facts harbour") and not screen.shows("more…"))


@pytest.mark.parametrize(
    ("typed", "sections", "words", "search"),
    [
        ("caddy vps2", 4, "caddy vps2", "caddy vps2"),
        ("in:facts caddy", 1, "caddy", "caddy"),
        ("in:me in:skills tea", 2, "tea", "tea"),
        ("caddy after:oct", 1, "caddy", "caddy after:oct"),
        ("in:facts caddy after:oct", 1, "caddy", "caddy after:oct"),
        ("note: in: x", 4, "note: in: x", "note: in: x"),
        ("", 4, "", ""),
    ],
)
def test_a_line_is_read(typed: str, sections: int, words: str, search: str) -> None:
    wanted = read(typed)
    assert (len(wanted.sections), wanted.words, wanted.search) == (sections, words, search)


def test_a_line_for_one_section_keeps_its_words() -> None:
    assert only("card", "in:facts caddy from:x") == "in:me caddy from:x"


async def test_the_trace_says_what_was_recalled_in_a_turn_and_why(stage: Stage) -> None:
    from tests.fakes.scripted_model import say

    await learned(stage, "The VPS runs Caddy")
    stage.model.script = [say("Yes.")]
    async with stage.screen(size=(200, 60)) as screen:
        await screen.enter("does the VPS still run Caddy?")
        await screen.until(lambda: screen.shows("Yes."))
        await screen.press("alt+2", "down", "enter", "home")
        await screen.until(lambda: screen.shows("from memory", "The VPS runs Caddy", "it fits «"))
