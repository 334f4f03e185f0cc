"""Skills travel: standard folders, nothing overwritten unasked, nothing broken sent out."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.errors import HermesError
from hermes_tui.skills.export import export
from hermes_tui.skills.library import Library
from hermes_tui.skills.skill import lint
from tests.skills.conftest import House, skill_text


async def test_all_that_is_not_just_bundled_goes_out_and_comes_back_in(
    house: House, tmp_path: Path
) -> None:
    house.put("deploy-notes")
    house.learned("caddy-reload", skill_text("caddy-reload"))
    made = export(Library(house.home), (), tmp_path / "out")
    assert [one.name for one in made] == ["caddy-reload", "deploy-notes"]
    for one in made:
        assert lint((one / "SKILL.md").read_text(), one.name) == ()
    arrivals = await house.again().hub.fetch(str(tmp_path / "out"))
    assert [one.receipt.name for one in arrivals] == ["caddy-reload", "deploy-notes"]


async def test_what_is_there_is_replaced_only_when_asked_to(house: House, tmp_path: Path) -> None:
    house.put("deploy-notes")
    export(Library(house.home), ("deploy-notes",), tmp_path)
    (tmp_path / "deploy-notes" / "mine.txt").write_text("x")
    with pytest.raises(HermesError, match="already"):
        export(Library(house.home), ("deploy-notes",), tmp_path)
    assert (tmp_path / "deploy-notes" / "mine.txt").exists()
    export(Library(house.home), ("deploy-notes",), tmp_path, force=True)
    assert not (tmp_path / "deploy-notes" / "mine.txt").exists()


async def test_a_skill_that_breaks_the_rules_is_not_sent_out(house: House, tmp_path: Path) -> None:
    house.put("broken", "# nothing\n")
    with pytest.raises(HermesError, match="line 1"):
        export(Library(house.home), ("broken",), tmp_path / "out")
    assert not (tmp_path / "out").exists()
