"""Plain mode says what becomes of files before they go back, and asks about one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.home import Home
from hermes_tui.runtime.core import Core
from tests.fakes.scripted_model import Asked, Reply, ScriptedModel, call, say
from tests.plain.test_end_to_end import Pipe
from tests.runtime.conftest import settled


class Plain:
    """A folder with a file in it, and plain mode run there once for each list of lines."""

    def __init__(self, home: Home, model: ScriptedModel, folder: Path) -> None:
        self.home, self.model, self.folder = home, model, folder
        model.answer = answer

    async def typed(self, *lines: str) -> str:
        core = await Core(self.home, settled(self.home, self.model.url)).start()
        pipe = Pipe()
        await pipe.run(core, self.folder, "\n".join(["/mode yolo", *lines, ""]).encode())
        await core.end("the test is over")
        return pipe.seen.decode()


def answer(asked: Asked) -> Reply:
    """Write what was said into a file of its own, then be done."""
    if asked.messages[-1]["role"] == "tool":
        return say("Done.")
    name = asked.messages[-1]["content"].split("\n")[0].split()[-1]
    return call("write_file", path=name, content="new")


@pytest.fixture
def plain(home: Home, scripted: ScriptedModel, tmp_path: Path) -> Plain:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "old").write_text("before")
    return Plain(home, scripted, folder)


async def test_undo_says_what_changes_and_waits_for_a_number(plain: Plain) -> None:
    text = await plain.typed("/title Beds", "write old")
    assert (plain.folder / "old").read_text() == "new"
    text = await plain.typed("/resume Beds", "/undo", "0", "/undo", "1")
    assert "1 file would change back." in text
    assert "~ old  (changes back)" in text
    assert "Nothing was taken back." in text
    assert "1 file changed back; /undo brings them back." in text
    assert (plain.folder / "old").read_text() == "before"


async def test_going_back_takes_files_along_or_leaves_them(plain: Plain) -> None:
    await plain.typed("/title Beds", "write one")
    await plain.typed("/resume Beds", "write two")
    text = await plain.typed("/resume Beds", "/rewind 2 chat")
    assert "You had said: write two" in text
    assert (plain.folder / "two").exists()
    text = await plain.typed("/resume Beds", "/rewind", "1", "1")
    assert "- one  (goes)" in text
    assert "You had said: write one" in text
    assert not (plain.folder / "one").exists()
    assert not (plain.folder / "two").exists()


async def test_ones_own_files_are_named_and_stay_unless_all_is_wished(plain: Plain) -> None:
    await plain.typed("/title Beds", "write one")
    (plain.folder / "mine").write_text("mine")
    text = await plain.typed("/resume Beds", "/rewind 1 files", "1")
    assert "- mine  (goes, changed by you or others)" in text
    assert (plain.folder / "mine").exists()
    assert not (plain.folder / "one").exists()
    await plain.typed("/resume Beds", "/rewind 1 files", "2")
    assert not (plain.folder / "mine").exists()


async def test_what_cannot_be_done_is_said(plain: Plain) -> None:
    await plain.typed("/title Beds", "write one")
    text = await plain.typed("/resume Beds", "/rewind 1 all", "/undo x", "/undo 99")
    assert "'all' can't be taken back" in text
    assert "'x' is no number of a checkpoint" in text
    assert "there is no checkpoint 99 here" in text
