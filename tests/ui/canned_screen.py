"""The app over a canned story, for pictures: the same clock, sessions and view each time."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from hermes_tui.config import UiConfig
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, SessionView, Standing
from tests.fakes import story
from tests.fakes.canned_client import CannedClient
from tests.ui.conftest import Screen, eventually


@asynccontextmanager
async def canned(
    home: Home, size: tuple[int, int], view: SessionView, **ui: Any
) -> AsyncIterator[Screen]:
    from hermes_tui.ui.app import HermesApp
    from hermes_tui.ui.rail import Rail

    config = msgspec.structs.replace(UiConfig(), motion=False, **ui)
    request = OpenSession(standing=Standing(cwd="/home/mia/blog"))
    app = HermesApp(CannedClient(view), request, home, config, embedded=True)
    app.clock = lambda: story.NOW
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hermes_tui.ui.blocks.today", lambda: time.localtime(story.NOW))
        async with app.run_test(size=size) as pilot:
            await eventually(lambda: app.session)
            screen = Screen(app, pilot)
            await screen.until(lambda: app.query_one(Rail).sessions)
            yield screen


def label(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"
