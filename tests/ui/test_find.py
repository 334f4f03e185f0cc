"""Finding in the chat: everything, newest first, at once, and never in the way of a key."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.events import ToolEnded, ToolStarted
from hermes_tui.search.pattern import find_pattern, is_regex, required_word
from hermes_tui.ui.blocks import Block, UserBlock
from hermes_tui.ui.blocks_tool import ToolBlock
from hermes_tui.ui.find_search import Search
from tests.fakes.scripted_model import say
from tests.ui.conftest import Stage
from tests.ui.test_transcript import chat, messages, reply


def tool(n: int, text: str) -> ToolBlock:
    block = ToolBlock(f"c{n}", "run_command")
    name = {"turn": 1, "step": 1, "call_id": f"c{n}", "tool": "run_command"}
    block.start(ToolStarted(summary=f"cat {n}", arguments=f'{{"command": "cat {n}"}}', **name))
    block.end(ToolEnded(for_model=text, **name))
    return block


@given(st.text(max_size=30))
def test_any_query_is_a_pattern(query: str) -> None:
    for regex in (False, True):
        pattern = find_pattern(query, regex)
        assert (pattern is None) == (query == "")
        if pattern is not None and (not regex or not is_regex(query)):
            assert pattern.search(f"before {query} after")


@pytest.mark.parametrize("query", ["(a+)+$", "(.*)*x", "(a{1,}b?)*c", "(\\d+|x)+y"])
def test_a_pattern_that_could_take_for_ever_is_taken_as_text(query: str) -> None:
    pattern = find_pattern(query)
    assert pattern is not None
    began = time.monotonic()
    assert not pattern.search("a" * 60 + "1" * 60)
    assert time.monotonic() - began < 0.5
    assert pattern.search(f"see {query} there")


@given(
    st.text(st.sampled_from('ab\\n_\x1b\r\b\t"é中K .'), max_size=12),
    st.text(st.sampled_from("abk中é ._(*"), min_size=1, max_size=4),
)
def test_a_quick_look_never_misses_what_the_whole_source_has(text: str, query: str) -> None:
    pattern = find_pattern(query)
    assert pattern is not None
    for block in (tool(1, text), UserBlock(text), tool(2, f"x {query} y")):
        word = required_word(pattern)
        quick = [one.casefold() for one in block.raw()]
        if word and quick and not any(word in one for one in quick):
            assert not pattern.search(block.source)


async def test_the_newest_is_found_first_and_a_slice_is_short() -> None:
    async with chat() as (transcript, _):
        blocks: list[Block] = [tool(n, f"needle {n}") for n in range(20_000)]
        transcript.append(*blocks)
        search = Search(transcript, re.compile("needle 1\\d*"))
        began = time.thread_time()
        done = search.slice()
        assert time.thread_time() - began < 0.1
        assert not done
        assert search.matches[0].block is blocks[19_999]
        while not search.slice():
            continue
        assert search.full or len(search.matches) == 11_111


async def test_a_rare_word_in_a_hundred_thousand_blocks_is_found_at_once() -> None:
    async with chat() as (transcript, _):
        blocks: list[Block] = [UserBlock("the one needle")]
        for n in range(25_000):
            blocks += [UserBlock(f"question {n}: and how does this go on?"), tool(n, "x y " * 40)]
            blocks += [reply("A paragraph of an answer, **bold** as well."), tool(n, "z\n" * 10)]
        transcript.append(*blocks)
        search = Search(transcript, re.compile("needle", re.IGNORECASE))
        began = time.thread_time()
        while not search.matches:
            search.slice()
        assert time.thread_time() - began < 0.2
        assert search.matches[0].block is blocks[0]


async def test_what_comes_in_above_is_looked_at_when_it_is_there() -> None:
    async with chat() as (transcript, _):
        transcript.append(*messages(20), UserBlock("needle two"))
        search = Search(transcript, re.compile("needle"))
        while not search.slice():
            continue
        assert len(search.matches) == 1
        transcript.prepend([UserBlock("needle one"), *messages(4)])
        search.resume()
        while not search.slice():
            continue
        assert [one.block.source for one in search.matches] == ["needle two", "needle one"]


async def test_n_goes_on_in_the_chat_and_alt_r_takes_the_query_as_it_is(stage: Stage) -> None:
    async with stage.screen() as screen:
        stage.model.script.append(say("a.c abc a.c"))
        await screen.enter("go")
        await screen.until(lambda: screen.app.shown.trace.turns and not screen.app.shown.busy)
        await screen.press("ctrl+f")
        await screen.type("a.c")
        await screen.until(lambda: screen.shows("1 of 3"))
        await screen.press("alt+r")
        await screen.until(lambda: screen.shows("1 of 2"))
        await screen.press("tab", "n")
        await screen.until(lambda: screen.shows("2 of 2"))
        await screen.press("N")
        await screen.until(lambda: screen.shows("1 of 2"))
        await screen.press("escape")
        assert screen.app.transcript.pattern is None


async def test_what_is_not_on_the_screen_yet_is_found_too(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.ui.app.HermesApp.bring_in_history", lambda app: None)
    from hermes_tui.intents import ImportedMessage, ImportSession

    client = await stage.client()
    said = [
        ImportedMessage(id=f"m{n}", role="user", text=f"needle {n}" if n < 2 else "hay", ts=1e9 + n)
        for n in range(1500)
    ]
    await client.ask(ImportSession(id="long", title="long", started_at=1e9, messages=tuple(said)))
    async with stage.screen(which="long") as screen:
        await screen.press("ctrl+f")
        await screen.type("needle")
        await screen.until(lambda: screen.shows("2 further back"))
        await screen.press("enter")
        await screen.until(lambda: screen.shows("needle 1"))
        await screen.press("enter")
        await screen.until(lambda: screen.shows("2 of 2"))
