"""A store of its own for every test of search."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from hermes_tui.home import Home
from hermes_tui.store.db import Database
from hermes_tui.store.log import Log


@pytest.fixture
async def log(home: Home) -> AsyncIterator[Log]:
    """An empty log."""
    db = Database(home.database).open()
    yield Log(db)
    await db.close()
