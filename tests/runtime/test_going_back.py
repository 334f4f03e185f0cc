"""Files go back with the conversation, without it or alone; nothing of a person's is lost by it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hermes_tui.config import Config
from hermes_tui.errors import HermesError, NotFoundError
from hermes_tui.events import ApprovalAsked, FilesRestored, Notice, RanAgain, ToolEnded, TurnEnded
from hermes_tui.home import Home
from hermes_tui.intents import (
    BackView,
    DeleteSession,
    ListCheckpoints,
    LookBack,
    OpenSession,
    RestoreFiles,
    Rewind,
    RunAgain,
    SessionView,
    Standing,
    Stop,
    WentBack,
)
from hermes_tui.runtime.client import CoreClient
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.local import LocalClient
from tests.fakes.scripted_model import Call, Reply, ScriptedModel, call, calls
from tests.fakes.scripted_model import say as reply
from tests.runtime.conftest import Connect, config_for, open_in, say, until
from tests.store.test_checkpoints import as_it_is


class Desk:
    """A folder, a session in it that may do anything, and a model that does what it is told."""

    def __init__(self, client: CoreClient, view: SessionView, scripted: ScriptedModel) -> None:
        self.client = client
        self.session = view.info.id
        self.view = view
        self.model = scripted
        self.folder = Path(view.info.cwd)

    async def turn(self, *steps: Reply, text: str = "go") -> int:
        """One turn in which the model asks for these; its number."""
        self.model.script = [*steps, reply("done")]
        await say(self.client, self.view, text)
        ended = (await until(self.client, TurnEnded))[-1].event
        assert isinstance(ended, TurnEnded)
        assert ended.outcome == "done"
        return ended.turn

    async def look(self, **what: int) -> BackView:
        return await self.client.ask(LookBack(session=self.session, **what))

    async def back(self, turn: int, what: Any = "both", **more: Any) -> WentBack:
        return await self.client.ask(Rewind(session=self.session, turn=turn, what=what, **more))

    async def undo(self, **more: Any) -> WentBack:
        return await self.client.ask(RestoreFiles(session=self.session, **more))


@pytest.fixture
async def desk(connect: Connect, scripted: ScriptedModel, tmp_path: Path) -> Desk:
    work = tmp_path / "work"
    work.mkdir()
    (work / "kept.txt").write_text("kept\n")
    (work / "doomed.txt").write_text("doomed\n")
    (work / "link").symlink_to("kept.txt")
    (work / "empty").mkdir()
    client = await connect()
    return Desk(client, await open_in(client, str(work), mode="yolo"), scripted)


def write(path: str, content: str) -> Reply:
    return call("write_file", path=path, content=content)


def run(command: str) -> Reply:
    return call("run_command", command=command)


HAVOC = "rm -rf doomed.txt empty link; chmod 600 kept.txt; mkdir -p a/b; echo x > a/b/c"


async def test_chat_and_files_go_back_together_byte_for_byte(desk: Desk) -> None:
    was = as_it_is(desk.folder)
    await desk.turn(write("kept.txt", "changed\n"), run(HAVOC), text="make a mess")
    assert as_it_is(desk.folder) != was
    done = await desk.back(1)
    assert as_it_is(desk.folder) == was
    assert done.text == "make a mess"
    assert (done.stayed, done.problem) == ((), "")
    told = [r.event for r in await until(desk.client, FilesRestored)][-1]
    assert isinstance(told, FilesRestored)
    assert {"kept.txt", "doomed.txt", "link", "empty", "a/b/c"} <= set(told.paths)


async def test_going_back_can_itself_be_undone_and_that_too(desk: Desk) -> None:
    was = as_it_is(desk.folder)
    await desk.turn(run(HAVOC))
    mess = as_it_is(desk.folder)
    await desk.back(1)
    await desk.undo()
    assert as_it_is(desk.folder) == mess
    await desk.undo()
    assert as_it_is(desk.folder) == was


async def test_undo_takes_back_the_last_turn_that_changed_files(desk: Desk) -> None:
    await desk.turn(write("new.txt", "one"))
    between = as_it_is(desk.folder)
    await desk.turn(write("new.txt", "two"), run("rm doomed.txt"))
    await desk.turn(run("true"))
    seen = await desk.look()
    assert [(one.path, one.change) for one in seen.changes] == [
        ("doomed.txt", "removed"),
        ("new.txt", "changed"),
    ]
    assert (await desk.undo()).files == 2
    assert as_it_is(desk.folder) == between


async def test_looking_changes_nothing_and_says_what_would_change(desk: Desk) -> None:
    await desk.turn(write("new.txt", "x"), run("rm doomed.txt; chmod 600 kept.txt"))
    now = as_it_is(desk.folder)
    seen = await desk.look(turn=1)
    assert [(one.path, one.change, one.yours) for one in seen.changes] == [
        ("doomed.txt", "removed", False),
        ("kept.txt", "mode", False),
        ("new.txt", "added", False),
    ]
    assert (seen.count, seen.yours, seen.problem) == (3, 0, "")
    assert as_it_is(desk.folder) == now


async def test_what_a_person_changed_is_named_and_stays_unless_wished(desk: Desk) -> None:
    await desk.turn(write("kept.txt", "agent\n"), write("both.txt", "agent\n"))
    await settled(desk)
    (desk.folder / "mine.txt").write_text("mine\n")
    (desk.folder / "both.txt").write_text("agent, then I\n")
    await desk.turn(write("kept.txt", "agent again\n"))
    seen = await desk.look(turn=1)
    assert {one.path: one.yours for one in seen.changes} == {
        "both.txt": True,
        "kept.txt": False,
        "mine.txt": True,
    }
    await desk.back(1, "files")
    assert (desk.folder / "kept.txt").read_text() == "kept\n"
    assert (desk.folder / "mine.txt").read_text() == "mine\n"
    assert (desk.folder / "both.txt").read_text() == "agent, then I\n"
    await desk.back(1, "files", yours=True)
    assert not (desk.folder / "mine.txt").exists()
    assert not (desk.folder / "both.txt").exists()
    await desk.undo(yours=True)
    assert (desk.folder / "mine.txt").read_text() == "mine\n"


async def settled(desk: Desk) -> None:
    """Wait until it is noted what the turns left behind."""
    async with asyncio.timeout(5):
        while True:
            listed = await desk.client.ask(ListCheckpoints(session=desk.session))
            if listed.checkpoints and all(one.ended for one in listed.checkpoints):
                return
            await asyncio.sleep(0.01)


async def test_files_alone_go_back_and_the_model_is_told(desk: Desk) -> None:
    await desk.turn(write("kept.txt", "changed\n"))
    done = await desk.back(1, "files")
    assert done.files == 1
    assert (desk.folder / "kept.txt").read_text() == "kept\n"
    await desk.turn(text="and now?")
    told = desk.model.requests[-1].messages
    assert told[-1]["content"].startswith("[I took files back to how they were before turn 1")
    assert "- kept.txt" in told[-1]["content"]
    assert any(message["role"] == "tool" for message in told)


async def test_chat_alone_leaves_the_files(desk: Desk) -> None:
    await desk.turn(write("kept.txt", "changed\n"))
    assert (await desk.back(1, "chat")).text == "go"
    assert (desk.folder / "kept.txt").read_text() == "changed\n"


async def test_a_turn_has_one_checkpoint_however_many_calls_write(desk: Desk) -> None:
    several = [Call("write_file", {"path": f"f{n}", "content": str(n)}) for n in range(5)]
    await desk.turn(calls(*several), run("echo more >> f0"))
    listed = await desk.client.ask(ListCheckpoints(session=desk.session))
    assert [(one.turn, one.kind, one.changed) for one in listed.checkpoints] == [(1, "turn", True)]
    assert 0 < listed.used < listed.budget
    await desk.back(1)
    assert not list(desk.folder.glob("f*"))


async def test_a_turn_that_only_reads_is_not_kept(desk: Desk) -> None:
    await desk.turn(call("read_file", path="kept.txt"))
    listed = await desk.client.ask(ListCheckpoints(session=desk.session))
    assert listed.checkpoints == ()
    assert "changed no file" in (await desk.look(turn=1)).problem
    with pytest.raises(NotFoundError, match="changed no file"):
        await desk.back(1, "files")
    done = await desk.back(1)
    assert done.text == "go"
    assert "changed no file" in done.problem


async def test_a_running_turn_is_stopped_before_its_files_go_back(desk: Desk) -> None:
    was = as_it_is(desk.folder)
    desk.model.script = [run("rm doomed.txt"), reply("never", gate="never")]
    await say(desk.client, desk.view, "work")
    await until(desk.client, ToolEnded)
    assert not (desk.folder / "doomed.txt").exists()
    with pytest.raises(HermesError, match="at work"):
        await desk.undo()
    assert (await desk.back(1)).text == "work"
    assert as_it_is(desk.folder) == was


async def test_a_call_that_a_person_runs_again_can_be_undone_alone(desk: Desk) -> None:
    await desk.turn(Reply(calls=(Call("run_command", {"command": "echo x >> log"}, id="c1"),)))
    again = RunAgain(session=desk.session, call_id="c1", again_id="a1")
    await desk.client.ask(again)
    await until(desk.client, RanAgain)
    assert (desk.folder / "log").read_text() == "x\nx\n"
    await desk.undo()
    assert (desk.folder / "log").read_text() == "x\n"


async def test_a_commit_of_the_agents_goes_back_and_one_of_the_persons_stays(desk: Desk) -> None:
    who = "git -c user.name=n -c user.email=e@x.org -c init.defaultBranch=main"

    async def git(line: str) -> str:
        pipe = asyncio.subprocess.PIPE
        shell = await asyncio.create_subprocess_shell(
            f"{who} {line}", cwd=desk.folder, stdout=pipe, stderr=pipe
        )
        return (await shell.communicate())[0].decode().strip()

    await git("init -q")
    await git("add .")
    await git("commit -qm first")
    first = await git("rev-parse HEAD")
    edit = f"echo more >> kept.txt; {who} commit -qam agents"
    await desk.turn(run(edit))
    if await git("log -1 --format=%s") != "agents":
        pytest.skip("the sandbox of this machine keeps .git from commands")
    await desk.back(1, "files")
    assert await git("rev-parse HEAD") == first
    assert await git("status --porcelain --untracked-files=no") == ""
    await desk.turn(run(edit))
    await settled(desk)
    await git("commit -q --allow-empty -m mine")
    assert {one.path: one.yours for one in (await desk.look(turn=2)).changes} == {
        ".git": True,
        "kept.txt": False,
    }
    await desk.back(2, "files")
    assert await git("log -1 --format=%s") == "mine"
    assert (desk.folder / "kept.txt").read_text() == "kept\n"


# --- bounds ---


async def test_a_folder_that_is_too_much_is_said_once_and_the_turn_goes_on(
    scripted: ScriptedModel, home: Home, tmp_path: Path
) -> None:
    config = with_bounds(config_for(scripted.url), max_files=100)
    core = await Core(home, config, headless=True).start(listen=False)
    client = LocalClient(core)
    work = tmp_path / "work"
    work.mkdir()
    for number in range(101):
        (work / str(number)).touch()
    desk = Desk(client, await open_in(client, str(work), mode="yolo"), scripted)
    scripted.script = [write("x", "1"), reply("done")]
    await say(client, desk.view, "go")
    notices = [r.event for r in await until(client, TurnEnded) if isinstance(r.event, Notice)]
    assert ["more than 100 files" in one.text for one in notices] == [True]
    scripted.script = [write("x", "2"), reply("done")]
    await say(client, desk.view, "go")
    assert not [r for r in await until(client, TurnEnded) if isinstance(r.event, Notice)]
    seen = await desk.look(turn=1)
    assert "has no checkpoint" in seen.problem
    assert "more than 100 files" in seen.problem
    await core.end("test over")


def with_bounds(config: Config, **bounds: Any) -> Config:
    checkpoints = msgspec.structs.replace(config.checkpoints, **bounds)
    return msgspec.structs.replace(config, checkpoints=checkpoints)


async def test_the_home_folder_is_never_kept(connect: Connect, scripted: ScriptedModel) -> None:
    client = await connect()
    person = str(Path.home())
    standing = Standing(cwd=person, env={"PATH": "/usr/bin:/bin", "HOME": person})
    view = await client.ask(OpenSession(which="new", standing=standing, mode="yolo"))
    scripted.script = [run("true"), reply("done")]
    await say(client, view, "go")
    notices = [r.event for r in await until(client, TurnEnded) if isinstance(r.event, Notice)]
    assert ["your home folder is not kept" in one.text for one in notices] == [True]


async def test_the_oldest_go_when_all_take_too_much_and_say_so(
    scripted: ScriptedModel, home: Home, tmp_path: Path
) -> None:
    config = with_bounds(config_for(scripted.url), store_mb=10, file_mb=5)
    core = await Core(home, config, headless=True).start(listen=False)
    client = LocalClient(core)
    work = tmp_path / "work"
    work.mkdir()
    desk = Desk(client, await open_in(client, str(work), mode="yolo"), scripted)
    for number in range(5):
        await desk.turn(run(f"head -c 3500000 /dev/urandom > noise; echo {number} > n"))
    await core.end("test over")
    core = await Core(home, config, headless=True).start(listen=False)
    desk.client = LocalClient(core)
    listed = await desk.client.ask(ListCheckpoints(session=desk.session))
    assert listed.used <= listed.budget
    gone = [bool(one.problem) for one in listed.checkpoints]
    assert gone == sorted(gone)
    assert gone[0] is False
    assert gone[-1] is True
    assert "dropped to keep to the size" in (await desk.look(turn=1)).problem
    await desk.client.ask(OpenSession(which=desk.session))
    await desk.undo()
    assert (work / "n").read_text() == "3\n"
    await core.end("test over")


async def test_contents_of_a_deleted_session_are_gone_from_the_disk(
    scripted: ScriptedModel, home: Home, tmp_path: Path
) -> None:
    core = await Core(home, config_for(scripted.url), headless=True).start(listen=False)
    client = LocalClient(core)
    work = tmp_path / "work"
    work.mkdir()
    (work / ".env").write_text("PASSWORD=hunter2\n")
    desk = Desk(client, await open_in(client, str(work), mode="yolo"), scripted)
    await desk.turn(write("x", "1"))
    assert contents(home)
    await client.ask(DeleteSession(session=desk.session))
    await core.end("test over")
    assert contents(home) == []
    assert list((home.checkpoints / "seen").iterdir()) == []


def contents(home: Home) -> list[Path]:
    return [one for one in (home.checkpoints / "contents").rglob("*") if one.is_file()]


async def test_no_tool_reads_what_is_kept(desk: Desk, home: Home) -> None:
    await desk.turn(write("x", "1"))
    path = next(iter(contents(home)))
    await desk.turn(call("read_file", path=str(path)))
    told = desk.model.requests[-1].messages[-1]["content"]
    assert "out of bounds" in told


async def test_it_can_be_switched_off(scripted: ScriptedModel, home: Home, tmp_path: Path) -> None:
    config = with_bounds(config_for(scripted.url), enabled=False)
    core = await Core(home, config, headless=True).start(listen=False)
    client = LocalClient(core)
    (tmp_path / "work").mkdir()
    desk = Desk(client, await open_in(client, str(tmp_path / "work"), mode="yolo"), scripted)
    await desk.turn(write("x", "1"))
    assert (await client.ask(ListCheckpoints(session=desk.session))).checkpoints == ()
    await core.end("test over")


async def test_who_approves_reads_how_it_could_be_undone(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    client = await connect()
    view = await open_in(client, str(tmp_path / "work"))
    cases = [
        (write("x", "1"), "/undo"),
        (write("node_modules/x", "1"), "delete the file"),
        (write("../x", "1"), "delete the file"),
        (run("curl -X POST example.org"), "files here: /undo"),
    ]
    for asks, told in cases:
        scripted.script = [asks, reply("done")]
        await say(client, view, "go")
        asked = (await until(client, ApprovalAsked))[-1].event
        assert isinstance(asked, ApprovalAsked)
        assert told in asked.undo
        await client.ask(Stop(session=view.info.id))
        await until(client, TurnEnded)


async def test_a_folder_that_is_reached_by_a_link_goes_back_as_well(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "work").symlink_to("real")
    client = await connect()
    view = await open_in(client, str(tmp_path / "work"), mode="yolo")
    desk = Desk(client, view, scripted)
    await desk.turn(write("x", "1"))
    await desk.back(1)
    assert as_it_is(tmp_path / "real") == {}


async def test_where_a_mistake_of_the_persons_took_the_file_away_it_stays_away(
    desk: Desk,
) -> None:
    await desk.turn(write("kept.txt", "agent"), write("other.txt", "agent"))
    await settled(desk)
    (desk.folder / "kept.txt").unlink()
    seen = await desk.look(turn=1)
    assert {one.path: (one.change, one.yours) for one in seen.changes} == {
        "kept.txt": ("removed", True),
        "other.txt": ("added", False),
    }
    await desk.back(1, "files")
    assert not (desk.folder / "kept.txt").exists()
    await desk.back(1, "files", yours=True)
    assert (desk.folder / "kept.txt").read_text() == "kept\n"


async def test_a_turn_whose_end_was_missed_ends_where_the_next_begins(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    client = LocalClient(core)
    desk = Desk(client, await open_in(client, str(tmp_path / "work"), mode="yolo"), scripted)
    rows, key = core.checkpoints.rows, (await core.session(desk.session)).key

    await desk.turn(write("a", "1"))
    await settled(desk)
    await rows.close([row.id for row in await rows.of(key)], "")
    await desk.turn(write("b", "2"))
    await settled(desk)
    first, second = await rows.of(key)
    assert first.after == second.before != second.after
    await client.close()
