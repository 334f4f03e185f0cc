"""The memory pane: everything that was ever said is a few letters away."""

from __future__ import annotations

import asyncio

from hermes_tui.intents import ImportedMessage, ImportSession, Search
from hermes_tui.ui.memory_pane import MemoryPane
from tests.ui.conftest import Screen, Stage


async def told(stage: Stage, **texts: str) -> None:
    client = await stage.client()
    for session, text in texts.items():
        message = ImportedMessage(id=f"{session}-1", role="user", text=text, ts=1_700_000_000.0)
        await client.ask(ImportSession(id=session, title=session.title(), messages=(message,)))


async def search(screen: Screen, text: str) -> MemoryPane:
    await screen.press("alt+3")
    await screen.type(text)
    return screen.app.query_one(MemoryPane)


async def test_hits_of_all_sessions_show_title_date_and_words(stage: Stage) -> None:
    await told(stage, garden="the pelican ate the roses", harbour="a pelican sat on the boat")
    async with stage.screen() as screen:
        await search(screen, "pelican")
        await screen.until(lambda: screen.shows("2 hits", "Garden", "Harbour", "14 Nov 2023"))
        assert screen.shows("you: the pelican ate", "you: a pelican sat")


async def test_the_hit_under_the_cursor_is_shown_in_full(stage: Stage) -> None:
    await told(stage, garden="pelican first line\nsecond line\nthird line")
    async with stage.screen() as screen:
        await search(screen, "pelican")
        await screen.until(lambda: screen.shows("third line"))


async def test_one_pause_in_typing_is_one_question_to_the_core(stage: Stage) -> None:
    await told(stage, garden="pelican")
    async with stage.screen() as screen:
        asked: list[str] = []
        ask = screen.app.client.ask

        async def watch(intent: object) -> object:
            if isinstance(intent, Search):
                asked.append(intent.query)
            return await ask(intent)

        screen.app.client.ask = watch
        pane = await search(screen, "pelican")
        await screen.until(lambda: pane.hits and asked[-1] == "pelican")
        assert len(asked) < len("pelican")


async def test_an_older_answer_never_covers_a_newer_query(stage: Stage) -> None:
    await told(stage, garden="pelican", harbour="anchor")
    async with stage.screen() as screen:
        hold = asyncio.Event()
        held: list[str] = []
        ask = screen.app.client.ask

        async def slow(intent: object) -> object:
            if isinstance(intent, Search) and intent.query == "pelican":
                held.append(intent.query)
                await hold.wait()
            return await ask(intent)

        screen.app.client.ask = slow
        pane = await search(screen, "pelican")
        await screen.until(lambda: held)
        screen.app.query_one(MemoryPane).search("anchor")
        await screen.until(lambda: [hit.session for hit in pane.hits] == ["harbour"])
        hold.set()
        await screen.pilot.pause(0.1)
        assert [hit.session for hit in pane.hits] == ["harbour"]


async def test_what_is_not_found_is_said_and_an_empty_box_explains_itself(stage: Stage) -> None:
    async with stage.screen() as screen:
        await search(screen, "xyzzy")
        await screen.until(lambda: screen.shows("nothing found"))
        screen.app.query_one(MemoryPane).search("")
        await screen.until(lambda: screen.shows("type to search everything"))


async def test_any_text_is_a_query(stage: Stage) -> None:
    await told(stage, garden='a "quoted (thing) AND *')
    async with stage.screen() as screen:
        pane = await search(screen, "x")
        pane.search('"quoted (thing) AND *')
        await screen.until(lambda: pane.hits)
        assert not screen.app._exception
