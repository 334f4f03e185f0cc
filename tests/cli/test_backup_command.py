"""A backup holds everything that can't be made again, and brings it all back."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import msgspec
import pytest

from hermes_tui.errors import StoreError
from hermes_tui.home import Home
from hermes_tui.store import archive
from tests.cli.conftest import Hermes, core_in_thread
from tests.store.damaging import spoil

TALK = "from: someone\n"


def filled(hermes: Hermes, home: Home, tmp_path: Path) -> None:
    talk = tmp_path / "talk.jsonl"
    home.config.write_text("agent:\n  mode: ask\n")
    home.secrets.write_text("SOME_KEY=abc\n")
    home.secrets.chmod(0o600)
    (home.skills / "jam").mkdir(parents=True)
    (home.skills / "jam" / "SKILL.md").write_text("---\nname: jam\ndescription: d\n---\nBoil.\n")
    talk.unlink(missing_ok=True)
    assert hermes("sessions", "list").code == 0  # makes the database


def test_a_backup_brings_everything_back_after_the_home_was_lost(
    hermes: Hermes, home: Home, tmp_path: Path
) -> None:
    filled(hermes, home, tmp_path)
    target = tmp_path / "backup.tar.gz"
    assert hermes("backup", str(target), "--secrets").code == 0
    assert target.stat().st_mode & 0o077 == 0
    skill = (home.skills / "jam" / "SKILL.md").read_text()
    (home.skills / "jam" / "SKILL.md").write_text("spoiled")
    home.config.write_text("agent:\n  mode: plan\n")
    home.secrets.unlink()
    spoil(home.database, "session")
    assert hermes("restore", str(target), "--yes").code == 0
    assert (home.skills / "jam" / "SKILL.md").read_text() == skill
    assert "ask" in home.config.read_text()
    assert home.secrets.read_text() == "SOME_KEY=abc\n"
    assert hermes("sessions", "list").code == 0
    aside = list(home.aside.rglob("SKILL.md"))
    assert [one.read_text() for one in aside] == ["spoiled"]


def test_keys_are_in_a_backup_only_when_asked_for(
    hermes: Hermes, home: Home, tmp_path: Path
) -> None:
    filled(hermes, home, tmp_path)
    target = tmp_path / "backup.tar.gz"
    assert "keys are not in it" in hermes("backup", str(target)).out
    names = set(archive.read(target).files)
    assert "secrets.env" not in names
    assert {"state.db", "config.yaml", "skills/jam/SKILL.md"} <= names


def test_a_backup_is_made_beside_a_living_agent_and_restore_waits_for_its_end(
    hermes: Hermes, home: Home, tmp_path: Path
) -> None:
    with core_in_thread(home):
        target = tmp_path / "backup.tar.gz"
        assert hermes("backup", str(target), "--json").json["sessions"] == 0
        refused = hermes("restore", str(target), "--yes")
        assert refused.code != 0
        assert "hermes daemon stop" in refused.err


def test_restore_takes_the_newest_good_copy_and_passes_over_a_spoiled_one(
    hermes: Hermes, home: Home, tmp_path: Path
) -> None:
    filled(hermes, home, tmp_path)
    assert hermes("backup", str(tmp_path / "a.tar.gz")).code == 0
    good = next(home.backups.glob("state-*.db"))
    bad = good.with_name("state-99990101-000000.db")
    bad.write_bytes(good.read_bytes()[:5000])
    outcome = hermes("restore", "--yes")
    assert outcome.code == 0
    assert "passed over" in outcome.out
    assert good.name in hermes("restore", "--list").out


@pytest.mark.parametrize("name", ["../outside", "/etc/outside", "skills/../../outside"])
def test_a_backup_that_would_write_outside_the_home_is_refused(tmp_path: Path, name: str) -> None:
    crafted = tmp_path / "bad.tar.gz"
    manifest = archive.Manifest(format=1, version="1", made=1.0, files={name: "0" * 64})
    with tarfile.open(crafted, "w:gz") as tar:
        for member, data in ((archive.MANIFEST, msgspec.json.encode(manifest)), (name, b"x")):
            info = tarfile.TarInfo(member)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    with pytest.raises(StoreError, match="has no place"):
        archive.unpack(crafted, tmp_path / "in")


def test_a_backup_with_one_changed_byte_is_refused_before_anything_is_touched(
    hermes: Hermes, home: Home, tmp_path: Path
) -> None:
    filled(hermes, home, tmp_path)
    target = tmp_path / "backup.tar.gz"
    assert hermes("backup", str(target)).code == 0
    data = bytearray(target.read_bytes())
    data[len(data) // 2] ^= 0xFF
    target.write_bytes(bytes(data))
    before = home.database.read_bytes()
    refused = hermes("restore", str(target), "--yes")
    assert refused.code != 0
    assert "no sound backup" in refused.err
    assert home.database.read_bytes() == before
