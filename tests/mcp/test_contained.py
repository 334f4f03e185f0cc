"""Servers in the sandbox, as they run without a word about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_tui.backends import sandbox_probe
from hermes_tui.backends.sandbox_probe import Level
from hermes_tui.configuration.load import load
from hermes_tui.errors import ConfigError, ToolError
from hermes_tui.home import Home
from hermes_tui.mcp import servers
from hermes_tui.mcp.contained import Contained
from hermes_tui.mcp.hub import line_to
from hermes_tui.mcp.link import Link
from hermes_tui.mcp.results import to_result
from hermes_tui.mcp.servers import Server
from tests.fakes.context import FakeContext
from tests.mcp.conftest import QUICK, Bench, own_server, shown

NONE = Level(number=1, name="none", reasons=("bwrap is not installed",))


@pytest.fixture(params=[3, 2])
async def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """A level of the sandbox that works here."""
    monkeypatch.setattr(sandbox_probe, "_known", None)
    best = await sandbox_probe.probe(again=True)
    if best.number < request.param:
        pytest.skip("; ".join(best.reasons))
    given = Level(number=request.param, name="as wanted")
    monkeypatch.setattr(sandbox_probe, "_known", given)
    return request.param


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


async def said(link: Link, tool: str, ctx: FakeContext, **arguments: object) -> str:
    with link.asking.during(ctx):
        result = await link.call(tool, dict(arguments), ctx.progress)
    return (await to_result(link.name, result, ctx)).for_model


def own(bench: Bench, server: Server) -> Link:
    """A link whose program may ask whoever called a tool of it."""

    async def may_reach(host: str) -> bool:
        return await link.asking.may_reach(host)

    link, lines = bench.link("own", server, QUICK)
    lines._make = line_to("own", server, bench.home, may_reach)
    return link


@pytest.mark.sandbox
async def test_a_server_is_in_the_sandbox_without_a_word_about_it(
    bench: Bench, tmp_path: Path, work: Path, ctx: FakeContext, level: int
) -> None:
    link = own(bench, own_server(work, **shown(work)))
    assert await said(link, "greet", ctx, name="x") == "Hello x!"
    await said(link, "keep", ctx, path=str(tmp_path / "outside.txt"))
    assert not (tmp_path / "outside.txt").exists()
    assert await said(link, "keep", ctx, path=str(work / "inside.txt")) == "kept"
    assert (work / "inside.txt").read_text() == "kept"


@pytest.mark.sandbox
async def test_a_server_reaches_no_host_that_nobody_allowed(
    bench: Bench, work: Path, ctx: FakeContext, level: int
) -> None:
    ctx.refuses = "the person refused"
    link = own(bench, own_server(work, **shown(work)))
    assert "not fetched" in await said(link, "fetch", ctx, url="http://where.invalid/")
    action, _ = ctx.wanted[-1]
    assert (action.kind, action.sends) == ("send", ("where.invalid",))
    ctx.refuses = ""
    assert "502" in await said(link, "fetch", ctx, url="http://where.invalid/")
    asked = len(ctx.wanted)
    assert "502" in await said(link, "fetch", ctx, url="http://where.invalid/again")
    assert len(ctx.wanted) == asked


@pytest.mark.sandbox
async def test_a_host_of_the_entry_is_reached_without_a_question(
    bench: Bench, work: Path, ctx: FakeContext, level: int
) -> None:
    link = own(bench, own_server(work, hosts=("where.invalid",), **shown(work)))
    assert "502" in await said(link, "fetch", ctx, url="http://where.invalid/")
    assert ctx.wanted == []
    ctx.refuses = "no"
    assert "403" in await said(link, "fetch", ctx, url="http://elsewhere.invalid/")


@pytest.mark.sandbox
async def test_secrets_in_a_folder_that_is_shown_stay_hidden(
    bench: Bench, work: Path, ctx: FakeContext, level: int
) -> None:
    secret = work / ".env"
    secret.write_text("KEY=" + "sesame")
    out = work / "seen.txt"
    server = own_server(work)
    line = f"cat {secret} >{out} 2>&1; exec {server.command} {' '.join(server.args)}"
    boxed = Server(command="bash", args=("-c", line), env={"PATH": path_with(server.command)},
                   **shown(work))  # type: ignore[arg-type]  # fmt: skip
    link = own(bench, boxed)
    assert await said(link, "greet", ctx, name="x") == "Hello x!"
    assert "sesame" not in out.read_text()


def path_with(program: str) -> str:
    return f"{Path(program).parent}:/usr/bin:/bin"


@pytest.mark.sandbox
async def test_no_server_is_shown_the_folder_of_the_agent(
    bench: Bench, work: Path, ctx: FakeContext, level: int
) -> None:
    above = str(bench.home.path.parent)
    link = own(bench, own_server(work, sees=(above,)))
    with pytest.raises(ToolError, match="the agent's own files"):
        await said(link, "greet", ctx, name="x")


async def test_without_a_sandbox_it_runs_free_and_that_is_told(
    bench: Bench, work: Path, ctx: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_probe, "_known", NONE)
    told: list[str] = []
    server = own_server(work)
    link, lines = bench.link("own", server)
    lines._make = line_to("own", server, bench.home, tell=told.append)
    assert await said(link, "greet", ctx, name="x") == "Hello x!"
    assert told == ["the server own runs without a sandbox: bwrap is not installed"]


async def test_where_the_settings_want_a_sandbox_it_is_not_started_without(
    bench: Bench, work: Path, ctx: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_probe, "_known", NONE)
    bench.home.config.write_text("sandbox: {level: 2}\n")
    assert load(bench.home, {}).config.sandbox.level == 2
    link = own(bench, own_server(work))
    with pytest.raises(ToolError, match="want sandbox level 2 for own"):
        await said(link, "greet", ctx, name="x")
    assert not (work / "calls.txt").exists()


def test_what_could_not_be_reached_is_what_a_failure_says(home: Home) -> None:
    one = Contained("own", Server(command="x"), home)
    assert one.note == ""
    one.refused.append("registry.npmjs.org")
    assert "registry.npmjs.org" in one.note


@pytest.mark.parametrize("field", ["sandbox", "sees", "writes", "hosts"])
def test_a_server_that_may_do_more_is_accepted_anew(field: str) -> None:
    more: dict[str, object] = {"sandbox": "off"} if field == "sandbox" else {field: ("a.example",)}
    assert Server(command="x").digest != Server(command="x", **more).digest  # type: ignore[arg-type]


@pytest.mark.parametrize("host", ["10.0.0.1", "a b", "*.com", "x:y"])
def test_a_host_that_is_none_is_no_entry(home: Home, host: str) -> None:
    entry = {"command": "x", "hosts": [host]}
    servers.file_of(home).write_text(json.dumps({"mcpServers": {"own": entry}}))
    assert servers.read(home).servers == {}
    assert "own" in servers.read(home).problems[0]
    with pytest.raises(ConfigError):
        servers.check("own", entry)
