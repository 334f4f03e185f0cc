"""`hermes mcp`: adding, accepting, testing, removing servers; this agent as a server."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx2
import pytest

from hermes_tui.home import Home
from hermes_tui.mcp import accepted, servers
from hermes_tui.mcp.hub import line_to
from hermes_tui.mcp.link import Link, Times
from hermes_tui.mcp.servers import Server
from hermes_tui.security.vault import Vault
from tests.cli.conftest import Hermes
from tests.fakes.scripted_model import ScriptedModel, say
from tests.mcp.conftest import OWN
from tests.mcp.web_servers import Grants, WebServer


def target(folder: Path) -> tuple[str, ...]:
    return ("--", sys.executable, str(OWN), str(folder))


def test_a_server_is_added_shown_and_accepted(hermes: Hermes, home: Home, tmp_path: Path) -> None:
    done = hermes("mcp", "add", "own", "--yes", *target(tmp_path))
    assert done.code == 0, done.err
    assert "Greets somebody by name." in done.out
    assert accepted.read(home)["own"].tool("greet") is not None
    listed = hermes("mcp", "list", "--json").json["servers"][0]
    assert (listed["name"], listed["state"]) == ("own", "accepted")
    assert "greet" in listed["tools"]


def test_nothing_is_accepted_by_a_script_that_does_not_say_so(
    hermes: Hermes, home: Home, tmp_path: Path
) -> None:
    done = hermes("mcp", "add", "own", *target(tmp_path))
    assert done.code == 1
    assert accepted.read(home) == {}
    assert "not accepted" in hermes("mcp", "list").out


def test_a_test_marks_what_changed_since(hermes: Hermes, home: Home, tmp_path: Path) -> None:
    hermes("mcp", "add", "own", "--yes", *target(tmp_path))
    assert hermes("mcp", "test", "own").code == 0
    (tmp_path / "tool.txt").write_text("Greets, and reads your mail.")
    (tmp_path / "grown").touch()
    done = hermes("mcp", "test", "own")
    assert done.code == 1
    assert "CHANGED" in done.out
    assert "+Greets, and reads your mail." in done.out
    assert "\nnew grown\n" in done.out
    assert hermes("mcp", "accept", "own", "--yes").code == 0
    assert hermes("mcp", "test", "own", "--json").code == 0


def test_a_secret_is_read_and_kept_out_of_the_file(
    hermes: Hermes, home: Home, tmp_path: Path
) -> None:
    secret = "s3cret" + "value-of-the-key"
    done = hermes("mcp", "add", "own", "--yes", "--secret", "API_KEY", "--set", "MODE=fast",
                  *target(tmp_path), stdin=secret + "\n")  # fmt: skip
    assert done.code == 0, done.err
    text = servers.file_of(home).read_text()
    assert secret not in text + done.out + done.err
    entry = json.loads(text)["mcpServers"]["own"]
    assert entry["env"] == {"API_KEY": "${mcp.own.API_KEY}", "MODE": "fast"}
    assert Vault(home).get("mcp.own.API_KEY") == secret
    assert hermes("mcp", "remove", "own").code == 0
    assert Vault(home).get("mcp.own.API_KEY") is None
    assert servers.read(home).servers == {}
    assert accepted.read(home) == {}


def test_a_server_that_is_not_there_says_why(hermes: Hermes) -> None:
    done = hermes("mcp", "add", "bad", "--yes", "--", "no-such-program-at-all")
    assert done.code == 1
    assert "no-such-program-at-all: " in done.err
    assert "there are: bad" in hermes("mcp", "test", "other").err


@pytest.mark.parametrize("name", ["a b", "../x", "", "x" * 41])
def test_a_name_that_is_none_is_refused(hermes: Hermes, name: str, tmp_path: Path) -> None:
    assert "can't name a server" in hermes("mcp", "add", name, *target(tmp_path)).err


async def test_the_agent_is_a_server_that_others_can_use(
    home: Home, scripted: ScriptedModel
) -> None:
    home.config.write_text(f"model:\n  name: scripted\n  base_url: {scripted.url}\n")
    scripted.script = [say("Twelve marmalade jars.")]
    code = "from hermes_tui.cli.main import app; app(['mcp', 'serve'])"
    env = {"HERMES_TUI_HOME": str(home.path), "PYTHONPATH": ":".join(sys.path)}
    server = Server(command=sys.executable, args=("-c", code), env=env)
    async with asyncio.TaskGroup() as group:
        times = Times(connect=15, call=15)
        link = Link("hermes", server, line_to("hermes", server, home), group.create_task, times)

        async def ask(tool: str, **arguments: object) -> str:
            result = await link.call(tool, dict(arguments), lambda _: None)
            return result.content[0].text

        try:
            answer = await ask("send", text="How many jars are left?")
            assert answer.startswith("Twelve marmalade jars.")
            session = answer.rpartition("[session ")[2].rstrip("]")
            assert session in await ask("list_sessions")
            assert "How many jars are left?" in await ask("read_session", session=session)
            assert "marmalade" in await ask("search", query="marmalade")
            assert await ask("read_memory")
            assert "there is no session" in await ask("read_session", session="no such")
            assert "bad arguments" in await ask("search")
        finally:
            await link.close()


def test_a_tool_of_a_server_is_called_from_the_command_line(
    hermes: Hermes, home: Home, tmp_path: Path
) -> None:
    hermes("mcp", "add", "own", "--yes", *target(tmp_path))
    asks = hermes("tool", "call", "own.greet", '{"name": "Ada"}')
    assert asks.code == 3
    entry = json.loads(servers.file_of(home).read_text())
    entry["mcpServers"]["own"]["reads"] = ["greet"]
    servers.file_of(home).write_text(json.dumps(entry))
    done = hermes("tool", "call", "own.greet", '{"name": "Ada"}')
    assert (done.code, done.out.strip()) == (0, "Hello Ada!")


def test_a_person_logs_in_by_the_browser_and_is_not_asked_again(
    hermes: Hermes, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def browser(address: str) -> None:
        with httpx2.Client(trust_env=False, follow_redirects=True) as client:
            shown.append(client.get(address).text)

    shown: list[str] = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.open", browser)
    grants = Grants()
    with WebServer(grants) as web:
        refused = hermes("mcp", "add", "web", web.url)
        assert refused.code == 1
        assert "hermes mcp login web" in refused.err
        done = hermes("mcp", "login", "web", "--yes")
        assert done.code == 0, done.err
        assert "Open this address and log in:" in done.out
        assert "You are logged in." in shown[0]
        assert hermes("mcp", "test", "web").code == 0
        assert hermes("mcp", "login", "web", "--yes").code == 0
        assert (grants.logins, len(grants.clients)) == (1, 1)
        assert hermes("mcp", "logout", "web").out.strip() == "logged out"
        assert hermes("mcp", "test", "web").code == 1
        assert hermes("mcp", "login", "web", "--yes").code == 0
    assert grants.logins == 2
    text = servers.file_of(home).read_text()
    assert not any(token in text for token in (*grants.access, *grants.refresh))


def test_a_login_works_by_pasting_where_the_browser_ended(
    hermes: Hermes, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser is on another machine: it can't reach the page, but shows its address."""
    grants = Grants()
    with WebServer(grants) as web:
        hermes("mcp", "add", "web", web.url)
        monkeypatch.setattr(
            "hermes_tui.cli.mcp_servers._shown", lambda paste: remote_browser(monkeypatch)
        )
        done = hermes("mcp", "login", "web", "--yes", "--paste")
    assert done.code == 0, done.err
    assert grants.logins == 1


def remote_browser(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Awaitable[None]]:
    async def show(address: str) -> None:
        async with httpx2.AsyncClient(trust_env=False) as client:
            answer = await client.get(address)
        where = answer.headers["location"]
        assert where.startswith("http://127.0.0.1:")
        monkeypatch.setattr("sys.stdin", io.StringIO(where + "\n"))

    return show
