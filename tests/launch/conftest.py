"""A place to run `hermes` in, cleared up afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.home import Home
from tests.fakes.scripted_model import ScriptedModel
from tests.launch.hermes import Place


@pytest.fixture
def place(home: Home, threaded: ScriptedModel, tmp_path: Path) -> Iterator[Place]:
    """A home with a scripted model; no core is left running in it."""
    folder = tmp_path / "folder"
    folder.mkdir()
    place = Place(home, threaded, folder)
    yield place
    place.end()
