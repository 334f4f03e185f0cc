"""One core, many faces: the same words over both kinds of line, nothing lost between them."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.configuration.load import load
from hermes_tui.errors import CoreError, HermesError, NotFoundError
from hermes_tui.events import (
    ApprovalAnswered,
    ApprovalAsked,
    CoreEnding,
    InputReceived,
    ModelAsked,
    Notice,
    ReplyReceived,
    SessionsChanged,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from hermes_tui.home import Home
from hermes_tui.intents import (
    AnswerApproval,
    ChangeSession,
    DeleteSession,
    GetStatus,
    History,
    ImportedMessage,
    ImportSession,
    ListModels,
    ListSessions,
    ListSkills,
    OpenSession,
    PromptHistory,
    ReadOutput,
    ReadSkill,
    RunCommand,
    Search,
    Send,
    SetConfig,
    Standing,
    Stop,
    Withdraw,
)
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.link import SocketClient
from hermes_tui.runtime.local import LocalClient
from tests.fakes.scripted_model import Call, ScriptedModel, call, calls
from tests.fakes.scripted_model import say as reply
from tests.runtime.conftest import Connect, config_for, open_in, say, until


async def test_a_question_is_answered_and_found_again(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [reply("Marmalade needs oranges.")]
    client = await connect()
    view = await open_in(client, str(tmp_path))
    await say(client, view, "how is marmalade made?")
    records = await until(client, TurnEnded)
    numbers = [r.n for r in records if r.n]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    again = await open_in(await connect(), str(tmp_path), "last")
    assert again.info.id == view.info.id
    assert again.info.title == "how is marmalade made?"
    assert [r.event.kind for r in again.records][-1] == "turn_ended"
    hits = (await client.ask(Search(query="oranges"))).hits
    assert [(hit.session, hit.role) for hit in hits] == [(view.info.id, "assistant")]
    assert (await client.ask(PromptHistory())).lines == ("how is marmalade made?",)


async def test_a_face_that_comes_in_mid_turn_sees_all_of_it_once(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [reply("one two three four five six", gate="go", gate_at=3)]
    first = await connect()
    view = await open_in(first, str(tmp_path))
    await say(first, view, "count")
    await until(first, TextDelta)
    second = await connect()
    late = await open_in(second, str(tmp_path), view.info.id)
    assert late.info.state == "working"
    assert late.partial
    scripted.open("go")
    live = await until(second, TurnEnded)
    stored = [r for r in (*late.records, *live) if r.n]
    assert [r.n for r in stored] == list(range(1, stored[-1].n + 1))
    whole = late.partial + "".join(r.event.text for r in live if isinstance(r.event, TextDelta))
    assert whole == "one two three four five six"


async def test_history_is_paged_from_the_newest(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [reply(f"answer {n}") for n in range(5)]
    client = await connect()
    view = await open_in(client, str(tmp_path))
    for n in range(5):
        await say(client, view, f"question {n}")
        await until(client, TurnEnded)
    late = await open_in(await connect(), str(tmp_path), view.info.id, tail=7)
    assert (len(late.records), late.more) == (7, True)
    page = await client.ask(History(session=view.info.id, before=late.records[0].n, limit=1000))
    assert [r.n for r in (*page.records, *late.records)] == list(range(1, late.info.last + 1))
    assert not page.more
    after = await open_in(await connect(), str(tmp_path), view.info.id, after=late.info.last - 2)
    assert [r.n for r in after.records] == [late.info.last - 1, late.info.last]


async def test_a_pending_approval_is_shown_on_attach_and_the_first_answer_counts(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [call("run_command", command="echo tea > cup"), reply("made")]
    first, second = await connect(), await connect()
    view = await open_in(first, str(tmp_path))
    await say(first, view, "tea")
    await until(first, ApprovalAsked)
    late = await open_in(second, str(tmp_path), view.info.id)
    (asked,) = late.approvals
    assert asked.detail == "echo tea > cup"
    yes = AnswerApproval(session=view.info.id, ask_id=asked.ask_id, verdict="once", face="phone")
    assert (await second.ask(yes)).accepted
    assert not (await first.ask(yes)).accepted
    seen = await until(first, TurnEnded)
    assert [r.event.face for r in seen if isinstance(r.event, ApprovalAnswered)] == ["phone"]
    assert (tmp_path / "cup").read_text() == "tea\n"


async def test_an_always_rule_is_saved_and_holds(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [call("run_command", command="echo 1"), reply("a")]
    scripted.script += [call("run_command", command="echo 1"), reply("b")]
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path))
    await say(client, view, "go")
    asked: Any = (await until(client, ApprovalAsked))[-1].event
    await client.ask(AnswerApproval(session=view.info.id, ask_id=asked.ask_id, verdict="always"))
    await until(client, TurnEnded)
    assert "run_command echo 1" in core.home.config.read_text()
    other = await open_in(client, str(tmp_path))
    await say(client, other, "go")
    seen = await until(client, TurnEnded)
    assert not any(isinstance(r.event, ApprovalAsked) for r in seen)


async def test_two_sends_at_the_same_moment_become_one_turn_after_the_other(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.answer = lambda asked: reply(f"seen {len(asked.messages) - 1}")
    one, two = await connect(), await connect()
    view = await open_in(one, str(tmp_path))
    await open_in(two, str(tmp_path), view.info.id)
    await asyncio.gather(say(one, view, "first"), say(two, view, "second", how="queue"))
    await until(one, TurnEnded)
    await until(one, TurnEnded)
    assert "second" in scripted.requests[-1].messages[-1]["content"]
    assert [m["role"] for m in scripted.requests[-1].messages][1:] == ["user", "assistant", "user"]


async def test_each_session_stands_in_its_own_folder(
    core: Core, scripted: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONLY_OF_THE_CORE", "x")
    command = "pwd; echo ${ONLY_OF_THE_CORE:-unset}"

    def answer(asked: Any) -> Any:
        done = asked.messages[-1]["role"] == "tool"
        return reply("ok") if done else call("run_command", command=command)

    scripted.answer = answer
    clients = [LocalClient(core) for _ in range(3)]
    outputs: list[str] = []

    async def run(client: LocalClient, name: str) -> None:
        folder = tmp_path / name
        folder.mkdir()
        view = await open_in(client, str(folder), mode="yolo")
        await say(client, view, "where?")
        seen = await until(client, TurnEnded)
        outputs.extend(r.event.for_model for r in seen if isinstance(r.event, ToolEnded))

    await asyncio.gather(*(run(client, f"f{n}") for n, client in enumerate(clients)))
    assert len(outputs) == 3
    for n in range(3):
        assert any(f"/f{n}\n" in text for text in outputs)
    assert all("unset" in text for text in outputs)


async def test_a_running_tool_is_stopped_within_two_seconds(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [call("run_command", command="trap '' TERM; echo in; sleep 60"), reply("x")]
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path), mode="yolo")
    await say(client, view, "go")
    await until(client, ToolStarted)
    async with asyncio.timeout(2.5):
        assert (await client.ask(Stop(session=view.info.id))).was_running
    ended = (await until(client, TurnEnded))[-1].event
    assert isinstance(ended, TurnEnded)
    assert ended.outcome == "stopped"


async def test_a_waiting_text_can_be_taken_back(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [reply("slow", gate="go"), reply("never asked")]
    client = await connect()
    view = await open_in(client, str(tmp_path))
    await say(client, view, "one")
    await until(client, ModelAsked)
    await say(client, view, "two", input_id="second")
    back = await client.ask(Withdraw(session=view.info.id, input_id="second"))
    assert back.text == "two"
    scripted.open("go")
    await until(client, TurnEnded)
    assert len(scripted.requests) == 1


async def test_sessions_are_listed_renamed_and_deleted(connect: Connect, tmp_path: Path) -> None:
    client = await connect()
    view = await open_in(client, str(tmp_path), title="Plans")
    info = await client.ask(ChangeSession(session=view.info.id, title="Better plans", mode="plan"))
    assert (info.title, info.mode) == ("Better plans", "plan")
    listed = (await client.ask(ListSessions(query="better"))).sessions
    assert [(one.id, one.mode) for one in listed] == [(view.info.id, "plan")]
    with pytest.raises(HermesError, match="there is no mode"):
        await client.ask(ChangeSession(session=view.info.id, mode="yoloo"))
    await client.ask(DeleteSession(session=view.info.id))
    with pytest.raises(NotFoundError):
        await client.ask(OpenSession(which=view.info.id))


async def test_an_import_keeps_ids_and_is_done_once(connect: Connect) -> None:
    client = await connect()
    messages = (
        ImportedMessage(id="D1:1", role="user", text="the heron flew south", ts=100.0),
        ImportedMessage(id="D1:2", role="assistant", text="when?", ts=101.0),
    )
    wanted = ImportSession(id="talk-1", title="Birds", started_at=99.0, messages=messages)
    assert (await client.ask(wanted)).messages == 2
    assert (await client.ask(wanted)).known == 2
    (hit,) = (await client.ask(Search(query="heron"))).hits
    assert (hit.session, hit.message, hit.ts) == ("talk-1", "D1:1", 100.0)


async def test_everything_else_a_face_may_ask(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [call("read_file", path="long.txt"), reply("read")]
    (tmp_path / "long.txt").write_text("line\n" * 40_000)
    client = await connect()
    view = await open_in(client, str(tmp_path))
    assert (
        "identity" in (await client.ask(RunCommand(session=view.info.id, command="context"))).text
    )
    await say(client, view, "read it")
    seen = await until(client, TurnEnded)
    ended = next(r.event for r in seen if isinstance(r.event, ToolEnded))
    output = await client.ask(ReadOutput(session=view.info.id, call_id=ended.call_id))
    assert output.text.count("line") > 100
    for command in ("context", "usage", "tools", "processes"):
        assert (await client.ask(RunCommand(session=view.info.id, command=command))).text
    with pytest.raises(HermesError, match="no answer"):
        await client.ask(RunCommand(session=view.info.id, command="dance"))
    assert (await client.ask(ListModels())).models == ("scripted",)
    skills = (await client.ask(ListSkills())).skills
    assert skills
    assert "name:" in (await client.ask(ReadSkill(name=skills[0].name))).text
    await client.ask(SetConfig(key="ui.theme", value="mono"))
    status = await client.ask(GetStatus())
    assert (status.pid, status.headless) == (os.getpid(), True)


async def test_an_open_turn_is_resumed_by_the_next_core(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [
        calls(Call("run_command", {"command": "echo ran >> log; sleep 60"})),
        reply("I see it was cut off."),
    ]
    config = config_for(scripted.url, mode="yolo")
    core = await Core(home, config, headless=True).start()
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path))
    await say(client, view, "go")
    await until(client, ToolStarted)
    while not (tmp_path / "log").exists():  # noqa: ASYNC110 - another process writes it
        await asyncio.sleep(0.01)
    await core.end("restart")
    core = await Core(home, config, headless=True).start()
    client = LocalClient(core)
    late = await open_in(client, str(tmp_path), view.info.id)
    events = [r.event for r in late.records]
    if not any(isinstance(event, TurnEnded) for event in events):
        events += [r.event for r in await until(client, TurnEnded)]
    assert [e.status for e in events if isinstance(e, ToolEnded)] == ["interrupted"]
    assert [e.text for e in events if isinstance(e, ReplyReceived)][-1] == "I see it was cut off."
    assert (tmp_path / "log").read_text() == "ran\n"
    await core.end("test over")


# --- the line ------------------------------------------------------------------------------


async def test_one_home_has_one_core(core: Core) -> None:
    with pytest.raises(CoreError, match=f"already running.*pid {os.getpid()}"):
        await Core(core.home, core.config).start()
    await core.end("make room")
    second = await Core(core.home, core.config).start()
    await second.end("test over")


async def test_faces_are_told_before_the_core_ends(
    core: Core, connect: Connect, tmp_path: Path
) -> None:
    client = await connect()
    await open_in(client, str(tmp_path))
    await core.end("upgrade")
    ending = (await until(client, CoreEnding))[-1].event
    assert isinstance(ending, CoreEnding)
    assert ending.reason == "upgrade"


async def test_a_cut_line_is_an_error_and_not_a_hang(core: Core) -> None:
    client = await SocketClient.connect(core.home)
    asking = asyncio.create_task(client.ask(OpenSession(which="new")))
    await asking
    await core.end("gone")
    await until(client, CoreEnding)
    with pytest.raises(CoreError, match="cut"):
        await client.ask(GetStatus())
    await client.close()


async def test_no_core_is_one_sentence(home: Home) -> None:
    with pytest.raises(CoreError, match="no core is running"):
        await SocketClient.connect(home)
    home.socket.touch()
    with pytest.raises(CoreError):
        await SocketClient.connect(home)


@pytest.mark.parametrize("line", [b"\n", b"{}\n", b"GET / HTTP/1.1\r\n\r\n", b"\xff\xfe\n"])
async def test_strangers_on_the_socket_get_an_error_and_do_no_harm(core: Core, line: bytes) -> None:
    reader, writer = await asyncio.open_unix_connection(str(core.home.socket))
    writer.write(line)
    answer = json.loads(await reader.readline())
    assert "protocol" in answer["error"]["message"]
    writer.close()
    client = await SocketClient.connect(core.home)
    assert (await client.ask(GetStatus())).pid == os.getpid()
    await client.close()


async def test_a_bad_request_is_refused_and_the_line_stays_open(core: Core) -> None:
    reader, writer = await asyncio.open_unix_connection(str(core.home.socket))
    writer.write(b'{"hello":{"protocol":1,"face":"test"}}\n')
    await reader.readline()
    writer.write(b'{"id":1,"op":"dance","args":{}}\n{"id":2,"op":"send","args":{"session":5}}\n')
    writer.write(b'garbage\n{"id":3,"op":"get_status","args":{}}\n')
    answers = [json.loads(await reader.readline()) for _ in range(4)]
    assert [("ok" in one) for one in answers].count(True) == 1
    assert any("unknown request 'dance'" in str(one) for one in answers)
    writer.close()


async def test_the_socket_is_the_owners_alone(core: Core) -> None:
    assert core.home.socket.stat().st_mode & 0o777 == 0o600
    assert core.home.path.stat().st_mode & 0o777 == 0o700


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder whose path leaves room for a socket's name."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


async def test_a_home_with_a_very_long_path_works(
    scripted: ScriptedModel, tmp_path: Path, short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short_folder))
    home = Home(tmp_path / ("h" * 200))
    core = await Core(home, config_for(scripted.url)).start()
    client = await SocketClient.connect(home)
    assert (await client.ask(GetStatus())).home == str(home.path)
    await client.close()
    await core.end("test over")


def test_a_run_folder_with_a_long_name_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/" + "r" * 90)
    where = Home("/" + "h" * 200).socket
    assert len(str(where)) < 100
    assert str(os.getuid()) in str(where)


async def test_a_face_that_does_not_read_is_left_behind(core: Core, tmp_path: Path) -> None:
    lazy, brisk = LocalClient(core), LocalClient(core)
    view = await open_in(lazy, str(tmp_path))
    await open_in(brisk, str(tmp_path), view.info.id)
    session = core.sessions[view.info.id]
    for n in range(21_000):
        session._show(_notice(session.id, n))
    ending = (await until(lazy, CoreEnding))[-1].event
    assert isinstance(ending, CoreEnding)
    assert "did not keep up" in ending.reason


def _notice(session: str, n: int) -> Any:
    from hermes_tui.events import Notice, Record

    return Record(session=session, n=n, ts=0.0, event=Notice(text="x"))


async def test_sessions_without_faces_are_unloaded(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    config = config_for(scripted.url)
    core = await Core(home, config).start()
    for n in range(config.core.loaded_sessions + 15):
        await core.shelf.create(OpenSession(standing=Standing(cwd=str(tmp_path)), title=f"{n}"))
    assert len(core.sessions) <= config.core.loaded_sessions + 1
    await core.end("test over")


async def test_an_empty_text_is_not_sent(connect: Connect, tmp_path: Path) -> None:
    client = await connect()
    view = await open_in(client, str(tmp_path))
    with pytest.raises(HermesError, match="nothing to send"):
        await client.ask(Send(session=view.info.id, text=" \n "))


async def test_no_model_ends_the_turn_with_the_way_out(home: Home, tmp_path: Path) -> None:
    core = await Core(home, config_for("")).start()
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path))
    await say(client, view, "hello?")
    seen = await until(client, TurnEnded)
    ended = seen[-1].event
    assert isinstance(ended, TurnEnded)
    assert ended.outcome == "failed"
    assert "hermes setup" in ended.hint
    assert any(isinstance(r.event, InputReceived) for r in seen)
    session = core.sessions[view.info.id]
    if session.task is not None:
        await session.task
    assert session.conversation.turn == 1, "a failed turn was started again by itself"
    assert session.conversation.messages[0].content.startswith("hello?")
    await core.end("test over")


async def test_a_file_broken_by_an_editor_leaves_the_old_settings_in_force(
    home: Home, scripted: ScriptedModel, tmp_path: Path
) -> None:
    head = f"model:\n  name: scripted\n  base_url: {scripted.url}\n"
    deny = "policy:\n  deny:\n    - run_command echo no\n"
    home.config.write_text(head + deny)
    scripted.script = [call("run_command", command="echo no"), reply("I see.")]
    core = await Core(home, load(home, {}).config).start()
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path), mode="yolo")
    home.config.write_text(head + "policy:\n  deny: [unclosed\n")
    await say(client, view, "go")
    seen = [r.event for r in await until(client, TurnEnded)]
    assert [e.status for e in seen if isinstance(e, ToolEnded)] == ["denied"]
    warnings = [e.text for e in seen if isinstance(e, Notice)]
    assert "config.yaml" in warnings[0]
    home.config.write_text(head + "ui:\n  theme: mono\n")
    scripted.script += [call("run_command", command="echo no"), reply("Done.")]
    await say(client, view, "again")
    seen = [r.event for r in await until(client, TurnEnded)]
    assert [e.status for e in seen if isinstance(e, ToolEnded)] == ["ok"]
    await core.end("test over")


async def test_the_real_window_is_learnt_after_the_first_turn_and_a_new_key_is_used(
    core: Core, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.window = 4_321
    scripted.script = [reply("one"), reply("two"), reply("three")]
    client = LocalClient(core)
    view = await open_in(client, str(tmp_path))
    await say(client, view, "first")
    await until(client, TurnEnded)
    (model,) = core.workshop._models.values()
    async with asyncio.timeout(5):
        while model.window != 4_321:  # noqa: ASYNC110 - it is learnt in the core's own task
            await asyncio.sleep(0.01)
    await say(client, view, "second")
    seen = await until(client, TurnEnded)
    assert [r.event.window for r in seen if isinstance(r.event, ModelAsked)] == [4_321]
    token = "-".join(["a", "new", "key"])
    core.home.secrets.write_text(f"HERMES_TUI_API_KEY={token}\n")
    await say(client, view, "third")
    await until(client, TurnEnded)
    assert scripted.requests[-1].headers.get("authorization") == f"Bearer {token}"


async def test_the_whole_home_is_closed_to_others(core: Core) -> None:
    modes = {path.name: path.stat().st_mode & 0o077 for path in core.home.path.iterdir()}
    assert {name for name, mode in modes.items() if mode} <= {"config.yaml"}


async def test_a_model_named_on_the_way_in_counts_for_a_session_that_exists(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [reply("hello")]
    client = await connect()
    view = await open_in(client, str(tmp_path))
    again = await open_in(client, str(tmp_path), view.info.id, model="other-model")
    assert again.info.model == "other-model"
    await say(client, view, "hi")
    await until(client, TurnEnded)
    assert scripted.requests[-1].json["model"] == "other-model"


async def test_every_face_hears_of_a_pinned_session_and_sees_it_pinned(
    connect: Connect, tmp_path: Path
) -> None:
    client, other = await connect(), await connect()
    opened = await open_in(client, str(tmp_path))
    await until(other, SessionsChanged)
    got = await client.ask(ChangeSession(session=opened.info.id, pinned=True))
    assert got.pinned
    assert (await client.ask(ListSessions())).sessions[0].pinned
    await until(other, SessionsChanged)
    assert len((await client.ask(OpenSession(which=opened.info.id))).records) == 1
