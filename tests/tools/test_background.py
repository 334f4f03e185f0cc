"""Background processes: states from the wait status, output kept, gone with the core."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.errors import HermesError, NotFoundError, ToolError
from hermes_tui.tools.base import ToolResult
from hermes_tui.tools.output import Output
from hermes_tui.tools.shell import process, run_command_tool
from hermes_tui.tools.watch_output import Watch, compiled
from tests.fakes.children import content, lives, pid_in, size, state, until
from tests.fakes.context import FakeContext

run_command = run_command_tool(120)


@pytest.fixture
async def ctx(tmp_path: Path) -> AsyncIterator[FakeContext]:
    made = FakeContext(tmp_path)
    yield made
    await made.processes.close()


async def begin(ctx: FakeContext, command: str, **more: str) -> str:
    arguments = {"command": command, "timeout_s": 0, "background": True, **more}
    return (await run_command.run(arguments, ctx)).details["process_id"]


async def do(ctx: FakeContext, action: str, name: str = "", **more: str | int) -> ToolResult:
    arguments = {"action": action, "process_id": name, "text": "", "timeout_s": 5, **more}
    return await process.run(arguments, ctx)


async def test_it_is_running_then_exited_and_no_zombie(ctx: FakeContext) -> None:
    name = await begin(ctx, "until [ -e go ]; do sleep 0.01; done; exit 7")
    one = ctx.processes.get(name, ctx.session)
    assert "running" in (await do(ctx, "list")).for_model
    (Path(ctx.cwd) / "go").touch()
    result = await do(ctx, "wait", name)
    assert f"[{name} exited 7" in result.for_model
    assert state(one.pid) == ""
    assert ctx.changes == [(name, "running"), (name, "exited")]


async def test_its_end_is_told_although_nobody_asks(ctx: FakeContext) -> None:
    name = await begin(ctx, "true")
    await until(lambda: (name, "exited") in ctx.changes)


async def test_poll_shows_only_what_is_new_and_log_everything(ctx: FakeContext) -> None:
    name = await begin(ctx, "echo one; read x; echo two $x; read y")
    one = ctx.processes.get(name, ctx.session)
    await until(lambda: one.output.size >= 4)
    assert "one" in (await do(ctx, "poll", name)).for_model
    assert "[no new output]" in (await do(ctx, "poll", name)).for_model
    await do(ctx, "write", name, text="three\n")
    await until(lambda: one.output.size >= 14)
    log = (await do(ctx, "log", name)).for_model
    assert log.endswith("one\ntwo three\n")


async def test_the_last_words_of_a_process_are_there_when_its_end_is_known(
    ctx: FakeContext,
) -> None:
    name = await begin(ctx, "seq 20000; echo the end")
    assert (await do(ctx, "wait", name)).for_model.endswith("the end\n")


async def test_a_slow_disk_loses_no_last_words(
    ctx: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = Output.add

    async def slowly(output: Output, chunk: bytes) -> None:
        await asyncio.sleep(0.1)
        await keep(output, chunk)

    monkeypatch.setattr(Output, "add", slowly)
    name = await begin(ctx, "seq 40000; echo the end")
    assert (await do(ctx, "wait", name)).for_model.endswith("the end\n")


async def test_output_longer_than_the_window_shows_its_end_and_where_the_rest_is(
    ctx: FakeContext,
) -> None:
    ctx.window_chars = 1000
    name = await begin(ctx, "seq 20000")
    result = await do(ctx, "wait", name)
    assert len(result.for_model) <= 1200
    assert result.for_model.endswith("20000\n")
    assert result.output_path in result.for_model
    assert content(result.output_path).startswith(b"1\n")


async def test_kill_ends_it_and_its_children(ctx: FakeContext, tmp_path: Path) -> None:
    file = tmp_path / "pid"
    name = await begin(ctx, f"sh -c 'echo $$ > {file}; exec sleep 60' & sleep 60")
    child = await pid_in(file)
    result = await do(ctx, "kill", name)
    assert f"[{name} killed" in result.for_model
    await until(lambda: not lives(child))
    assert ctx.changes[-1] == (name, "killed")


async def test_one_that_a_signal_ended_has_no_exit_code(ctx: FakeContext) -> None:
    name = await begin(ctx, "kill -SEGV $$")
    await do(ctx, "wait", name)
    one = ctx.processes.get(name, ctx.session)
    assert (one.exit_code, one.status) == (None, "ended by SIGSEGV")


async def test_waiting_has_a_limit(ctx: FakeContext) -> None:
    name = await begin(ctx, "sleep 60")
    begun = time.monotonic()
    result = await do(ctx, "wait", name, timeout_s=0)
    assert "running" in result.for_model
    assert time.monotonic() - begun < 1


async def test_it_outlives_the_call_that_started_it_but_not_the_core(ctx: FakeContext) -> None:
    names = [await begin(ctx, "trap '' TERM; while :; do sleep 1; done") for _ in range(3)]
    pids = [ctx.processes.get(name, ctx.session).pid for name in names]
    assert all(map(lives, pids))
    begun = time.monotonic()
    await ctx.processes.close()
    assert time.monotonic() - begun < 2
    assert not any(map(lives, pids))
    with pytest.raises(ToolError, match="ending"):
        await begin(ctx, "true")


async def test_other_sessions_do_not_see_it(ctx: FakeContext) -> None:
    name = await begin(ctx, "sleep 60")
    ctx.session = "another"
    assert (await do(ctx, "list")).for_model == "no background processes"
    with pytest.raises(NotFoundError):
        await do(ctx, "kill", name)


async def test_an_unknown_id_names_the_known_ones(ctx: FakeContext) -> None:
    name = await begin(ctx, "sleep 60")
    with pytest.raises(HermesError) as caught:
        await do(ctx, "poll", "p-none")
    assert name in str(caught.value)


async def test_a_child_that_goes_on_after_the_main_process_is_told_and_can_be_ended(
    ctx: FakeContext, tmp_path: Path
) -> None:
    file = tmp_path / "pid"
    name = await begin(
        ctx, f"sh -c 'echo $$ > {file}; exec sleep 60' & until [ -s {file} ]; do :; done"
    )
    result = await do(ctx, "wait", name)
    assert "exited 0, with children still running" in result.for_model
    await do(ctx, "kill", name)
    await until(lambda: not lives(int(file.read_text())))


async def test_the_kept_output_is_capped(ctx: FakeContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_tui.tools.processes.CAP", 10_000)
    name = await begin(ctx, "seq 20000")
    result = await do(ctx, "wait", name)
    assert size(result.output_path) == 10_000
    assert result.output_bytes > 100_000


async def test_writing_to_one_that_ended_is_a_sentence(ctx: FakeContext) -> None:
    name = await begin(ctx, "true")
    await do(ctx, "wait", name)
    with pytest.raises(ToolError, match="reads no more input"):
        await do(ctx, "write", name, text="x\n")


@pytest.mark.parametrize(
    ("action", "kind"), [("write", "execute"), ("kill", "state"), ("log", "read")]
)
def test_only_writing_to_a_process_is_like_running_a_command(action: str, kind: str) -> None:
    arguments = process.parse(f'{{"action": "{action}", "process_id": "p1", "text": "rm x"}}')
    described = process.action(arguments, "/")
    assert described.kind == kind
    assert action != "write" or "rm x" in described.detail


async def test_many_end_at_once(ctx: FakeContext) -> None:
    names = [await begin(ctx, f"exit {n}") for n in range(10)]
    await asyncio.gather(*(do(ctx, "wait", name) for name in names))
    assert [ctx.processes.get(n, ctx.session).exit_code for n in names] == list(range(10))


# --- watching what they write ----------------------------------------------------------------


async def test_a_line_that_matches_is_told_at_once(ctx: FakeContext) -> None:
    command = "echo starting; printf 'listening on '; echo 8080; echo other; read x"
    name = await begin(ctx, command, watch=r"listening on \d+")
    await until(lambda: ctx.matches != [])
    assert ctx.matches == [(name, "listening on 8080")]
    listed = (await do(ctx, "list")).for_model
    assert r"1 lines matched 'listening on \\d+'" in listed


async def test_a_running_process_can_be_watched_later_and_for_something_else(
    ctx: FakeContext,
) -> None:
    name = await begin(ctx, "read a; echo $a; read b; echo $b", watch="never")
    await do(ctx, "watch", name, text="^ready")
    await do(ctx, "write", name, text="ready one\n")
    await until(lambda: ctx.matches != [])
    await do(ctx, "write", name, text="never ready\n")
    await do(ctx, "wait", name)
    assert ctx.matches == [(name, "ready one")]


async def test_what_matched_last_is_told_when_it_ends(ctx: FakeContext) -> None:
    name = await begin(ctx, "echo hit 1; echo hit 2; sleep 0.2; printf 'hit 3'", watch="hit")
    await do(ctx, "wait", name)
    told = "\n".join(lines for _, lines in ctx.matches)
    assert [f"hit {n}" in told for n in (1, 2, 3)] == [True, True, True]


async def test_a_flood_of_matches_is_told_in_few_words(ctx: FakeContext) -> None:
    name = await begin(ctx, "for n in $(seq 2000); do echo hit $n; done", watch="hit")
    await do(ctx, "wait", name)
    assert len(ctx.matches) <= 3
    assert all(len(lines.splitlines()) <= 6 for _, lines in ctx.matches)
    assert ctx.processes.get(name, ctx.session).watched.matched == 2000
    assert "more lines" in ctx.matches[-1][1]


@pytest.mark.parametrize("pattern", ["(", "(a+)+$", "(a|aa)+", "a*b*c*d*e*", "(.*)*", "x" * 400])
async def test_a_pattern_that_is_none_or_could_take_for_ever_is_refused_before_the_start(
    ctx: FakeContext, pattern: str
) -> None:
    with pytest.raises(ToolError):
        await begin(ctx, "touch began", watch=pattern)
    assert ctx.processes.list() == []


@pytest.mark.parametrize(
    "pattern",
    ["error", r"^\s*(ERROR|WARN)", r"listening on .*:\d+", "(?i)ready", "a{3}b?", "[0-9]+ ms"],
)
def test_usual_patterns_are_taken(pattern: str) -> None:
    assert compiled(pattern).pattern == pattern


def test_a_line_split_between_two_reads_is_seen_whole() -> None:
    told: list[str] = []
    watch = Watch("ready")
    watch.start(told.append)
    for chunk in (b"\x1b[3", b"2mrea", b"dy\x1b[0m now", b"\nnext"):
        watch.feed(chunk)
    assert told == ["ready now"]


@settings(max_examples=100, deadline=None)
@given(
    lines=st.lists(st.sampled_from(["hit", "miss", "hit é", ""]), max_size=20),
    cut=st.integers(1, 5),
)
def test_every_line_is_looked_at_once_however_it_arrives(lines: list[str], cut: int) -> None:
    data = "".join(f"{line}\n" for line in lines).encode()
    watch = Watch("hit", pause_s=0.0)
    told: list[str] = []
    watch.start(told.append)
    for start in range(0, len(data), cut):
        watch.feed(data[start : start + cut])
    watch.end()
    hits = [line for line in lines if "hit" in line]
    assert watch.matched == len(hits)
    assert told == hits
