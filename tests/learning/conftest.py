"""A core that learns without waiting, and a model that follows what it reads to the letter."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from hermes_tui.config import LearningConfig
from hermes_tui.events import TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import SessionView
from hermes_tui.runtime.client import CoreClient
from hermes_tui.runtime.core import Core
from hermes_tui.store import learning as rows
from tests.fakes.scripted_model import Asked, Reply, ScriptedModel, call, say
from tests.runtime.conftest import open_in, settled, until
from tests.runtime.conftest import say as tell

T = TypeVar("T")
TASK = "publish the release notes of version 1.2 on the notice board"
LATER = "publish release notes for 1.3 on the notice board, please"
SKILL = """---
name: publish-notes
description: Publishes release notes on the notice board. Use to publish or post release notes.
---

# Publish release notes

1. `cp notes.txt board.txt`
2. `cat board.txt`
"""
HARD_WAY = (
    "ls",
    "cat missing.txt",
    "test -d nowhere",
    "ls -a",
    "cp notes.txt board.txt",
    "cat board.txt",
)
NEW = f"NEW publish-notes\nBECAUSE it took two wrong ways to find the board\n{SKILL}"


class Follower:
    """The model: the hard way without a skill; with one, its commands in order."""

    def __init__(self) -> None:
        self.looks: list[Asked] = []
        self.rehearsals: list[Asked] = []
        self.lesson = NEW
        self.hard_way = HARD_WAY
        self.reads = True

    def __call__(self, asked: Asked) -> Reply | str:
        first, last = asked.messages[0]["content"], asked.messages[-1]
        if first.startswith("You rehearse"):
            self.rehearsals.append(asked)
            return "\n".join(f"run_command: {one}" for one in _commands(last["content"])) or "none"
        if last["role"] == "user" and "[Looking back." in last["content"]:
            self.looks.append(asked)
            return self.lesson
        return self._work(asked)

    def _work(self, asked: Asked) -> Reply | str:
        messages = asked.messages
        begun = max(n for n, one in enumerate(messages) if one["role"] == "user")
        said, since = messages[begun]["content"], messages[begun + 1 :]
        results = [one["content"] for one in since if one["role"] == "tool"]
        offered = re.search(r"^- ([a-z0-9-]+)(?: \([^)]*\))?: Publishes", said, re.M)
        if self.reads and offered and not results:
            return call("use_skill", name=offered[1])
        read = results[:1] if self.reads and offered else []
        commands = _commands(read[0]) if read else list(self.hard_way)
        at = len(results) - len(read)
        return call("run_command", command=commands[at]) if at < len(commands) else say("It is up.")


def _commands(text: str) -> list[str]:
    return re.findall(r"^\d+\. `([^`]+)`", text, re.M)


@pytest.fixture
def follower(scripted: ScriptedModel) -> Follower:
    made = Follower()
    scripted.answer = made
    return made


@pytest.fixture
async def core(home: Home, scripted: ScriptedModel) -> AsyncIterator[Core]:
    config = settled(home, scripted.url)
    agent = msgspec.structs.replace(config.agent, mode="yolo")
    learning = LearningConfig(wait_s=0.0)
    config = msgspec.structs.replace(config, agent=agent, learning=learning)
    core = await Core(home, config, headless=True).start()
    yield core
    await core.end("test over")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    (place / "notes.txt").write_text("1.2: faster\n")
    return place


async def work(client: CoreClient, folder: Path, text: str) -> tuple[SessionView, int]:
    """One turn in a session of its own; the tool calls it took."""
    view = await open_in(client, str(folder))
    return view, await go_on(client, view, text)


async def go_on(client: CoreClient, view: SessionView, text: str, **more: object) -> int:
    """One more turn; the tool calls it took."""
    await tell(client, view, text, **more)
    records = await until(client, TurnEnded)
    return sum(type(one.event).__name__ == "ToolEnded" for one in records)


async def looked(core: Core, session: str, turn: int = 1) -> rows.Row:
    """What came of a turn, once it was looked back on and, where it held something, asked about."""

    async def one() -> rows.Row | None:
        row = await core.db.read(lambda c: rows.row_of(c, session, turn))
        return row if row is not None and (row.result or not row.occasion) else None

    return await come(one)


async def come(true: Callable[[], Awaitable[T | None]], seconds: float = 6.0) -> T:
    """Wait until something is there."""
    end = time.monotonic() + seconds
    while (found := await true()) is None:
        assert time.monotonic() < end, "it did not come in time"
        await asyncio.sleep(0.01)
    return found
