"""A gateway is kept connected, gives way where it must, and harms no other."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from hermes_tui.errors import HermesError
from hermes_tui.gateways.base import ConflictError, RefusedError
from hermes_tui.gateways.keeper import Keeper

Life = Callable[[Any], Awaitable[None]]


class Platform:
    """A gateway whose connections go as they are told, one after the other, the last for ever."""

    platform = "telegram"

    def __init__(self, *lives: Life) -> None:
        self.lives = list(lives)
        self.tries = 0

    async def run(self, desk: Any) -> None:
        life = self.lives[min(self.tries, len(self.lives) - 1)]
        self.tries += 1
        await life(desk)


class Alive:
    """A desk that only passes signs of life on."""

    keeper: Keeper

    def alive(self) -> None:
        self.keeper.alive()


def fails(error: Exception) -> Life:
    async def life(desk: Any) -> None:
        desk.alive()
        raise error

    return life


async def lasts(desk: Any) -> None:
    desk.alive()
    await asyncio.Event().wait()


async def silent(desk: Any) -> None:
    await asyncio.Event().wait()


def kept(platform: Platform, **more: float) -> Keeper:
    desk = Alive()
    keeper = Keeper(platform, desk, lambda: None, **{"first_wait_s": 0.001, **more})  # type: ignore[arg-type]
    desk.keeper = keeper
    return keeper


async def until(keeper: Keeper, state: str) -> None:
    task = asyncio.create_task(keeper.run())
    try:
        async with asyncio.timeout(3):
            while keeper.state != state:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_a_lost_line_is_connected_again() -> None:
    platform = Platform(fails(OSError("gone")), fails(HermesError("gone")), lasts)
    keeper = kept(platform)
    task = asyncio.create_task(keeper.run())
    async with asyncio.timeout(3):
        while platform.tries < 3 or keeper.state != "on":  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    task.cancel()
    assert keeper.problem == ""


async def test_a_silent_line_counts_as_lost() -> None:
    platform = Platform(silent, lasts)
    keeper = kept(platform, silent_s=0.05)
    await until(keeper, "on")
    assert platform.tries == 2


async def test_a_fault_of_a_library_ends_its_connection_alone() -> None:
    platform = Platform(fails(ZeroDivisionError("inside a library")), lasts)
    await until(kept(platform), "on")


async def test_what_no_trying_mends_is_not_tried() -> None:
    platform = Platform(fails(RefusedError("the token is wrong", "look at @BotFather")))
    keeper = kept(platform)
    await asyncio.wait_for(keeper.run(), 3)
    assert (keeper.state, platform.tries) == ("refused", 1)
    assert "look at @BotFather" in keeper.problem


async def test_a_second_receiver_is_named_and_a_good_start_between_changes_no_count() -> None:
    conflict = fails(ConflictError("somebody else receives as this bot"))
    platform = Platform(conflict, fails(OSError("x")), conflict, fails(OSError("x")), conflict)
    keeper = kept(platform)
    await asyncio.wait_for(keeper.run(), 3)
    assert keeper.state == "conflict"
    assert platform.tries == 5
    assert "hermes gateway start telegram" in keeper.problem


async def test_waits_grow_and_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    platform = Platform(*[fails(OSError("x"))] * 9, fails(RefusedError("enough")))
    keeper = kept(platform, first_wait_s=1.0)

    async def rest(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(keeper, "_rest", rest)
    await asyncio.wait_for(keeper.run(), 3)
    bounds = [min(2.0**n, 300) for n in range(1, 10)]
    assert all(most / 2 <= wait <= most for wait, most in zip(waits, bounds, strict=True))


async def test_its_end_ends_the_connection() -> None:
    gone = asyncio.Event()

    async def life(desk: Any) -> None:
        desk.alive()
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    await until(kept(Platform(life)), "on")
    assert gone.is_set()
