"""The store is looked after: copies every day, room on the disk, and nothing lost to damage."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec
import pytest

from hermes_tui.errors import DamagedError
from hermes_tui.events import CoreEnding, InputReceived, Notice, Record, Trouble, TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import CopyStore, GetStatus, OpenSession, Search, Standing
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.link import SocketClient
from hermes_tui.store import room, snapshots, spool
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.scripted_model import say as reply
from tests.runtime.conftest import open_in, say, settled, until
from tests.store.damaging import spoil


async def test_a_copy_is_made_once_a_day_and_the_oldest_go(core: Core) -> None:
    now = time.time()
    for day in range(10):
        await core.caring.look(now + day * 86_400.0)
        await core.caring.look(now + day * 86_400.0 + 3600)
    kept = snapshots.kept(core.home.backups)
    assert len(kept) == 7
    assert snapshots.prove(kept[0]).version > 0


async def test_a_face_can_have_a_copy_made_while_the_agent_works(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [reply("one"), reply("two")]
    client = await SocketClient.connect(core.home)
    view = await open_in(client, str(tmp_path))
    await say(client, view, "first")
    copied = await client.ask(CopyStore())
    assert copied.sessions == 1
    await until(client, TurnEnded)
    await client.close()


async def test_what_is_said_while_the_store_is_damaged_is_there_after_a_restore(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [reply("Marmalade needs oranges."), reply("All three.")]
    core = await Core(home, settled(home, scripted.url), headless=True).start()
    client = await SocketClient.connect(home)
    view = await open_in(client, str(tmp_path))
    await say(client, view, "how is marmalade made?")
    await until(client, TurnEnded)
    copied = await client.ask(CopyStore())
    await client.close()
    await core.end("test")

    spoil(home.database, "event")
    core = await Core(home, settled(home, scripted.url), headless=True, resume=False).start()
    core.db.examine()
    client = await SocketClient.connect(home)
    key, _ = await core.log.find(view.info.id)
    event = InputReceived(input_id="lost?", text="and with ginger?")
    record = Record(session=view.info.id, n=99, ts=time.time(), event=event)
    with pytest.raises(DamagedError):
        await core.log.append(key, [record])
    assert "damaged" in (await client.ask(GetStatus())).damage
    late = await SocketClient.connect(home)
    told = await until(late, Trouble)
    assert "damaged" in told[-1].event.text  # type: ignore[union-attr]
    for one in (client, late):
        await one.close()
    await core.end("test")

    snapshots.put_back(Path(copied.path), home.database, home.aside / "x", time.time())
    for _ in range(2):
        core = await Core(home, settled(home, scripted.url), headless=True).start()
        texts = [
            r.event.text
            for r in await core.log.read(view.info.id)
            if isinstance(r.event, (InputReceived, Notice))
        ]
        assert texts.count("and with ginger?") == 1
        assert core.db.damage == ""
        await core.end("test")
    assert spool.waiting(home.database) == ()


async def test_search_finds_everything_again_after_its_index_was_damaged(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [reply("Marmalade needs oranges."), reply("Ginger too.")]
    core = await Core(home, settled(home, scripted.url), headless=True).start()
    client = await SocketClient.connect(home)
    view = await open_in(client, str(tmp_path))
    await say(client, view, "how is marmalade made?")
    await until(client, TurnEnded)
    await client.close()
    await core.end("test")
    spoil(home.database, "recall_index_data")
    core = await Core(home, settled(home, scripted.url), headless=True).start()
    core.db.examine()
    client = await SocketClient.connect(home)
    view = await open_in(client, str(tmp_path), view.info.id)
    await say(client, view, "anything else?")
    await until(client, TurnEnded)
    for word in ("oranges", "ginger"):
        assert (await client.ask(Search(query=word))).hits, word
    await client.close()
    await core.end("test")


async def test_the_home_keeps_to_its_room_and_the_newest_stays(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = msgspec.structs.replace(core.config.backup, disk_mb=2, drop_sessions=True)
    monkeypatch.setattr(
        core.settings, "config", msgspec.structs.replace(core.config, backup=backup)
    )
    now = time.time()
    for n in range(8):
        folder = core.home.outputs / f"old-{n}"
        folder.mkdir(parents=True)
        (folder / "call.txt").write_bytes(os.urandom(300_000))
        os.utime(folder, (now - 90_000 + n, now - 90_000 + n))
    ids: list[str] = []
    for _ in range(8):
        live = await core.shelf.create(OpenSession(which="new", standing=Standing(cwd="/")))
        ids.append(live.id)
        await live.add(Notice(text="a jar of jam. " * 20_000))
    core.sessions.clear()
    assert room.used(core.home.path) > 4_000_000
    await core.caring.keep_to_room(time.time())
    assert room.used(core.home.path) <= 2_200_000
    assert not list(core.home.outputs.glob("old-*"))
    left = [one.id for one in await core.log.list()]
    assert ids[-1] in left
    assert left == list(reversed(ids))[: len(left)]


async def test_a_core_ends_at_once_while_it_waits_to_look_after_its_store(core: Core) -> None:
    client = await SocketClient.connect(core.home)
    before = time.monotonic()
    await core.end("test")
    await until(client, CoreEnding)
    assert time.monotonic() - before < 2
    await client.close()
