"""A summary names its source in every sentence, is made once, and is never in the way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.config import Config, ModelConfig
from hermes_tui.errors import ModelError
from hermes_tui.home import Home
from hermes_tui.intents import Hit, Hits, Search
from hermes_tui.runtime import recall
from hermes_tui.runtime.core import Core
from hermes_tui.search.summary import linked, summarise
from hermes_tui.store.log import Log
from tests.fakes.scripted_model import Reply, ScriptedModel
from tests.search.scenes import put

DAY = 86_400.0
HITS = (
    Hit(session="a", message="x", ts=1_699_963_200.0, score=1.0, text="we moved", n=4),
    Hit(session="b", message="y", ts=1_699_963_200.0 - 3 * DAY, score=0.5, text="we packed", n=7),
)


class FakeSummariser:
    """Says what it was given, or fails; counts how often it was asked."""

    def __init__(self, says: str) -> None:
        self.says = says
        self.asked = 0

    async def write(self, system: str, prompt: str) -> str:
        self.asked += 1
        if not self.says:
            raise ModelError("the model is away")
        return self.says


def test_every_sentence_is_dated_and_linked_and_oldest_first() -> None:
    made = linked(
        "[1] You moved. It went well.\n- [2] You packed.\nUnsourced.\n[9] Invented.", HITS
    )
    assert made.splitlines() == [
        "2023-11-11: You packed. [b:7]",
        "2023-11-14: You moved. [a:4]",
        "2023-11-14: It went well. [a:4]",
    ]


@given(st.text(max_size=200))
def test_nothing_without_a_source_gets_in(written: str) -> None:
    for line in linked(written, HITS).splitlines():
        assert line.endswith(("[a:4]", "[b:7]"))
        assert line.startswith(("2023-11-14: ", "2023-11-11: "))


async def test_the_same_summary_is_made_once(log: Log) -> None:
    fake = FakeSummariser("[1] You moved.")
    first = await summarise(log.db, "what did we do", HITS, fake)
    assert await summarise(log.db, "what did we do", HITS, fake) == first
    assert fake.asked == 1
    await summarise(log.db, "what else", HITS, fake)
    assert fake.asked == 2


async def test_a_failure_is_not_kept(log: Log) -> None:
    with pytest.raises(ModelError):
        await summarise(log.db, "q", HITS, FakeSummariser(""))
    assert await summarise(log.db, "q", HITS, FakeSummariser("[2] Packed.")) != ""


@pytest.fixture
async def core(home: Home, scripted: ScriptedModel) -> AsyncIterator[Core]:
    config = Config(model=ModelConfig(name="m", base_url=scripted.url, attempts=1))
    core = await Core(home, config, headless=True, resume=False).start(listen=False)
    yield core
    await core.end("over")


async def last_tuesday(core: Core, query: str) -> Hits:
    import time
    from datetime import date, timedelta

    today = date.today()
    tuesday = today - timedelta(days=today.weekday() + 7 - 1)
    noon = time.mktime(tuesday.timetuple()) + 12 * 3600
    await put(core.log, "chores", [("user", "I cleaned the gutters.")], ts=noon)
    await put(core.log, "other", [("user", "I read a book.")], ts=noon - 20 * DAY)
    return await core.recall.find(Search(query=query, summary=True))


@pytest.mark.parametrize("query", ["上周二我做了什么", "what did I do last Tuesday"])
async def test_a_day_is_summed_up_with_links(
    core: Core, scripted: ScriptedModel, query: str
) -> None:
    scripted.script = [Reply("[1] You cleaned the gutters.\nYou also flew to the moon.")]
    found = await last_tuesday(core, query)
    assert found.summary.endswith("You cleaned the gutters. [chores:2]")
    assert "moon" not in found.summary
    assert [hit.session for hit in found.hits] == ["chores"]


@pytest.mark.parametrize("down", [Reply(status=500, body="{}"), Reply(gate="never")])
async def test_without_the_summariser_there_are_the_hits(
    core: Core, scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch, down: Reply
) -> None:
    monkeypatch.setattr(recall, "_SUMMARY_S", 0.3)
    scripted.script = [down]
    async with asyncio.timeout(5):
        found = await last_tuesday(core, "what did I do last Tuesday")
    assert found.summary == ""
    assert found.note.startswith("summary: unavailable")
    assert [hit.session for hit in found.hits] == ["chores"]
