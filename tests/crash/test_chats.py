"""A core with a chat is killed wherever it may be: no message is lost, none is answered twice."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.crash.chats_runs import run
from tests.fakes.scripted_model import ScriptedModel
from tests.gateways.contract import RIGS

SEEDS = range(2)
MOST = 25


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("platform", [name for name in RIGS if "_" not in name])
async def test_nothing_is_lost_or_answered_twice_unnoticed(
    tmp_path: Path, scripted: ScriptedModel, platform: str, seed: int
) -> None:
    async with import_module(RIGS[platform]).rig() as rig:
        found = await run(rig, scripted, tmp_path, seed, MOST)
        assert found.lost == 0, found
        assert found.unmarked == 0, found
