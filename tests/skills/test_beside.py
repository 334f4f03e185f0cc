"""The files beside a SKILL.md have versions and a way back, as its text has."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_tui.skills import beside, records
from hermes_tui.skills.export import export
from hermes_tui.skills.library import Library
from hermes_tui.skills.life import Use
from tests.skills.conftest import House, skill_text

NAME = "deploy-notes"


def folder_of(house: House) -> Path:
    return house.home.skills / NAME


def put(house: House, name: str, text: str) -> Path:
    path = folder_of(house) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


async def history(house: House) -> list[records.Version]:
    return await house.db.read(lambda c: records.versions(c, NAME))


async def read(house: House) -> None:
    use = Use(name=NAME, version=0, session="s", turn=1, ts=1.0, task="deploy")
    await house.skills.ready()
    await house.skills.load(use)


async def test_a_script_changed_on_disk_is_a_version_that_can_be_taken_back(house: House) -> None:
    house.put(NAME)
    script = put(house, "scripts/ship.sh", "#!/bin/sh\necho one\n")
    await read(house)
    script.write_text("#!/bin/sh\necho two\n")
    put(house, "references/hosts.md", "new\n")
    await read(house)
    newest = (await history(house))[0]
    assert (newest.n, newest.by) == (2, "outside")
    assert newest.reason == "changed on disk: references/hosts.md, scripts/ship.sh"
    await house.changing.undo(NAME)
    assert script.read_text() == "#!/bin/sh\necho one\n"
    assert script.stat().st_mode & 0o100
    assert not (folder_of(house) / "references" / "hosts.md").exists()
    await house.changing.restore(NAME, 2)
    assert script.read_text() == "#!/bin/sh\necho two\n"
    assert (folder_of(house) / "references" / "hosts.md").read_text() == "new\n"


async def test_undoing_a_text_brings_the_files_of_its_time(house: House) -> None:
    house.put(NAME)
    script = put(house, "scripts/ship.sh", "echo one\n")
    await read(house)
    await house.changing.save(NAME, skill_text(NAME, body="Run scripts/new.sh.\n"), "newer")
    script.unlink()
    put(house, "scripts/new.sh", "echo new\n")
    await house.changing.save(NAME, skill_text(NAME, body="Run it twice.\n"), "again")
    await house.changing.restore(NAME, 1)
    assert script.read_text() == "echo one\n"
    assert not (folder_of(house) / "scripts" / "new.sh").exists()
    assert (folder_of(house) / "SKILL.md").read_text() == skill_text(NAME)


async def test_what_a_script_leaves_in_the_folder_is_no_version_and_stays(house: House) -> None:
    house.put(NAME)
    put(house, "scripts/ship.sh", "echo one\n")
    await read(house)
    cache = put(house, "cache.json", "{}")
    await read(house)
    assert len(await history(house)) == 1
    await house.changing.save(NAME, skill_text(NAME, body="Other.\n"), "other")
    await house.changing.undo(NAME)
    assert cache.read_text() == "{}"


async def test_a_link_in_the_folder_is_neither_kept_nor_followed(
    house: House, tmp_path: Path
) -> None:
    house.put(NAME)
    secret = tmp_path / "secret"
    secret.write_text("s3")
    (folder_of(house) / "scripts").mkdir()
    (folder_of(house) / "scripts" / "x").symlink_to(secret)
    await read(house)
    rows = await house.db.read(lambda c: c.execute("SELECT count(*) FROM skill_content").fetchall())
    assert rows == [(0,)]


async def test_an_export_has_the_files_as_they_are(house: House, tmp_path: Path) -> None:
    house.put(NAME)
    put(house, "scripts/ship.sh", "echo one\n")
    put(house, "assets/logo.svg", "<svg/>")
    export(Library(house.home), (NAME,), tmp_path / "out")
    made = tmp_path / "out" / NAME
    assert (made / "scripts" / "ship.sh").read_text() == "echo one\n"
    assert (made / "assets" / "logo.svg").read_text() == "<svg/>"


_names = st.sampled_from(["scripts/a", "scripts/b/c", "references/r.md", "assets/x.bin", "checks"])


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.dictionaries(_names, st.binary(max_size=40)), st.dictionaries(_names, st.binary(max_size=40))
)
def test_any_files_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, one: dict[str, bytes], other: dict[str, bytes]
) -> None:
    folder = tmp_path_factory.mktemp("skill")
    (folder / "SKILL.md").write_text(skill_text(folder.name))
    beside.put_back(folder, one, {})
    assert beside.read(folder) == one
    beside.put_back(folder, other, beside.digests(one))
    assert beside.read(folder) == other
