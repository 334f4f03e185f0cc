"""The agent's own recall: what was said, by session, with dates and ids, within a budget."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hermes_tui.config import Config
from hermes_tui.errors import ToolError
from hermes_tui.home import Home
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.recall import SessionRecall
from hermes_tui.tools.recall import recall
from tests.fakes.context import FakeContext
from tests.search.scenes import put


@pytest.fixture
async def core(home: Home) -> AsyncIterator[Core]:
    core = await Core(home, Config(), headless=True, resume=False).start(listen=False)
    yield core
    await core.end("over")


def context(core: Core, folder: Path, session: str) -> FakeContext:
    ctx = FakeContext(folder)
    ctx.recall = SessionRecall(core.recall, session)
    return ctx


async def test_recall_tells_session_day_and_number(core: Core, tmp_path: Path) -> None:
    await put(core.log, "s7", [("user", "the key is under the third pot")], title="garden")
    await put(core.log, "now", [])
    result = await recall.run(
        recall.parse('{"query": "where is the key?"}'), context(core, tmp_path, "now")
    )
    assert "# session s7 “garden”" in result.for_model
    assert "[2] user: the key is under the third pot" in result.for_model
    assert "2025-10-09" in result.for_model


async def test_recall_in_a_group_knows_nothing_of_its_members(core: Core, tmp_path: Path) -> None:
    await put(core.log, "private", [("user", "the key is under the third pot")], person="ann")
    await put(core.log, "group", [("user", "hello all")], person="ann", chat="g", group=True)
    arguments = recall.parse('{"query": "where is the key?"}')
    result = await recall.run(arguments, context(core, tmp_path, "group"))
    assert "pot" not in result.for_model
    assert "nothing was found" in result.for_model


async def test_recall_keeps_to_its_budget(core: Core, tmp_path: Path) -> None:
    await put(core.log, "s", [("user", "pots and pans " * 40)] * 30)
    arguments = recall.parse('{"query": "pans", "budget": 1000}')
    result = await recall.run(arguments, context(core, tmp_path, "s"))
    assert 0 < len(result.for_model.encode()) <= 1100


async def test_an_empty_query_is_refused_with_a_hint(core: Core, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="empty"):
        await recall.run(recall.parse('{"query": " "}'), context(core, tmp_path, "s"))
