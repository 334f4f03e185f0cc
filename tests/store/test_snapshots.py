"""A copy of the database counts when it was read back whole, and going back loses nothing kept."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from hermes_tui.errors import StoreError
from hermes_tui.home import Home
from hermes_tui.store import snapshots
from hermes_tui.store.db import MIGRATIONS, Database
from hermes_tui.store.log import Log
from tests.store.damaging import spoil
from tests.store.test_damage import filled, typed


async def test_a_copy_is_made_beside_a_writer_and_holds_what_was_stored(
    home: Home, tmp_path: Path
) -> None:
    key = await filled(home.database)
    db = Database(home.database).open()
    await Log(db).append(key, [typed(42)])
    made = snapshots.take(home.database, tmp_path / "backups", 1000.0)
    await Log(db).append(key, [typed(43)])
    await db.close()
    assert (made.sessions, made.events) == (1, 42)
    assert snapshots.prove(made.path).events == 42
    assert made.path.stat().st_mode & 0o077 == 0


async def test_no_copy_of_a_damaged_file_is_kept(home: Home, tmp_path: Path) -> None:
    await filled(home.database)
    spoil(home.database, "event")
    with pytest.raises(StoreError):
        snapshots.take(home.database, tmp_path / "backups", 1000.0)
    assert list((tmp_path / "backups").iterdir()) == []


async def test_a_copy_put_back_is_what_it_was_and_the_damaged_file_is_set_aside(
    home: Home, tmp_path: Path
) -> None:
    await filled(home.database)
    made = snapshots.take(home.database, tmp_path / "backups", 1000.0)
    spoil(home.database, "event")
    damaged = home.database.read_bytes()
    snapshots.put_back(made.path, home.database, tmp_path / "aside", 2000.0)
    assert (tmp_path / "aside" / "state.db").read_bytes() == damaged
    db = Database(home.database).open()
    assert len(await Log(db).read("one")) == 41
    await db.close()


async def test_a_spoiled_copy_is_never_put_back(home: Home, tmp_path: Path) -> None:
    await filled(home.database)
    made = snapshots.take(home.database, tmp_path / "backups", 1000.0)
    spoil(made.path, "session")
    before = home.database.read_bytes()
    with pytest.raises(StoreError, match="no sound copy"):
        snapshots.put_back(made.path, home.database, tmp_path / "aside", 2000.0)
    assert home.database.read_bytes() == before


async def test_an_old_log_is_not_applied_to_the_copy(home: Home, tmp_path: Path) -> None:
    key = await filled(home.database)
    made = snapshots.take(home.database, tmp_path / "backups", 1000.0)
    db = Database(home.database).open()
    await Log(db).append(key, [typed(42)])
    log = home.database.with_name("state.db-wal").read_bytes()
    await db.close()
    home.database.with_name("state.db-wal").write_bytes(log)  # as after a death
    snapshots.put_back(made.path, home.database, tmp_path / "aside", 2000.0)
    db = Database(home.database).open()
    assert len(await Log(db).read("one")) == 41
    await db.close()


async def test_jobs_that_were_due_meanwhile_do_not_storm_in(home: Home, tmp_path: Path) -> None:
    await filled(home.database)
    connection = apsw.Connection(str(home.database))
    connection.execute("INSERT INTO cron_job VALUES ('j', 'active', 1, 5.0, '{}')").fetchall()
    connection.execute(
        "INSERT INTO cron_run (job, slot, state) VALUES ('j', 6.0, 'running')"
    ).fetchall()
    connection.close()
    made = snapshots.take(home.database, tmp_path / "backups", 1000.0)
    snapshots.put_back(made.path, home.database, tmp_path / "aside", 2000.0)
    connection = apsw.Connection(str(home.database))
    assert connection.execute("SELECT seen FROM cron_job").fetchall() == [(2000.0,)]
    assert connection.execute("SELECT state FROM cron_run").fetchall() == [("missed",)]
    connection.close()


async def test_the_newest_copies_stay(home: Home, tmp_path: Path) -> None:
    await filled(home.database, 3)
    folder = tmp_path / "backups"
    made = [snapshots.take(home.database, folder, 86400.0 * day).path for day in range(1, 6)]
    assert snapshots.prune(folder, 2) == list(reversed(made[:3]))
    assert snapshots.kept(folder) == [made[4], made[3]]


async def test_before_tables_change_the_file_is_kept_as_it_was(home: Home) -> None:
    connection = apsw.Connection(str(home.database))
    connection.execute((MIGRATIONS / "0001.sql").read_text()).fetchall()
    connection.pragma("user_version", 1)
    connection.execute("INSERT INTO session (id, created, updated) VALUES ('s', 1, 1)").fetchall()
    connection.close()
    db = Database(home.database).open()
    await db.close()
    kept = list((home.path / "backups").glob("before-*.db"))
    assert len(kept) == 1
    old = snapshots.prove(kept[0])
    assert (old.version, old.sessions) == (1, 1)
