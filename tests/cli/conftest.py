"""Run commands as a person types them, and a core that lives in a thread beside them."""

from __future__ import annotations

import asyncio
import io
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

from hermes_tui.cli.main import app
from hermes_tui.configuration.load import load
from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.runtime.core import Core


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a command did: exit code, standard output, standard error."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.out)


Hermes = Callable[..., Outcome]


@pytest.fixture
def hermes(
    home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Hermes:
    """`hermes("config", "list")` runs the command; errors are shown as the launcher shows them."""

    def run(*words: str, stdin: str = "") -> Outcome:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        capsys.readouterr()
        try:
            code = app(words)
        except HermesError as error:
            told = capsys.readouterr()
            return Outcome(code=error.exit_code, out=told.out, err=told.err + str(error))
        told = capsys.readouterr()
        return Outcome(code=code, out=told.out, err=told.err)

    return run


def comes_true(fact: Callable[[], bool], limit_s: float = 5.0) -> bool:
    """Whether something becomes so before the deadline."""
    until = time.monotonic() + limit_s
    while not fact() and time.monotonic() < until:
        time.sleep(0.01)
    return fact()


@contextmanager
def core_in_thread(home: Home) -> Iterator[Core]:
    """A listening core of this home, in a thread with a loop of its own."""
    made: list[Core] = []
    ready = threading.Event()
    over = asyncio.Event()

    async def live() -> None:
        core = Core(home, load(home, {}).config, headless=True)
        await core.start()
        made.append(core)
        ready.set()
        await over.wait()
        await core.end("the test is over")

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_until_complete, args=(live(),))
    thread.start()
    assert ready.wait(10)
    try:
        yield made[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(10)
        assert not thread.is_alive()
        loop.close()


@pytest.fixture
def living_core(home: Home) -> Iterator[Core]:
    """A core that lives while the test runs."""
    with core_in_thread(home) as core:
        yield core
