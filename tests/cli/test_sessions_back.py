"""Chat and files go back from the command line; without a yes nothing is touched."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hermes_tui.events import TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import OpenSession, Send, Standing
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.cli.conftest import Hermes
from tests.fakes.scripted_model import ScriptedModel, call, say
from tests.runtime.conftest import settled

NAME = "Beds"


@pytest.fixture
def worked(home: Home, threaded: ScriptedModel, tmp_path: Path) -> Path:
    """A folder in which a session of one turn has changed a file and made another."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "old").write_text("before")
    threaded.script = [
        call("write_file", path="new", content="1"),
        call("write_file", path="old", content="after"),
        say("done"),
    ]
    asyncio.run(_turn(home, threaded.url, folder))
    return folder


async def _turn(home: Home, url: str, folder: Path) -> None:
    core = await Core(home, settled(home, url), headless=True).start(listen=False)
    client = LocalClient(core)
    standing = Standing(cwd=str(folder), env={"PATH": "/usr/bin:/bin"})
    view = await client.ask(OpenSession(which="new", standing=standing, mode="yolo", title=NAME))
    await client.ask(Send(session=view.info.id, text="tidy the beds"))
    async for record in client.events():
        if isinstance(record.event, TurnEnded):
            break
    await client.close()
    await core.end("the turn is over")


def test_looking_says_what_would_change_and_changes_nothing(hermes: Hermes, worked: Path) -> None:
    seen = hermes("sessions", "rewind", NAME, "1", "--look")
    assert seen.out.splitlines() == ["- new (goes)", "~ old (changes back)"]
    found = hermes("sessions", "undo", NAME, "--look", "--json").json
    assert [one["change"] for one in found["changes"]] == ["added", "changed"]
    assert (worked / "old").read_text() == "after"


def test_nothing_goes_back_without_a_yes(hermes: Hermes, worked: Path) -> None:
    for words in (("rewind", NAME, "1"), ("undo", NAME)):
        done = hermes("sessions", *words)
        assert done.code == 1
        assert "nothing was taken back" in done.err
    assert (worked / "old").read_text() == "after"


def test_chat_and_files_go_back_and_files_come_again(hermes: Hermes, worked: Path) -> None:
    done = hermes("sessions", "rewind", NAME, "1", "--yes")
    assert "2 files changed back" in done.out
    assert "you had said: tidy the beds" in done.out
    assert (worked / "old").read_text() == "before"
    assert not (worked / "new").exists()
    assert hermes("sessions", "undo", NAME, "-y", "--json").json["files"] == 2
    assert (worked / "old").read_text() == "after"
    assert hermes("sessions", "rewind", NAME, "1", "-y").code == 1


def test_ones_own_files_stay_unless_they_are_asked_for(hermes: Hermes, worked: Path) -> None:
    (worked / "mine").write_text("mine")
    seen = hermes("sessions", "rewind", NAME, "1", "--what", "files")
    assert "- mine (goes, changed by you or others)" in seen.out
    assert "1 changed by you or others stay" in seen.out
    assert hermes("sessions", "rewind", NAME, "1", "--what", "files", "-y").code == 0
    assert (worked / "mine").exists()
    assert hermes("sessions", "rewind", NAME, "1", "--what", "files", "-y", "--yours").code == 0
    assert not (worked / "mine").exists()


def test_checkpoints_are_listed(hermes: Hermes, worked: Path) -> None:
    told = hermes("sessions", "checkpoints", NAME)
    assert "turn 1" in told.out
    assert "of 200 MB are used by all sessions" in told.out
    listed = hermes("sessions", "checkpoints", NAME, "--json").json
    assert [one["turn"] for one in listed["checkpoints"]] == [1]


def test_a_wrong_turn_or_word_is_said(hermes: Hermes, worked: Path) -> None:
    assert (
        "'all' can't be taken back" in hermes("sessions", "rewind", NAME, "1", "--what", "all").err
    )
    assert "turn 7 is not part" in hermes("sessions", "rewind", NAME, "7", "-y").err
    assert "there is no checkpoint 9" in hermes("sessions", "undo", NAME, "--checkpoint", "9").err
