"""A core on another machine is spoken to like a near one, over a real sshd."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.errors import CoreError
from hermes_tui.events import CoreEnding, TurnEnded
from hermes_tui.intents import OpenSession, Standing
from hermes_tui.runtime.core import Core
from hermes_tui.runtime.remote import Remote
from hermes_tui.runtime.ssh import Place
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.scripted_model import say as reply
from tests.fakes.ssh_server import Link, SshServer
from tests.runtime.conftest import open_in, say, until

pytestmark = pytest.mark.skipif(
    not os.path.exists("/usr/sbin/sshd") or shutil.which("ssh-keygen") is None,
    reason="needs sshd and ssh-keygen",
)
pytest.importorskip("paramiko")


@pytest.fixture
def server(core: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshServer]:
    made = SshServer(tmp_path, core.home.path).start()
    monkeypatch.setenv("HOME", str(tmp_path / "near"))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    yield made
    made.stop()


async def test_a_question_is_asked_on_another_machine_past_what_its_shell_says(
    server: SshServer, scripted: ScriptedModel, tmp_path: Path
) -> None:
    server.install()
    (server.home / ".bash_profile").write_text("echo Welcome to $HOSTNAME; printf '{\"a\": 1}'\n")
    scripted.script = [reply("Marmalade needs oranges.")]
    remote = Remote(Place.read(server.place()))
    client = await remote.connect()
    assert remote.folder == str(server.home)
    view = await open_in(client, str(tmp_path))
    await say(client, view, "how is marmalade made?")
    assert (await until(client, TurnEnded))[-1].n > 1
    await client.close()
    remote.close()


async def test_a_line_that_was_cut_goes_on_without_a_gap_or_a_repeat(
    server: SshServer, scripted: ScriptedModel, tmp_path: Path
) -> None:
    server.install()
    link = Link(server.port)
    server.trust(link.port)
    scripted.script = [reply("one"), reply("two"), reply("three")]
    remote = Remote(Place.read(server.place(link.port)))
    client = await remote.connect()
    view = await open_in(client, str(tmp_path))
    await say(client, view, "first")
    seen = [r.n for r in (*view.records, *await until(client, TurnEnded)) if r.n]
    await say(client, view, "second")
    link.cut()
    rest = await until(client, CoreEnding)
    seen += [r.n for r in rest if r.n]
    client = await remote.connect()
    standing = Standing(cwd=str(tmp_path))
    again = await client.ask(OpenSession(which=view.info.id, standing=standing))
    assert [r.n for r in again.records][: len(seen)] == seen
    seen = [r.n for r in again.records]
    if not isinstance(again.records[-1].event, TurnEnded):
        seen += [r.n for r in await until(client, TurnEnded) if r.n]
    await say(client, view, "third")
    seen += [r.n for r in await until(client, TurnEnded) if r.n]
    assert seen == list(range(1, seen[-1] + 1))
    await client.close()
    remote.close()
    link.close()


async def test_a_missing_hermes_is_said_in_a_sentence(server: SshServer) -> None:
    with pytest.raises(CoreError, match="there is no hermes there") as caught:
        await Remote(Place.read(server.place())).connect()
    assert "--remote-command" in caught.value.hint


async def test_hermes_is_found_where_it_was_said_to_be(server: SshServer) -> None:
    remote = Remote(Place.read(server.place()), str(server.install("elsewhere/my-hermes")))
    client = await remote.connect()
    assert client.pid == os.getpid()
    await client.close()
    remote.close()


async def test_a_host_whose_key_is_not_known_is_not_spoken_to(server: SshServer) -> None:
    server.known.write_text("")
    with pytest.raises(CoreError, match="is not known yet"):
        await Remote(Place.read(server.place())).connect()


async def test_a_host_with_another_key_is_not_spoken_to(server: SshServer) -> None:
    line = server.known.read_text().split()
    server.known.write_text(f"{line[0]} {line[1]} {line[2][:-8]}AAAAAAAA\n")
    with pytest.raises(CoreError, match="another key"):
        await Remote(Place.read(server.place())).connect()


async def test_the_way_goes_through_the_jumps_of_the_persons_own_settings(
    server: SshServer, tmp_path: Path
) -> None:
    server.install()
    user, _, port = server.place().partition("@127.0.0.1:")
    own = tmp_path / "near" / ".ssh" / "config"
    own.write_text(
        f"Host hop\n  HostName 127.0.0.1\n  Port {port}\n  User {user}\n"
        f"Host box\n  HostName 127.0.0.1\n  Port {port}\n  User {user}\n  ProxyJump hop\n"
    )
    remote = Remote(Place.read("box"))
    client = await remote.connect()
    assert client.pid == os.getpid()
    await client.close()
    remote.close()


async def test_nobody_there_is_said_in_a_sentence(server: SshServer, core: Core) -> None:
    server.install()
    await core.end("test")
    with pytest.raises(CoreError, match="no agent is running there"):
        await Remote(Place.read(server.place())).connect()


async def test_attaching_takes_no_longer_than_a_login(server: SshServer, tmp_path: Path) -> None:
    server.install()
    remote = Remote(Place.read(server.place()))
    began = time.monotonic()
    client = await remote.connect()
    await open_in(client, str(tmp_path))
    took = time.monotonic() - began
    assert took < 3, took
    await client.close()
    remote.close()


@pytest.mark.parametrize("text", ["", "me@", "-oProxyCommand=x", "host:port"])
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(CoreError, match="is no host"):
        Place.read(text)
