"""Nothing on the screen may cost much: opening, typing, being there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from hermes_tui import intents
from hermes_tui.config import UiConfig
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, SessionInfo, Standing
from hermes_tui.ui.blocks import ReplyBlock, Sheet
from hermes_tui.ui.blocks_reasoning import ReasoningBlock
from hermes_tui.ui.rows import RowList
from hermes_tui.ui.theme import Look, ThemeSpec
from hermes_tui.ui.transcript_column import Column
from tests.fakes import story
from tests.fakes.canned_client import CannedClient
from tests.ui.conftest import Screen, eventually

OPENS_MS, TYPES_MS, WIDGETS = 80, 30, 60
TRIES = 5


class ManySessions(CannedClient):
    """A core with five thousand sessions."""

    async def ask(self, intent: Any) -> Any:
        if isinstance(intent, intents.ListSessions):
            return intents.SessionList(
                sessions=tuple(
                    SessionInfo(
                        id=f"m{n}", title=f"session {n} about topic {n % 97}", cwd=f"/w/{n}"
                    )
                    for n in range(5000)
                )
            )
        return await super().ask(intent)


@asynccontextmanager
async def shown(
    home: Home, size: tuple[int, int] = (200, 50), client: CannedClient | None = None
) -> AsyncIterator[Screen]:
    from hermes_tui.ui.app import HermesApp

    request = OpenSession(standing=Standing(cwd="/home/mia/blog"))
    client = client or CannedClient(story.view(asking=False))
    app = HermesApp(client, request, home, UiConfig(motion=False), embedded=True)
    app.clock = lambda: story.NOW
    async with app.run_test(size=size) as pilot:
        await eventually(lambda: app.session)
        await pilot.pause()
        yield Screen(app, pilot)


async def cost_of(screen: Screen, *keys: str) -> float:
    """Milliseconds of CPU that the keys take until everything is drawn."""
    began = time.thread_time()
    await screen.press(*keys)
    return 1000 * (time.thread_time() - began)


@pytest.mark.parametrize(
    "keys",
    [
        ("ctrl+p",),
        ("f1",),
        ("ctrl+o",),
        ("ctrl+x",),
        ("ctrl+l",),
        ("ctrl+x", "k"),
        ("ctrl+x", "c"),
        ("ctrl+x", "s"),
        ("ctrl+r",),
        ("ctrl+f",),
        ("alt+3",),
        ("alt+4",),
        ("alt+5",),
        ("ctrl+b",),
        ("ctrl+t",),
    ],
    ids=" ".join,
)
async def test_whatever_opens_opens_at_once(home: Home, keys: tuple[str, ...]) -> None:
    async with shown(home) as screen:
        costs: list[float] = []
        for _ in range(TRIES):
            await screen.press(*keys[:-1])
            costs.append(await cost_of(screen, keys[-1]))
            await screen.pilot.pause()
            while len(screen.app.screen_stack) > 1:
                await screen.press("escape")
            await screen.press("escape")
        assert min(costs) <= OPENS_MS, costs


async def test_five_thousand_entries_are_narrowed_within_a_frame_of_every_key(home: Home) -> None:
    async with shown(home, client=ManySessions(story.view())) as screen:
        await screen.press("ctrl+p")
        await screen.until(lambda: screen.shows("of 50"))
        costs = [await cost_of(screen, key) for key in "topic"]
        assert "about topic" in screen.text
        assert min(costs) <= TYPES_MS, costs
        assert sorted(costs)[len(costs) // 2] <= 2 * TYPES_MS, costs


async def test_a_resize_draws_the_whole_screen_once(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    from textual._compositor import Compositor

    async with shown(home) as screen:
        whole: list[int] = []
        draw = Compositor.render_full_update

        def counted(self: Compositor, *args: Any, **named: Any) -> Any:
            whole.append(1)
            return draw(self, *args, **named)

        monkeypatch.setattr(Compositor, "render_full_update", counted)
        for size in ((120, 35), (80, 24), (200, 50), (199, 50)):
            whole.clear()
            await screen.pilot.resize_terminal(*size)
            await screen.pilot.pause()
            assert len(whole) == 1, size
            assert {len(line) for line in screen.text.splitlines()} != {0}


@pytest.mark.parametrize("keys", [(), ("ctrl+p",), ("f1",), ("ctrl+x", "c"), ("ctrl+o",)])
async def test_a_screen_has_few_widgets(home: Home, keys: tuple[str, ...]) -> None:
    async with shown(home) as screen:
        await screen.press(*keys)
        seen = sum(len(one._compositor.visible_widgets) for one in screen.app.screen_stack)
        assert seen <= WIDGETS


async def test_a_screen_with_every_pane_open_costs_nothing_when_nothing_happens(home: Home) -> None:
    async with shown(home) as screen:
        for pane in ("alt+2", "alt+3", "alt+4", "alt+5", "alt+1"):
            await screen.press(pane)
        await asyncio.sleep(0.3)
        began = time.process_time()
        await asyncio.sleep(0.7)
        assert time.process_time() - began < 0.035
        assert not screen.app.ticker.ticking


async def test_rows_that_are_not_seen_cost_nothing(home: Home) -> None:
    async with shown(home, client=ManySessions(story.view())) as screen:
        await screen.until(lambda: len(screen.app.main.query_one("#rail-rows", RowList).rows) > 100)
        assert len(screen.app.main.query("*")) <= 80


REPLY = 450_000
PIECES = {
    "paragraphs": "The quick **brown** fox `jumps` over the lazy dog and goes on for a while.\n\n",
    "one list": "- an item with a few words and `code` in it\n",
    "one fence": "x = compute(some_value, other=3)  # a comment\n",
}


@pytest.mark.parametrize("kind", PIECES)
def test_a_very_long_reply_costs_no_more_at_its_end_than_at_its_beginning(kind: str) -> None:
    look = Look(ThemeSpec(name="plain", ansi=True))
    column, block = Column(Sheet(98, look)), ReplyBlock()
    block.open = True
    column.append(block)
    text = PIECES[kind] * (REPLY // len(PIECES[kind]))
    text = f"```python\n{text}" if kind == "one fence" else text
    costs: list[float] = []
    for at in range(0, len(text), 4000):
        began = time.thread_time()
        for piece in range(at, at + 4000, 8):
            block.add(text[piece : piece + 8])
        block.changed()
        column.touch(block)
        column.fill_end(50)
        costs.append(time.thread_time() - began)
    assert column.total > 3000
    early, late = sorted(costs[5:25]), sorted(costs[-20:])
    assert late[5] < 3 * early[10], (early, late)
    assert sum(costs) < 2.0


def test_the_words_of_a_long_thought_are_counted_once() -> None:
    block = ReasoningBlock()
    for piece in ("one tw", "o three", " ", "four\n", "", "fi", "ve"):
        block.add(piece)
        shown = block.draw(Sheet(60, Look(ThemeSpec(name="plain", ansi=True))))[0]
        assert f"{len(block.text.split()) or 1:,} word" in "".join(s.text for s in shown.segments)
