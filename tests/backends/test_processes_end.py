"""Children end when they should, leave nothing behind, and see only what they are given."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from hermes_tui.backends import process
from hermes_tui.backends.local import start_command
from hermes_tui.backends.process import Process, spawn_detached, start
from hermes_tui.errors import ToolError
from tests.fakes.children import lives, pid_in, state, until

PATH = {"PATH": os.environ["PATH"]}


async def output_of(child: Process) -> bytes:
    parts = b""
    while chunk := await child.read():
        parts += chunk
    return parts


async def run(command: str, folder: Path) -> tuple[int, bytes]:
    child = await start_command(command, cwd=str(folder), env=PATH)
    out = await output_of(child)
    code = await child.wait()
    await child.kill()
    return code, out


async def test_the_environment_is_exactly_what_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONLY_OURS", "1")
    script = "import os; print(sorted(os.environ), flush=True)"
    child = await start(
        [sys.executable, "-I", "-c", script], cwd="/", env={"A": "1", "LC_ALL": "C"}
    )
    assert (await output_of(child)).decode().strip() == "['A', 'LC_ALL']"


async def test_a_command_sees_its_environment_and_what_a_shell_adds(tmp_path: Path) -> None:
    _, out = await run("env", tmp_path)
    names = {line.partition("=")[0] for line in out.decode().splitlines()}
    assert names <= {"PATH", "PWD", "SHLVL", "_", "OLDPWD"}


async def test_a_child_has_a_session_of_its_own_and_no_descriptor_of_ours(tmp_path: Path) -> None:
    ours = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(ours, True)
    script = (
        "import os; print(os.getsid(0) == os.getpid()); print(sorted(os.listdir('/proc/self/fd')))"
    )
    _, out = await run(f'exec "{sys.executable}" -I -c "{script}"', tmp_path)
    os.close(ours)
    same, descriptors = out.decode().splitlines()
    assert same == "True"
    assert descriptors == "['0', '1', '2', '3']"  # 3 is the folder being listed


async def test_a_command_has_no_input_to_wait_for(tmp_path: Path) -> None:
    code, out = await run("cat; readlink /proc/self/fd/0", tmp_path)
    assert (code, out.strip()) == (0, b"/dev/null")


async def test_no_zombie_stays_although_nobody_waits(tmp_path: Path) -> None:
    child = await start_command("exit 3", cwd=str(tmp_path), env=PATH)
    await until(lambda: not child.running)
    assert state(child.pid) == ""
    assert child.exit_code == 3


async def test_a_child_that_ignores_term_is_killed_within_two_seconds(tmp_path: Path) -> None:
    ready = tmp_path / "pid"
    command = f"trap '' TERM; echo $$ > {ready}; while :; do sleep 5; done"
    child = await start_command(command, cwd=str(tmp_path), env=PATH)
    await pid_in(ready)
    begun = time.monotonic()
    assert await child.kill()
    assert time.monotonic() - begun < 2
    assert child.exit_code == -signal.SIGKILL
    assert state(child.pid) == ""


async def test_a_child_that_minds_term_may_clean_up_and_be_heard(tmp_path: Path) -> None:
    ready = tmp_path / "pid"
    command = f"trap 'echo bye; exit 0' TERM; echo $$ > {ready}; while :; do sleep 0.02; done"
    child = await start_command(command, cwd=str(tmp_path), env=PATH)
    await pid_in(ready)
    await child.kill()
    assert b"bye" in await output_of(child)
    assert child.exit_code == 0


async def test_kill_finds_children_that_moved_to_another_session(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    script = f"setsid sh -c 'echo $$ > {file}; exec sleep 60' & wait"
    child = await start_command(script, cwd=str(tmp_path), env=PATH)
    stray = await pid_in(file)
    await child.kill()
    await until(lambda: not lives(stray))


async def test_reading_ends_although_a_grandchild_holds_the_pipe(tmp_path: Path) -> None:
    begun = time.monotonic()
    child = await start_command("sleep 60 & echo started; exit 5", cwd=str(tmp_path), env=PATH)
    assert await output_of(child) == b"started\n"
    assert await child.wait() == 5
    assert await child.kill(), "the grandchild was there to be ended"
    assert not child.alive
    assert time.monotonic() - begun < 1.5


async def test_a_grandchild_that_floods_the_pipe_stops_nobody(tmp_path: Path) -> None:
    child = await start_command("yes & exit 0", cwd=str(tmp_path), env=PATH)
    async with asyncio.timeout(1.8):
        while await child.read():
            continue
        await child.kill()
    assert not child.alive


async def test_all_output_arrives_although_it_is_read_late(tmp_path: Path) -> None:
    child = await start_command("seq 9000", cwd=str(tmp_path), env=PATH)
    await child.wait()
    await asyncio.sleep(process.LINGER + 0.1)
    assert (await output_of(child)).split()[-1] == b"9000"


async def test_the_exit_is_noticed_where_there_is_no_pidfd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    assert await run("echo a; exit 4", tmp_path) == (4, b"a\n")


async def test_input_longer_than_a_pipe_is_written_whole(tmp_path: Path) -> None:
    child = await start_command("wc -c", cwd=str(tmp_path), env=PATH, keep_input=True)
    await child.write(b"x" * 500_000)
    child.close_input()
    assert (await output_of(child)).strip() == b"500000"


async def test_writing_to_one_that_ended_says_so(tmp_path: Path) -> None:
    child = await start_command("exit", cwd=str(tmp_path), env=PATH, keep_input=True)
    await child.wait()
    with pytest.raises(BrokenPipeError):
        await child.write(b"x" * 200_000)
    child.close()


async def test_a_detached_program_writes_to_its_private_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    pid = spawn_detached(["/bin/sh", "-c", "echo up; exit 0"], cwd="/", env=PATH, log=str(log))
    await until(lambda: log.read_text() == "up\n")
    assert log.stat().st_mode & 0o777 == 0o600
    await asyncio.to_thread(os.waitpid, pid, 0)


async def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"gone does not exist"):
        await start_command("true", cwd=str(tmp_path / "gone"), env=PATH)
