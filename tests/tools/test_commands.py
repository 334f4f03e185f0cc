"""What run_command promises: honest results, limits that hold, and a prompt stop."""

from __future__ import annotations

import asyncio
import os
import time
import tracemalloc
from pathlib import Path

import pytest

from hermes_tui.errors import ToolError
from hermes_tui.security.policy import Action
from hermes_tui.tools.base import ToolResult
from hermes_tui.tools.shell import run_command_tool
from tests.fakes.children import content, lives, pid_in, size, until
from tests.fakes.context import FakeContext

run_command = run_command_tool(120)


@pytest.fixture
def ctx(tmp_path: Path) -> FakeContext:
    return FakeContext(tmp_path)


async def run(ctx: FakeContext, command: str, **more: int | bool) -> ToolResult:
    arguments = {"command": command, "timeout_s": 0, "background": False, **more}
    return await run_command.run(arguments, ctx)


async def test_the_result_has_output_exit_code_and_time(ctx: FakeContext) -> None:
    result = await run(ctx, "echo out; echo err >&2; exit 3")
    assert result.for_model.startswith("out\nerr\n[exit code 3 · 0.")
    assert result.failed
    assert result.details["exit_code"] == 3


async def test_success_without_output_says_so(ctx: FakeContext) -> None:
    result = await run(ctx, "true")
    assert result.for_model.startswith("[no output · exit code 0")
    assert not result.failed
    assert size(ctx.outputs) < 0, "nothing to keep, so no folder"


async def test_a_command_runs_where_the_session_is(ctx: FakeContext, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    ctx.cwd = str(tmp_path / "sub")
    assert (await run(ctx, "pwd")).for_model.startswith(str(tmp_path / "sub"))


async def test_output_is_shown_while_the_command_runs(ctx: FakeContext, tmp_path: Path) -> None:
    task = asyncio.create_task(run(ctx, "echo first; until [ -e go ]; do sleep 0.01; done"))
    await until(lambda: "first" in "".join(ctx.shown))
    (tmp_path / "go").touch()
    assert (await task).details["exit_code"] == 0


async def test_a_time_limit_ends_it_and_keeps_the_output_so_far(
    ctx: FakeContext, tmp_path: Path
) -> None:
    child = tmp_path / "pid"
    command = f"echo begun; sh -c 'echo $$ > {child}; exec sleep 60' & sleep 60"
    result = await run(ctx, command, timeout_s=1)
    assert result.for_model.startswith("begun\n")
    assert "stopped after 1 s, its time limit" in result.for_model
    assert result.failed
    assert result.details["timed_out"]
    await until(lambda: not lives(int(child.read_text())))


async def test_the_configured_limit_holds_when_none_is_given(ctx: FakeContext) -> None:
    short = run_command_tool(1)
    result = await short.run({"command": "sleep 60", "timeout_s": 0, "background": False}, ctx)
    assert "stopped after 1 s" in result.for_model


@pytest.mark.parametrize("trap", ["", "trap '' TERM; "])
async def test_a_stop_ends_the_command_and_its_children_within_two_seconds(
    ctx: FakeContext, tmp_path: Path, trap: str
) -> None:
    file = tmp_path / "pid"
    command = (
        f"{trap}sh -c '{trap.replace(chr(39), chr(34))}echo $$ > {file}; sleep 60' & wait; sleep 60"
    )
    task = asyncio.create_task(run(ctx, command))
    child = await pid_in(file)
    begun = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - begun < 2
    await until(lambda: not lives(child))


async def test_a_second_stop_while_the_first_is_at_work_leaves_nothing(
    ctx: FakeContext, tmp_path: Path
) -> None:
    file = tmp_path / "pid"
    task = asyncio.create_task(
        run(ctx, f"trap '' TERM; echo $$ > {file}; while :; do sleep 1; done")
    )
    shell = await pid_in(file)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not lives(shell))


async def test_what_a_command_leaves_running_is_ended_and_the_model_told(
    ctx: FakeContext, tmp_path: Path
) -> None:
    file = tmp_path / "pid"
    result = await run(ctx, f"sleep 60 > /dev/null 2>&1 & echo $! > {file}")
    assert "background=true" in result.for_model
    await until(lambda: not lives(int(file.read_text())))


async def test_long_output_is_whole_on_disk_and_head_and_tail_for_the_model(
    ctx: FakeContext,
) -> None:
    ctx.window_chars = 2000
    result = await run(ctx, "seq 100000")
    expected = b"".join(b"%d\n" % n for n in range(1, 100_001))
    assert content(result.output_path) == expected
    assert result.output_bytes == len(expected)
    assert result.for_model.startswith("1\n2\n")
    assert "\n99999\n100000\n" in result.for_model
    assert result.output_path in result.for_model
    assert f"{len(expected):,} bytes" in result.for_model
    assert os.stat(result.output_path).st_mode & 0o777 == 0o600
    assert os.stat(ctx.outputs).st_mode & 0o777 == 0o700


async def test_a_hundred_megabytes_take_little_memory_and_leave_the_loop_free(
    ctx: FakeContext,
) -> None:
    worst = 0.0

    async def watch() -> None:
        nonlocal worst
        while True:
            before = time.thread_time()
            await asyncio.sleep(0)
            worst = max(worst, time.thread_time() - before)

    watcher = asyncio.create_task(watch())
    tracemalloc.start()
    try:
        result = await run(ctx, "head -c 100000000 /dev/zero | tr '\\0' 'x'")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        watcher.cancel()
    assert result.output_bytes == 100_000_000 == size(result.output_path)
    assert len(result.for_model) < ctx.window_chars + 500
    assert peak < 5_000_000
    assert worst < 0.05
    assert sum(map(len, ctx.shown)) < 5_000_000, "screens get a sample, not the flood"
    os.unlink(result.output_path)


async def test_binary_output_is_described_not_dumped(ctx: FakeContext) -> None:
    result = await run(ctx, "head -c 5000 /dev/urandom; printf '\\0'")
    assert "binary output, 5,001 bytes" in result.for_model
    assert len(result.for_model) < 600
    assert not ctx.shown
    assert size(result.output_path) == 5001


async def test_invalid_utf8_and_escapes_are_harmless(ctx: FakeContext) -> None:
    command = r"printf 'caf\xe9 \033[31mred\033[0m \033]0;title\007end\n10%%\r20%%\r\n'"
    result = await run(ctx, command)
    assert result.for_model.startswith("caf\ufffd red end\n20%\n[")


async def test_a_call_id_from_elsewhere_can_not_leave_the_folder(ctx: FakeContext) -> None:
    ctx.call_id = "../../../etc/x y"
    ctx.window_chars = 1000
    paths = [(await run(ctx, "seq 9999")).output_path for _ in range(2)]
    assert {os.path.dirname(path) for path in paths} == {ctx.outputs}
    assert len(set(paths)) == 2, "a repeated id overwrites nothing"


async def test_a_full_disk_costs_the_file_not_the_result(
    ctx: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(folder: str, name: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hermes_tui.security.paths.create_private", full)
    ctx.window_chars = 1000
    result = await run(ctx, "seq 100000")
    assert result.for_model.startswith("1\n2\n")
    assert "No space left on device" in result.for_model
    assert "100000\n" in result.for_model


async def test_a_command_that_can_not_start_is_a_sentence(ctx: FakeContext) -> None:
    ctx.cwd = "/nowhere"
    with pytest.raises(ToolError, match="does not exist"):
        await run(ctx, "true")


def test_what_is_approved_is_exactly_the_command() -> None:
    command = "echo 'a\tb' && rm -rf \u202ex"
    arguments = run_command.parse('{"command": "x"}') | {"command": command}
    action = run_command.action(arguments, "/w")
    assert isinstance(action, Action)
    assert (action.kind, action.detail, action.cwd) == ("execute", command, "/w")
    assert action.rule == f"run_command {command}"
