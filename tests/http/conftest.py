"""A real core with its HTTP port open, and the real client of OpenAI before it."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2
import pytest

from hermes_tui.configuration.load import load
from hermes_tui.home import Home
from hermes_tui.runtime.core import Core
from hermes_tui.security.vault import Vault
from tests.fakes.scripted_model import ScriptedModel

KEY = "key-" + "of-a-test-" * 4


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def settle(home: Home, url: str, port: int, more: str = "") -> None:
    """Settings of a home with an open port."""
    home.config.write_text(
        f"model:\n  name: scripted\n  base_url: {url}\n"
        f"http:\n  port: {port}\n  folder: {home.path.parent / 'http'}\n{more}"
    )
    Vault(home, lambda: None).put("HERMES_TUI_HTTP_KEY", KEY)


async def until(true: Callable[[], object], limit_s: float = 3.0) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + limit_s
    while True:
        if true():
            return
        assert time.monotonic() < deadline, f"waited {limit_s} s"
        await asyncio.sleep(0.005)


@dataclass
class Port:
    """A core with an open port."""

    core: Core
    model: ScriptedModel
    url: str

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {KEY}"}

    @asynccontextmanager
    async def raw(self) -> AsyncIterator[httpx2.AsyncClient]:
        async with httpx2.AsyncClient(
            base_url=self.url, headers=self.headers, trust_env=False, timeout=5
        ) as client:
            yield client


@pytest.fixture
async def port(home: Home, scripted: ScriptedModel) -> AsyncIterator[Port]:
    number = free_port()
    settle(home, scripted.url, number)
    core = await Core(home, load(home, {}).config, headless=True).start()
    yield Port(core, scripted, f"http://127.0.0.1:{number}")
    await core.end("test over")
