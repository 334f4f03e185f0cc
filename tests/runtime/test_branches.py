"""Going back, going elsewhere, changing what waits, and a shell of one's own."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.errors import NotFoundError
from hermes_tui.events import ModelAsked, ShellRan, ToolOutput, TurnEnded
from hermes_tui.intents import (
    CompletePath,
    EditInput,
    ForkSession,
    MoveInput,
    OpenSession,
    Rewind,
    RunShell,
    Send,
    StopShell,
)
from hermes_tui.runtime.client import CoreClient
from tests.fakes.scripted_model import Asked, Reply, ScriptedModel
from tests.fakes.scripted_model import say as reply
from tests.runtime.conftest import Connect, open_in, say, until


def said(scripted: ScriptedModel) -> list[str]:
    """The first lines of the newest request's messages, without the system's."""
    return [m["content"].split("\n")[0] for m in scripted.requests[-1].messages[1:]]


async def talk(client: CoreClient, view: Any, *texts: str) -> None:
    for text in texts:
        await say(client, view, text)
        await until(client, TurnEnded)


async def test_a_rewound_turn_is_gone_for_the_model_and_kept_in_the_log(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.answer = lambda asked: reply(f"answer {len(asked.messages)}")
    client = await connect()
    view = await open_in(client, str(tmp_path))
    await talk(client, view, "one", "two", "three")
    back = await client.ask(Rewind(session=view.info.id, turn=2))
    assert back.text == "two"
    await talk(client, view, "other")
    assert said(scripted) == ["one", "answer 2", "other"]
    late = await open_in(await connect(), str(tmp_path), view.info.id)
    texts = [r.event.text for r in late.records if r.event.kind == "input_received"]
    assert texts == ["one", "two", "three", "other"]
    with pytest.raises(NotFoundError, match="turn 3 is not part"):
        await client.ask(Rewind(session=view.info.id, turn=3))


async def test_a_fork_continues_from_before_a_turn_and_leaves_the_original_alone(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.answer = lambda asked: reply(f"answer {len(asked.messages)}")
    client = await connect()
    view = await open_in(client, str(tmp_path))
    await talk(client, view, "one", "two")
    first = scripted.requests[-1].messages[:3]
    info = await client.ask(ForkSession(session=view.info.id, turn=2, title="elsewhere"))
    forked = await client.ask(OpenSession(which=info.id))
    assert forked.info.title == "elsewhere"
    await talk(client, forked, "instead")
    assert said(scripted) == ["one", "answer 2", "instead"]
    assert scripted.requests[-1].messages[:3] == first
    await talk(client, view, "three")
    assert said(scripted) == ["one", "answer 2", "two", "answer 4", "three"]


async def test_waiting_texts_can_be_edited_and_put_in_another_order(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [reply("slow", gate="go"), reply("done")]
    client = await connect()
    view = await open_in(client, str(tmp_path))
    await say(client, view, "start")
    await until(client, ModelAsked)
    for name in ("a", "b", "c"):
        await say(client, view, f"text {name}", input_id=name)
    edit = EditInput(session=view.info.id, input_id="b", text="better b")
    assert (await client.ask(edit)).accepted
    assert (await client.ask(MoveInput(session=view.info.id, input_id="c", before="a"))).accepted
    scripted.open("go")
    await until(client, TurnEnded)
    assert said(scripted) == ["start", "slow", "text c", "text a", "better b"]
    assert not (await client.ask(edit)).accepted


async def shell(client: CoreClient, view: Any, command: str, **more: Any) -> ShellRan:
    name = f"s{abs(hash(command)) % 10_000}"
    await client.ask(RunShell(session=view.info.id, command=command, shell_id=name, **more))
    ran = (await until(client, ShellRan))[-1].event
    assert isinstance(ran, ShellRan)
    return ran


async def test_the_own_shell_keeps_folder_and_variables(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    client = await connect()
    view = await open_in(client, str(tmp_path))
    assert (await shell(client, view, "X=5; cd sub; false")).exit_code == 1
    ran = await shell(client, view, "echo $X; pwd; cat; printf end")
    assert ran.output == f"5\n{tmp_path}/sub\nend"
    assert ran.cwd == f"{tmp_path}/sub"
    quoted = await shell(client, view, "cat <<'E'\nit's \"q\" $HOME `x`\nE")
    assert quoted.output == 'it\'s "q" $HOME `x`\n'
    ended = await shell(client, view, "echo bye; exit 3")
    assert (ended.output, ended.exit_code) == ("bye\n", None)
    assert (await shell(client, view, "echo again")).output == "again\n"


async def test_a_shell_command_is_shown_as_it_runs_and_can_be_interrupted(
    connect: Connect, tmp_path: Path
) -> None:
    client = await connect()
    view = await open_in(client, str(tmp_path))
    go = RunShell(session=view.info.id, command="echo first; sleep 60; echo never", shell_id="x")
    await client.ask(go)
    seen = (await until(client, ToolOutput))[-1].event
    assert isinstance(seen, ToolOutput)
    assert seen.text == "first\n"
    await client.ask(StopShell(session=view.info.id))
    ran = (await until(client, ShellRan))[-1].event
    assert isinstance(ran, ShellRan)
    assert ran.exit_code == 130
    assert (await shell(client, view, "echo $$ alive")).output.endswith("alive\n")


async def test_what_the_person_ran_is_told_with_the_next_words(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    scripted.script = [reply("I see"), reply("nothing new")]
    client = await connect()
    view = await open_in(client, str(tmp_path))
    await shell(client, view, "echo visible")
    await shell(client, view, "echo private", shared=False)
    await talk(client, view, "look")
    told = scripted.requests[-1].messages[-1]["content"]
    assert "$ echo visible\nvisible\n[exit code 0]\n\nlook" in told
    assert "private" not in told
    await talk(client, view, "and?")
    assert scripted.requests[-1].messages[-1]["content"] == "and?"


async def test_paths_are_completed_from_what_git_knows(connect: Connect, tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "src" / "deep").mkdir(parents=True)
    for name in ("src/main.py", "src/deep/mainframe.txt", "README.md", "secret.log"):
        (work / name).write_text("x")
    (work / ".gitignore").write_text("*.log\n")
    client = await connect()
    view = await open_in(client, str(work))

    async def complete(typed: str) -> tuple[str, ...]:
        return (await client.ask(CompletePath(session=view.info.id, typed=typed))).lines

    assert await complete("main") == ("src/main.py", "src/deep/mainframe.txt")
    assert (await complete("src/"))[0] == "src/"
    assert await complete("sdm") == ("src/deep/mainframe.txt",)
    assert await complete("./sr") == ("./src/",)
    assert "secret.log" in await complete("secret")


async def test_ignored_files_are_not_offered_in_a_repository(
    connect: Connect, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    for name in ("kept.txt", "ignored.log"):
        (work / name).write_text("x")
    (work / ".gitignore").write_text("*.log\n")
    git = await asyncio.create_subprocess_exec("git", "init", "-q", cwd=work)
    assert await git.wait() == 0
    client = await connect()
    view = await open_in(client, str(work))
    found = await client.ask(CompletePath(session=view.info.id, typed=""))
    assert set(found.lines) == {".gitignore", "kept.txt"}


async def test_a_send_after_a_rewind_of_a_running_turn_starts_anew(
    connect: Connect, scripted: ScriptedModel, tmp_path: Path
) -> None:
    def answer(asked: Asked) -> Reply:
        wrong = "wrong" in asked.messages[-1]["content"]
        return reply("never", gate="never") if wrong else reply("fine")

    scripted.answer = answer
    client = await connect()
    view = await open_in(client, str(tmp_path))
    await client.ask(Send(session=view.info.id, text="wrong words"))
    await until(client, ModelAsked)
    back = await client.ask(Rewind(session=view.info.id, turn=1))
    assert back.text == "wrong words"
    await until(client, TurnEnded)
    await talk(client, view, "right words")
    assert said(scripted) == ["right words"]
