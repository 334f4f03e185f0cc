"""Recall by meaning: off by default, at low weight, filled in idle time, and never in the way."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.configuration.load import load
from hermes_tui.events import MessageImported, Record, SessionStarted
from hermes_tui.home import Home
from hermes_tui.intents import Search, SessionInfo
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from hermes_tui.search.meaning import likeness, pack
from tests.fakes.embedder import Embedder
from tests.fakes.scripted_model import ScriptedModel

SAID = ("the physician looked at the hamster", "the plumber looked at the hamster")
QUESTION = "who looked at the hamster, a doctor?"


@pytest.fixture
async def embedder() -> AsyncIterator[Embedder]:
    async with Embedder({"physician": "doctor"}) as server:
        yield server


async def started(home: Home, scripted: ScriptedModel, more: str) -> Core:
    home.config.write_text(f"model:\n  name: scripted\n  base_url: {scripted.url}\n{more}")
    core = await Core(home, load(home, {}).config, headless=True).start()
    events = [SessionStarted(origin="import")]
    events += [MessageImported(message_id=f"m{n}", role="user", text=t) for n, t in enumerate(SAID)]  # type: ignore[misc]
    records = [Record(session="s", n=n, ts=100.0 + n, event=e) for n, e in enumerate(events, 1)]
    await core.log.create(SessionInfo(id="s", created=100.0, updated=103.0), records)
    return core


def using(embedder: Embedder, **more: object) -> str:
    lines = [f"  {name}: {value}" for name, value in more.items()]
    return "\n".join(["recall:", "  embeddings: tri", f"  base_url: {embedder.url}", *lines, ""])


async def count(core: Core) -> int:
    rows = await core.db.read(lambda c: list(c.execute("SELECT count(*) FROM recall_vector")))
    return int(str(rows[0][0]))


async def until(test: Callable[[], object]) -> None:
    deadline = time.monotonic() + 5
    while not test() and time.monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    assert test()


async def first(core: Core) -> str:
    return (await LocalClient(core).ask(Search(query=QUESTION))).hits[0].text


async def test_without_a_setting_nobody_is_asked(
    home: Home, scripted: ScriptedModel, embedder: Embedder
) -> None:
    core = await started(home, scripted, "")
    assert await first(core) == SAID[1]
    await core.end("test over")
    assert embedder.asked == []


async def test_what_means_the_same_gains_once_the_messages_are_known(
    home: Home, scripted: ScriptedModel, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRI_KEY", "k-1")
    core = await started(home, scripted, using(embedder, api_key_env="TRI_KEY"))
    await first(core)
    await until(lambda: len(embedder.asked) >= 2)
    deadline = time.monotonic() + 5
    while await count(core) < len(SAID) and time.monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    assert await first(core) == SAID[0]
    assert embedder.asked.count([QUESTION]) == 1, "a question is asked once"
    assert embedder.keys == {"k-1"}
    await core.log.delete("s")
    assert await count(core) == 0
    await core.end("test over")


@pytest.mark.parametrize("trouble", ["fails", "hangs", "gone"])
async def test_a_provider_in_trouble_changes_nothing_and_is_left_alone(
    home: Home, scripted: ScriptedModel, embedder: Embedder, trouble: str
) -> None:
    embedder.fail = 500 if trouble == "fails" else 0
    embedder.hang = trouble == "hangs"
    core = await started(home, scripted, using(embedder, wait_s=0.1))
    if trouble == "gone":
        await embedder.__aexit__()
    began = time.monotonic()
    for _ in range(3):
        assert await first(core) == SAID[1]
    assert time.monotonic() - began < 1.5
    assert await count(core) == 0
    if trouble == "fails":
        assert len(embedder.asked) <= 2
    await core.end("test over")


async def test_a_cap_of_nothing_lets_no_message_out(
    home: Home, scripted: ScriptedModel, embedder: Embedder
) -> None:
    core = await started(home, scripted, using(embedder) + "spend:\n  day_tokens: 0\n")
    assert await first(core) == SAID[1]
    await asyncio.sleep(0)
    assert embedder.asked == []
    await core.end("test over")


async def test_another_model_begins_anew(
    home: Home, scripted: ScriptedModel, embedder: Embedder, tmp_path: Path
) -> None:
    from hermes_tui.search import meaning

    core = await started(home, scripted, "")
    ids = await core.db.read(lambda c: meaning.missing(c, 0, 1 << 40))
    await core.db.write(lambda c: meaning.of_model(c, "one"))
    await core.db.write(lambda c: meaning.put(c, [(id_, b"x") for id_ in (*ids, 999_999)]))
    assert await count(core) == len(SAID)
    await core.db.write(lambda c: meaning.of_model(c, "one"))
    assert await count(core) == len(SAID)
    await core.db.write(lambda c: meaning.of_model(c, "two"))
    assert await count(core) == 0
    await core.end("test over")


_floats = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(_floats, min_size=1, max_size=40), st.lists(_floats, min_size=1, max_size=40))
def test_stored_numbers_keep_their_direction(one: list[float], other: list[float]) -> None:
    assert -1.01 <= likeness(pack(one), pack(other)) <= 1.01
    if pack(one):
        assert math.isclose(likeness(pack(one), pack(one)), 1.0, abs_tol=1e-3)
        assert math.isclose(likeness(pack(one), pack([-x for x in one])), -1.0, abs_tol=1e-3)
    assert likeness(pack(one), b"") == 0.0
