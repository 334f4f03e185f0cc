"""Statements in a real store, and a core that remembers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hermes_tui.home import Home
from hermes_tui.intents.memory import Fact, Who
from hermes_tui.memory.facts import HERE, Facts, Wish, source
from hermes_tui.memory.place import Place
from hermes_tui.memory.writing import Outcome
from hermes_tui.runtime.core import Core
from hermes_tui.store.db import Database
from tests.fakes.scripted_model import ScriptedModel
from tests.runtime.conftest import settled


class Notes:
    """The statements of one store, with short ways to write and look."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.facts = Facts(db)

    async def add(
        self, text: str, who: Who = "user", place: Place = HERE, session: str = "", **more: str
    ) -> Outcome:
        """Remember a statement."""
        wish = Wish(text=text, source=source(who, "s1", "s1:4"), **more)  # type: ignore[arg-type]
        return (await self.facts.add(wish, place, session))[0]

    async def texts(self, *states: str) -> list[str]:
        """Texts in some states (all that count), in the order they were made."""
        wanted = states or ("current", "disputed")
        found = await self.facts.list(everything=True)
        return [f.text for f in sorted(found, key=number) if f.state in wanted]


def number(fact: Fact) -> int:
    return int(fact.id[1:])


@pytest.fixture
async def core(home: Home, scripted: ScriptedModel) -> AsyncIterator[Core]:
    core = await Core(home, settled(home, scripted.url), headless=True).start()
    yield core
    await core.end("test over")


@pytest.fixture
async def notes(tmp_path: Path) -> AsyncIterator[Notes]:
    db = Database(tmp_path / "state.db").open()
    yield Notes(db)
    await db.close()
