"""`hermes attach user@host` over a real sshd, on a line that is slow, loses packets and is cut."""

from __future__ import annotations

import getpass
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.home import ENV
from tests.fakes.scripted_model import say
from tests.fakes.ssh_server import Link, SshServer, Weather
from tests.launch.hermes import Place, command
from tests.launch.window import Window

pytest.importorskip("paramiko")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.path.exists("/usr/sbin/sshd") or shutil.which("ssh-keygen") is None,
        reason="needs sshd and ssh-keygen",
    ),
]
FAR_AWAY = Weather(delay=0.1, loss=0.02)
"""200 ms there and back, two packets in a hundred lost."""


@pytest.fixture
def server(place: Place, tmp_path: Path) -> Iterator[SshServer]:
    made = SshServer(tmp_path, place.home.path).start()
    made.install()
    yield made
    made.stop()


def attach(place: Place, server: SshServer, link: Link, tmp_path: Path) -> Window:
    server.trust(link.port)
    near = {"HOME": str(tmp_path / "near"), ENV: str(tmp_path / "near-home")}
    target = f"{getpass.getuser()}@127.0.0.1:{link.port}"
    return Window(command("attach", target), {**place.env, **near}, place.folder)


def send_until(window: Window, answer: str) -> None:
    """Press Enter as a person does: again while the line is made anew and the text stays."""
    deadline = time.monotonic() + 30
    while answer not in window.text:
        assert time.monotonic() < deadline, window.text
        window.type("\r")
        window.rest(1.0)


def test_a_far_agent_is_used_like_a_near_one_and_a_cut_line_loses_nothing(
    place: Place, server: SshServer, tmp_path: Path
) -> None:
    place.model.script = [say("The first answer."), say("The second answer.")]
    assert place.run("daemon", "start").code == 0
    link = Link(server.port, FAR_AWAY)
    with attach(place, server, link, tmp_path) as window:
        window.until("Say what to do", 30)
        window.until("· scripted", 30)
        typed = "what is typed is seen at once"
        began = time.monotonic()
        window.type(typed)
        window.until(typed)
        assert time.monotonic() - began < 1.0, "keys are drawn here, without asking over there"
        window.type("\r")
        window.until("The first answer.", 30)
        link.cut()
        window.type("still here")
        window.until("still here", 30)
        send_until(window, "The second answer.")
        assert window.text.count("The first answer.") == 1
        assert window.text.count("still here") == 1
        window.type("\x11")
        assert window.ended(30) == 0
    link.close()
    asked = [m for m in place.model.last.messages if "still here" in str(m["content"])]
    assert len(asked) == 1, "it was sent once"
    assert place.core(), "leaving the screen ends no agent"
