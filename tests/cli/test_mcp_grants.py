"""What a server's program is granted when it is added: by its arguments, by options, by answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.cli import mcp_grants, mcp_servers, output
from hermes_tui.errors import HermesError
from hermes_tui.home import Home
from hermes_tui.mcp import servers
from hermes_tui.mcp.servers import Server
from tests.cli.conftest import Hermes
from tests.mcp.conftest import OWN


@pytest.fixture(autouse=True)
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "person"
    (folder / "notes").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    return folder


def granted(*args: str, **more: list[str]) -> Server:
    given: dict[str, list[str]] = {"sees": [], "writes": [], "hosts": [], **more}
    return mcp_grants.granted(Server(command="node", args=args), **given)


def test_a_folder_among_the_arguments_may_be_changed(person: Path) -> None:
    one = granted("server.js", str(person / "notes"), f"--root={person / 'notes'}")
    assert (one.sees, one.writes) == ((), (str(person / "notes"),))


def test_a_script_is_shown_with_its_project(person: Path) -> None:
    project = person / "code" / "server"
    (project / "dist").mkdir(parents=True)
    (project / "package.json").write_text("{}")
    (project / "dist" / "index.js").write_text("")
    assert granted(str(project / "dist" / "index.js")).sees == (str(project),)
    (project / "package.json").unlink()
    assert granted(str(project / "dist" / "index.js")).sees == (str(project / "dist"),)


def test_neither_the_whole_home_nor_the_system_is_granted_by_an_argument(person: Path) -> None:
    one = granted(str(person), str(person.parent), "/", "/tmp", "/etc/passwd", "/usr/bin")
    assert (one.sees, one.writes) == ((), ())


def test_a_data_file_is_only_read_until_a_person_says_more(person: Path) -> None:
    data = person / "notes" / "shop.db"
    data.write_text("")
    assert granted(str(data)).sees == (str(data),)
    more = granted(str(data), writes=[str(person / "notes")], hosts=["a.example"])
    assert (more.writes, more.hosts) == ((str(person / "notes"),), ("a.example",))


def test_what_is_not_there_and_what_is_elsewhere_is_granted_nothing(person: Path) -> None:
    with pytest.raises(HermesError, match="not there"):
        granted(sees=["~/no-such-thing"])
    with pytest.raises(HermesError, match="only a program in the sandbox"):
        mcp_grants.granted(Server(url="https://a.example/"), [], [], ["a.example"])


def found(name: str, one: Server) -> Any:
    return mcp_servers.Found(
        name=name, line=one.line, says="x", protocol="1",
        offer=mcp_servers.Offer(), differs=mcp_servers.Difference(),
    )  # fmt: skip


class Registry:
    """A server that wants some hosts before it works."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *needs: str) -> None:
        self.needs = needs
        self.asked: list[str] = []
        self.says = True
        monkeypatch.setattr(mcp_servers, "reach", self.reach)
        monkeypatch.setattr(output, "confirmed", self.confirmed)

    def reach(self, home: Home, name: str, one: Server, wanted: list[str]) -> Any:
        missing = [host for host in self.needs if host not in one.hosts]
        if missing:
            wanted.append(missing[0])
            raise HermesError("it ended")
        return found(name, one)

    def confirmed(self, question: str) -> bool:
        self.asked.append(question)
        return self.says


def test_each_host_a_server_wants_is_asked_for_and_written_down(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = Registry(monkeypatch, "pypi.org", "files.pythonhosted.org")
    _, one = mcp_grants.reach(home, "up", Server(command="uvx"), sure=False)
    assert one.hosts == registry.needs
    assert servers.read(home).servers["up"].hosts == registry.needs
    assert len(registry.asked) == 2


def test_a_host_that_is_refused_is_asked_for_once(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = Registry(monkeypatch, "pypi.org")
    registry.says = False
    with pytest.raises(HermesError, match="it ended"):
        mcp_grants.reach(home, "up", Server(command="uvx"), sure=False)
    assert len(registry.asked) == 1


def test_yes_to_a_server_is_no_yes_to_hosts(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry(monkeypatch, "pypi.org")
    with pytest.raises(HermesError) as told:
        mcp_grants.reach(home, "up", Server(command="uvx"), sure=True)
    assert "--host pypi.org" in str(told.value.hint)
    assert registry.asked == []


def test_the_list_says_what_surrounds_each_server(
    hermes: Hermes, home: Home, tmp_path: Path
) -> None:
    own = ("--", sys.executable, str(OWN), str(tmp_path / "person" / "notes"))
    hermes("mcp", "add", "free", "--yes", "--no-sandbox", *own)
    hermes("mcp", "add", "usual", "--yes", *own)
    rows = {one["name"]: one for one in hermes("mcp", "list", "--json").json["servers"]}
    assert rows["free"]["sandbox"] == "free, as you said"
    assert rows["usual"]["sandbox"] == "free: no sandbox here"
    assert rows["usual"]["writes"] == [str(tmp_path / "person" / "notes")]
    assert servers.read(home).servers["free"].sandbox == "off"
    assert "free, as you said" in hermes("mcp", "list").out
