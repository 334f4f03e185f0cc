"""One server's connection: made when needed, lost, made anew, and ended."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from hermes_tui.backends.sandbox_probe import Level, probe
from hermes_tui.errors import ToolError
from hermes_tui.home import Home
from hermes_tui.mcp import faults
from hermes_tui.mcp.link import Link, Times
from hermes_tui.mcp.results import to_result
from hermes_tui.mcp.servers import Server
from tests.fakes.context import FakeContext
from tests.mcp.conftest import Bench, alive, own_server, until


def quiet(text: str) -> None:
    """Nobody watches the progress."""


@pytest.fixture
async def link(bench: Bench, tmp_path: Path) -> Link:
    return bench.link("own", own_server(tmp_path))[0]


def exists(path: Path) -> bool:
    return path.exists()


def content_of(path: str) -> bytes:
    return Path(path).read_bytes()


async def said(link: Link, tool: str, ctx: FakeContext, **arguments: object) -> str:
    result = await link.call(tool, dict(arguments), ctx.progress)
    return (await to_result(link.name, result, ctx)).for_model


async def test_nothing_is_started_before_the_first_call(link: Link, ctx: FakeContext) -> None:
    assert link.state == "idle"
    assert await said(link, "greet", ctx, name="Ada") == "Hello Ada!"
    assert link.state == "ready"


async def test_noise_between_the_messages_does_no_harm(link: Link, ctx: FakeContext) -> None:
    for n in range(3):
        assert await said(link, "greet", ctx, name=str(n)) == f"Hello {n}!"


async def test_a_server_sees_no_key_of_ours(
    bench: Bench, tmp_path: Path, ctx: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k" * 20)
    monkeypatch.setenv("ITS_OWN", "value")
    link, _ = bench.link("own", own_server(tmp_path, env={"TOKEN": "${ITS_OWN}"}))
    names = (await said(link, "environment", ctx)).split()
    assert "OPENAI_API_KEY" not in names
    assert "ITS_OWN" not in names
    assert {"TOKEN", "PATH"} <= set(names)


async def test_a_server_has_a_session_of_its_own(
    bench: Bench, tmp_path: Path, ctx: FakeContext
) -> None:
    link, lines = bench.link("own", own_server(tmp_path))
    await said(link, "greet", ctx, name="x")
    assert os.getsid(lines.pids[0]) == lines.pids[0] != os.getsid(0)


async def test_a_server_that_dies_in_a_call_is_told_of_and_comes_back(
    bench: Bench, tmp_path: Path, ctx: FakeContext
) -> None:
    link, lines = bench.link("own", own_server(tmp_path))
    with pytest.raises(ToolError, match=r"lost while own\.die ran, effect unknown"):
        await said(link, "die", ctx)
    assert await said(link, "greet", ctx, name="again") == "Hello again!"
    assert len(lines.made) == 2
    assert (tmp_path / "calls.txt").read_text().split() == ["die", "greet"]


async def test_a_server_killed_between_calls_is_there_for_the_next(
    bench: Bench, tmp_path: Path, ctx: FakeContext
) -> None:
    link, lines = bench.link("own", own_server(tmp_path))
    await said(link, "greet", ctx, name="x")
    os.killpg(lines.pids[0], signal.SIGKILL)
    await until(lambda: not alive(lines.pids[0]))
    await until(lambda: link.state != "ready" or len(lines.made) > 1)
    assert await said(link, "greet", ctx, name="y") == "Hello y!"


async def test_a_server_that_is_let_go_has_ended(
    bench: Bench, tmp_path: Path, ctx: FakeContext
) -> None:
    link, lines = bench.link("own", own_server(tmp_path))
    await said(link, "greet", ctx, name="x")
    await link.close()
    assert not alive(lines.pids[0])
    with pytest.raises(ToolError, match="switched off"):
        await said(link, "greet", ctx, name="x")


async def test_an_unused_server_ends_and_starts_again_when_needed(
    bench: Bench, tmp_path: Path, ctx: FakeContext
) -> None:
    link, lines = bench.link("own", own_server(tmp_path), Times(look=0.1, idle=0.2))
    await said(link, "greet", ctx, name="x")
    await until(lambda: link.state == "idle")
    await until(lambda: not alive(lines.pids[0]))
    assert await said(link, "greet", ctx, name="y") == "Hello y!"


async def test_a_call_over_its_time_fails_and_leaves_the_server_alive(
    bench: Bench, tmp_path: Path, ctx: FakeContext
) -> None:
    link, lines = bench.link("own", own_server(tmp_path, timeout_s=0.3))
    with pytest.raises(ToolError, match="timed out"):
        await said(link, "hang", ctx)
    assert await said(link, "greet", ctx, name="x") == "Hello x!"
    assert len(lines.made) == 1


async def test_a_program_that_is_not_there_is_named(bench: Bench, ctx: FakeContext) -> None:
    link, _ = bench.link("gone", Server(command="no-such-program-here"))
    with pytest.raises(ToolError, match=r"no-such-program-here: (not found|Permission denied)"):
        await said(link, "x", ctx)


async def test_what_a_dying_server_said_is_in_the_error(bench: Bench, ctx: FakeContext) -> None:
    server = Server(command="/bin/sh", args=("-c", "echo 'the disk is full' >&2; exit 1"))
    link, _ = bench.link("ill", server)
    with pytest.raises(ToolError, match="the disk is full"):
        await said(link, "x", ctx)


async def test_a_program_that_says_nothing_fails_in_time(bench: Bench, ctx: FakeContext) -> None:
    link, lines = bench.link("mute", Server(command="sleep", args=("60",)), Times(connect=0.3))
    with pytest.raises(ToolError, match=r"did not connect|no answer"):
        await said(link, "x", ctx)
    await link.close()
    assert not any(map(alive, lines.pids))


async def test_progress_is_shown(link: Link, ctx: FakeContext) -> None:
    assert await said(link, "slow", ctx) == "done"
    assert "step 3: 3 of 3" in "".join(ctx.shown)


async def test_a_picture_is_kept_as_a_file(link: Link, ctx: FakeContext) -> None:
    text = await said(link, "picture", ctx)
    assert "image/png, 8 bytes, kept in" in text
    assert content_of(text.rpartition(" ")[2].rstrip("]")) == b"\x89PNG\r\n\x1a\n"


async def test_a_long_answer_is_kept_whole_and_shown_in_part(link: Link, ctx: FakeContext) -> None:
    result = await to_result("own", await link.call("long", {}, quiet), ctx)
    assert len(result.for_model) <= ctx.window_chars
    assert len(content_of(result.output_path)) == 100_000


async def test_results_are_marked_as_written_by_others(link: Link, ctx: FakeContext) -> None:
    result = await to_result("own", await link.call("greet", {"name": "x"}, quiet), ctx)
    assert result.untrusted == "the server own"
    failed = await to_result("own", await link.call("fail", {}, quiet), ctx)
    assert failed.failed


async def test_a_changed_list_of_tools_is_heard_of(link: Link, ctx: FakeContext) -> None:
    await link.ready()
    assert link.offer.tool("grown") is None
    await said(link, "grow", ctx)
    await until(lambda: link.offer.tool("grown") is not None)


@pytest.mark.slow
async def test_a_server_that_hangs_is_replaced_before_anybody_asks(
    bench: Bench, tmp_path: Path, ctx: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.mcp.link._PING_S", 0.4)
    monkeypatch.setattr("hermes_tui.mcp.child._ENDS_ITSELF_S", 0.1)
    link, lines = bench.link("own", own_server(tmp_path), Times(look=0.1, idle=60))
    await said(link, "greet", ctx, name="x")
    os.killpg(lines.pids[0], signal.SIGSTOP)
    await until(lambda: len(lines.made) == 2 and link.state == "ready")
    assert not alive(lines.pids[0])
    assert await said(link, "greet", ctx, name="y") == "Hello y!"


async def test_stopping_a_call_leaves_the_server_for_the_next(link: Link, ctx: FakeContext) -> None:
    await link.ready()
    hanging = asyncio.ensure_future(said(link, "hang", ctx))
    await asyncio.sleep(0.05)
    hanging.cancel()
    await asyncio.wait([hanging])
    assert hanging.cancelled()
    assert await said(link, "greet", ctx, name="y") == "Hello y!"


@pytest.mark.sandbox
async def test_a_server_in_the_sandbox_sees_its_folder_and_no_more(
    bench: Bench, home: Home, tmp_path: Path, ctx: FakeContext
) -> None:
    if (await probe()).number <= 1:
        pytest.skip("; ".join((await probe()).reasons))
    work = tmp_path / "work"
    work.mkdir()
    (home.path / "secret.txt").write_text("hidden")
    look = f"cat {home.path}/secret.txt; touch {tmp_path}/outside; (: </dev/tcp/127.0.0.1/9); env"
    server = own_server(work)
    argv = ("-c", f"({look}) >{work}/seen.txt 2>&1; exec {server.command} {' '.join(server.args)}")
    boxed = Server(
        command="bash", args=argv, cwd=str(work), sandbox="workspace", env={"GIVEN": "1"},
        sees=(str(Path(__file__).parents[2]), sys.prefix, sys.base_prefix),
    )  # fmt: skip
    link, _ = bench.link("boxed", boxed)
    assert await said(link, "greet", ctx, name="x") == "Hello x!"
    seen = content_of(str(work / "seen.txt")).decode()
    assert "hidden" not in seen
    assert "GIVEN=1" in seen
    assert not exists(tmp_path / "outside")


async def test_a_server_that_wants_a_sandbox_never_runs_without_one(
    bench: Bench, tmp_path: Path, ctx: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def none() -> Level:
        return Level(number=1, name="none", reasons=("bwrap is not installed",))

    monkeypatch.setattr("hermes_tui.backends.sandbox_probe.probe", none)
    ran = str(tmp_path / "ran")
    server = Server(command="touch", args=(ran,), cwd=str(tmp_path), sandbox="workspace")
    link, _ = bench.link("boxed", server)
    with pytest.raises(ToolError, match="wants a sandbox: bwrap is not installed"):
        await said(link, "greet", ctx, name="x")
    assert not exists(Path(ran))


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ExceptionGroup("group", [ValueError(""), OSError("the cause")]), "the cause"),
        (ExceptionGroup("g", [ExceptionGroup("h", [RuntimeError()])]), "RuntimeError"),
        (TimeoutError(), "no answer in time"),
        (ValueError("two\nlines"), "two lines"),
    ],
)
def test_an_error_is_never_without_words(error: Exception, text: str) -> None:
    assert faults.said(error) == text
