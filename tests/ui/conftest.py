"""The full screen over a real core and a scripted model, through both kinds of client."""

from __future__ import annotations

import asyncio
import time
from argparse import ArgumentError
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from hermes_tui.config import Config, UiConfig
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, Standing
from hermes_tui.runtime.client import CoreClient
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.link import SocketClient
from hermes_tui.runtime.local import LocalClient
from tests.fakes.scripted_model import ScriptedModel

if TYPE_CHECKING:
    from hermes_tui.ui.app import HermesApp, Host


def pytest_addoption(parser: pytest.Parser) -> None:
    with suppress(ValueError, ArgumentError):  # a plugin for snapshots may have the option already
        parser.addoption("--snapshot-update", action="store_true", help="keep what is drawn now")


@pytest.fixture(autouse=True)
def one_time_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times on the screen are the same everywhere."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


async def eventually(true: Callable[[], object], timeout_s: float = 5.0) -> None:
    """Wait until something is so; fails when it takes too long."""
    until = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < until, "it did not come to be so in time"
        await asyncio.sleep(0.01)


class Screen:
    """A running app with the keys to drive it."""

    def __init__(self, app: HermesApp, pilot: Any) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys and let everything they lead to happen."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type a text as keys would."""
        await self.press(*("space" if one == " " else one for one in text))

    async def enter(self, text: str) -> None:
        """Put a line into the prompt and press Enter."""
        self.app.talk.prompt.focus()
        self.app.talk.prompt.text = text
        await self.press("enter")

    async def until(self, true: Callable[[], object]) -> None:
        """Wait until something is so; fails with what the screen shows."""
        try:
            await eventually(true)
        except AssertionError as error:
            raise AssertionError(f"it did not come to be so; the screen:\n{self.text}") from error
        await self.pilot.pause()

    @property
    def text(self) -> str:
        """Everything that can be read on the screen."""
        lines = self.app.screen._compositor.render_strips()
        return "\n".join("".join(s.text for s in line).rstrip() for line in lines)

    def shows(self, *words: str) -> bool:
        """Whether all of the words are on the screen."""
        text = self.text
        return all(word in text for word in words)


class Stage:
    """A core, a scripted model, and screens on them."""

    def __init__(self, core: Core, kind: str, model: ScriptedModel, folder: Path) -> None:
        self.core, self.kind, self.model, self.folder = core, kind, model, folder
        self.clients: list[CoreClient] = []

    async def client(self) -> CoreClient:
        """Another line to the core."""
        if self.kind == "local":
            self.clients.append(LocalClient(self.core, through_codec=True))
        else:
            self.clients.append(await SocketClient.connect(self.core.home))
        return self.clients[-1]

    @asynccontextmanager
    async def screen(
        self,
        size: tuple[int, int] = (120, 35),
        which: str = "last-or-new",
        host: Host | None = None,
        **ui: Any,
    ) -> AsyncIterator[Screen]:
        """A screen on the core, with its first session open."""
        from hermes_tui.ui.app import HermesApp

        config = msgspec.structs.replace(UiConfig(), **ui)
        standing = Standing(cwd=str(self.folder), env={"PATH": "/usr/bin:/bin"})
        request = OpenSession(which=which, standing=standing)
        client = await self.client()
        app = HermesApp(client, request, self.core.home, config, self.kind == "local", host)
        async with app.run_test(size=size, notifications=True) as pilot:
            await eventually(lambda: app.session or app.goodbye)
            await pilot.pause()
            yield Screen(app, pilot)
            app._exit = True  # as when a person leaves: what is late is not drawn any more


def config_for(url: str) -> Config:
    config = Config()
    return msgspec.structs.replace(
        config, model=msgspec.structs.replace(config.model, name="scripted", base_url=url)
    )


@pytest.fixture(params=["local", "socket"])
async def stage(
    request: pytest.FixtureRequest, home: Home, scripted: ScriptedModel, tmp_path: Path
) -> AsyncIterator[Stage]:
    """A core with nothing in it yet."""
    folder = tmp_path / "work"
    folder.mkdir()
    core = await Core(home, config_for(scripted.url)).start()
    made = Stage(core, request.param, scripted, folder)
    yield made
    for client in made.clients:
        await client.close()
    await core.end("test over")
