"""What every test may use: a clean environment, a temporary home, a scripted model."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from hermes_tui.backends import sandbox_probe
from hermes_tui.home import ENV, Home
from tests.fakes.scripted_model import ScriptedModel


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that need root or a real model are no part of the suite unless they are asked for."""
    if "live" not in (config.option.markexpr or ""):
        live = [item for item in items if item.get_closest_marker("live") is not None]
        config.hook.pytest_deselected(items=live)
        items[:] = [item for item in items if item.get_closest_marker("live") is None]
    if os.geteuid() != 0:
        needs = [item for item in items if item.get_closest_marker("root") is not None]
        config.hook.pytest_deselected(items=needs)
        items[:] = [item for item in items if item.get_closest_marker("root") is None]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No key, endpoint, proxy or home of the person who runs the tests reaches one."""
    for name in list(os.environ):
        kept_out = name.startswith("HERMES_") or name.endswith(("_API_KEY", "_TOKEN"))
        if kept_out or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv(ENV, str(tmp_path / "home"))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A fresh home, the one the environment names."""
    return Home(tmp_path / "home").ensure()


@pytest.fixture
async def scripted() -> AsyncIterator[ScriptedModel]:
    """A scripted model that is being served; put replies into its `script`."""
    async with ScriptedModel() as model:
        yield model


@pytest.fixture
def threaded() -> Iterator[ScriptedModel]:
    """The same, served from a thread, for tests without an event loop."""
    with ScriptedModel.in_thread() as model:
        yield model


@pytest.fixture(autouse=True)
def no_sandbox(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A core in the test's own process finds no sandbox, so that each command asks.

    Tests of the sandbox are marked `sandbox` and find what the machine has.
    """
    if request.node.get_closest_marker("sandbox") is None:
        none = sandbox_probe.Level(number=1, name="none: each command asks")
        monkeypatch.setattr(sandbox_probe, "_known", none)
